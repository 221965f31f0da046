/* The bar on top and the column at the side: number of the deal, pass, what is broken, chips, code, sheet. */

import { suitSign } from "../shared/cards.js";
import { el, icon, rebuild } from "../shared/dom.js";
import { arrowTo, placeOf } from "./places.js";
import { sheetTable } from "./sheet.js";
import { directionName, number, receiver, say } from "../shared/text.js";

const { gettext } = window;

export function renderFacts(root, { view, boot }) {
  if (!view) return;
  const facts = [view.deal, view.attempt, view.direction, view.broken, view.extra_deals];
  rebuild(root, facts, () => [
    el("span", { class: "fact", text: say(gettext("Deal %(deal)s"), { deal: number(view.deal) }) }),
    view.extra_deals ? el("span", { class: "fact", text: gettext("Extra deal") }) : null,
    view.direction ? direction(view, boot) : null,
    broken(view, boot),
  ]);
}

function direction(view, boot) {
  const to = receiver(view.direction, boot.seat ?? 0, boot.players);
  const arrow = to === null ? null : icon("arrow");
  if (arrow) arrow.style.rotate = `${arrowTo(placeOf(to, boot.seat ?? 0, boot.players), boot.players)}deg`;
  return el("span", { class: "fact" }, arrow, directionName(view.direction));
}

/** Whether the suit that may not be led before is broken; nothing in a game that bars none. */
function broken(view, { traits }) {
  if (!traits.broken_facts) return null;
  return el(
    "span",
    { class: "fact broken", "data-broken": view.broken },
    suitSign(traits.suit),
    traits.broken_facts[Number(view.broken)],
  );
}

export function renderChips(root, boot) {
  root.replaceChildren(...boot.chips.map((chip) => el("li", { class: "chip", title: chip.title, text: chip.label })));
}

export function renderSide(root, model) {
  rebuild(root, model.sheet.length, () => [sheetTable(model.sheet, model.boot)]);
}

/** The middle of the felt while nothing is played: the arrow of the pass, or that there is none. */
export function renderMiddle(root, { view, boot }) {
  const quiet = view && view.trick.length === 0 && view.tricks_taken.every((tricks) => tricks === 0);
  const from = boot.seat ?? 0;
  let key = null;
  if (quiet && view.phase === "pass") key = ["pass", view.direction];
  else if (quiet && view.phase === "exchange") key = ["exchange"];
  else if (quiet && view.phase === "play" && view.direction === "hold") key = ["hold"];
  root.hidden = key === null;
  rebuild(root, key, () => {
    if (!key) return [];
    if (key[0] === "hold") return [el("p", { text: gettext("No pass in this deal") })];
    const to =
      key[0] === "pass" ? receiver(view.direction, from, boot.players) : (from + boot.players / 2) % boot.players;
    const arrow = icon("arrow");
    arrow.style.rotate = `${arrowTo(placeOf(to, from, boot.players), boot.players)}deg`;
    return [arrow, el("p", { text: middleText(key[0], view, boot, to) })];
  });
}

function middleText(what, view, boot, to) {
  if (boot.seat === null) return what === "pass" ? directionName(view.direction) : gettext("Partners swap two cards");
  const text = what === "pass" ? gettext("Pass to %(name)s") : gettext("Swap with %(name)s");
  return say(text, { name: boot.names[to] });
}

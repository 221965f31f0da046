/* The windows over the table: last trick, score sheet, settings, keys, and the question before what is final. */

import { cardFace } from "./cards.js";
import { byId, el } from "./dom.js";
import { sheetTable } from "../tables/sheet.js";
import { cardName, say, seatName } from "./text.js";

const { gettext } = window;

export const anyOpen = () => document.querySelector("dialog[open]") !== null;

/** Opens a window. Where a finger or a mouse did it, the focus need not come back to the button that was pressed. */
function open(dialog) {
  dialog.dataset.by = document.documentElement.dataset.input;
  dialog.showModal();
}

export function toggle(id) {
  const dialog = byId(id);
  if (dialog.open) {
    dialog.close();
    return;
  }
  document.querySelector("dialog[open]")?.close();
  open(dialog);
}

/** A tap beside a dialog closes it, as does its button; Esc is the browser's own. `closed(by)`: called after each, with
    what it was opened by, "keys" or "pointer". */
export function wireDialogs(closed) {
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog || event.target.closest("[data-close]")) dialog.close();
    });
    dialog.addEventListener("close", () => closed(dialog.dataset.by));
  }
}

export function openLastTrick({ view, boot }) {
  const trick = view?.last_trick;
  const seats = trick?.cards.map((_, i) => (trick.leader + i) % boot.players);
  byId("last-body").replaceChildren(
    trick
      ? el("ol", { class: "last-cards" }, ...trick.cards.map((card, i) => lastCard(card, seats[i], trick, boot)))
      : el("p", { class: "empty", text: gettext("No trick has been finished in this deal.") }),
    trick
      ? el("p", {
          class: "last-winner",
          text:
            trick.winner === boot.seat
              ? gettext("You took it.")
              : say(gettext("%(name)s took it."), { name: seatName(boot, trick.winner) }),
        })
      : "",
  );
  toggle("dialog-last");
}

function lastCard(card, seat, trick, boot) {
  return el(
    "li",
    { "data-won": seat === trick.winner },
    cardFace(card),
    el("span", {
      class: "visually-hidden",
      text: say(gettext("%(name)s: %(card)s"), { name: seatName(boot, seat), card: cardName(card) }),
    }),
    el("span", { class: "last-name", "aria-hidden": "true", text: seatName(boot, seat) }),
  );
}

export function openSheet({ sheet, boot }) {
  byId("sheet-body").replaceChildren(sheetTable(sheet, boot));
  toggle("dialog-sheet");
}

/** Asks before something that cannot be taken back. `words`: title, text, and the buttons no and yes. */
export function askFirst(words, then) {
  const dialog = byId("dialog-ask");
  byId("ask-title").textContent = words.title;
  byId("ask-text").textContent = words.text;
  byId("ask-no").textContent = words.no;
  byId("ask-yes").textContent = words.yes;
  byId("ask-yes").onclick = () => {
    dialog.close();
    then();
  };
  open(dialog);
}

/** The question is not asked any more. */
export const stopAsking = () => byId("dialog-ask").close();

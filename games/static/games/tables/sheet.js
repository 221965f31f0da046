/* Scores on paper: the sheet by deal, the lines of one deal, and the final table. */

import { el } from "../shared/dom.js";
import { cardNames, change, hasPartners, number, say, score, seatName, sideMembers, sideName } from "../shared/text.js";

const { gettext } = window;

/** What a line is for, and whose doing it was where several score together. */
function lineText(line, boot) {
  const what = boot.traits.lines[line.what] ?? line.what;
  if (hasPartners(boot) && line.seat !== null) {
    return say(gettext("%(what)s (%(name)s)"), { what, name: seatName(boot, line.seat) });
  }
  return what;
}

const sidesOf = (boot) => [...new Set(boot.sides)];

/** A side by its name, and who that is where several score together. */
function sideLabel(boot, side) {
  const [name, members] = [sideName(boot, side), sideMembers(boot, side)];
  return [el("span", { text: name }), name === members ? null : el("small", { class: "members", text: members })];
}

const head = (boot, side) =>
  el(
    "th",
    { scope: "col", "data-own": boot.seat !== null && boot.sides[boot.seat] === side },
    ...sideLabel(boot, side),
  );

/** The whole sheet; the newest deal first, since that is what one looks for. */
export function sheetTable(sheet, boot) {
  if (sheet.length === 0) return el("p", { class: "empty", text: gettext("No deal has been scored yet.") });
  const sides = sidesOf(boot);
  const rows = [...sheet]
    .reverse()
    .map((row) =>
      el(
        "tr",
        {},
        el("th", { scope: "row", text: number(row.deal) }),
        ...sides.map((side) =>
          el(
            "td",
            {},
            el("b", { text: score(row.scores[side], boot.score_sign) }),
            el("small", { text: change(row.change[side], boot.score_sign) }),
          ),
        ),
      ),
    );
  return el(
    "table",
    { class: "sheet" },
    el("caption", { class: "visually-hidden", text: gettext("Scores after each deal, the newest first") }),
    el(
      "thead",
      {},
      el("tr", {}, el("th", { scope: "col", text: gettext("Deal") }), ...sides.map((side) => head(boot, side))),
    ),
    el("tbody", {}, ...rows),
  );
}

/** One deal: every side with its lines, the change and the new total. */
export function dealTable(row, boot) {
  const sides = sidesOf(boot).sort((a, b) => row.change[a] - row.change[b]);
  if (boot.traits.highest_wins) sides.reverse();
  const body = sides.map((side) => {
    const lines = row.lines.filter((line) => line.side === side);
    const details = lines.map((line) =>
      el("span", { class: "line" }, lineText(line, boot), " ", el("b", { text: change(line.amount, boot.score_sign) })),
    );
    return el(
      "tr",
      { "data-own": boot.seat !== null && boot.sides[boot.seat] === side },
      el("th", { scope: "row" }, ...sideLabel(boot, side), el("span", { class: "line-list" }, ...details)),
      el("td", { class: "deal-change", text: change(row.change[side], boot.score_sign) }),
      el("td", { class: "deal-total", text: score(row.scores[side], boot.score_sign) }),
    );
  });
  return el(
    "table",
    { class: "deal-table" },
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        el("td"),
        el("th", { scope: "col", text: gettext("Deal") }),
        el("th", { scope: "col", text: gettext("Total") }),
      ),
    ),
    el("tbody", {}, ...body),
  );
}

/** What to say above a scored deal: the moon, if there was one. */
export function dealTitle(row, boot) {
  const moon = row.lines.find((line) => line.what === "moon" && line.seat !== null);
  if (moon) {
    return moon.seat === boot.seat
      ? gettext("You shot the moon!")
      : say(gettext("%(name)s shot the moon!"), { name: seatName(boot, moon.seat) });
  }
  return say(gettext("Deal %(deal)s"), { deal: number(row.deal) });
}

export function kittyText(kitty) {
  return kitty?.length ? say(gettext("The kitty held %(cards)s."), { cards: cardNames(kitty) }) : "";
}

const REASONS = {
  target: () => gettext("The final score has been reached."),
  floor: () => gettext("A side has fallen to −200."),
  deal_cap: () => gettext("The last deal of the game has been played."),
  abandoned: () => gettext("The game was abandoned."),
  void: () => gettext("The game does not count."),
};

/** Why a game has ended without a result. */
const ENDS = {
  vote: () => gettext("The players have voted to end the game. It does not count."),
  admin: () => gettext("The site has ended the game. It does not count."),
  outage: () => gettext("The site was away for too long. The game does not count."),
  abandoned: () => gettext("The game was abandoned. It does not count."),
  absent: () => gettext("A player never came to the table. The game does not count."),
};

export const endedText = (reason) => (ENDS[reason] ? ENDS[reason]() : gettext("The game does not count."));

export const RESULT_REASONS = Object.keys(REASONS);

/** Places and scores at the end. */
export function finalTable(result, boot) {
  const shown = sidesOf(boot)
    .map((side) => boot.sides.indexOf(side))
    .sort((a, b) => result.placings[a] - result.placings[b]);
  return el(
    "table",
    { class: "final-table" },
    el(
      "thead",
      { class: "visually-hidden" },
      el(
        "tr",
        {},
        ...[gettext("Place"), gettext("Player"), gettext("Score")].map((text) => el("th", { scope: "col", text })),
      ),
    ),
    el(
      "tbody",
      {},
      ...shown.map((seat) =>
        el(
          "tr",
          {
            "data-own": boot.seat !== null && boot.sides[boot.seat] === boot.sides[seat],
            "data-place": result.placings[seat],
          },
          el("td", { class: "place", text: number(result.placings[seat]) }),
          el("th", { scope: "row" }, ...sideLabel(boot, boot.sides[seat])),
          el("td", { text: score(result.scores[boot.sides[seat]], boot.score_sign) }),
        ),
      ),
    ),
  );
}

export function finalTitle(result, boot) {
  if (boot.seat === null) return gettext("The game is over");
  const place = result.placings[boot.seat];
  const shared =
    result.placings.filter((other, seat) => other === place && boot.sides[seat] !== boot.sides[boot.seat]).length > 0;
  if (place === 1) return shared ? gettext("You share first place") : gettext("You win!");
  return hasPartners(boot)
    ? gettext("The others win")
    : say(gettext("You finish in place %(place)s"), { place: number(place) });
}

export const reasonText = (result) => REASONS[result.reason]?.() ?? "";

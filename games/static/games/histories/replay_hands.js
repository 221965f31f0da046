/* The hands of a replay, one row a seat: open where they are to be seen, else as backs. */

import { cardBack, cardFace, inHandOrder } from "../shared/cards.js";
import { el, rebuild } from "../shared/dom.js";
import { cardNames, say, seatName } from "../shared/text.js";

const { gettext, ngettext } = window;

/** Whether the cards of a seat are to be seen. `who`: own, all, or a seat as text. */
export const sees = (who, seat, boot) => who === "all" || (who === "own" ? seat === boot.seat : Number(who) === seat);

export class Hands {
  constructor(root, boot) {
    this.boot = boot;
    const first = boot.seat ?? 0;
    this.rows = Array.from({ length: boot.players }, (_, i) => {
      const seat = (first + i) % boot.players;
      const row = el("li", { class: "hand-line" });
      root.append(row);
      return [seat, row];
    });
  }

  render(view, step, who) {
    for (const [seat, row] of this.rows) {
      const open = sees(who, seat, this.boot) && (who === "all" || !view[`blinded${seat}`]);
      const facts = {
        seat,
        cards: open ? inHandOrder(view[`hand${seat}`]) : view.hand_counts[seat],
        gave: open && !view[`received${seat}`] ? (view[`gave${seat}`] ?? []) : [],
        received: open && step.place[1] <= 1 ? (view[`received${seat}`] ?? []) : [],
      };
      row.toggleAttribute("data-turn", view.asked.includes(seat));
      rebuild(row, facts, () => this.#content(facts, open));
    }
  }

  #content({ seat, cards, gave, received }, open) {
    const name = seatName(this.boot, seat);
    const count = open ? cards.length : cards;
    const faces = open
      ? cards.map((card) => {
          const face = cardFace(card);
          face.toggleAttribute("data-up", gave.includes(card));
          face.toggleAttribute("data-fresh", received.includes(card));
          return face;
        })
      : Array.from({ length: count }, cardBack);
    return [
      el("b", { class: "hand-name", text: name }),
      el("span", { class: "hand-cards", "aria-hidden": "true" }, ...faces),
      el("span", { class: "visually-hidden", text: open ? this.#spoken(cards, gave, received) : this.#counted(count) }),
    ];
  }

  #counted(count) {
    return say(ngettext("%(count)s hidden card", "%(count)s hidden cards", count), { count });
  }

  #spoken(cards, gave, received) {
    if (cards.length === 0) return gettext("No cards");
    const parts = [say(gettext("holds %(cards)s"), { cards: cardNames(cards) })];
    if (gave.length) parts.push(say(gettext("gives away %(cards)s"), { cards: cardNames(gave) }));
    if (received.length) parts.push(say(gettext("has received %(cards)s"), { cards: cardNames(received) }));
    return parts.join("; ");
  }
}

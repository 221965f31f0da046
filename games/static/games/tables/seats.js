/* The plates around the table, the own one at the bottom, and the boxes of the two sides. */

import { el, icon, rebuild } from "../shared/dom.js";
import { lowPlateAt, placeOf, plateAt } from "./places.js";
import {
  hasPartners,
  isNil,
  isPartner,
  list,
  number,
  presenceName,
  say,
  score,
  seatName,
  sideMembers,
  sideName,
} from "../shared/text.js";

const { gettext, ngettext } = window;

/** A rating as people read it; with a question mark it is not settled yet. */
const rating = (text) => el("span", { class: "plate-rating", title: gettext("Rating"), text });

export class Seats {
  constructor(felt, own, sides, boot) {
    this.boot = boot;
    this.own = own;
    this.sides = sides;
    this.plates = new Map();
    const bottom = boot.seat ?? 0;
    for (let seat = 0; seat < boot.players; seat += 1) {
      const place = placeOf(seat, bottom, boot.players);
      const plate = el("li", { class: "plate" });
      if (place > 0) {
        const [x, y] = plateAt(place, boot.players);
        plate.style.setProperty("--x", x);
        plate.style.setProperty("--y", y);
        const [lowX, lowY] = lowPlateAt(place, boot.players);
        plate.style.setProperty("--low-x", lowX);
        plate.style.setProperty("--low-y", lowY);
        plate.toggleAttribute("data-edge", x === 0 || x === 100);
        felt.append(plate);
      } else {
        plate.classList.add("own");
        own.append(plate);
      }
      this.plates.set(seat, plate);
    }
  }

  rectOf(seat) {
    return this.plates.get(seat).getBoundingClientRect();
  }

  render(model) {
    if (!model.view) return;
    for (const [seat, plate] of this.plates) this.#plate(plate, seat, model);
    this.#sides(model);
  }

  /** Only what a running clock changes. */
  tick(clock) {
    for (const [seat, plate] of this.plates) {
      const left = clock.left(seat);
      const node = plate.querySelector(".plate-clock");
      if (!node) continue;
      node.hidden = left === null;
      if (left === null) continue;
      node.textContent = number(Math.ceil(left / 1000));
      plate.style.setProperty("--share", (clock.share(seat) ?? 1).toFixed(3));
      node.toggleAttribute("data-short", left <= 10_000);
    }
  }

  #plate(plate, seat, model) {
    const { view, boot } = model;
    const facts = {
      seat,
      presence: model.presence[seat] ?? "online",
      asked: view.asked.includes(seat) && view.phase !== "over",
      answered: view.answered.includes(seat),
      dealer: view.dealer === seat,
      cards: view.hand_counts[seat] ?? 0,
      tricks: view.tricks_taken[seat] ?? 0,
      points: view.points_taken[seat],
      bid: view.bids[seat],
      blind: view.blinds[seat] === true,
      total: hasPartners(boot) ? null : view.scores[boot.sides[seat]],
      kitty: view.kitty_taker === seat,
      rating: boot.ratings?.[seat] ?? null,
    };
    plate.toggleAttribute("data-turn", facts.asked);
    plate.dataset.presence = facts.presence;
    if (hasPartners(boot) && boot.seat !== null)
      plate.dataset.side = boot.sides[seat] === boot.sides[boot.seat] ? "us" : "them";
    rebuild(plate, facts, () => this.#content(facts));
  }

  #content(facts) {
    const { boot } = this;
    const presence = presenceName(facts.presence, facts.presence === "stand_in" ? null : boot.cpu[facts.seat]);
    const isOwn = facts.seat === boot.seat;
    const quiet = isOwn && facts.presence === "online";
    return [
      el("span", { class: "visually-hidden", text: this.#spoken(facts, presence) }),
      el(
        "span",
        { class: "plate-name", "aria-hidden": "true" },
        quiet ? el("span", { class: "dot" }) : null,
        el("b", { text: seatName(boot, facts.seat) }),
        facts.rating && isOwn ? rating(facts.rating) : null, // it has no line below
        el(
          "span",
          { class: "plate-marks" }, // on the edge of the plate: the line is the name's
          facts.dealer ? el("span", { class: "dealer", title: gettext("Dealer"), text: gettext("D") }) : null,
          el("span", { class: "plate-clock", hidden: true }),
        ),
      ),
      quiet ? null : el("span", { class: "plate-sub", "aria-hidden": "true" }, ...this.#note(facts, presence)),
      el("span", { class: "plate-stats", "aria-hidden": "true" }, ...this.#stats(facts)),
    ];
  }

  /** Who that is, in one short line. The dot alone says that somebody is there, if there is more to say. */
  #note(facts, presence) {
    if (facts.answered) return [el("b", { class: "ready", text: gettext("Ready") })];
    const partner = isPartner(this.boot, facts.seat) ? el("b", { class: "partner", text: gettext("Partner") }) : null;
    const isThere = facts.presence === "online" || facts.presence === "cpu";
    const known = facts.rating && (isThere || !partner) && facts.seat !== this.boot.seat ? rating(facts.rating) : null;
    const told = isThere && (partner || (known && facts.presence === "online")) ? null : presence;
    const dot = partner && known ? null : el("span", { class: "dot" }); // no room for all three
    return [dot, ...[partner, known, told].filter(Boolean).flatMap((part, i) => (i ? [" ", part] : [part]))];
  }

  #stats(facts) {
    const { boot } = this;
    const stat = (name, title, ...content) => el("span", { class: `stat ${name}`, title }, ...content);
    const stats = [];
    if (facts.total !== null) {
      stats.push(stat("total", gettext("Score"), score(facts.total, boot.score_sign)));
      if (facts.points) {
        stats.push(
          stat(
            "points",
            gettext("Points taken in this deal"),
            say(gettext("+%(points)s"), { points: number(facts.points) }),
          ),
        );
      }
    }
    if (isNil(boot, facts.bid)) {
      stats.push(stat("bid", gettext("Bid"), facts.blind ? gettext("Blind nil") : gettext("Nil")));
    }
    if (facts.bid !== null && !isNil(boot, facts.bid)) {
      const text = say(gettext("%(taken)s/%(bid)s"), { taken: number(facts.tricks), bid: number(facts.bid) });
      stats.push(stat("bid", gettext("Tricks taken, and bid"), icon("trick"), text));
    } else {
      stats.push(stat("tricks", gettext("Tricks taken"), icon("trick"), number(facts.tricks)));
    }
    if (facts.seat !== boot.seat)
      stats.push(stat("cards", gettext("Cards in hand"), icon("hand"), number(facts.cards)));
    return stats;
  }

  /** The whole plate in one sentence for screen readers. */
  #spoken(facts, presence) {
    const { boot } = this;
    const parts = isPartner(boot, facts.seat) ? [gettext("your partner"), presence] : [presence];
    if (facts.rating) parts.push(say(gettext("rating %(rating)s"), { rating: facts.rating }));
    if (facts.dealer) parts.push(gettext("dealer"));
    if (facts.asked) parts.push(gettext("to act"));
    if (facts.answered) parts.push(gettext("ready"));
    if (facts.total !== null)
      parts.push(say(gettext("score %(score)s"), { score: score(facts.total, boot.score_sign) }));
    if (facts.points !== undefined) {
      parts.push(
        say(ngettext("%(count)s point in this deal", "%(count)s points in this deal", facts.points), {
          count: facts.points,
        }),
      );
    }
    if (facts.bid !== null) {
      parts.push(
        isNil(boot, facts.bid)
          ? facts.blind
            ? gettext("bid blind nil")
            : gettext("bid nil")
          : say(gettext("bid %(bid)s"), { bid: facts.bid }),
      );
    }
    parts.push(say(ngettext("%(count)s trick", "%(count)s tricks", facts.tricks), { count: facts.tricks }));
    parts.push(say(ngettext("%(count)s card", "%(count)s cards", facts.cards), { count: facts.cards }));
    return say(gettext("%(name)s: %(facts)s"), { name: seatName(boot, facts.seat), facts: list(parts) });
  }

  /* --- partners: score and tricks of each side, with contract and bags where there are any --- */

  #sides({ view, boot }) {
    this.sides.hidden = !hasPartners(boot);
    if (this.sides.hidden) return;
    const us = boot.seat === null ? 0 : boot.sides[boot.seat];
    const others = [...new Set(boot.sides)].filter((side) => side !== us);
    const rows = [us, ...others].map((side) => {
      const seats = boot.sides.flatMap((entry, seat) => (entry === side ? [seat] : []));
      const bids = seats.map((seat) => view.bids[seat]).filter((bid) => bid !== null);
      return {
        side,
        total: view.scores[side] ?? 0,
        bags: view.bags[side] ?? null,
        contract: bids.length ? bids.reduce((sum, bid) => sum + bid, 0) : null,
        taken: seats.filter((seat) => !isNil(boot, view.bids[seat])).reduce((sum, seat) => sum + view.tricks_taken[seat], 0),
        complete: bids.length === seats.length,
      };
    });
    rebuild(this.sides, rows, () => rows.map((row, i) => this.#side(row, i === 0 && boot.seat !== null)));
  }

  #names(side) {
    const { names, sides } = this.boot;
    return names.filter((_, seat) => sides[seat] === side).join(" · ");
  }

  #side(row, own) {
    const { boot } = this;
    let contract = gettext("No bids yet");
    if (!boot.traits.phases.includes("bid")) {
      contract = say(gettext("Tricks taken: %(taken)s"), { taken: number(row.taken) });
    } else if (row.contract !== null && row.complete) {
      contract = say(gettext("Bid %(contract)s, took %(taken)s"), {
        taken: number(row.taken),
        contract: number(row.contract),
      });
    } else if (row.contract !== null)
      contract = say(gettext("Bid so far %(contract)s"), { contract: number(row.contract) });
    return el(
      "div",
      { class: "side-box", "data-own": own, title: sideMembers(boot, row.side) },
      el("span", { class: "side-name", text: boot.seat === null ? this.#names(row.side) : sideName(boot, row.side) }),
      el("b", { class: "side-total", text: number(row.total) }),
      el("span", { class: "side-contract", text: contract }),
      row.bags === null ? null : el("span", { class: "side-bags", text: this.#bags(row.bags) }),
    );
  }

  #bags(bags) {
    return say(ngettext("%(bags)s bag", "%(bags)s bags", bags), { bags: number(bags) });
  }
}

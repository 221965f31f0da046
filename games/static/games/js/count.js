/* The scores of a game, counted again for the check of its deals: the same as `Count` of games/verify.py. The table itself
   counts nothing: it shows what the site says. */

const MOON = 26;
const JACK = 10; // taken off
const EXTRA_DEALS = 5; // while the first place is shared
const DEALS = 60; // of any game
const NIL = 100;
const BLIND_NIL = 200;
const BAGS = 10;
const BAG_PENALTY = 100;
const FLOOR = -200;

/** What a card costs its taker in Hearts, but for the jack. */
export const pointsOf = (card) => (card === "QS" ? 13 : card[1] === "H" ? 1 : 0);

const sum = (numbers) => numbers.reduce((one, other) => one + other, 0);

/** Deal by deal, and how the game ends: `reason` is null until then. */
export class Count {
  constructor(kind, players, options) {
    Object.assign(this, { kind, n: players, options, bags: [0, 0], deals: 0, extra: 0, reason: null });
    this.scores = Array.from({ length: kind === "spades" ? 2 : players }, () => 0);
  }

  /** Whether a result, as a record has it, is that of the game; of one that was broken off there is none. */
  isResult(stated, isVoid) {
    if (isVoid || !stated) return isVoid && stated === null;
    const sign = this.kind === "spades" ? -1 : 1; // in Hearts the lowest score is the first
    const places = this.scores.map((own) => 1 + this.scores.filter((other) => sign * other < sign * own).length);
    const seats = Array.from({ length: this.n }, (_, seat) => places[seat % places.length]);
    const is = (one, other) => one.length === other.length && one.every((value, place) => value === other[place]);
    return stated.reason === this.reason && is(stated.scores, this.scores) && is(stated.placings, seats);
  }

  /** Whether a card changes what a deal of Hearts brings. */
  matters(card) {
    return pointsOf(card) > 0 || (card === "JD" && this.#hasJack());
  }

  #hasJack() {
    return this.options.jack_of_diamonds === "minus_ten";
  }

  /** Who has taken every card that the moon needs; null also where there is no moon. `won`: by seat the cards taken. */
  shooter(won) {
    const needsJack = this.options.jack_in_moon === "required";
    const isNeeded = (card) => pointsOf(card) > 0 || (needsJack && card === "JD");
    const takers = won.flatMap((cards, seat) => (cards.some(isNeeded) ? [seat] : []));
    const cards = won.flat();
    const isWhole = cards.includes("QS") && (!needsJack || cards.includes("JD"));
    return this.options.moon === "off" || !isWhole || takers.length !== 1 ? null : takers[0];
  }

  /** One more deal of Hearts. `moon`: what one brings, add or subtract. */
  hearts(won, moon) {
    const shooter = this.shooter(won);
    won.forEach((cards, seat) => {
      if (shooter === null) this.scores[seat] += sum(cards.map(pointsOf));
      else if (moon === "add") this.scores[seat] += seat === shooter ? 0 : MOON;
      else if (seat === shooter) this.scores[seat] -= MOON;
      if (this.#hasJack() && cards.includes("JD")) this.scores[seat] -= JACK;
    });
    this.deals += 1;
    const [highest, limit] = [Math.max(...this.scores), this.options.end_score ?? 100];
    const isThere = this.options.end_test === "exceed" ? highest > limit : highest >= limit;
    const lowest = Math.min(...this.scores);
    const isClear = this.scores.filter((score) => score === lowest).length === 1;
    if (isThere && (isClear || this.options.tie_for_first === "shared")) this.reason = "target";
    else if (this.deals >= DEALS || (isThere && this.extra === EXTRA_DEALS)) this.reason = "deal_cap";
    this.extra = isThere ? this.extra + 1 : 0;
  }

  /** One more deal of Spades: bids and blind nils by seat as maps, tricks as a list. */
  spades(bids, blinds, tricks) {
    for (const side of [0, 1]) {
      const seats = [side, side + 2];
      const contract = sum(seats.map((seat) => bids.get(seat)));
      const counted = sum(seats.filter((seat) => bids.get(seat)).map((seat) => tricks[seat]));
      const isMade = counted >= contract;
      this.scores[side] += isMade ? 10 * contract : -10 * contract;
      let bags = isMade && contract ? counted - contract : 0;
      for (const seat of seats.filter((one) => !bids.get(one))) {
        const worth = blinds.get(seat) ? BLIND_NIL : NIL;
        this.scores[side] += tricks[seat] ? -worth : worth;
        bags += tricks[seat];
      }
      this.scores[side] += bags;
      this.bags[side] += bags;
      if ((this.options.bag_penalty ?? "yes") === "yes") {
        this.scores[side] -= BAG_PENALTY * Math.floor(this.bags[side] / BAGS);
        this.bags[side] %= BAGS;
      }
    }
    this.deals += 1;
    const isLow = (this.options.floor ?? "yes") === "yes" && Math.min(...this.scores) <= FLOOR;
    const isThere = Math.max(...this.scores) >= (this.options.target ?? 500);
    if ((isLow || isThere) && this.scores[0] !== this.scores[1]) this.reason = isLow ? "floor" : "target";
    else if (this.deals >= DEALS) this.reason = "deal_cap";
  }
}

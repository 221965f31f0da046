/* Spades in the check of finished games: its pack, and its rules once more. The same as games/kinds/spades/check.py. */

import { Check, kept, rankOf, sum } from "../histories/kind_check.js";

const NIL = 100;
const BLIND_NIL = 200;
const BLIND_GAP = 100;
const BAGS = 10;
const BAG_PENALTY = 100;
const FLOOR = -200;

export default class SpadesCheck extends Check {
  static ROWS = [["C", 4, {}, ""]];
  static OPTIONS = { target: 500, bag_penalty: "yes", blind_nil: "no", floor: "yes", first_lead: "dealer_left" };
  static trump = "S";

  constructor(players, options) {
    super(players, options);
    Object.assign(this, { scores: [0, 0], bags: [0, 0], bids: new Map(), blinds: new Map() });
  }

  begin(deal) {
    super.begin(deal);
    Object.assign(this, { bids: new Map(), blinds: new Map() });
  }

  /* before the first trick */

  answer(word, seat, data) {
    if (word === "bid") return this.#bid(seat, data.bid);
    if (word === "blind") return this.#blind(seat, data.blind);
    return word === "exchange" && this.#exchange(seat, data.cards);
  }

  #bid(seat, bid) {
    const order = this.deal.hands.map((_, place) => this.deal.seat(this.deal.dealer + 1 + place));
    const isDue = seat === order.find((other) => !this.bids.has(other));
    if (!isDue || this.blinds.size !== this.#behind().length) return false;
    if (!Number.isInteger(bid) || bid < 0 || bid > 13) return false;
    this.bids.set(seat, bid);
    return true;
  }

  /** The seats that are asked whether they bid nil blind: both of a side that is far behind, before anybody bids. */
  #behind() {
    const gap = this.scores[0] - this.scores[1];
    if (this.option("blind_nil") === "no" || Math.abs(gap) < BLIND_GAP) return [];
    return gap > 0 ? [1, 3] : [0, 2];
  }

  #blind(seat, blind) {
    if (!this.#behind().includes(seat) || this.blinds.has(seat) || typeof blind !== "boolean") return false;
    this.blinds.set(seat, blind);
    if (this.blinds.size === 2) for (const [other, isBlind] of this.blinds) if (isBlind) this.bids.set(other, 0);
    return true;
  }

  #exchange(seat, cards) {
    const pair = [seat, (seat + 2) % 4];
    if (this.bids.size < this.players || !pair.includes(this.#loneBlind())) return false;
    return this.deal.give(seat, cards, { count: 2, step: 2, seats: pair });
  }

  /** Who has bid nil blind without the partner: the two exchange cards. */
  #loneBlind() {
    const blind = [...this.blinds].filter(([, isBlind]) => isBlind);
    return blind.length === 1 ? blind[0][0] : null;
  }

  /* play */

  opener() {
    const exchanging = this.#loneBlind() === null ? 0 : 2;
    if (this.deal.given.size !== exchanging || this.bids.size !== this.players) return null;
    return this.option("first_lead") === "dealer_left" ? super.opener() : this.deal.holderOfTheLowest();
  }

  /** The hand after what the rules bar, each rule left out that would bar all. */
  mayPlay(seat) {
    const { deal } = this;
    let cards = deal.following(seat);
    const isLead = deal.trick.length === 0;
    if (isLead && deal.isFirstTrick() && this.option("first_lead") !== "dealer_left") {
      cards = [cards.reduce((a, b) => (rankOf(a) < rankOf(b) ? a : b))];
    }
    if (isLead && !deal.isBroken) cards = kept(cards, (card) => card[1] !== "S");
    return cards;
  }

  breaks(card) {
    return card[1] === "S";
  }

  rest(seat, cards) {
    const hand = [...this.deal.hands[seat]];
    if ([...cards].sort().join() !== hand.sort().join() || !this.#takesTheRest(seat)) return false;
    this.deal.tricks[seat] += hand.length;
    return true;
  }

  /** Whether every card of a hand is the highest of its suit, and none can be ruffed. */
  #takesTheRest(seat) {
    const hand = [...this.deal.hands[seat]];
    return this.deal.hands.every((held, place) => {
      if (place === seat) return true;
      const other = [...held];
      if (hand.some((mine) => other.some((card) => mine[1] === card[1] && rankOf(mine) < rankOf(card)))) return false;
      const length = (cards, suit) => cards.filter((card) => card[1] === suit).length;
      return !length(other, "S") || [..."CDH"].every((suit) => length(other, suit) >= length(hand, suit));
    });
  }

  /* what it comes to */

  count() {
    const { tricks } = this.deal;
    for (const side of [0, 1]) {
      const seats = [side, side + 2];
      const contract = sum(seats.map((seat) => this.bids.get(seat)));
      const counted = sum(seats.filter((seat) => this.bids.get(seat)).map((seat) => tricks[seat]));
      const isMade = counted >= contract;
      this.scores[side] += isMade ? 10 * contract : -10 * contract;
      let bags = isMade && contract ? counted - contract : 0;
      for (const seat of seats.filter((one) => !this.bids.get(one))) {
        const worth = this.blinds.get(seat) ? BLIND_NIL : NIL;
        this.scores[side] += tricks[seat] ? -worth : worth;
        bags += tricks[seat];
      }
      this.#addBags(side, bags);
    }
    const isLow = this.option("floor") === "yes" && Math.min(...this.scores) <= FLOOR;
    const isThere = Math.max(...this.scores) >= this.option("target");
    if ((isLow || isThere) && this.scores[0] !== this.scores[1]) return isLow ? "floor" : "target";
    return null;
  }

  #addBags(side, bags) {
    this.scores[side] += bags;
    this.bags[side] += bags;
    if (this.option("bag_penalty") === "yes") {
      this.scores[side] -= BAG_PENALTY * Math.floor(this.bags[side] / BAGS);
      this.bags[side] %= BAGS;
    }
  }
}

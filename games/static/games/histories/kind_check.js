/* What the check of finished games asks of a kind: the same as `Check` of games/verify/kind.py, which describes it.
   A kind's class is the default export of its script in kinds/; the pages of games name the scripts. */

export const CARDS = [..."CDHS"].flatMap((suit) => [..."23456789TJQKA"].map((rank) => rank + suit));

export const rankOf = (card) => CARDS.indexOf(card);

export const sum = (numbers) => numbers.reduce((one, other) => one + other, 0);

/** What a rule leaves of the cards: all of them if it would leave nothing. */
export function kept(cards, isKept) {
  const left = cards.filter(isKept);
  return left.length ? left : cards;
}

/** One deal as it is played. Before the first one it is number 0 and over. */
export class Deal {
  constructor(about = {}) {
    Object.assign(this, { dealer: 0, number: 0, attempt: 0, hands: [], kitty: [], given: new Map() });
    Object.assign(this, { turn: null, trick: [], won: [], tricks: [] });
    Object.assign(this, { isBroken: false, isCalledOff: false, isOver: true }, about);
  }

  /** The seat that is so many places from the first one, around the table. */
  seat(number) {
    const count = this.hands.length;
    return ((number % count) + count) % count;
  }

  isFirstTrick() {
    return sum(this.tricks) === 0;
  }

  /** Notes the cards that a seat gives to the one `step` to its left, which get there when all of `seats` have given. */
  give(seat, cards, { count, step, seats }) {
    const own = this.hands[seat];
    if (this.given.has(seat) || cards.some((card) => !own.has(card))) return false;
    if (cards.length !== count || new Set(cards).size !== count) return false;
    this.given.set(seat, cards);
    if (seats.every((other) => this.given.has(other))) {
      for (const giver of seats) for (const card of this.given.get(giver)) this.hands[giver].delete(card);
      for (const giver of seats) {
        for (const card of this.given.get(giver)) this.hands[this.seat(giver + step)].add(card);
      }
    }
    return true;
  }

  /** The cards of the suit that was led, where the seat has any; else, and on lead, its hand. */
  following(seat) {
    const hand = [...this.hands[seat]];
    return this.trick.length ? kept(hand, (card) => card[1] === this.trick[0][1]) : hand;
  }

  /** The seat with the first card in the order of the deck, which is the lowest club if any is dealt. */
  holderOfTheLowest() {
    const lowest = this.hands.map((hand) => Math.min(...[...hand].map(rankOf)));
    return lowest.indexOf(Math.min(...lowest));
  }
}

/** A kind at a table. The walk keeps `deal` and asks; the scores, one a side, are the kind's. */
export class Check {
  /** Packs: first character of the code, players, the options that decide it, the cards that are not in it. */
  static ROWS = [];
  /** The options that are read, each with the value that it has if none is given. */
  static OPTIONS = {};
  static isLowestFirst = false;
  static trump = null;

  constructor(players, options) {
    Object.assign(this, { players, options, deal: new Deal(), scores: Array.from({ length: players }, () => 0) });
  }

  option(name) {
    return this.options[name] ?? this.constructor.OPTIONS[name];
  }

  handSize(cards) {
    return Math.floor(cards / this.players);
  }

  begin(deal) {
    this.deal = deal;
  }

  /** Takes an answer from before the first card, or one that is waited for; false if it may not be. */
  answer() {
    return false;
  }

  /** Who leads to the first trick; null while something else has to be answered first. */
  opener() {
    return this.deal.seat(this.deal.dealer + 1);
  }

  mayPlay(seat) {
    return this.deal.following(seat);
  }

  breaks() {
    return false;
  }

  /** Whether the seat on lead may lay down the rest. Adds the tricks that this brings it to those of the deal. */
  rest() {
    return false;
  }

  /** Whether a seat has to say something before the deal that is over can be counted. */
  isWaiting() {
    return false;
  }

  /** Adds to the scores what the deal has brought. Why the game ends with it, null if it goes on. */
  count() {
    return null;
  }
}

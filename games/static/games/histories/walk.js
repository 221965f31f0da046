/* The walk through a log: who holds which cards, whose turn it is, what may be played, and what it comes to. The same
   as games/verify/walk.py. */

import { CARDS, Deal, rankOf, sum } from "./kind_check.js";

const RULES_VERSION = 1; // of the rules that are known here
const MOST_DEALS = 60; // of any game
const SITES_OWN = ["void", "outage", "stand_in", "back"];

export class Walk {
  /** `Kind` is the class of the record's kind. */
  constructor({ players, options, log, result, rules_version: version }, Kind) {
    Object.assign(this, { players, log, stated: result, isKnown: version === RULES_VERSION });
    Object.assign(this, { check: new Kind(players, options), deals: 0, reason: null, isVoid: false });
    Object.assign(this, { trump: Kind.trump, isLowestFirst: Kind.isLowestFirst });
  }

  get deal() {
    return this.check.deal;
  }

  faults() {
    if (!this.isKnown) return ["other_rules"];
    for (const [place, entry] of this.log.entries()) {
      const isOver = this.isVoid || this.reason !== null;
      if (entry.ply !== place + 1 || isOver || !this.#fits(place + 1, entry)) return [`wrong_log ${place + 1}`];
    }
    if (!this.isVoid && this.reason === null) return [`wrong_log ${this.log.length}`];
    return this.#isResult() ? [] : ["wrong_result"];
  }

  /** Whether the stated result is that of the game; of one that was broken off there is none. */
  #isResult() {
    const { stated, isVoid } = this;
    if (isVoid || !stated) return isVoid && stated === null;
    const { scores } = this.check;
    const sign = this.isLowestFirst ? 1 : -1;
    const places = scores.map((own) => 1 + scores.filter((other) => sign * other < sign * own).length);
    const seats = Array.from({ length: this.players }, (_, seat) => places[seat % places.length]);
    const is = (one, other) => one.length === other.length && one.every((value, place) => value === other[place]);
    return stated.reason === this.reason && is(stated.scores, scores) && is(stated.placings, seats);
  }

  #seat(number) {
    return ((number % this.players) + this.players) % this.players;
  }

  #fits(number, entry) {
    const { kind: word, seat, data } = entry;
    if (number === 1 || word === "open") {
      this.deal.dealer = data.dealer - 1; // it moves on with every deal
      return number === 1 && word === "open";
    }
    if (word === "deal") return this.#deal(data.pack);
    if (word === "void") this.isVoid = true;
    if (SITES_OWN.includes(word)) return true;
    if (this.deal.isOver) return this.check.isWaiting() && this.#answers(entry) && this.#after(entry);
    if (this.deal.isCalledOff || !(seat >= 0 && seat < this.players) || !this.#answers(entry)) return false;
    if (word === "play") return this.#play(seat, data.card);
    if (word === "finish") return this.#finish(seat, data.cards ?? []);
    return this.deal.turn === null && this.check.answer(word, seat, data);
  }

  /** Whether an entry is for the question that is asked. */
  #answers({ kind, seat, ask }) {
    const { number, attempt, dealer, tricks } = this.deal;
    const phase = { skip: "pass", finish: "play" }[kind] ?? kind;
    const place = phase === "bid" ? this.#seat(seat - dealer - 1) + 1 : phase === "play" ? sum(tricks) + 1 : 0;
    return ask === `${number}.${attempt}.${phase}.${place}`;
  }

  #deal(pack) {
    const last = this.deal;
    const isDue = (last.isOver || last.isCalledOff) && !this.check.isWaiting();
    if (!isDue || pack.some((card) => !CARDS.includes(card))) return false;
    const dealt = this.players * this.check.handSize(pack.length);
    const dealer = last.isCalledOff ? last.dealer : this.#seat(last.dealer + 1);
    const hands = Array.from({ length: this.players }, () => new Set());
    pack.slice(0, dealt).forEach((card, i) => hands[this.#seat(dealer + 1 + i)].add(card));
    this.check.begin(
      new Deal({
        dealer,
        hands,
        number: last.isCalledOff ? last.number : last.number + 1,
        attempt: last.isCalledOff ? last.attempt + 1 : 0,
        kitty: pack.slice(dealt),
        won: hands.map(() => []),
        tricks: hands.map(() => 0),
        isOver: false,
      }),
    );
    return true;
  }

  /** Whose turn it is to play; null before everything that comes first has been answered. */
  #next() {
    return this.deal.turn === null ? this.check.opener() : this.deal.turn;
  }

  #play(seat, card) {
    const { deal } = this;
    if (seat !== this.#next() || !this.check.mayPlay(seat).includes(card)) return false;
    deal.hands[seat].delete(card);
    deal.isBroken ||= this.check.breaks(card);
    deal.trick.push(card);
    deal.turn = this.#seat(seat + 1);
    if (deal.trick.length === this.players) {
      const winner = this.#seat(deal.turn + this.#best(deal.trick)); // it was the leader's turn again
      if (deal.isFirstTrick()) deal.won[winner].push(...deal.kitty);
      deal.won[winner].push(...deal.trick);
      deal.tricks[winner] += 1;
      Object.assign(deal, { turn: winner, trick: [] });
      if (deal.hands.every((held) => held.size === 0)) this.#end();
    }
    return true;
  }

  /** The place of the card that takes a trick: the highest trump, or else the highest card of the led suit. */
  #best(trick) {
    const suit = trick[0][1];
    const strengths = trick.map((card) => (rankOf(card) % 13) + (card[1] === this.trump ? 200 : card[1] === suit ? 100 : 0));
    return strengths.indexOf(Math.max(...strengths));
  }

  /** The rest is laid down: nothing can change any more what the deal brings. */
  #finish(seat, cards) {
    if (this.deal.trick.length || seat !== this.#next() || !this.check.rest(seat, cards)) return false;
    this.#end();
    return true;
  }

  #end() {
    this.deal.isOver = true;
    if (!this.check.isWaiting()) this.#count();
  }

  /** An answer about the deal that is over. */
  #after({ kind: word, seat, data }) {
    if (!this.check.answer(word, seat, data)) return false;
    if (!this.check.isWaiting()) this.#count();
    return true;
  }

  #count() {
    this.deals += 1;
    this.reason = this.check.count() ?? (this.deals >= MOST_DEALS ? "deal_cap" : null);
  }
}

/* Hearts in the check of finished games: its packs, and its rules once more. The same as games/kinds/hearts/check.py. */

import { Check, kept, rankOf, sum } from "../histories/kind_check.js";

const ROTATIONS = { 2: [1, 0], 3: [1, -1, 0], 4: [1, -1, 2, 0], 5: [1, -1, 0], 6: [1, -1, 3, 0], 7: [1, -1, 0] };
const MOON = 26;
const JACK = 10; // taken off
const EXTRA_DEALS = 5; // while the first place is shared

/** What a card costs its taker, but for the jack. */
const pointsOf = (card) => (card === "QS" ? 13 : card[1] === "H" ? 1 : 0);

export default class HeartsCheck extends Check {
  static ROWS = [
    ["0", 2, {}, "3 5 7 9 J K"],
    ["1", 3, { removed_three: "2D" }, "2D"],
    ["2", 3, { removed_three: "2C" }, "2C"],
    ["3", 3, { surplus: "kitty" }, ""],
    ["4", 4, {}, ""],
    ["5", 5, {}, "2D 2C"],
    ["6", 5, { surplus: "kitty" }, ""],
    ["7", 6, { removed_six: "all_twos" }, "2"],
    ["8", 6, { removed_six: "keep_hearts" }, "2D 3D 3C 4C"],
    ["9", 6, { surplus: "kitty" }, ""],
    ["A", 7, {}, "2D 3D 3C"],
    ["B", 7, { surplus: "kitty" }, ""],
  ];
  static OPTIONS = {
    surplus: "remove",
    removed_three: "2D",
    removed_six: "all_twos",
    passing: "rotate",
    hold_deal: "play",
    skip_right: "none",
    first_lead: "low_club",
    first_trick_points: "no",
    hearts_broken_by: "heart",
    heart_discard: "free",
    jack_of_diamonds: "off",
    moon: "add",
    jack_in_moon: "no",
    end_score: 100,
    end_test: "reach",
    tie_for_first: "play_on",
  };
  static isLowestFirst = true;

  constructor(players, options) {
    super(players, options);
    this.callers = new Set(); // who has called a deal off: once a game each
    this.choice = null; // what the moon of this deal is to bring, where its shooter has said so
    this.extra = 0; // deals in a row after which the game would have ended
  }

  handSize(cards) {
    return this.players === 2 ? 13 : super.handSize(cards);
  }

  begin(deal) {
    super.begin(deal);
    this.choice = null;
  }

  /* before the first trick */

  answer(word, seat, data) {
    if (word === "pass") return this.#pass(seat, data.cards);
    if (word === "skip") return this.#callOff(seat);
    return word === "moon" && this.#choose(seat, data.choice);
  }

  #pass(seat, cards) {
    const step = this.#step();
    return step !== 0 && this.deal.give(seat, cards, { count: 3, step, seats: [...this.deal.hands.keys()] });
  }

  /** How many seats to the left cards are passed in this deal; 0: not at all. */
  #step() {
    const passing = this.option("passing");
    if (passing !== "rotate") return passing === "always_left" ? 1 : 0;
    const all = ROTATIONS[this.players];
    const steps = this.option("hold_deal") === "skip" ? all.slice(0, -1) : all;
    return steps[(this.deal.number - 1) % steps.length];
  }

  /** Before the own pass. */
  #callOff(seat) {
    const { deal, callers } = this;
    const may = this.option("skip_right") === "one_each" && this.#step() !== 0 && deal.attempt === 0;
    if (!may || callers.has(seat) || deal.given.has(seat) || deal.given.size === this.players) return false;
    callers.add(seat);
    deal.isCalledOff = true;
    return true;
  }

  /* play */

  opener() {
    if (this.deal.given.size !== (this.#step() ? this.players : 0)) return null;
    return this.option("first_lead") === "dealer_left" ? super.opener() : this.deal.holderOfTheLowest();
  }

  /** The hand after what the rules bar, each rule left out that would bar all. */
  mayPlay(seat) {
    const { deal } = this;
    let cards = deal.following(seat);
    const [isFirst, isLead] = [deal.isFirstTrick(), deal.trick.length === 0];
    if (isFirst && isLead && this.option("first_lead") !== "dealer_left") {
      cards = [cards.reduce((a, b) => (rankOf(a) < rankOf(b) ? a : b))];
    }
    if (!deal.isBroken && (this.option("heart_discard") === "after_break" || isLead)) {
      cards = kept(cards, (card) => card[1] !== "H");
    }
    if (isFirst && this.option("first_trick_points") === "no") cards = kept(cards, (card) => !pointsOf(card));
    return cards;
  }

  breaks(card) {
    const by = this.option("hearts_broken_by");
    if (card[1] === "H") return by !== "queen" || !this.deal.trick.length; // led before from a hand of hearts alone
    return card === "QS" && by !== "heart";
  }

  rest(seat, cards) {
    const hidden = [...this.deal.hands.flatMap((held) => [...held]), ...this.deal.kitty];
    return !cards.length && !hidden.some((card) => this.#matters(card));
  }

  /** Whether a card changes what a deal brings. */
  #matters(card) {
    return pointsOf(card) > 0 || (card === "JD" && this.#hasJack());
  }

  #hasJack() {
    return this.option("jack_of_diamonds") === "minus_ten";
  }

  /* what it comes to */

  isWaiting() {
    const isOpen = this.deal.isOver && this.choice === null && this.option("moon") === "choose";
    return isOpen && this.#shooter() !== null;
  }

  #choose(seat, choice) {
    if (seat !== this.#shooter() || !["add", "subtract"].includes(choice)) return false;
    this.choice = choice;
    return true;
  }

  /** Who has taken every card that the moon needs; null also where there is no moon. */
  #shooter() {
    const { won } = this.deal;
    const needsJack = this.option("jack_in_moon") === "required";
    const isNeeded = (card) => pointsOf(card) > 0 || (needsJack && card === "JD");
    const takers = won.flatMap((cards, seat) => (cards.some(isNeeded) ? [seat] : []));
    const cards = won.flat();
    const isWhole = cards.includes("QS") && (!needsJack || cards.includes("JD"));
    return this.option("moon") === "off" || !isWhole || takers.length !== 1 ? null : takers[0];
  }

  count() {
    const [shooter, moon] = [this.#shooter(), this.choice ?? this.option("moon")];
    this.deal.won.forEach((cards, seat) => {
      if (shooter === null) this.scores[seat] += sum(cards.map(pointsOf));
      else if (moon === "add") this.scores[seat] += seat === shooter ? 0 : MOON;
      else if (seat === shooter) this.scores[seat] -= MOON;
      if (this.#hasJack() && cards.includes("JD")) this.scores[seat] -= JACK;
    });
    return this.#reason();
  }

  #reason() {
    const [highest, limit] = [Math.max(...this.scores), this.option("end_score")];
    const isThere = this.option("end_test") === "exceed" ? highest > limit : highest >= limit;
    const lowest = Math.min(...this.scores);
    const isClear = this.scores.filter((score) => score === lowest).length === 1;
    const { extra } = this;
    this.extra = isThere ? extra + 1 : 0;
    if (isThere && (isClear || this.option("tie_for_first") === "shared")) return "target";
    return isThere && extra === EXTRA_DEALS ? "deal_cap" : null;
  }
}

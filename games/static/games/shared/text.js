/* Codes to words: cards, seats, numbers and the reasons for a refusal. Every sentence is one msgid. */

/* eslint-env browser: gettext, ngettext and interpolate come from the catalogue that the page loads first. */
const { gettext, ngettext, interpolate } = window;

const language = document.documentElement.lang || "en";
const conjunction = new Intl.ListFormat(language, { type: "conjunction" });
const numbers = new Intl.NumberFormat(language);
const changes = new Intl.NumberFormat(language, { signDisplay: "exceptZero" });

export const say = (sentence, values = {}) => interpolate(sentence, values, true);
export const list = (words) => conjunction.format(words);
/** Sentences one after the other; where they are written without spaces, without one. */
export const joined = (sentences) =>
  sentences.reduce((first, second) => say(gettext("%(first)s %(second)s"), { first, second }));

/* --- numbers --- */

const proper = (text) => text.replace("-", "−");

export const number = (value) => proper(numbers.format(value));

/** A score as this table writes it: penalty points may be shown with a minus. */
export const score = (value, sign) => number(sign === "minus" && value !== 0 ? -value : value);
export const change = (value, sign) => proper(changes.format(sign === "minus" && value !== 0 ? -value : value));

/* --- cards --- */

const RANKS = {
  2: () => gettext("two"),
  3: () => gettext("three"),
  4: () => gettext("four"),
  5: () => gettext("five"),
  6: () => gettext("six"),
  7: () => gettext("seven"),
  8: () => gettext("eight"),
  9: () => gettext("nine"),
  T: () => gettext("ten"),
  J: () => gettext("jack"),
  Q: () => gettext("queen"),
  K: () => gettext("king"),
  A: () => gettext("ace"),
};

const SUITS = {
  C: () => gettext("clubs"),
  D: () => gettext("diamonds"),
  H: () => gettext("hearts"),
  S: () => gettext("spades"),
};

export const suitName = (suit) => SUITS[suit]();
export const cardName = ([rank, suit]) =>
  say(gettext("%(rank)s of %(suit)s"), { rank: RANKS[rank](), suit: SUITS[suit]() });
/** In a sentence: "the two of clubs and the ace of diamonds". */
export const cardNames = (cards) => list(cards.map((card) => say(gettext("the %(card)s"), { card: cardName(card) })));

/** For buttons: ♠Q. */
const SIGNS = { C: "♣", D: "♦", H: "♥", S: "♠" };
export const cardShort = ([rank, suit]) => `${SIGNS[suit]}${rank === "T" ? "10" : rank}`;

/* --- seats --- */

const LEVELS = {
  beginner: () => gettext("CPU, beginner"),
  normal: () => gettext("CPU, normal"),
  expert: () => gettext("CPU, expert"),
};

export const levelName = (level) => (LEVELS[level] ? LEVELS[level]() : gettext("CPU"));

export function presenceName(presence, level) {
  if (level) return levelName(level);
  if (presence === "away") return gettext("Away");
  if (presence === "stand_in") return gettext("Stand-in");
  if (presence === "cpu") return gettext("CPU");
  if (presence === "seated") return gettext("Player"); // in a replay nobody is here or away
  return gettext("Online");
}

const seatsOf = (boot, side) => boot.sides.flatMap((entry, seat) => (entry === side ? [seat] : []));

/** Whether several seats score together. */
export const hasPartners = (boot) => new Set(boot.sides).size < boot.players;

/** Everyone of a side by name. */
export const sideMembers = (boot, side) => list(seatsOf(boot, side).map((seat) => seatName(boot, seat)));

/** A side as its players call it; where everyone plays alone, or for a spectator, by its names. */
export function sideName(boot, side) {
  if (boot.seat === null || seatsOf(boot, side).length === 1) return sideMembers(boot, side);
  return boot.sides[boot.seat] === side ? gettext("Your side") : gettext("Opponents");
}

/** Whether a seat is the one that scores together with the player. */
export const isPartner = (boot, seat) =>
  boot.seat !== null && seat !== boot.seat && boot.sides[seat] === boot.sides[boot.seat];

export const seatName = (boot, seat) => (seat === boot.seat ? gettext("You") : boot.names[seat]);

/** Somebody else in a sentence, the partner as such. */
export const otherName = (boot, seat) =>
  isPartner(boot, seat) ? say(gettext("%(name)s (partner)"), { name: boot.names[seat] }) : boot.names[seat];

const spokenName = (boot, seat) => (seat === boot.seat ? gettext("You") : otherName(boot, seat));
export const seatNames = (boot, seats) => list(seats.map((seat) => spokenName(boot, seat)));

/* --- bids --- */

/** Whether a bid is one of no trick at all, in a game that has a name for it. */
export const isNil = (boot, bid) => bid === 0 && Boolean(boot.traits.nil);

/* --- passing --- */

/** The seat that gets the cards of `seat`, or null in a deal without a pass. Left is the next seat. */
export function receiver(direction, seat, players) {
  const steps = { left: 1, right: players - 1, across: players / 2, opponent: 1 };
  return direction in steps ? (seat + steps[direction]) % players : null;
}

/** The seat from which `seat` gets cards, or null. */
export function giver(direction, seat, players) {
  const to = receiver(direction, 0, players);
  return to === null ? null : (seat + players - to) % players;
}

const DIRECTIONS = {
  left: () => gettext("Pass left"),
  right: () => gettext("Pass right"),
  across: () => gettext("Pass across"),
  opponent: () => gettext("Pass to the opponent"),
  hold: () => gettext("No pass"),
};

export const directionName = (direction) => (DIRECTIONS[direction] ? DIRECTIONS[direction]() : "");

/* --- refusals --- */

/** code: its sentence, of what every game may refuse. `about` has the details of the refusal. */
const REFUSALS = {
  must_follow_suit: ({ suit }) =>
    suit
      ? say(gettext("You must follow suit: you hold %(suit)s, so play one of them."), { suit: suitName(suit) })
      : gettext("You must follow suit."),
  must_lead_opening_card: ({ card }) =>
    card
      ? say(gettext("The first lead of the deal must be the %(card)s."), { card: cardName(card) })
      : gettext("The first lead of the deal is one certain card."),

  opening: () => gettext("The cards are still being prepared."),
  bad_nonce: () => gettext("Your share of the shuffle did not arrive in one piece."),
  nonce_given: () => gettext("Another page of yours has given its share of the shuffle already."),
  nonce_late: () => gettext("The cards were dealt before your share of the shuffle came."),
  stale: () => gettext("The table has moved on."),
  game_over: () => gettext("The game is over."),
  wrong_phase: () => gettext("That is not what is asked now."),
  not_your_turn: () => gettext("It is not your turn."),
  already_answered: () => gettext("You have answered already."),
  not_in_hand: ({ card }) =>
    card
      ? say(gettext("You do not hold the %(card)s."), { card: cardName(card) })
      : gettext("You do not hold that card."),
  wrong_count: ({ count }) =>
    say(ngettext("Choose exactly %(count)s card.", "Choose exactly %(count)s cards.", count ?? 3), {
      count: count ?? 3,
    }),
  same_card_twice: () => gettext("A card was chosen twice."),
  bid_out_of_range: () => gettext("A bid is a number from 0 to 13."),
  no_skip_right: () => gettext("You cannot call this deal off."),
  not_decided: () => gettext("The deal is not decided yet."),
  wrong_proof: () => gettext("The whole hand has to be shown."),
  no_such_seat: () => gettext("You have no seat at this table."),
  bad_action: () => gettext("The table did not understand that. Please reload the page."),
  unknown_card: () => gettext("The table did not understand that. Please reload the page."),
  bad_pack: () => gettext("The pack was not complete."),
  stood_in: () => gettext("A CPU is playing for you. Take your seat back first."),
  not_seated: () => gettext("You have no seat at this table."),
  void_limit: () => gettext("You have ended two games without a result today. This one is played on."),
  no_vote: () => gettext("There is nothing to vote on yet. Whoever is away has two minutes to come back."),
  nobody_there: () => gettext("There is nobody in that seat whom you could mute."),
  nobody_left: () => gettext("You are the last one here. Just close the page: the game waits for you."),
  muted: () => gettext("An administrator has muted you: your phrases are not shown to the others."),
  too_chatty: () => gettext("One thing at a time. Please wait a moment."),
  unknown_phrase: () => gettext("This page is out of date. Please reload it."),
  no_rematch: () => gettext("A rematch cannot be opened here."),
  party_changed: () => gettext("The rules or the seats of the party have changed. Agree to the next game at the party."),
  busy: () => gettext("The table is busy. Please try again."),
  too_fast: () => gettext("That was too fast. Please try again."),
  unavailable: () => gettext("The table could not store that just now. Please try again."),
  id_reused: () => gettext("The table did not understand that. Please reload the page."),
  unknown_kind: () => gettext("There is no such game here."),
  bad_players: () => gettext("The game is not played by that number."),
  unknown_option: () => gettext("There is no such option."),
  bad_type: () => gettext("An option has a value that it cannot have."),
  bad_value: () => gettext("An option has a value that it cannot have."),
  bad_combination: () => gettext("Two of the options do not go together."),
};

export const REFUSAL_CODES = Object.keys(REFUSALS);

/** `about.traits`: the game's, which has the sentences for what only its own rules refuse. */
export function refusal(code, about = {}) {
  if (code in REFUSALS) return REFUSALS[code](about);
  return about.traits?.refusals[code] ?? gettext("That was not accepted. Nothing has changed.");
}

import { EVENT_KINDS, sentence } from "/games/tables/story.js";
import { RESULT_REASONS } from "/games/tables/sheet.js";
import { cardName, change, giver, receiver, refusal, REFUSAL_CODES, score, sideName } from "/games/shared/text.js";
import { equal, ok, test } from "./check.js";

const { traits } = window.known;
const boot = {
  traits: traits.hearts,
  players: 4,
  seat: 0,
  names: ["You", "West", "North", "East"],
  sides: [0, 1, 2, 3],
  score_sign: "plus",
};

test("every refusal of the rules and of the site has a sentence", () => {
  const { codes } = window.known;
  const own = Object.values(traits).flatMap((game) => Object.keys(game.refusals));
  equal(
    codes.filter((code) => !REFUSAL_CODES.includes(code) && !own.includes(code)),
    [],
  );
  for (const code of REFUSAL_CODES) ok(refusal(code).length > 8, code);
});

test("every reason of an end has a sentence", () => {
  equal(
    window.known.reasons.filter((reason) => !RESULT_REASONS.includes(reason)),
    [],
  );
});

test("an unknown code still says that nothing has changed", () => {
  ok(refusal("never_heard_of").includes("Nothing has changed"), "no sentence");
});

test("a refusal names the suit, the card and this table's rule", () => {
  equal(refusal("must_follow_suit", { suit: "C" }), "You must follow suit: you hold clubs, so play one of them.");
  ok(refusal("must_lead_opening_card", { card: "2C" }).includes("two of clubs"), "card");
  const heart = refusal("hearts_not_broken", { traits: traits.hearts });
  const queen = refusal("hearts_not_broken", { traits: traits.queen });
  ok(queen.includes("queen of spades") && !heart.includes("queen"), "rule of the table");
});

test("cards are spoken in full", () => {
  equal(cardName("QS"), "queen of spades");
  equal(cardName("TD"), "ten of diamonds");
});

test("scores are written with a true minus, and turned round where the table says so", () => {
  equal(
    [score(-26), score(13, "minus"), score(0, "minus"), change(5), change(-5), change(0)],
    ["−26", "−13", "0", "+5", "−5", "0"],
  );
});

test("the receiver of a pass", () => {
  equal(
    [receiver("left", 3, 4), receiver("right", 0, 5), receiver("across", 1, 4), receiver("opponent", 0, 2)],
    [0, 4, 3, 1],
  );
  equal([receiver("hold", 0, 4), receiver(null, 0, 4)], [null, null]);
  for (const direction of ["left", "right", "across"])
    for (let seat = 0; seat < 4; seat += 1) equal(giver(direction, receiver(direction, seat, 4), 4), seat);
});

const EVENTS = [
  { event: "opened", dealer: 2 },
  { event: "dealt", deal: 1, attempt: 0, dealer: 2, direction: "left" },
  { event: "dealt", deal: 4, attempt: 0, dealer: 1, direction: "hold" },
  { event: "called_off", seat: 1, deal: 1 },
  { event: "answered", seat: 1, phase: "pass", cards: null },
  { event: "answered", seat: 0, phase: "pass", cards: ["AC", "AD", "QS"] },
  { event: "answered", seat: 1, phase: "blind", blind: null },
  { event: "handed_over", phase: "pass", direction: "left", gave: ["AC"], received: ["2C", "3C", "4C"] },
  { event: "handed_over", phase: "exchange", gave: null, received: null },
  { event: "blind_shown", blinds: [null, true, null, false] },
  { event: "hand_shown", seat: 0, hand: ["2C"] },
  { event: "bid", seat: 1, bid: 0 },
  { event: "bid", seat: 0, bid: 4 },
  { event: "played", seat: 2, card: "QS" },
  { event: "broken", seat: 2, card: "2H" },
  { event: "trick_taken", seat: 0, cards: ["2C", "3C"], leader: 1 },
  { event: "kitty_taken", seat: 0, count: 2, cards: ["2C", "AH"] },
  { event: "kitty_taken", seat: 1, count: 2, cards: null },
  { event: "finished", seat: 1, cards: ["AS", "KS"] },
  { event: "finished", seat: 0, cards: [] },
  { event: "moon_shot", seat: 3 },
  { event: "moon_chosen", seat: 3, choice: "add" },
  { event: "moon_chosen", seat: 0, choice: "subtract" },
  {
    event: "deal_scored",
    score: { deal: 1, lines: [], change: [0, 13, 5, 8], scores: [0, 13, 5, 8], bags: [] },
    kitty: [],
  },
  { event: "stand_in", seat: 1 },
  { event: "back", seat: 0 },
  { event: "outage", seat: null, seconds: 12 },
  { event: "void", seat: null, reason: "vote" },
  { event: "game_over", result: { placings: [1, 4, 2, 3], scores: [0, 13, 5, 8], reason: "target" } },
  { event: "stand_in", seat: 0 },
  { event: "stand_in", seat: 2, by: "vote" },
  { event: "stand_in", seat: 1, by: "leave" },
  { event: "back", seat: 0 },
  { event: "outage", seat: null, seconds: 12.3 },
  { event: "void", seat: null, reason: "vote" },
];

test("every event is a sentence with every blank filled", () => {
  equal(
    EVENT_KINDS.filter((kind) => !EVENTS.some((event) => event.event === kind)),
    [],
  );
  for (const event of EVENTS) {
    const text = sentence(event, boot);
    ok(/[.!]$/.test(text) && !text.includes("%(") && !text.includes("undefined"), `${event.event}: ${text}`);
  }
});

test("sentences name the player, or say you", () => {
  equal(sentence({ event: "played", seat: 2, card: "QS" }, boot), "North plays the queen of spades.");
  equal(sentence({ event: "played", seat: 0, card: "2H" }, boot), "You play the two of hearts.");
  equal(sentence({ event: "bid", seat: 1, bid: 1 }, boot), "West bids 1 trick.");
});

test("cards in a sentence have their article", () => {
  equal(
    sentence({ event: "finished", seat: 1, cards: ["JS", "AS"] }, boot),
    "West shows the jack of spades and the ace of spades and takes every trick that is left.",
  );
  equal(
    sentence({ event: "handed_over", phase: "pass", direction: "left", gave: ["AC"], received: ["2C"] }, boot),
    "East gives you the two of clubs.",
  );
});

test("in Spades the partner is named as such, and the sides as the player's and the other", () => {
  const spades = { ...boot, traits: traits.spades, sides: [0, 1, 0, 1] };
  equal(sentence({ event: "bid", seat: 2, bid: 4 }, spades), "North (partner) bids 4 tricks.");
  equal(sentence({ event: "bid", seat: 1, bid: 4 }, spades), "West bids 4 tricks.");
  equal([sideName(spades, 0), sideName(spades, 1)], ["Your side", "Opponents"]);
  equal(sideName({ ...spades, seat: null }, 1), "West and East");
});

test("every event is a sentence for a spectator too", () => {
  for (const event of EVENTS.filter(({ event: kind }) => kind !== "hand_shown")) {
    const hidden = ["answered", "kitty_taken"].includes(event.event) ? { cards: null } : {};
    const told = { ...event, received: null, gave: null, ...hidden };
    const text = sentence(told, { ...boot, seat: null, names: ["South", "West", "North", "East"] });
    ok(!/\byour?\b/i.test(text), `${event.event}: ${text}`);
  }
});

test("a bid of nothing is nil where the game has a name for it, and a number elsewhere", () => {
  const bid = { event: "bid", seat: 1, bid: 0 };
  equal(sentence(bid, { ...boot, traits: traits.spades }), "West bids nil.");
  equal(sentence(bid, boot), "West bids 0 tricks.");
});

test("what is broken is the suit of the game", () => {
  const broken = { event: "broken", seat: 2, card: "2S" };
  equal([sentence(broken, boot), sentence(broken, { ...boot, traits: traits.spades })], ["Hearts are broken.", "Spades are broken."]);
});

test("an unknown event is passed over in silence", () => equal(sentence({ event: "new_thing" }, boot), ""));

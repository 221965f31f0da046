/* The line above the hand: what is asked of whom, in one sentence. */

import { cardName, otherName, receiver, refusal, say, seatNames } from "../shared/text.js";

const { gettext, ngettext } = window;

/** The sentence for the seat that is asked. */
const ASKED = {
  pass(model) {
    const { view, boot } = model;
    const to = receiver(view.direction, boot.seat, boot.players);
    const missing = view.ask.count - model.chosen.size;
    if (missing === 0) return say(gettext("Pass these cards to %(name)s?"), { name: otherName(boot, to) });
    return say(
      ngettext(
        "Choose %(count)s more card to pass to %(name)s.",
        "Choose %(count)s cards to pass to %(name)s.",
        missing,
      ),
      { count: missing, name: otherName(boot, to) },
    );
  },

  exchange(model) {
    const { view, boot } = model;
    const partner = (boot.seat + boot.players / 2) % boot.players;
    const missing = view.ask.count - model.chosen.size;
    if (missing === 0) return say(gettext("Give these cards to %(name)s?"), { name: otherName(boot, partner) });
    return say(
      ngettext(
        "Choose %(count)s more card to give to %(name)s.",
        "Choose %(count)s cards to give to %(name)s.",
        missing,
      ),
      { count: missing, name: otherName(boot, partner) },
    );
  },

  blind: () => gettext("Your turn: decide before you see your cards."),
  bid: () => gettext("Your turn: how many tricks will you take?"),
  moon: () => gettext("You have shot the moon! Choose how it counts."),

  play(model) {
    const { view } = model;
    if (model.lifted) return lifted(model);
    if (view.trick.length === 0) return gettext("Your turn: lead a card.");
    return gettext("Your turn: play a card.");
  },
};

/** What the lifted card would do; the second tap does it. */
function lifted({ view, lifted: card }) {
  const name = { card: cardName(card) };
  if (view.trick.length === 0) return say(gettext("Lead the %(card)s? Tap it again."), name);
  if (card[1] === view.trick[0][1]) return say(gettext("Follow with the %(card)s? Tap it again."), name);
  return say(gettext("Play the %(card)s off suit? Tap it again."), name);
}

const WAITING = {
  pass: (names) => say(gettext("Waiting for the pass of %(names)s."), { names }),
  exchange: (names) => say(gettext("Waiting for the swap of %(names)s."), { names }),
  blind: (names) => say(gettext("%(names)s may bid nil blind. Waiting."), { names }),
  bid: (names) => say(gettext("%(names)s is bidding."), { names }),
  play: (names) => say(gettext("%(names)s is to play."), { names }),
  moon: (names) => say(gettext("%(names)s has shot the moon and chooses how it counts."), { names }),
};

export const isAsked = (model) => Boolean(model.view?.ask) && model.sent !== model.view.ask.id;

/** Whether cards are being chosen, to pass or to swap, and whether there are enough of them. */
export const isChoosing = (model) => isAsked(model) && ["pass", "exchange"].includes(model.view.ask.phase);
export const isComplete = (model) => isChoosing(model) && model.chosen.size === model.view.ask.count;

/** Whether a CPU plays for this player until he takes his seat back. */
export const isStoodIn = ({ view, presence, boot, ended }) =>
  boot.seat !== null && presence[boot.seat] === "stand_in" && Boolean(view) && view.phase !== "over" && !ended;

/** The sentence to show and its tone: turn, wait, info or error. */
export function prompt(model) {
  const { view, boot } = model;
  if (model.message) return { ...model.message, tone: model.message.tone ?? (isAsked(model) ? "turn" : "info") };
  if (!view) return { text: gettext("Coming to the table…"), tone: "wait" };
  if (isStoodIn(model)) return { text: gettext("A CPU is playing for you."), tone: "turn" };
  if (view.phase === "open" && !model.ended) return { text: gettext("The cards are being prepared…"), tone: "wait" };
  if (view.phase === "over" || model.ended) return { text: gettext("The game is over."), tone: "info" };
  if (view.ask && !isAsked(model)) return { text: gettext("Sent. Waiting for the table…"), tone: "wait" };
  if (view.ask) return { text: ASKED[view.ask.phase](model), tone: "turn" };
  if (view.asked.length && view.phase in WAITING) {
    return { text: WAITING[view.phase](seatNames(boot, view.asked)), tone: "wait" };
  }
  return { text: gettext("The cards are being dealt."), tone: "wait" };
}

/** Why a card may not be played now, by the rules of this table. */
export function barred({ view, boot }, card) {
  if (!view.ask || view.ask.phase !== "play") {
    return view.asked.length
      ? say(gettext("It is not your turn: %(names)s first."), { names: seatNames(boot, view.asked) })
      : refusal("not_your_turn");
  }
  const code = view.ask.barred[card];
  return refusal(code, { suit: view.trick[0]?.[1], card: view.ask.cards[0], traits: boot.traits });
}

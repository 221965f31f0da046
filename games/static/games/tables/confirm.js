/* What is asked about before it is done, since it cannot be taken back: nil, calling a deal off, finishing one. */

import { askFirst } from "../shared/dialogs.js";
import { cardNames, say } from "../shared/text.js";

const { gettext } = window;

/** Nil is the one bid that is easily taken for a pass. `text`: what it promises, in this game. */
export function confirmNil(text, then) {
  askFirst(
    {
      title: gettext("Bid nil?"),
      text,
      no: gettext("Bid something else"),
      yes: gettext("Bid nil"),
    },
    then,
  );
}

export function confirmCallOff(then) {
  askFirst(
    {
      title: gettext("Call this deal off?"),
      text: gettext(
        "All cards are dealt anew, with the same dealer and the same direction. You may do this once a game.",
      ),
      no: gettext("Keep these cards"),
      yes: gettext("Call the deal off"),
    },
    then,
  );
}

/** Shows the proof that the rest of the deal is decided: cards that win every trick, or none if no point is left. */
export function confirmFinish(proof, then) {
  const text = proof.length
    ? say(gettext("Your cards win every trick that is left, whoever holds the rest: %(cards)s."), {
        cards: cardNames(proof),
      })
    : gettext("Every point of this deal is taken: nothing that is left can change the score.");
  askFirst({ title: gettext("Finish the deal?"), text, no: gettext("Play on"), yes: gettext("Finish the deal") }, then);
}

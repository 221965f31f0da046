/* Where the keys go: to what is asked, from the first moment on. Whoever has gone somewhere else stays there. */

import { anyOpen } from "../shared/dialogs.js";
import { byId } from "../shared/dom.js";

const PLACES = ["hand", "panel", "actions", "overlay"]; // where a question is answered

export class Focus {
  constructor(hand) {
    this.hand = hand;
  }

  /** After something was drawn: a focus that got lost with what it was on goes back to the question. */
  settle() {
    const at = document.activeElement;
    if (at === document.body || at === null || !isSeen(at)) this.toQuestion();
  }

  /** A new question takes the focus, unless it is somewhere else on purpose. */
  follow() {
    const at = document.activeElement;
    if (at === document.body || PLACES.some((id) => byId(id).contains(at))) this.toQuestion();
  }

  /** To the bids or choices if there are any, to what lies over them, or else to the hand. */
  toQuestion() {
    if (anyOpen()) return;
    const places = [byId("overlay").querySelector("h2[tabindex]"), ...tabStops("panel"), ...goingOn()];
    const first = places.filter(Boolean).find(isSeen);
    if (first) first.focus({ preventScroll: true });
    else this.hand.focus();
  }
}

const isSeen = (node) => node.checkVisibility?.({ visibilityProperty: true }) ?? true;

/** The buttons of a place that Tab goes to, the one that is suggested first. */
const tabStops = (id) =>
  [...byId(id).querySelectorAll("button:not([tabindex='-1'])")].sort(
    (a, b) => b.classList.contains("primary") - a.classList.contains("primary"),
  );

/** The button that takes a summary away, where it hides a question. */
const goingOn = () => (byId("panel").hidden ? [] : tabStops("overlay"));

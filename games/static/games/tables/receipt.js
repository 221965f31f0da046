/* What follows from the result of a ranked game: asked for at its end, and again until the game is rated. */

import { el } from "../shared/dom.js";

const { gettext } = window;

/** Seconds after which the receipt is asked for again, in case the table was not told that the game is rated. */
const WAITS = [2, 4, 8, 15, 30, 60];

export class Receipt {
  /** `address`: where the receipt is, or undefined at a table that is not ranked. `ask` fetches an address as text. */
  constructor(address, ask = fetchText) {
    this.address = address;
    this.ask = ask;
    this.tries = 0;
    this.headline = el("p", { class: "overlay-note receipt-headline", role: "status" });
    this.body = el("div", { class: "receipt" });
  }

  /** What the end of the game shows: a line, and all the rest. Nothing where no game is rated. */
  parts() {
    if (!this.address) return { headline: null, body: null };
    if (!this.tries) this.load();
    return { headline: this.headline, body: this.body };
  }

  /** The game is rated now, or its rating was taken back. */
  changed() {
    this.tries = 0;
    this.load();
  }

  async load() {
    clearTimeout(this.timer);
    this.tries += 1;
    const turn = (this.turn = (this.turn ?? 0) + 1);
    if (!this.headline.textContent) this.headline.textContent = gettext("The game is being rated…");
    const text = await this.ask(this.address);
    if (turn !== this.turn) return; // it was asked for again meanwhile
    const found = text && new DOMParser().parseFromString(text, "text/html").querySelector(".receipt");
    if (found) this.#show(found);
    if (found && found.dataset.status !== "pending") return;
    if (this.tries <= WAITS.length) this.timer = setTimeout(() => this.load(), WAITS[this.tries - 1] * 1_000);
    else if (!found) this.headline.textContent = gettext("The receipt is not there yet. Reload the page later.");
  }

  #show(found) {
    const headline = found.querySelector(".receipt-headline");
    headline.remove();
    // A text that has not changed is not announced again.
    if (this.headline.textContent !== headline.textContent) this.headline.replaceChildren(...headline.childNodes);
    this.body.replaceChildren(...found.children);
  }
}

/** The text at an address; null if it cannot be had now. */
async function fetchText(address) {
  try {
    const answer = await fetch(address, { credentials: "same-origin" });
    return answer.ok ? await answer.text() : null;
  } catch {
    return null;
  }
}

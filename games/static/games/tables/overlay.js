/* What lies over the felt for a while: the score of a deal, with the hand left free; or the end of the game with its
   last deal. */

import { el } from "../shared/dom.js";
import { dealTable, dealTitle, endedText, finalTable, finalTitle, kittyText, reasonText } from "./sheet.js";
import { say } from "../shared/text.js";

const { gettext } = window;

export class Overlay {
  /** `on`: dismiss(), rematch(), changed() after something came or went, and cards(section) about the cards of a game
      that is over. */
  constructor(root, boot, on) {
    this.root = root;
    this.boot = boot;
    this.on = on;
    this.showing = null;
  }

  deal({ score, kitty }) {
    this.#show("deal", [
      el("h2", { text: dealTitle(score, this.boot) }),
      dealTable(score, this.boot),
      kitty?.length ? el("p", { class: "overlay-note", text: kittyText(kitty) }) : null,
      el(
        "div",
        { class: "overlay-actions" },
        el("button", { type: "button", class: "button", onclick: this.on.dismiss, text: gettext("Go on") }),
      ),
    ]);
  }

  /** `row` is the last deal of the score sheet; `rematch` the game that follows, if there is one; without a result
      `ended` says why; `thanks` is a button for a parting word, or null; `receipt` says what the game did to ratings. */
  final(result, row, { rematch, ended, thanks, receipt }) {
    if (this.showing === "final") return;
    const again = document.getElementById("again").content.cloneNode(true);
    const button = el("button", {
      type: "button",
      class: "button primary",
      id: "rematch",
      onclick: () => this.on.rematch(),
      text: rematch ? gettext("Go to the rematch") : gettext("Rematch"),
    });
    this.#show("final", [
      el("h2", { tabindex: "-1", text: result ? finalTitle(result, this.boot) : gettext("The game is over") }),
      el("p", { class: "overlay-note", text: result ? reasonText(result) : endedText(ended) }),
      result ? finalTable(result, this.boot) : null,
      receipt.headline,
      el("div", { class: "overlay-actions" }, this.#onward(result, rematch, button, again), thanks, again),
      receipt.body,
      row ? el("h3", { text: say(gettext("The last deal: %(title)s"), { title: dealTitle(row, this.boot) }) }) : null,
      row ? dealTable(row, this.boot) : null,
      document.getElementById("cards")?.content.cloneNode(true),
    ]);
    const cards = this.root.querySelector(".end-cards");
    if (cards) this.on.cards(cards);
    this.root.querySelector("h2").focus({ preventScroll: true });
  }

  /** The first way on: where the same people do not simply play on, what the table was made by says where to. */
  #onward(result, rematch, button, others) {
    if (this.boot.seat === null) return rematch ? button : null;
    if (this.boot.daily) return others.removeChild(others.querySelector(".primary")); // the same cards once is all
    const { again } = this.boot;
    if (again) return el("a", { class: "button primary", id: "onward", href: again.url, text: again.label });
    return result || rematch ? button : null;
  }

  /** The end once more, e.g. since a rematch was opened meanwhile. */
  again(...about) {
    this.showing = null;
    this.final(...about);
  }

  /** Somebody has opened a rematch, or it is on its way. */
  rematch(text) {
    const button = this.root.querySelector("#rematch");
    if (button) button.textContent = text;
  }

  hide() {
    if (this.showing !== "deal") return;
    this.showing = null;
    this.root.hidden = true;
    this.root.replaceChildren();
    this.on.changed();
  }

  #show(what, children) {
    this.showing = what;
    this.root.dataset.what = what;
    this.root.hidden = false;
    this.root.replaceChildren(el("div", { class: "overlay-card" }, ...children));
    this.on.changed();
  }
}

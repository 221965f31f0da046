/* What lies over the felt for a while: the score of a deal, or the end of the game. The hand stays free. */

import { el } from "./dom.js";
import { dealTable, dealTitle, finalTable, finalTitle, kittyText, reasonText } from "./sheet.js";

const { gettext } = window;

export class Overlay {
  /** `on`: dismiss(), rematch(). */
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

  final(result, rematch) {
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
      el("h2", { tabindex: "-1", text: finalTitle(result, this.boot) }),
      el("p", { class: "overlay-note", text: reasonText(result) }),
      finalTable(result, this.boot),
      el("div", { class: "overlay-actions" }, this.boot.seat === null ? null : button, again),
    ]);
    this.root.querySelector("h2").focus({ preventScroll: true });
  }

  /** Somebody has opened a rematch, or it is on its way. */
  rematch(text) {
    const button = this.root.querySelector("#rematch");
    if (button) button.textContent = text;
  }

  hide() {
    if (this.showing === "final") return;
    this.showing = null;
    this.root.hidden = true;
    this.root.replaceChildren();
  }

  #show(what, children) {
    this.showing = what;
    this.root.dataset.what = what;
    this.root.hidden = false;
    this.root.replaceChildren(el("div", { class: "overlay-card" }, ...children));
  }
}

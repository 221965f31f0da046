/* The own hand: a toolbar of cards with one tab stop. Taps, swipes and keys end in `tap(card)`; what a tap means is
   decided elsewhere. Buttons are kept from render to render, so that focus and a started swipe survive news. */

import { cardBack, cardFace, inHandOrder, inTwoRows } from "../shared/cards.js";
import { el } from "../shared/dom.js";
import { isAsked, isChoosing } from "./prompt.js";
import { cardName, say } from "../shared/text.js";

const { gettext, ngettext } = window;

const narrow = matchMedia("(max-width: 640px) and (min-height: 521px)"); // a phone held upright
const MOST_IN_A_ROW = 7; // there: cards stay wide enough for a thumb

export class Hand {
  /** `on`: tap(card), choose(card, chosen), and enter(): whether Enter has ended the choice. */
  constructor(root, on) {
    this.root = root;
    this.on = on;
    this.buttons = new Map();
    this.cards = [];
    this.at = 0; // the card with the tab stop, and with the focus while the hand has it
    this.shape = "";
    this.swipe = null;
    root.addEventListener("pointerdown", (event) => this.#down(event));
    root.addEventListener("pointermove", (event) => this.#move(event));
    root.addEventListener("click", (event) => this.#click(event));
    root.addEventListener("keydown", (event) => this.#key(event));
    root.addEventListener("focusin", (event) => this.#focus(event));
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => (this.swipe = null));
  }

  onReshape(listener) {
    narrow.addEventListener("change", listener);
  }

  render(model) {
    const { view } = model;
    this.model = model;
    this.root.hidden = !view || view.seat === null;
    if (this.root.hidden) return;
    if (view.hand === null) this.#faceDown(view.hand_counts[view.seat]);
    else this.#faceUp(view);
    this.root.style.setProperty("--most", Math.max(1, ...[...this.root.children].map((row) => row.children.length)));
  }

  /** Where a card is on the screen, to let it fly from there. */
  rectOf(card) {
    const button = this.buttons.get(card);
    return button?.isConnected ? button.getBoundingClientRect() : this.lastRect;
  }

  /** The card at a number key: 1 is the first, 0 the tenth. */
  press(number) {
    const card = this.cards[(number + 9) % 10];
    if (!card) return;
    this.#moveTo(this.cards.indexOf(card));
    this.on.tap(card);
  }

  /** To the card that had the focus last, but to one that may be played if that one may not. */
  focus() {
    const may = this.cards.findIndex((card) => this.buttons.get(card)?.dataset.state === "legal");
    const barred = this.buttons.get(this.cards[this.at])?.dataset.state === "barred";
    this.#moveTo(barred && may >= 0 ? may : this.at);
  }

  #faceDown(count) {
    this.cards = [];
    this.buttons.clear();
    const shape = `back ${count} ${narrow.matches}`;
    if (this.shape === shape) return;
    this.shape = shape;
    const backs = Array.from({ length: count }, () => el("span", { class: "hand-card" }, cardBack()));
    this.root.dataset.rows = 1;
    this.root.replaceChildren(
      el("div", { class: "hand-row", role: "img", "aria-label": this.#backsName(count) }, ...backs),
    );
  }

  #backsName(count) {
    return say(ngettext("%(count)s card, face down", "%(count)s cards, face down", count), { count });
  }

  #faceUp(view) {
    if (view.hand.length > this.cards.length) {
      this.at = 0; // a new deal begins at its first card
      this.focused = null;
    }
    this.cards = inHandOrder(view.hand);
    const rows = narrow.matches && this.cards.length > MOST_IN_A_ROW ? inTwoRows(this.cards) : [this.cards];
    const shape = rows.map((row) => row.join("")).join("|");
    if (shape !== this.shape) this.#arrange(rows, shape);
    this.cards.forEach((card, i) => this.#dress(card, i));
  }

  #arrange(rows, shape) {
    const held = this.root.contains(document.activeElement);
    this.shape = shape;
    for (const [card, button] of this.buttons) {
      if (this.cards.includes(card)) continue;
      this.lastRect = button.isConnected ? button.getBoundingClientRect() : this.lastRect;
      this.buttons.delete(card);
    }
    const button = (card) => {
      if (!this.buttons.has(card)) {
        const node = el("button", { type: "button", class: "hand-card" }, cardFace(card));
        node.dataset.card = card;
        this.buttons.set(card, node);
      }
      return this.buttons.get(card);
    };
    this.root.dataset.rows = rows.length;
    this.root.replaceChildren(...rows.map((row) => el("div", { class: "hand-row" }, ...row.map(button))));
    const focused = this.cards.indexOf(this.focused);
    this.at = focused >= 0 ? focused : Math.max(0, Math.min(this.at, this.cards.length - 1));
    if (held) this.#moveTo(this.at);
  }

  #dress(card, i) {
    const { model } = this;
    const { view } = model;
    const ask = isAsked(model) ? view.ask : null;
    const button = this.buttons.get(card);
    const choosing = isChoosing(model);
    const playing = ask?.phase === "play";
    const legal = choosing || (playing && ask.cards.includes(card));
    const chosen = model.chosen.has(card);
    const lifted = model.lifted === card;
    const fresh = view.received?.includes(card) && !hasPlayed(view);
    button.dataset.state = playing ? (legal ? "legal" : "barred") : choosing ? "open" : "idle";
    button.toggleAttribute("data-up", chosen || lifted);
    if (fresh) button.dataset.fresh = gettext("New");
    else delete button.dataset.fresh;
    button.dataset.key = i < 10 ? (i + 1) % 10 : "";
    button.tabIndex = i === this.at ? 0 : -1;
    button.setAttribute("aria-disabled", String(!legal));
    if (choosing) button.setAttribute("aria-pressed", String(chosen));
    else button.removeAttribute("aria-pressed");
    button.setAttribute("aria-label", this.#label(card, { playing, legal, lifted, fresh }));
  }

  #label(card, { playing, legal, lifted, fresh }) {
    const name = { card: cardName(card) };
    if (playing && !legal && fresh) return say(gettext("%(card)s, received, may not be played now"), name);
    if (playing && !legal) return say(gettext("%(card)s, may not be played now"), name);
    if (lifted) return say(gettext("%(card)s, lifted"), name);
    if (fresh) return say(gettext("%(card)s, received"), name);
    return name.card;
  }

  /* --- pointer: a swipe in the pass chooses every card that it crosses --- */

  #cardAt(event) {
    const node = document.elementFromPoint(event.clientX, event.clientY);
    return node?.closest?.(".hand-card")?.dataset.card;
  }

  #down(event) {
    const card = event.target.closest(".hand-card")?.dataset.card;
    if (!card || event.button !== 0 || !isChoosing(this.model)) return;
    const chosen = !this.model.chosen.has(card);
    this.swipe = { chosen, seen: new Set([card]) };
    this.swiped = card;
    if (event.pointerType === "touch") event.target.releasePointerCapture?.(event.pointerId);
    this.on.choose(card, chosen);
  }

  #move(event) {
    if (!this.swipe || !event.buttons) return;
    const card = this.#cardAt(event);
    if (!card || this.swipe.seen.has(card)) return;
    this.swipe.seen.add(card);
    this.on.choose(card, this.swipe.chosen);
  }

  #click(event) {
    const card = event.target.closest(".hand-card")?.dataset.card;
    if (!card) return;
    const handled = this.swiped;
    this.swiped = null;
    if (event.detail !== 0 && handled) return; // the pointer has chosen it already
    this.on.tap(card);
  }

  /* --- keys --- */

  #key(event) {
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.#rowLength(), ArrowDown: this.#rowLength() };
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key in steps) this.#moveTo(Math.max(0, Math.min(this.cards.length - 1, this.at + steps[event.key])));
    else if (event.key === "Home") this.#moveTo(0);
    else if (event.key === "End") this.#moveTo(this.cards.length - 1);
    else if (event.key === "Enter" && (event.repeat || this.on.enter())) event.stopPropagation();
    else return;
    event.preventDefault();
  }

  #rowLength() {
    return this.root.children.length > 1 ? this.root.children[0].children.length : 0;
  }

  #focus(event) {
    const card = event.target.closest(".hand-card")?.dataset.card;
    if (!card) return;
    this.focused = card;
    this.at = this.cards.indexOf(card);
    for (const [name, button] of this.buttons) button.tabIndex = name === card ? 0 : -1;
  }

  #moveTo(index) {
    this.buttons.get(this.cards[index])?.focus({ preventScroll: true });
  }
}

/** Whether this seat has played a card of the deal: until then it is marked what it was given. */
function hasPlayed(view) {
  const place = (view.seat - view.leader + view.players) % view.players;
  return view.tricks_taken.some((tricks) => tricks > 0) || (view.leader !== null && view.trick.length > place);
}

/* The middle of the table: cards as they are played, one after another, and the pause after a trick.

   The view has long been applied when something moves here. Every step can be skipped, and when the queue is empty
   the table shows exactly what the view says. */

import { cardFace } from "../shared/cards.js";
import { el } from "../shared/dom.js";
import { cardAt, placeOf, tilt } from "./places.js";
import { cardName } from "../shared/text.js";

const FLIGHT = 300;
const GATHER = 260;
const SUMMARY = 9_000;
const LATE = 5; // steps waiting: from here on everything goes faster
const TOO_LATE = 40; // from here on only the last score is worth showing

const middle = (rect) => [rect.left + rect.width / 2, rect.top + rect.height / 2];

/** What of an event moves on the felt. `over`: the game has ended. */
export function stepsOf(event, over) {
  if (event.event === "dealt") return [{ do: "clear" }];
  if (event.event === "played") return [{ do: "play", seat: event.seat, card: event.card }];
  if (event.event === "trick_taken") {
    return [
      { do: "hold", winner: event.seat },
      { do: "gather", winner: event.seat },
    ];
  }
  if (event.event === "finished") return event.cards?.length ? [{ do: "show", cards: event.cards }] : [{ do: "clear" }];
  // The last deal is shown with the end of the game.
  if (event.event === "deal_scored" && !over) {
    return [{ do: "summary", score: event.score, kitty: event.kitty }];
  }
  return [];
}

export class Stage {
  /** `hooks`: settings, rectOf(seat, card), sound(name, seat), summary(step or null), idle(). */
  constructor(root, boot, hooks) {
    this.root = root;
    this.players = boot.players;
    this.bottom = boot.seat ?? 0;
    this.hooks = hooks;
    this.queue = [];
    this.running = false;
    this.hurried = false;
    this.wake = null;
  }

  push(steps) {
    this.queue.push(...steps);
    if (this.queue.length > TOO_LATE) this.queue = this.queue.filter((step) => step.do === "summary").slice(-1);
    if (document.hidden) this.finish();
    if (!this.running) this.#run();
  }

  /** Goes on to the next step. */
  skip() {
    this.wake?.();
  }

  /** Ends everything that moves. */
  finish() {
    if (!this.running) return;
    this.hurried = true;
    this.wake?.();
  }

  /** Shows exactly these cards, from the leader on. */
  lay(leader, cards) {
    const wanted = cards.map((card, i) => [card, (leader + i) % this.players]);
    const shown = [...this.root.children].map((node) => node.dataset.card).join();
    if (shown === wanted.map(([card]) => card).join()) return;
    this.root.replaceChildren(...wanted.map(([card, seat]) => this.#card(card, seat)));
  }

  async #run() {
    this.running = true;
    while (this.queue.length) {
      const step = this.queue.shift();
      await this[step.do](step);
    }
    this.running = false;
    this.hurried = false;
    this.hooks.idle();
  }

  #card(card, seat) {
    const place = placeOf(seat, this.bottom, this.players);
    const [x, y] = cardAt(place, this.players);
    // Indices are at the upper left, so what lies lower and further right goes on top.
    const depth = Math.round(y * 20 + x * 4) + 40;
    const style = { "--x": x.toFixed(3), "--y": y.toFixed(3), "--tilt": `${tilt(card, place)}deg`, "z-index": depth };
    const node = el("div", { class: "trick-card", style, role: "img", "aria-label": cardName(card) }, cardFace(card));
    node.dataset.card = card;
    node.dataset.seat = seat;
    return node;
  }

  /* --- steps --- */

  async play({ seat, card }) {
    const from = this.hooks.rectOf(seat, card);
    if (this.root.querySelector(`[data-card="${card}"]`)) return;
    const node = this.#card(card, seat);
    this.root.append(node);
    if (this.hurried) return;
    this.hooks.sound("card", seat);
    const { speed } = this.hooks.settings;
    if (!speed || !from) return this.#wait(120);
    const box = node.getBoundingClientRect();
    const [[x, y], [toX, toY]] = [middle(from), middle(box)];
    const scale = Math.min(1.4, Math.max(0.5, from.width / box.width));
    const length = this.#length(FLIGHT / speed);
    const start = `translate(${x - toX}px, ${y - toY}px) scale(${scale})`;
    node.animate([{ transform: start }, { transform: "none" }], {
      duration: length,
      easing: "cubic-bezier(.2,.7,.2,1)",
    });
    return this.#wait(length + 40);
  }

  /** A finished trick stays, so that it can be read. */
  async hold({ winner }) {
    for (const node of this.root.children) {
      if (Number(node.dataset.seat) === winner) node.dataset.won = "";
    }
    if (!this.hurried) this.hooks.sound("trick", winner);
    return this.#wait(this.#length(this.hooks.settings.get("pause") * 1000));
  }

  async gather({ winner }) {
    const { speed } = this.hooks.settings;
    const to = this.hooks.rectOf(winner, null);
    if (!this.hurried && speed && to) {
      const length = this.#length(GATHER / speed);
      const [toX, toY] = middle(to);
      for (const node of this.root.children) {
        const [x, y] = middle(node.getBoundingClientRect());
        const end = { transform: `translate(${toX - x}px, ${toY - y}px) scale(.4)`, opacity: 0 };
        node.animate([{}, end], { duration: length, easing: "ease-in", fill: "forwards" });
      }
      await this.#wait(length);
    }
    this.root.replaceChildren();
  }

  /** The hand that a finisher shows, in one row. */
  async show({ cards }) {
    const nodes = cards.map((card, i) => {
      const node = this.#card(card, this.bottom);
      const step = Math.min(0.8, 4 / cards.length);
      node.style.setProperty("--x", ((i - (cards.length - 1) / 2) * step).toFixed(3));
      node.style.setProperty("--y", "0");
      node.style.setProperty("z-index", String(i));
      return node;
    });
    this.root.replaceChildren(...nodes);
    await this.#wait(this.hooks.settings.get("pause") * 1500);
    this.root.replaceChildren();
  }

  async clear() {
    this.root.replaceChildren();
  }

  /** The score of a deal; goes away by itself, by a tap, or when the player does something. */
  async summary(step) {
    if (this.hurried) return;
    this.hooks.summary(step);
    await this.#wait(this.hooks.settings.get("pause") === 0 ? 600 : SUMMARY);
    this.hooks.summary(null);
  }

  #length(milliseconds) {
    return milliseconds / Math.max(1, this.queue.length - LATE);
  }

  #wait(milliseconds) {
    if (this.hurried || document.hidden) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(done, milliseconds);
      const stage = this;
      function done() {
        clearTimeout(timer);
        stage.wake = null;
        resolve();
      }
      this.wake = done;
    });
  }
}

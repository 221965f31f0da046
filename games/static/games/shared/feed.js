/* A line that tells: connects, gives signs of life, and connects again. What is sent over it is sent once, or not. */

import { backOff } from "../tables/socket.js";

const PING_EVERY = 15_000;
const SILENCE = 10_000; // after a ping

export class Feed {
  /** `on`: message(data), state("open" | "lost" | "ended"). `finals` are close codes after which nothing is tried. */
  constructor(path, on, finals = [4400, 4404]) {
    this.path = path;
    this.on = on;
    this.finals = finals;
    this.tries = 0;
    addEventListener("online", () => this.#hurry());
    addEventListener("pageshow", () => this.#hurry());
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.#hurry());
    setInterval(() => this.#beat(), 1_000);
    this.#connect();
  }

  /** Sends a message; false while there is no line. */
  send(message) {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  #connect() {
    clearTimeout(this.timer);
    this.timer = null;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}${this.path}`);
    this.socket = socket;
    this.heard = this.pinged = Date.now();
    socket.addEventListener("message", (event) => socket === this.socket && this.#receive(event.data));
    socket.addEventListener("close", (event) => socket === this.socket && this.#lost(event.code));
  }

  #receive(data) {
    this.heard = Date.now();
    this.tries = 0;
    this.on.state("open");
    const message = JSON.parse(data);
    if (message.type !== "pong") this.on.message(message);
  }

  #lost(code) {
    this.socket = null;
    if (this.finals.includes(code)) {
      this.on.state("ended");
      return;
    }
    this.on.state("lost");
    this.timer = setTimeout(() => this.#connect(), backOff(this.tries));
    this.tries += 1;
  }

  /** The network or the tab is back: the line may be dead without knowing it. */
  #hurry() {
    if (this.timer) this.#connect();
    else if (this.socket?.readyState === WebSocket.OPEN) this.#ping();
  }

  #ping() {
    this.pinged = Date.now();
    this.socket.send('{"type":"ping"}');
  }

  #beat() {
    if (!this.socket) return;
    const since = Date.now() - this.pinged;
    if (this.pinged > this.heard && since > SILENCE) {
      const dead = this.socket;
      this.#lost(0);
      dead.close();
    } else if (since >= PING_EVERY && this.socket.readyState === WebSocket.OPEN) {
      this.#ping();
    }
  }
}

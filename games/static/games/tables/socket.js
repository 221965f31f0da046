/* The line to the table: connects, backs off, names every action and keeps it until it is answered.

   Knows messages and nothing of what is drawn. News come out in order of ply; older ones are dropped. */

export const PROTOCOL = 1;

const PING_EVERY = 15_000;
const SILENCE = 10_000; // after a ping, so a dead line is noticed within 25 s
const FIRST_WAIT = 400;
const LONGEST_WAIT = 12_000;

/** Close codes after which trying again is of no use, and what to say instead. */
const FINAL = { 4400: "reload", 4401: "signed_out", 4404: "gone", 4426: "reload" };
const TOO_FAST = 4429;

/** Refusals that a second try with the same id may get past, and how often it is tried. */
const PASSING = ["busy", "too_fast", "unavailable"];
const RETRIES = 5;
const RETRY_AFTER = 1_000;

/** A name for an action. `randomUUID` is missing where the page was not loaded over TLS or from this machine. */
export function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** How long to wait before try number `tries`: doubling, capped, and spread so that a crowd does not come at once. */
export function backOff(tries, random = Math.random()) {
  return Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** tries) * (0.5 + random / 2);
}

/** Messages that are handed on as they are. */
const TOLD = ["opening", "presence", "rematch", "ready", "rated", "said", "muted", "votes"];

export class Line {
  /** `on` has a function for each of: news, ack, refused, presence, rematch, ready, rated, state. The first news tell what happened
      after the ply `since`, if that is given. */
  constructor(path, on, since = null, party = "") {
    this.path = path;
    this.party = party && `&party=${encodeURIComponent(party)}`; // lets whoever watches in
    this.on = on;
    this.since = since;
    this.ply = -1; // held
    this.pending = new Map(); // id: message, in the order sent
    this.retries = new Map(); // id: how often it was sent again after a refusal
    this.tries = 0;
    this.heard = 0;
    this.pinged = 0;
    this.ended = false;
    addEventListener("online", () => this.#hurry());
    addEventListener("pageshow", () => this.#hurry());
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.#hurry());
    setInterval(() => this.#beat(), 1_000);
    this.#connect();
  }

  /** Sends an answer to the question `ask`; it is sent again after every reconnect until the table has decided. */
  act(ask, action) {
    return this.#keep({ type: "act", ask, action });
  }

  back() {
    return this.#keep({ type: "back" });
  }

  rematch() {
    return this.#keep({ type: "rematch" });
  }

  /** This browser's share of the shuffle; a table that asks again, after a reconnect, gets the same message. */
  give(nonce) {
    if (![...this.pending.values()].some((message) => message.type === "nonce")) this.#keep({ type: "nonce", nonce });
  }

  /** Any other message that the table answers: say, mute, vote, leave. */
  tell(type, keys = {}) {
    return this.#keep({ type, ...keys });
  }

  #keep(message) {
    const id = newId();
    const { type, ...rest } = message;
    this.pending.set(id, { type, id, ...rest });
    this.#send(this.pending.get(id));
    return id;
  }

  #send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  #connect() {
    clearTimeout(this.timer);
    this.timer = null;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const held = this.ply >= 0 ? this.ply : this.since;
    const since = held === null ? "" : `&since=${held}`;
    const socket = new WebSocket(`${scheme}//${location.host}${this.path}?v=${PROTOCOL}${since}${this.party}`);
    this.socket = socket;
    this.heard = this.pinged = Date.now();
    socket.addEventListener("open", () => {
      this.heard = this.pinged = Date.now();
      for (const message of this.pending.values()) this.#send(message);
    });
    socket.addEventListener("message", (event) => socket === this.socket && this.#receive(event.data));
    socket.addEventListener("close", (event) => socket === this.socket && this.#lost(event.code));
  }

  #lost(code) {
    this.socket = null;
    if (code in FINAL) {
      this.ended = true;
      this.on.state(FINAL[code]);
      return;
    }
    this.on.state("lost");
    const wait = Math.max(backOff(this.tries), code === TOO_FAST ? 3_000 : 0);
    this.tries += 1;
    this.timer = setTimeout(() => this.#connect(), wait);
  }

  /** The network or the tab is back: no reason to wait any longer, and the line may be dead without knowing it. */
  #hurry() {
    if (this.ended) return;
    if (this.timer) this.#connect();
    else if (this.socket?.readyState === WebSocket.OPEN) this.#ping();
  }

  #ping() {
    if (this.ply < 0 || this.#waiting()) return;
    this.pinged = Date.now();
    this.#send({ type: "ping", ply: this.ply });
  }

  /** Something was sent that the table always answers, and nothing has come back. */
  #waiting() {
    return this.pinged > this.heard || this.socket?.readyState === WebSocket.CONNECTING;
  }

  #beat() {
    if (!this.socket || this.ended) return;
    const since = Date.now() - this.pinged;
    if (this.#waiting() && since > SILENCE) {
      const dead = this.socket;
      this.#lost(0);
      dead.close();
    } else if (since >= PING_EVERY) {
      this.#ping();
    }
  }

  #receive(data) {
    this.heard = Date.now();
    let message;
    try {
      message = JSON.parse(data);
    } catch {
      return;
    }
    if (message.type === "news") this.#news(message);
    else if (message.type === "ack" || message.type === "refused") this.#decided(message);
    else if (TOLD.includes(message.type)) this.on[message.type](message);
  }

  #decided(message) {
    const sent = this.pending.get(message.id);
    if (message.type === "refused" && sent && PASSING.includes(message.code)) {
      const tries = (this.retries.get(message.id) ?? 0) + 1;
      this.retries.set(message.id, tries);
      if (tries <= RETRIES) {
        setTimeout(() => this.pending.has(message.id) && this.#send(sent), RETRY_AFTER);
        return;
      }
    }
    this.pending.delete(message.id);
    this.retries.delete(message.id);
    this.on[message.type](message, sent);
  }

  #news(message) {
    this.tries = 0;
    this.on.state("open");
    if (message.ply < this.ply) return;
    const fresh = message.events.filter((event) => event.ply > this.ply);
    this.ply = message.ply;
    this.on.news({ ...message, events: fresh });
  }
}

/* Whether the deals of an exported game are what they have to be, computed here with Web Crypto: the same checks, and
   the same names of faults, as games/verify.py, which describes them. The scores are counted in count.js. */

import { Count, pointsOf } from "./count.js";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const RANDOM_CHARACTERS = 14;
const CODE_LENGTH = RANDOM_CHARACTERS + 2;
const MOST_NONCE_BYTES = 32;
const RULES_VERSION = 1; // of the rules that are known here
const BLIND_GAP = 100;
const CARDS = [..."CDHS"].flatMap((suit) => [..."23456789TJQKA"].map((rank) => rank + suit));

/** What the first character of a code names: kind, players, and the cards that are not in the pack. */
export const TABLES = [
  ["hearts", 2, "3 5 7 9 J K"],
  ["hearts", 3, "2D"],
  ["hearts", 3, "2C"],
  ["hearts", 3, ""],
  ["hearts", 4, ""],
  ["hearts", 5, "2D 2C"],
  ["hearts", 5, ""],
  ["hearts", 6, "2"],
  ["hearts", 6, "2D 3D 3C 4C"],
  ["hearts", 6, ""],
  ["hearts", 7, "2D 3D 3C"],
  ["hearts", 7, ""],
  ["spades", 4, ""],
];

/** Web Crypto is there on pages that came by a safe way only. */
export const canCheck = () => Boolean(globalThis.crypto?.subtle);

/* --- bytes --- */

const utf8 = (text) => new TextEncoder().encode(text);
const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const unhex = (text) => new Uint8Array((text.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)));
const sha256 = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

async function hmacWith(secret) {
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return async (text) => new Uint8Array(await crypto.subtle.sign("HMAC", key, utf8(text)));
}

/* --- codes --- */

/** A product in GF(32): one shift, reduced by x^5 + x^2 + 1. */
const timesX = (value) => (value << 1) ^ (value & 16 ? 0b100101 : 0);

function checkCharacter(body) {
  let value = 0;
  for (const character of body) value = timesX(value) ^ ALPHABET.indexOf(character);
  return ALPHABET[timesX(value)];
}

/** The 16 characters of a code as the site writes it, or null. */
function readCode(text) {
  const read = text.replaceAll("-", "");
  if (read.length !== CODE_LENGTH || [...read].some((character) => !ALPHABET.includes(character))) return null;
  if (checkCharacter(read.slice(0, -1)) !== read.at(-1) || ALPHABET.indexOf(read[0]) >= TABLES.length) return null;
  return read;
}

async function sealedCode(place, secret, nonces) {
  const digest = await (await hmacWith(secret))(`moonshot-1|nonces|${nonces.join("|")}`);
  const bits = [...digest].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  let body = ALPHABET[place];
  for (let i = 0; i < RANDOM_CHARACTERS; i += 1) body += ALPHABET[Number.parseInt(bits.slice(i * 5, i * 5 + 5), 2)];
  return body + checkCharacter(body);
}

function deckOf(place) {
  const removed = TABLES[place][2].split(" ");
  return CARDS.filter((card) => !removed.includes(card) && !removed.includes(card[0]));
}

/** The cards that are not in the pack of a table with these options, as TABLES has them. */
function removedAt({ kind, players, options }) {
  if (kind === "hearts" && options.surplus === "kitty" && [3, 5, 6, 7].includes(players)) return "";
  if (kind === "hearts" && players === 3) return options.removed_three ?? "2D";
  const isSix = kind === "hearts" && players === 6;
  if (isSix) return options.removed_six === "keep_hearts" ? "2D 3D 3C 4C" : "2";
  return TABLES.find((table) => table[0] === kind && table[1] === players)?.[2] ?? null;
}

/* --- shuffle --- */

/** Numbers from 0 to n - 1 from a labelled stream, one after another. */
function drawer(hmac, label) {
  let [block, bytes] = [0, []];
  return async (n) => {
    const limit = 2 ** 32 - (2 ** 32 % n);
    for (;;) {
      while (bytes.length < 4) {
        bytes.push(...(await hmac(`${label}|${block}`)));
        block += 1;
      }
      const [a, b, c, d] = bytes.splice(0, 4);
      const word = a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d;
      if (word < limit) return word % n;
    }
  };
}

async function shuffled(hmac, deal, attempt, deck) {
  const below = drawer(hmac, `moonshot-1|pack|${deal}|${attempt}`);
  const pack = [...deck];
  for (let i = pack.length - 1; i > 0; i -= 1) {
    const j = await below(i + 1);
    [pack[i], pack[j]] = [pack[j], pack[i]];
  }
  return pack;
}

/* --- the check --- */

/** The packs of a log: [deal, attempt, pack, ply] in order. */
export function packsOf(log) {
  const packs = [];
  let [deal, attempt, calledOff] = [0, 0, false];
  for (const entry of log) {
    if (entry.kind === "skip") calledOff = true;
    else if (entry.kind === "deal") {
      [deal, attempt] = calledOff ? [deal, attempt + 1] : [deal + 1, 0];
      packs.push([deal, attempt, entry.data.pack, entry.ply]);
      calledOff = false;
    }
  }
  return packs;
}

/** The faults of an exported game, e.g. "wrong_pack 3 0"; an empty list if all is as it should be. */
export async function check(record) {
  return [...(await checkDeals(record)), ...new Walk(record).faults()];
}

async function checkDeals(record) {
  const code = readCode(record.code);
  if (code === null) return ["bad_code"];
  const place = ALPHABET.indexOf(code[0]);
  const [kind, players, removed] = TABLES[place];
  if (kind !== record.kind || players !== record.players || removed !== removedAt(record)) return ["wrong_table"];
  const faults = [];
  const { secret, nonces } = record;
  if (record.commitment === null && (secret !== null || nonces.some(Boolean))) faults.push("no_commitment");
  if (record.commitment !== null) {
    if (secret === null) return ["no_secret"];
    if (hex(await sha256(unhex(secret))) !== record.commitment) faults.push("wrong_commitment");
    if (nonces.length !== record.players || nonces.some((nonce) => nonce.length > 2 * MOST_NONCE_BYTES)) {
      faults.push("wrong_nonces");
    } else if ((await sealedCode(place, unhex(secret), nonces)) !== code) faults.push("wrong_code");
  }
  const spans = (record.forks ?? []).map((span) => ({ ply: span.ply, code: readCode(span.code) }));
  for (const { code: other } of spans) {
    if (other === null) return ["bad_code"];
    const table = TABLES[ALPHABET.indexOf(other[0])];
    if ([kind, players, removed].some((value, at) => value !== table[at])) return ["wrong_table"];
  }
  const hmacs = new Map();
  for (const one of [code, ...spans.map((span) => span.code)]) hmacs.set(one, await hmacWith(utf8(one.slice(0, -1))));
  const hmacAt = (ply) => hmacs.get(spans.find((span) => ply <= span.ply)?.code ?? code);
  const dealer = await drawer(hmacAt(1), "moonshot-1|dealer")(record.players);
  if (dealer !== record.log[0].data.dealer) faults.push("wrong_dealer");
  const packs = packsOf(record.log);
  if (packs.length === 0) faults.push("missing_pack 1 0");
  for (const [deal, attempt, pack, ply] of packs) {
    const right = await shuffled(hmacAt(ply), deal, attempt, deckOf(place));
    if (right.join() !== pack.join()) faults.push(`wrong_pack ${deal} ${attempt}`);
  }
  return faults;
}

/* --- the log: who holds which cards, whose turn it is, what may be played, and what it comes to --- */

const ROTATIONS = { 2: [1, 0], 3: [1, -1, 0], 4: [1, -1, 2, 0], 5: [1, -1, 0], 6: [1, -1, 3, 0], 7: [1, -1, 0] };
const SITES_OWN = ["void", "outage", "stand_in", "back"];

const rankOf = (card) => CARDS.indexOf(card);

/** What a rule leaves of the cards: all of them if it would leave nothing. */
function kept(cards, isKept) {
  const left = cards.filter(isKept);
  return left.length ? left : cards;
}

class Walk {
  constructor({ kind, players, options, log, result, rules_version: version }) {
    Object.assign(this, { kind, n: players, options, log, stated: result, isKnown: version === RULES_VERSION });
    Object.assign(this, { hands: [], given: new Map(), bids: new Map(), blinds: new Map(), kitty: [] });
    Object.assign(this, { deal: 0, attempt: 0, dealer: 0, calledOff: false, callers: new Set() });
    Object.assign(this, { trick: [], won: [], tricks: [], isBroken: false, turn: null, chooser: null });
    Object.assign(this, { isDone: true, isVoid: false, count: new Count(kind, players, options) });
  }

  faults() {
    if (!this.isKnown) return ["other_rules"];
    for (const [place, entry] of this.log.entries()) {
      const isOver = this.isVoid || this.count.reason !== null;
      if (entry.ply !== place + 1 || isOver || !this.#fits(place + 1, entry)) return [`wrong_log ${place + 1}`];
    }
    if (!this.isVoid && this.count.reason === null) return [`wrong_log ${this.log.length}`];
    return this.count.isResult(this.stated, this.isVoid) ? [] : ["wrong_result"];
  }

  #seat(number) {
    return ((number % this.n) + this.n) % this.n;
  }

  #fits(number, { kind, seat, data, ask }) {
    if (number === 1 || kind === "open") {
      this.dealer = data.dealer - 1; // it moves on with every deal
      return number === 1 && kind === "open";
    }
    if (kind === "deal") return this.#deal(data.pack);
    if (kind === "void") this.isVoid = true;
    if (SITES_OWN.includes(kind)) return true;
    if (kind === "moon") return this.#moon(seat, data.choice);
    if (this.isDone || this.calledOff || !(seat >= 0 && seat < this.n) || ask !== this.#ask(kind, seat)) return false;
    if (kind === "pass" || kind === "exchange") return this.#give(kind, seat, data.cards);
    if (kind === "skip") return this.#skip(seat);
    if (kind === "play") return this.#play(seat, data.card);
    if (kind === "finish") return this.#finish(seat, data.cards ?? []);
    if (this.kind !== "spades" || this.turn !== null) return false;
    return kind === "bid" ? this.#bid(seat, data.bid) : kind === "blind" && this.#blind(seat, data.blind);
  }

  /** The name of the question that an answer of this kind is for. */
  #ask(kind, seat) {
    const phase = { skip: "pass", finish: "play" }[kind] ?? kind;
    const place = kind === "bid" ? this.#seat(seat - this.dealer - 1) + 1 : 0;
    return `${this.deal}.${this.attempt}.${phase}.${phase === "play" ? this.#tricksSoFar() + 1 : place}`;
  }

  #tricksSoFar() {
    return this.tricks.reduce((sum, tricks) => sum + tricks, 0);
  }

  /* before the first trick */

  #deal(pack) {
    const isDue = (this.isDone || this.calledOff) && this.chooser === null;
    if (!isDue || pack.some((card) => !CARDS.includes(card))) return false;
    this.attempt = this.calledOff ? this.attempt + 1 : 0;
    if (!this.calledOff) {
      this.deal += 1;
      this.dealer = this.#seat(this.dealer + 1);
    }
    const size = this.n === 2 ? 13 : Math.floor(pack.length / this.n);
    this.hands = Array.from({ length: this.n }, () => new Set());
    pack.slice(0, this.n * size).forEach((card, i) => this.hands[this.#seat(this.dealer + 1 + i)].add(card));
    this.kitty = pack.slice(this.n * size);
    Object.assign(this, { bids: new Map(), blinds: new Map(), given: new Map(), trick: [], turn: null });
    Object.assign(this, { won: this.hands.map(() => []), tricks: this.hands.map(() => 0) });
    Object.assign(this, { isDone: false, calledOff: false, isBroken: false });
    return true;
  }

  /** Calls the deal off, before the own pass. */
  #skip(seat) {
    const may = this.options.skip_right === "one_each" && this.#step() !== 0 && this.attempt === 0;
    if (!may || this.callers.has(seat) || this.given.has(seat) || this.given.size === this.n) return false;
    this.callers.add(seat);
    this.calledOff = true;
    return true;
  }

  #give(kind, seat, cards) {
    const step = kind === "exchange" ? 2 : this.#step();
    const own = this.hands[seat];
    if (!step || this.given.has(seat) || this.turn !== null || cards.some((card) => !own.has(card))) return false;
    const count = kind === "exchange" ? 2 : 3;
    if (cards.length !== count || new Set(cards).size !== count) return false;
    const pair = [seat, (seat + 2) % 4];
    if (kind === "exchange" && (this.bids.size < this.n || !pair.includes(this.#loneBlind()))) return false;
    this.given.set(seat, cards);
    const seats = kind === "exchange" ? [seat, this.#seat(seat + 2)] : this.hands.map((_, other) => other);
    if (seats.every((other) => this.given.has(other))) {
      for (const giver of seats) for (const card of this.given.get(giver)) this.hands[giver].delete(card);
      for (const giver of seats) {
        for (const card of this.given.get(giver)) this.hands[this.#seat(giver + step)].add(card);
      }
    }
    return true;
  }

  /** How many seats to the left cards are passed in this deal; 0: not at all. */
  #step() {
    const passing = this.kind === "hearts" ? (this.options.passing ?? "rotate") : "off";
    if (passing !== "rotate") return passing === "always_left" ? 1 : 0;
    const steps = this.options.hold_deal === "skip" ? ROTATIONS[this.n].slice(0, -1) : ROTATIONS[this.n];
    return steps[(this.deal - 1) % steps.length];
  }

  #bid(seat, bid) {
    const order = this.hands.map((_, place) => this.#seat(this.dealer + 1 + place));
    const isDue = seat === order.find((other) => !this.bids.has(other));
    if (!isDue || this.blinds.size !== this.#behind().length) return false;
    if (!Number.isInteger(bid) || bid < 0 || bid > 13) return false;
    this.bids.set(seat, bid);
    return true;
  }

  /** The seats that are asked whether they bid nil blind: both of a side that is far behind, before anybody bids. */
  #behind() {
    const gap = this.count.scores[0] - this.count.scores[1];
    if ((this.options.blind_nil ?? "no") === "no" || Math.abs(gap) < BLIND_GAP) return [];
    return gap > 0 ? [1, 3] : [0, 2];
  }

  #blind(seat, blind) {
    if (!this.#behind().includes(seat) || this.blinds.has(seat) || typeof blind !== "boolean") return false;
    this.blinds.set(seat, blind);
    if (this.blinds.size === 2) for (const [other, isBlind] of this.blinds) if (isBlind) this.bids.set(other, 0);
    return true;
  }

  /** Who has bid nil blind without the partner: the two exchange cards. */
  #loneBlind() {
    const blind = [...this.blinds].filter(([, isBlind]) => isBlind);
    return blind.length === 1 ? blind[0][0] : null;
  }

  /* play */

  /** Whose turn it is to play; null before everybody has passed, bid and exchanged. */
  #next() {
    if (this.turn !== null) return this.turn;
    const exchanging = this.#loneBlind() === null ? 0 : 2;
    const passing = this.#step() ? this.n : 0;
    if (this.given.size !== (this.kind === "hearts" ? passing : exchanging)) return null;
    if (this.kind === "spades" && this.bids.size !== this.n) return null;
    if (!this.#isLowClubLed()) return this.#seat(this.dealer + 1);
    const lowest = this.hands.map((hand) => Math.min(...[...hand].map(rankOf)));
    return lowest.indexOf(Math.min(...lowest)); // clubs are the first
  }

  #isLowClubLed() {
    return (this.options.first_lead ?? (this.kind === "hearts" ? "low_club" : "dealer_left")) !== "dealer_left";
  }

  /** The cards that a seat may play: its hand after what the rules bar, each rule left out that would bar all. */
  #may(seat) {
    let cards = [...this.hands[seat]];
    const isFirst = this.#tricksSoFar() === 0;
    if (this.trick.length) cards = kept(cards, (card) => card[1] === this.trick[0][1]);
    else if (isFirst && this.#isLowClubLed()) cards = [cards.reduce((a, b) => (rankOf(a) < rankOf(b) ? a : b))];
    const suit = this.kind === "hearts" ? "H" : "S";
    const isHeldBack = this.kind === "hearts" && this.options.heart_discard === "after_break";
    if (!this.isBroken && (isHeldBack || !this.trick.length)) cards = kept(cards, (card) => card[1] !== suit);
    if (this.kind === "hearts" && isFirst && (this.options.first_trick_points ?? "no") === "no") {
      cards = kept(cards, (card) => !pointsOf(card));
    }
    return cards;
  }

  #breaks(card) {
    if (this.kind === "spades") return card[1] === "S";
    const by = this.options.hearts_broken_by ?? "heart";
    if (card[1] === "H") return by !== "queen" || !this.trick.length; // led before from a hand of hearts alone
    return card === "QS" && by !== "heart";
  }

  #play(seat, card) {
    if (seat !== this.#next() || !this.#may(seat).includes(card)) return false;
    this.hands[seat].delete(card);
    this.isBroken ||= this.#breaks(card);
    this.trick.push(card);
    this.turn = this.#seat(seat + 1);
    if (this.trick.length === this.n) {
      const trump = this.kind === "spades" ? "S" : null;
      const suit = this.trick[0][1];
      const strength = (held) => rankOf(held) % 13 + (held[1] === trump ? 200 : held[1] === suit ? 100 : 0);
      const best = Math.max(...this.trick.map(strength));
      this.turn = this.#seat(this.turn + this.trick.findIndex((held) => strength(held) === best));
      if (this.#tricksSoFar() === 0) this.won[this.turn].push(...this.kitty);
      this.won[this.turn].push(...this.trick);
      this.tricks[this.turn] += 1;
      this.trick = [];
      if (this.hands.every((held) => held.size === 0)) this.#end();
    }
    return true;
  }

  /** The rest is laid down: nothing can change any more what the deal brings. */
  #finish(seat, cards) {
    if (this.trick.length || seat !== this.#next()) return false;
    const hand = [...this.hands[seat]];
    if (this.kind === "hearts") {
      const hidden = [...this.hands.flatMap((held) => [...held]), ...this.kitty];
      if (cards.length || hidden.some((card) => this.count.matters(card))) return false;
    } else if ([...cards].sort().join() !== hand.sort().join() || !this.#takesTheRest(seat)) return false;
    else this.tricks[seat] += hand.length;
    this.#end();
    return true;
  }

  /** Whether every card of a hand is the highest of its suit, and none can be ruffed. */
  #takesTheRest(seat) {
    const hand = [...this.hands[seat]];
    return this.hands.every((held, place) => {
      if (place === seat) return true;
      const other = [...held];
      if (hand.some((mine) => other.some((card) => mine[1] === card[1] && rankOf(mine) < rankOf(card)))) return false;
      const length = (cards, suit) => cards.filter((card) => card[1] === suit).length;
      return !length(other, "S") || [..."CDH"].every((suit) => length(other, suit) >= length(hand, suit));
    });
  }

  /* what it comes to */

  #end() {
    this.isDone = true;
    if (this.kind === "spades") {
      this.count.spades(this.bids, this.blinds, this.tricks);
      return;
    }
    const moon = this.options.moon ?? "add";
    const shooter = this.count.shooter(this.won);
    if (shooter !== null && moon === "choose") this.chooser = shooter;
    else this.count.hearts(this.won, moon);
  }

  #moon(seat, choice) {
    if (seat === null || seat !== this.chooser || !["add", "subtract"].includes(choice)) return false;
    this.chooser = null;
    this.count.hearts(this.won, choice);
    return true;
  }
}

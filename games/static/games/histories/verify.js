/* Whether the deals of an exported game are what they have to be, computed here with Web Crypto: the same checks, and
   the same names of faults, as games/verify/, which describes them. What differs by kind is in kinds/. */

import { CARDS } from "./kind_check.js";
import { Walk } from "./walk.js";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const RANDOM_CHARACTERS = 14;
const CODE_LENGTH = RANDOM_CHARACTERS + 2;
const MOST_NONCE_BYTES = 32;

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
  return checkCharacter(read.slice(0, -1)) === read.at(-1) ? read : null;
}

async function sealedCode(character, secret, nonces) {
  const digest = await (await hmacWith(secret))(`moonshot-1|nonces|${nonces.join("|")}`);
  const bits = [...digest].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  let body = character;
  for (let i = 0; i < RANDOM_CHARACTERS; i += 1) body += ALPHABET[Number.parseInt(bits.slice(i * 5, i * 5 + 5), 2)];
  return body + checkCharacter(body);
}

/** What the first character of a code names: kind, players, the options that decide the pack, the cards not in it. */
export function tablesOf(kinds) {
  const tables = Object.entries(kinds).flatMap(([kind, { ROWS }]) =>
    ROWS.map(([character, players, options, removed]) => ({ character, kind, players, options, removed })),
  );
  return tables.sort((one, other) => ALPHABET.indexOf(one.character) - ALPHABET.indexOf(other.character));
}

/** The row of a record's table: the last one that fits. Nothing if it has none. */
function tableOf(tables, { kind, players, options }, usual) {
  const chosen = (name) => options[name] ?? usual[name];
  return tables.findLast(
    (table) =>
      table.kind === kind &&
      table.players === players &&
      Object.entries(table.options).every(([name, value]) => chosen(name) === value),
  );
}

/** Whether a row has the kind, the players and the pack of another one, which may be nothing. */
const isAlike = (row, other) => ["kind", "players", "removed"].every((name) => row[name] === other?.[name]);

function deckOf(table) {
  const removed = table.removed.split(" ");
  return CARDS.filter((card) => !removed.includes(card) && !removed.includes(card[0]));
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

/**
 * The faults of an exported game, e.g. "wrong_pack 3 0"; an empty list if all is as it should be. `kinds`: by name the
 * class of each kind that is known, that of the record among them.
 */
export async function check(record, kinds) {
  const Kind = kinds[record.kind];
  return [...(await checkDeals(record, tablesOf(kinds), Kind.OPTIONS)), ...new Walk(record, Kind).faults()];
}

async function checkDeals(record, tables, usual) {
  const tableFor = (code) => tables.find((table) => code !== null && table.character === code[0]);
  const code = readCode(record.code);
  const table = tableFor(code);
  if (!table) return ["bad_code"];
  if (!isAlike(table, tableOf(tables, record, usual))) return ["wrong_table"];
  const faults = [];
  const { secret, nonces } = record;
  if (record.commitment === null && (secret !== null || nonces.some(Boolean))) faults.push("no_commitment");
  if (record.commitment !== null) {
    if (secret === null) return ["no_secret"];
    if (hex(await sha256(unhex(secret))) !== record.commitment) faults.push("wrong_commitment");
    if (nonces.length !== record.players || nonces.some((nonce) => nonce.length > 2 * MOST_NONCE_BYTES)) {
      faults.push("wrong_nonces");
    } else if ((await sealedCode(table.character, unhex(secret), nonces)) !== code) faults.push("wrong_code");
  }
  const spans = (record.forks ?? []).map((span) => ({ ply: span.ply, code: readCode(span.code) }));
  for (const { code: other } of spans) {
    const its = tableFor(other);
    if (!its) return ["bad_code"];
    if (!isAlike(table, its)) return ["wrong_table"];
  }
  const hmacs = new Map();
  for (const one of [code, ...spans.map((span) => span.code)]) hmacs.set(one, await hmacWith(utf8(one.slice(0, -1))));
  const hmacAt = (ply) => hmacs.get(spans.find((span) => ply <= span.ply)?.code ?? code);
  const dealer = await drawer(hmacAt(1), "moonshot-1|dealer")(record.players);
  if (dealer !== record.log[0].data.dealer) faults.push("wrong_dealer");
  const packs = packsOf(record.log);
  if (packs.length === 0) faults.push("missing_pack 1 0");
  for (const [deal, attempt, pack, ply] of packs) {
    const right = await shuffled(hmacAt(ply), deal, attempt, deckOf(table));
    if (right.join() !== pack.join()) faults.push(`wrong_pack ${deal} ${attempt}`);
  }
  return faults;
}

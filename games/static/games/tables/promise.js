/* What this browser keeps of the deals of a game: the promise that the table made before the cards were there, and the
   share of the shuffle that this browser gave. After the game both are held against what the site says then. */

const PREFIX = "moonshot.deals.";
const MOST = 200; // games that are kept

/** Of browsers that keep nothing. */
const memory = new Map();

function read(name) {
  try {
    return JSON.parse(localStorage.getItem(name) ?? "null") ?? memory.get(name) ?? null;
  } catch {
    return memory.get(name) ?? null;
  }
}

function write(name, kept) {
  try {
    localStorage.setItem(name, JSON.stringify(kept));
    forgetOldest();
  } catch {
    memory.set(name, kept); // storage is full or switched off: it is known as long as this page is open
  }
}

function forgetOldest() {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(PREFIX));
  if (names.length <= MOST) return;
  names.sort((one, other) => (read(one)?.at ?? 0) - (read(other)?.at ?? 0));
  for (const name of names.slice(0, names.length - MOST)) localStorage.removeItem(name);
}

/** 16 random bytes in hex. */
function draw() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What is kept of a game: `commitment`, and `nonce`, with `given` once the table has taken it. Null if nothing is. */
export function kept(game) {
  return read(PREFIX + game);
}

/** Keeps the promise of a game whose cards are not there yet. The first one stays, whatever is said later. Whoever has
    a seat draws a share, one for all tabs of the browser. */
export function keepPromise(game, commitment, { seated }) {
  const known = kept(game) ?? { commitment, at: Date.now() };
  if (seated && !known.nonce) known.nonce = draw();
  write(PREFIX + game, known);
  return kept(game) ?? known;
}

/** The table has taken the share that this browser gave. */
export function keepGiven(game) {
  const known = kept(game);
  if (known) write(PREFIX + game, { ...known, given: true });
}

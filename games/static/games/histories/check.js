/* The check of the deals, on the replay page and at the end of a game: fetches the game as the site exports it, deals
   everything again, holds it against what this browser kept, and says what it found. */

import { byId, el } from "../shared/dom.js";
import { kept } from "../tables/promise.js";
import { joined, number, say } from "../shared/text.js";
import { canCheck, check, packsOf } from "./verify.js";

const { gettext, ngettext } = window;

const FAULTS = {
  bad_code: () => gettext("The game code is not one."),
  wrong_table: () => gettext("The game code is for another table."),
  no_commitment: () => gettext("There is a secret, but nothing was promised before the game."),
  no_secret: () => gettext("The secret is missing."),
  wrong_commitment: () => gettext("The secret is not the one that was promised before the game."),
  wrong_nonces: () => gettext("The players' shares are not complete."),
  wrong_code: () => gettext("The game code does not follow from the secret and the players' shares."),
  wrong_dealer: () => gettext("The first dealer does not follow from the game code."),
  missing_pack: (deal) => say(gettext("The cards of deal %(deal)s are missing."), { deal }),
  wrong_pack: (deal) => say(gettext("The cards of deal %(deal)s do not follow from the game code."), { deal }),
  other_rules: () => gettext("It was played by rules of another version, which are not known here."),
  wrong_log: (ply) => say(gettext("What was played cannot be right from step %(step)s on."), { step: ply }),
  wrong_result: () => gettext("The result is not the one that the cards lead to."),
};

export const FAULT_KINDS = Object.keys(FAULTS);

/** Faults that only the browser can find which was at the table. */
const OWN_FAULTS = {
  other_promise: () => gettext("The promise is not the one that this browser was shown before the cards were dealt."),
  other_share: () => gettext("The share that this browser gave is not the one that the cards are said to follow from."),
};

function faultText(fault) {
  const [name, first] = fault.split(" ");
  return { ...FAULTS, ...OWN_FAULTS }[name]?.(first) ?? fault;
}

/** What the record of a game has against what this browser kept of it before the deal: `known`, or null. */
export function ownFaults(record, known, seat) {
  if (!known) return [];
  const faults = known.commitment === record.commitment ? [] : ["other_promise"];
  if (known.given && record.nonces[seat] !== known.nonce) faults.push("other_share");
  return faults;
}

/** What was looked at, one sentence each, of a game in which nothing was found: what was not known here is said, too. */
export function checkedText(record, known, seat) {
  if (record.commitment === null) {
    return [
      gettext("The first dealer and every pack follow from the game code. Nothing had been promised about it."),
      playedText(record),
    ];
  }
  const shares = record.nonces.filter(Boolean).length;
  return [
    gettext("The secret is the one that was promised."),
    known
      ? gettext("The promise is the one that this browser was shown before the cards were dealt.")
      : gettext("This browser was not at the table before the deal, so it cannot say whether the promise was the same then."),
    known?.given && seat !== null
      ? gettext("The share that this browser gave before the deal went into it.")
      : gettext("This browser gave no share of its own."),
    say(
      ngettext(
        "The game code follows from the secret and %(count)s share, the first dealer and every pack from the code.",
        "The game code follows from the secret and %(count)s shares, the first dealer and every pack from the code.",
        shares,
      ),
      { count: number(shares) },
    ),
    playedText(record),
  ];
}

function playedText({ log }) {
  const text = ngettext(
    "%(count)s step was gone through: every pass, bid and card is one that the rules allowed, and the scores are right.",
    "%(count)s steps were gone through: every pass, bid and card is one that the rules allowed, and the scores are right.",
    log.length,
  );
  return say(text, { count: number(log.length) });
}

function row(name, value) {
  return el("div", {}, el("dt", { text: name }), el("dd", {}, el("code", { text: value })));
}

function good(record) {
  if (record.forks) return goodFork(record);
  const packs = packsOf(record.log).length;
  const text =
    record.commitment === null
      ? ngettext(
          "All is well: the %(count)s deal follows from the game code, and the cards were played from these hands.",
          "All is well: all %(count)s deals follow from the game code, and the cards were played from these hands.",
          packs,
        )
      : ngettext(
          "All is well: the %(count)s deal follows from the secret that was promised before the game, and the cards were played from these hands.",
          "All is well: all %(count)s deals follow from the secret that was promised before the game, and the cards were played from these hands.",
          packs,
        );
  return say(text, { count: number(packs) });
}

/** A game that was played on from another one: its first deals have that one's cards. */
function goodFork(record) {
  const plies = packsOf(record.log).map(([, , , ply]) => ply);
  const taken = plies.filter((ply) => ply <= record.forks.at(-1).ply).length;
  const first = ngettext(
    "All is well: the first deal follows from the game code of the game that this one was played on from.",
    "All is well: the first %(count)s deals follow from the game code of the game that this one was played on from.",
    taken,
  );
  const own = ngettext(
    "One more deal follows from the game code of this game.",
    "%(count)s more deals follow from the game code of this game.",
    plies.length - taken,
  );
  const said = [say(first, { count: number(taken) }), say(own, { count: number(plies.length - taken) })];
  return joined(plies.length > taken ? said : said.slice(0, 1));
}

/** The addresses of the scripts that check a kind, by its name: the page has them, so that no kind is named here. */
const scripts = () => JSON.parse(byId("check-scripts").textContent);

/** By name the class of each kind that can be checked. */
export async function checkedKinds() {
  const loaded = Object.entries(scripts()).map(async ([kind, address]) => [kind, (await import(address)).default]);
  return Object.fromEntries(await Promise.all(loaded));
}

async function look(address) {
  const answer = await fetch(address, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(String(answer.status));
  const record = await answer.json();
  return [record, await check(record, await checkedKinds())];
}

/** `names` are those of the seats, `address` is where the game is exported, `seat` the reader's own or null. */
export function wireCheck(root, { kind, names, address, game, seat }) {
  const button = root.querySelector("[data-check]");
  const answer = root.querySelector("[data-answer]");
  const values = root.querySelector("dl");
  if (!Object.hasOwn(scripts(), kind)) {
    button.hidden = true;
    answer.textContent = gettext("Games of this kind cannot be checked in the browser.");
    return;
  }
  if (!canCheck()) {
    button.hidden = true;
    answer.textContent = gettext("This browser checks deals on pages with a secure address (https) only.");
    return;
  }
  button.addEventListener("click", async () => {
    button.setAttribute("aria-disabled", "true");
    answer.dataset.tone = "";
    answer.textContent = gettext("Checking…");
    try {
      const [record, found] = await look(address);
      const known = kept(game);
      const faults = [...ownFaults(record, known, seat), ...found];
      answer.dataset.tone = faults.length ? "bad" : "good";
      const lines = faults.length ? faults.map(faultText) : [good(record)];
      const checked = faults.length ? [] : checkedText(record, known, seat);
      answer.replaceChildren(
        ...lines.map((text) => el("p", { text })),
        checked.length ? el("ul", { class: "checked" }, ...checked.map((text) => el("li", { text }))) : "",
      );
      values.replaceChildren(
        ...(record.forks ?? []).map(({ ply, code }) =>
          row(say(gettext("Game code of the other game, up to step %(step)s"), { step: number(ply) }), code),
        ),
        row(gettext("Game code"), record.code),
        ...(record.commitment === null
          ? []
          : [
              row(gettext("Promised before the game (SHA-256 of the secret)"), record.commitment),
              row(gettext("The secret"), record.secret ?? "–"),
              ...record.nonces.map((nonce, seat) =>
                row(say(gettext("Share of %(name)s"), { name: names[seat] }), nonce || "–"),
              ),
            ]),
      );
    } catch {
      answer.dataset.tone = "bad";
      answer.textContent = gettext("The game could not be fetched. Please try again.");
    }
    button.removeAttribute("aria-disabled");
  });
}

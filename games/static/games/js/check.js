/* The part of the replay page that checks the deals: fetches the game as the site exports it, and says what it found. */

import { el } from "./dom.js";
import { joined, number, say } from "./text.js";
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
  wrong_log: (ply) => say(gettext("What was played cannot be right from step %(step)s on."), { step: ply }),
};

export const FAULT_KINDS = Object.keys(FAULTS);

function faultText(fault) {
  const [name, first] = fault.split(" ");
  return FAULTS[name]?.(first) ?? fault;
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

async function look(address) {
  const answer = await fetch(address, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(String(answer.status));
  const record = await answer.json();
  return [record, await check(record)];
}

/** `names` are those of the seats; `address` is where the game is exported. */
export function wireCheck(root, names, address) {
  const button = root.querySelector("button");
  const answer = root.querySelector("[data-answer]");
  const values = root.querySelector("dl");
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
      const [record, faults] = await look(address);
      answer.dataset.tone = faults.length ? "bad" : "good";
      const lines = faults.length ? faults.map(faultText) : [good(record)];
      answer.replaceChildren(...lines.map((text) => el("p", { text })));
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

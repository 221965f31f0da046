/* The words of the questions about a player's mistakes: what is asked, what an answer is called, what it costs. */

import { el } from "../shared/dom.js";
import { placeText } from "../histories/replay_text.js";
import { cardShort, isNil, joined, number, otherName, receiver, say } from "../shared/text.js";

const { gettext } = window;

const tenth = new Intl.NumberFormat(document.documentElement.lang || "en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const decimal = (value) => tenth.format(value).replace("-", "−");
const percents = new Intl.NumberFormat(document.documentElement.lang || "en", { style: "percent" });
export const percent = (value) => percents.format(value);

/** Whether an option is the same as an answer that was picked. */
export function isSame(option, picked) {
  if (picked.card) return option.same.includes(picked.card);
  if (picked.cards) return [...picked.cards].sort().join() === [...option.cards].sort().join();
  return option === picked;
}

/** An answer in a few signs: ♠Q, ♠Q ♥K ♥A, 3, Nil. */
export function answerName(option, boot) {
  if (option.card) return cardShort(option.card);
  if (option.cards) return option.cards.map(cardShort).join("\u00a0"); // they stay together
  if (option.bid !== undefined) return isNil(boot, option.bid) ? gettext("Nil") : number(option.bid);
  if (option.blind !== undefined) return option.blind ? gettext("Blind nil") : gettext("Look at the hand first");
  return option.choice === "add" ? gettext("Add to the others") : gettext("Subtract from your own");
}

/** What is asked, and where in the game that is. */
export function problem(mistake, boot) {
  const { place } = boot.steps[mistake.ply - 1];
  const where = placeText({ place });
  return say(gettext("%(place)s: %(question)s"), { place: where, question: asked(mistake, boot) });
}

function asked({ phase, count, direction }, boot) {
  if (phase === "play") return gettext("which card would you play?");
  if (phase === "bid") return gettext("what would you bid?");
  if (phase === "blind") return gettext("would you bid nil without looking at your hand?");
  if (phase === "moon") return gettext("how would you take your moon?");
  const to = phase === "exchange" ? (boot.seat + boot.players / 2) % boot.players : receiver(direction, boot.seat, boot.players);
  return say(gettext("which %(count)s cards would you give to %(name)s?"), {
    count: number(count),
    name: to === null ? "" : otherName(boot, to),
  });
}

/** "4.2 points". */
export const costText = ({ worse }) => say(gettext("%(points)s points"), { points: decimal(worse) });

/** The cell of the table that says by how much an answer is worse than the best. */
export function worseText(option, isBest) {
  if (isBest) return [el("span", { text: "–" })];
  return [el("span", { text: decimal(option.worse) }), " ", el("small", {}, "±", decimal(option.error))];
}

/** The columns of what becomes of the answers: points, and of the rest only what tells them apart. */
export function facts(rows, boot) {
  const { points, rates } = boot.traits.mistakes ?? { points: [], rates: [] };
  const tells = (name) => rows.some((row) => row.facts[name] > 0.02) && rows.some((row) => row.facts[name] < 0.98);
  const telling = rates.map((group) => group.find(({ name }) => tells(name))).filter(Boolean);
  return [
    ...points.map(({ name, title }) => ({ title, value: (row) => decimal(sign(boot, row.facts[name])) })),
    ...telling.map(({ name, title }) => ({ title, value: (row) => percent(row.facts[name]) })),
  ];
}

const sign = (boot, value) => (boot.score_sign === "minus" && value !== 0 ? -value : value);

/** How sure that is, and what it is counted in. */
export function sureness({ cost, error }, boot) {
  const times = error > 0 ? cost / error : Infinity;
  const sure =
    times > 8
      ? gettext("That hardly depends on luck in the deals that were tried: it is practically certain.")
      : times > 4
        ? gettext("That can hardly be luck in the deals that were tried: it is very sure.")
        : gettext("That may be off a little, by the luck in the deals that were tried: it is fairly sure.");
  const counted = boot.traits.mistakes?.counted ?? gettext("± is one standard error.");
  const played = gettext("All seats were played on by expert computer players; people may play otherwise.");
  return joined([sure, counted, played]);
}

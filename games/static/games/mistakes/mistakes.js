/* The mistakes of a player in the replay: has them looked for, and puts them as questions: what would you play? */

import { cardFace, inHandOrder } from "../shared/cards.js";
import { byId, el } from "../shared/dom.js";
import { answerName, costText, facts, isSame, percent, problem, sureness, worseText } from "./mistakes_text.js";
import { cardName, joined, number, say } from "../shared/text.js";

const { gettext, ngettext } = window;

const ASK_EVERY = 1_000; // how far the search is
const GOOD = 0.15; // of what the mistake has cost: so little is nothing to speak of
const SHOWN = 5; // rows of the table, beside the own answers

const root = byId("mistakes");
const panel = byId("question");
const table = byId("table");
const boot = JSON.parse(byId("replay").textContent);
const part = (name) => root.querySelector(`[data-${name}]`);
const button = part("start").querySelector("button");

const model = { mistakes: [], at: 0, waiting: null };

document.querySelector(".replay-view").append(panel);

/* --- looking for them --- */

async function send(method) {
  const token = part("start").elements.csrfmiddlewaretoken.value;
  const options = method === "POST" ? { method, headers: { "X-CSRFToken": token } } : {};
  const answer = await fetch(root.dataset.address, { ...options, headers: { Accept: "application/json", ...options.headers } });
  const read = await answer.json();
  if (!answer.ok && read.status !== "limit") throw new Error(String(answer.status));
  return read;
}

async function look(method = "GET") {
  clearTimeout(model.waiting);
  try {
    show(await send(method));
  } catch {
    tell(gettext("That could not be fetched just now. It is tried again."));
    model.waiting = setTimeout(look, 5 * ASK_EVERY);
  }
}

function show({ status, share = 0, mistakes, text }) {
  const isWorking = status === "waiting" || status === "working";
  part("work").hidden = !isWorking;
  byId("mistakes-progress").value = share;
  part("start").hidden = isWorking || status === "done";
  button.removeAttribute("aria-disabled");
  if (isWorking) {
    tell(say(gettext("%(share)s done"), { share: percent(Math.round(share * 20) / 20) }));
    model.waiting = setTimeout(look, ASK_EVERY);
  } else if (status === "done") found(mistakes);
  else if (status === "limit") tell(text);
  else if (status === "failed") tell(gettext("The decisions of this game could not be gone through. Please try again later."));
}

/** Says it once, however often it is drawn. */
function tell(text) {
  if (part("said").textContent !== text) part("said").textContent = text;
}

function found(mistakes) {
  model.mistakes = mistakes;
  part("begin").hidden = mistakes.length === 0;
  tell(
    mistakes.length === 0
      ? gettext("No clear mistake was found: nothing that you decided was clearly worse than something else. Well played.")
      : say(
          ngettext("%(count)s decision is worth a second look.", "%(count)s decisions are worth a second look.", mistakes.length),
          { count: number(mistakes.length) },
        ),
  );
}

part("start").addEventListener("submit", (event) => {
  event.preventDefault();
  if (button.getAttribute("aria-disabled") === "true") return;
  button.setAttribute("aria-disabled", "true");
  look("POST");
});
part("begin").addEventListener("click", () => put(0));

/* --- a question --- */

/** Shows the moment before a decision, as its player saw it, and asks. */
function put(index) {
  model.at = index;
  const mistake = model.mistakes[index];
  table.dataset.questions = table.dataset.asking = "";
  go(mistake.ply - 1, "own");
  panel.hidden = false;
  panel.replaceChildren(head(), el("p", { class: "problem", text: problem(mistake, boot) }), choices(mistake), actions({ leave: true }));
  focusOn("#question-title", "end"); // with as much of the table above it as there is room for
}

/** The replay goes where its slider says, and shows the hands that its list says. */
function go(ply, who) {
  const slider = byId("slider");
  slider.value = ply;
  slider.dispatchEvent(new Event("input"));
  byId("who").value = who;
  byId("who").dispatchEvent(new Event("change"));
}

function focusOn(selector, block) {
  const node = panel.querySelector(selector);
  node.focus({ preventScroll: true });
  panel.scrollIntoView({ block, behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
}

function head() {
  const counted = { number: number(model.at + 1), count: number(model.mistakes.length) };
  return el(
    "div",
    { class: "question-head" },
    el("h2", { id: "question-title", tabindex: "-1", text: gettext("What would you do here?") }),
    el("span", { class: "question-count", text: say(gettext("Question %(number)s of %(count)s"), counted) }),
  );
}

function choices(mistake) {
  const label = problem(mistake, boot);
  if (mistake.count) return severalCards(mistake, label);
  if (mistake.phase === "play") {
    const cards = inHandOrder(mistake.options.flatMap((option) => option.same));
    const buttons = cards.map((card) => cardButton(card, () => answer(mistake, { card })));
    return el("div", { class: "answers", role: "group", "aria-label": label }, ...buttons);
  }
  const options = [...mistake.options].sort((one, two) => (one.bid ?? 0) - (two.bid ?? 0));
  const buttons = options.map((option) =>
    el("button", { type: "button", class: "button answer-plain", text: answerName(option, boot), onclick: () => answer(mistake, option) }),
  );
  return el("div", { class: "answers", role: "group", "aria-label": label }, ...buttons);
}

function cardButton(card, onclick, pressed = null) {
  return el(
    "button",
    { type: "button", class: "answer-card", "aria-label": cardName(card), "aria-pressed": pressed, onclick },
    cardFace(card),
  );
}

/** Cards to give away: chosen first, then given. */
function severalCards(mistake, label) {
  const chosen = new Set();
  const give = el("button", { type: "button", class: "button primary", "aria-disabled": "true", text: gettext("Give these cards") });
  const buttons = inHandOrder(mistake.hand).map((card) =>
    cardButton(
      card,
      (event) => {
        if (chosen.has(card)) chosen.delete(card);
        else if (chosen.size < mistake.count) chosen.add(card);
        event.currentTarget.setAttribute("aria-pressed", String(chosen.has(card)));
        give.setAttribute("aria-disabled", String(chosen.size !== mistake.count));
      },
      "false",
    ),
  );
  give.addEventListener("click", () => chosen.size === mistake.count && answer(mistake, { cards: [...chosen] }));
  return el("div", {}, el("div", { class: "answers", role: "group", "aria-label": label }, ...buttons), el("p", { class: "question-actions" }, give));
}

/* --- the answer --- */

function answer(mistake, picked) {
  const [best, given] = mistake.options;
  const mine = mistake.options.find((option) => isSame(option, picked));
  delete table.dataset.asking;
  go(mistake.ply, "own");
  panel.replaceChildren(
    head(),
    el("p", { class: "problem", text: problem(mistake, boot) }),
    verdict({ mistake, best, given, mine, picked }),
    weighedTable(mistake, mine),
    el("p", { class: "how-sure", text: sureness(mistake, boot) }),
    actions({ leave: true, next: true }),
  );
  focusOn(".verdict", "nearest");
}

function verdict({ mistake, best, given, mine, picked }) {
  const isGood = mine !== undefined && mine !== given && mine.worse <= Math.max(GOOD * mistake.cost, mine.error);
  const texts = [];
  if (mine === best) texts.push(gettext("Yes: that is the best there is."));
  else if (isGood) texts.push(gettext("Good: that is about as good as the best."));
  else if (mine === given) texts.push(gettext("That is what you did in the game, too."));
  else if (mine === undefined) texts.push(gettext("That is not among the answers that were compared."));
  else texts.push(say(gettext("Not quite: %(answer)s would have cost %(cost)s."), { answer: answerName(picked, boot), cost: costText(mine) }));
  texts.push(
    say(gettext("In the game you chose %(given)s. %(best)s was better by %(cost)s."), {
      given: answerName(given, boot),
      best: answerName(best, boot),
      cost: costText(given),
    }),
  );
  const tone = mine === best || isGood ? "good" : "bad";
  return el("p", { class: "verdict", tabindex: "-1", "data-tone": tone, text: joined(texts) });
}

function weighedTable(mistake, mine) {
  const [best, given, ...others] = mistake.options;
  const rest = others.filter((option) => option !== mine).slice(0, SHOWN - 2);
  const rows = [best, given, ...rest, ...(mine && mine !== best && mine !== given ? [mine] : [])];
  rows.sort((one, two) => (one === best ? -1 : two === best ? 1 : one.worse - two.worse));
  const columns = facts(rows, boot);
  const tags = (option) =>
    [
      option === best ? gettext("best") : "",
      option === given ? gettext("you, in the game") : "",
      option === mine ? gettext("your answer now") : "",
    ].filter(Boolean);
  return el(
    "table",
    { class: "weighed" },
    el("caption", { text: say(gettext("On average of %(deals)s deals that fit what you knew"), { deals: number(mistake.deals) }) }),
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        el("th", { scope: "col", text: gettext("Answer") }),
        el("th", { scope: "col", text: gettext("Costs") }),
        ...columns.map(({ title }) => el("th", { scope: "col", text: title })),
      ),
    ),
    el(
      "tbody",
      {},
      ...rows.map((option) =>
        el(
          "tr",
          { "data-best": option === best, "data-given": option === given },
          el(
            "th",
            { scope: "row" },
            el("span", { text: answerName(option, boot) }),
            ...tags(option).map((text) => el("span", { class: "tag", text })),
          ),
          el("td", {}, ...worseText(option, option === best)),
          ...columns.map(({ value }) => el("td", { text: value(option) })),
        ),
      ),
    ),
  );
}

function actions({ leave, next }) {
  const isLast = model.at === model.mistakes.length - 1;
  return el(
    "p",
    { class: "question-actions" },
    leave && el("button", { type: "button", class: "button quiet", "data-quiet": "", text: gettext("Close the questions"), onclick: close }),
    next && !isLast
      ? el("button", { type: "button", class: "button primary", text: gettext("Next question"), onclick: () => put(model.at + 1) })
      : null,
    next && isLast ? el("button", { type: "button", class: "button primary", text: gettext("Done"), onclick: close }) : null,
  );
}

function close() {
  panel.hidden = true;
  delete table.dataset.asking;
  delete table.dataset.questions;
  part("begin").querySelector("button").focus();
}

look();

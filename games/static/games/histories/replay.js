/* The replay page: goes through the prepared steps of a finished game, and draws the one it stands at. */

import { Stage } from "../tables/animate.js";
import { wireCheck } from "./check.js";
import { byId, el, rebuild } from "../shared/dom.js";
import { renderChips, renderFacts, renderMiddle } from "../tables/facts.js";
import { Hands } from "./replay_hands.js";
import { placeText, stepText, tookText } from "./replay_text.js";
import { Seats } from "../tables/seats.js";
import { dealTable, dealTitle, endedText, finalTable, finalTitle, reasonText, sheetTable } from "../tables/sheet.js";
import { number, say } from "../shared/text.js";

const { gettext } = window;

const boot = JSON.parse(byId("replay").textContent);
const { steps } = boot;
const PACE = { slow: 2400, normal: 1200, fast: 450 };

/** The position after each step: what it has in common with the one before is shared. */
const positions = [];
for (const step of steps) positions.push({ ...positions.at(-1), ...step.set });

const model = {
  boot,
  at: 0, // index of the step that is shown
  who: boot.seat === null ? "all" : "own", // whose hands are seen: own, all, or a seat
  timer: null,
};

const table = byId("table");
const seats = new Seats(byId("seats"), byId("own"), byId("sides"), boot);
const stage = new Stage(byId("trick"), boot, {});
const hands = new Hands(byId("hands"), boot);

/* --- where to go --- */

const indexOf = (ply) => Math.min(Math.max(ply, 1), steps.length) - 1;
const stops = (kind) => steps.flatMap((step, index) => (kind.includes(step.stop) ? [index] : []));
const DEALS = stops(["deal"]);
const TRICKS = stops(["deal", "trick"]);
const key = (place) => place.join(".");
const firstAt = new Map();
steps.forEach((step, index) => firstAt.has(key(step.place)) || firstAt.set(key(step.place), index));

/** The step that an address names: ?ply=57, #ply=57, #3, #3.5 or #3.5.2 (deal, trick, card). */
function named() {
  const ply = new URLSearchParams(location.search).get("ply") ?? location.hash.match(/^#ply=(\d+)$/)?.[1];
  const place = location.hash.match(/^#(\d+)(?:\.(\d+))?(?:\.(\d+))?$/);
  if (place) {
    const [deal, trick, card] = place.slice(1).map((part) => Number(part ?? 0));
    return firstAt.get(key([deal, trick, trick && !card ? 1 : card])) ?? firstAt.get(key([deal, 0, 0])) ?? DEALS[0] ?? 0;
  }
  return ply && /^\d+$/.test(ply) ? indexOf(Number(ply)) : (DEALS[0] ?? 0);
}

const hashOf = (index) =>
  firstAt.get(key(steps[index].place)) === index ? `#${key(steps[index].place)}` : `#ply=${steps[index].ply}`;

function go(index, { kept = false } = {}) {
  const wanted = Math.min(Math.max(index, 0), steps.length - 1);
  if (!kept) stop();
  if (wanted === model.at) return;
  model.isForward = wanted === model.at + 1;
  model.at = wanted;
  history.replaceState(null, "", `${location.pathname}${hashOf(wanted)}`);
  render();
  byId("live").textContent = [stepText(steps[wanted], model), tookText(steps[wanted], model)].filter(Boolean).join(" ");
}

const before = (list) => list.findLast((index) => index < model.at) ?? 0;
const after = (list) => list.find((index) => index > model.at) ?? steps.length - 1;

const MOVES = {
  "deal-back": () => go(before(DEALS)),
  "trick-back": () => go(before(TRICKS)),
  back: () => go(model.at - 1),
  forward: () => go(model.at + 1),
  "trick-forward": () => go(after(TRICKS)),
  "deal-forward": () => go(after(DEALS)),
  start: () => go(0),
  end: () => go(steps.length - 1),
  run: () => (model.timer === null ? run() : stop()),
};

/* --- by itself --- */

function run() {
  if (model.at === steps.length - 1) go(DEALS[0] ?? 0);
  const next = () => {
    if (model.at === steps.length - 1) return stop();
    go(model.at + 1, { kept: true });
    const pace = PACE[byId("pace").value];
    model.timer = setTimeout(next, steps[model.at].stop === "trick" ? pace * 1.8 : pace);
    return undefined;
  };
  model.timer = setTimeout(next, 200);
  renderRun();
}

function stop() {
  if (model.timer === null) return;
  clearTimeout(model.timer);
  model.timer = null;
  renderRun();
}

function renderRun() {
  const button = byId("run");
  const running = model.timer !== null;
  button.toggleAttribute("data-running", running);
  const label = running ? gettext("Pause") : gettext("Play by itself");
  button.setAttribute("aria-label", label);
  button.title = label;
}

/* --- drawing --- */

function render() {
  const step = steps[model.at];
  const view = viewAt(model.at);
  const drawn = { boot, view, presence: presenceAt(view) };
  table.dataset.phase = view.phase;
  renderFacts(byId("facts"), drawn);
  renderMiddle(byId("middle"), drawn);
  seats.render(drawn);
  renderTrick(step);
  hands.render(view, step, model.who);
  renderCaption(step);
  renderControls(step);
  renderLog(step);
  renderScores(step, view);
}

/** As the modules of the table take it. */
function viewAt(index) {
  const position = positions[index];
  const table = steps[index].table;
  return { ...position, trick: table ? table.cards : [], leader: table ? table.leader : null };
}

const presenceAt = (view) =>
  boot.names.map((_, seat) => (boot.cpu[seat] ? "cpu" : view.stand_ins.includes(seat) ? "stand_in" : "seated"));

function renderTrick(step) {
  const shown = step.table;
  stage.lay(shown?.leader ?? 0, shown?.cards ?? []);
  for (const node of byId("trick").children) {
    node.toggleAttribute("data-won", Number(node.dataset.seat) === shown.winner);
    node.toggleAttribute("data-new", model.isForward && step.kind === "play" && node === byId("trick").lastElementChild);
  }
}

function renderCaption(step) {
  const took = tookText(step, model);
  rebuild(byId("caption"), [step.ply, model.who], () => [
    el("span", { class: "caption-text", text: stepText(step, model, true) }),
    took ? el("span", { class: "took", text: took }) : null,
  ]);
}

function renderControls(step) {
  const slider = byId("slider");
  slider.value = step.ply;
  slider.setAttribute("aria-valuetext", placeText(step));
  byId("place").textContent = placeText(step);
  const deal = byId("deal");
  deal.value = String(DEALS.findLast((index) => index <= model.at) ?? DEALS[0] ?? 0);
  for (const name of ["start", "deal-back", "trick-back", "back"]) off(name, model.at === 0);
  for (const name of ["forward", "trick-forward", "deal-forward", "end"]) off(name, model.at === steps.length - 1);
}

function off(name, isOff) {
  const button = document.querySelector(`[data-move="${name}"]`);
  if (button) button.setAttribute("aria-disabled", String(isOff));
}

/** Everything of the deal that is shown, a line a step. */
function renderLog(step) {
  const log = byId("log");
  const begin = DEALS.findLast((index) => index <= model.at) ?? 0;
  const end = DEALS.find((index) => index > model.at) ?? steps.length;
  rebuild(log, [begin, end, model.who], () =>
    steps.slice(begin, end).map((entry, i) =>
      el(
        "li",
        { "data-stop": entry.stop },
        el(
          "button",
          { type: "button", tabindex: "-1", "data-index": String(begin + i), onclick: () => go(begin + i) },
          el("span", { text: stepText(entry, model) }),
          el("small", { text: tookText(entry, model) }),
        ),
      ),
    ),
  );
  for (const button of log.querySelectorAll("button")) {
    const isHere = Number(button.dataset.index) === model.at;
    if (isHere) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
    button.tabIndex = isHere ? 0 : -1;
    if (isHere) log.scrollTop = button.offsetTop - log.clientHeight / 2;
  }
}

function renderScores(step, view) {
  const row = boot.sheet[view.rows - 1];
  const over = model.at === steps.length - 1;
  const scored = isScored(step);
  const news = () => [
    ...(over ? ending() : []),
    ...(scored ? [el("h3", { text: dealTitle(row, boot) }), dealTable(row, boot)] : []),
  ];
  table.toggleAttribute("data-scored", scored || over);
  rebuild(byId("result"), [view.rows, scored, over], news);
  rebuild(byId("scores"), [view.rows, scored, over], () => [
    ...news(),
    sheetTable(boot.sheet.slice(0, view.rows), boot),
  ]);
}

const isScored = (step) => step.events.some((event) => event.event === "deal_scored");

function ending() {
  if (!boot.result) return [el("p", { class: "ended", text: endedText(boot.void) })];
  return [
    el("h3", { text: finalTitle(boot.result, boot) }),
    finalTable(boot.result, boot),
    el("p", { class: "ended", text: reasonText(boot.result) }),
  ];
}

/* --- hands --- */

function choose(who) {
  if (who === "own" && boot.seat === null) return;
  model.who = who;
  byId("who").value = who;
  render();
}

/* --- wiring --- */

for (const button of document.querySelectorAll("[data-move]")) {
  button.addEventListener("click", () => {
    if (button.getAttribute("aria-disabled") !== "true") MOVES[button.dataset.move]();
  });
}
byId("slider").max = String(steps.length);
byId("slider").addEventListener("input", (event) => go(event.target.valueAsNumber - 1));
byId("deal").append(
  ...DEALS.map((index) => {
    const { deal, attempt } = positions[index];
    const text = attempt
      ? say(gettext("Deal %(deal)s, dealt again"), { deal: number(deal) })
      : say(gettext("Deal %(deal)s"), { deal: number(deal) });
    return el("option", { value: String(index), text });
  }),
);
byId("deal").addEventListener("change", (event) => go(Number(event.target.value)));
byId("who").append(
  ...(boot.seat === null ? [] : [el("option", { value: "own", text: gettext("My hand") })]),
  el("option", { value: "all", text: gettext("All hands") }),
  ...boot.names.flatMap((name, seat) =>
    seat === boot.seat ? [] : [el("option", { value: String(seat), text: say(gettext("Hand of %(name)s"), { name }) })],
  ),
);
byId("who").addEventListener("change", (event) => choose(event.target.value));

byId("link").addEventListener("click", async () => {
  const address = `${location.origin}${location.pathname}${hashOf(model.at)}`;
  const said = byId("link-said");
  try {
    await navigator.clipboard.writeText(address);
    said.textContent = gettext("Copied.");
  } catch {
    said.textContent = address;
  }
});

const KEYS = {
  ArrowLeft: "back",
  ArrowRight: "forward",
  "Shift+ArrowLeft": "trick-back",
  "Shift+ArrowRight": "trick-forward",
  PageUp: "deal-back",
  PageDown: "deal-forward",
  Home: "start",
  End: "end",
  " ": "run",
};

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, textarea, input:not(#slider)")) return;
  if (event.key === " " && event.target.closest("button, a, summary")) return;
  const move = KEYS[`${event.shiftKey ? "Shift+" : ""}${event.key}`];
  if (move) {
    event.preventDefault();
    MOVES[move]();
    if (event.target.closest("#log")) byId("log").querySelector("[aria-current]")?.focus({ preventScroll: true });
  } else if (event.key.toLowerCase() === "a") choose("all");
  else if (event.key.toLowerCase() === "o") choose("own");
  else return;
});
addEventListener("hashchange", () => go(named()));
addEventListener("visibilitychange", () => document.hidden && stop());

renderChips(byId("chips"), boot);
if (byId("check")) {
  const { kind, names, game, seat } = boot;
  wireCheck(byId("check"), { kind, names, address: boot.files.json, game, seat });
}
model.at = named();
byId("who").value = model.who;
renderRun();
render();
table.dataset.ready = "";

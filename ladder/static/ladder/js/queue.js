/* The front page's part about ranked games: numbers, the search, partners, the way to the table. */

import { byId, el } from "../../games/shared/dom.js";
import { Feed } from "../../games/shared/feed.js";

import * as ready from "./ready.js";
import * as words from "./words.js";

const section = byId("ranked");
const status = byId("ranked-status");
const rungs = [...section.querySelectorAll(".rung")];
const kindOf = (ladder) => rungs.find((rung) => rung.dataset.ladder === ladder)?.dataset.name ?? "";

const LIFE_MS = 1_500; // between two signs of life

let told = null; // the latest state
let toldAt = 0;
let lifeAt = 0; // when the last sign of life was given
let wasAsked = false; // in a ready check, when last told
let goes = false; // to a table
let hasLeft = false; // by his own wish

const line = new Feed("/ws/queue/", { message: receive, state: lineIs });

function send(message) {
  note(line.send(message) ? "" : words.noLine());
}

function note(text) {
  status.textContent = text;
}

function lineIs(state) {
  section.toggleAttribute("data-stale", state !== "open");
  if (state === "open" && status.textContent === words.noLine()) note("");
}

function receive(message) {
  if (message.type === "queue") take(message);
  else if (message.type === "check") takeCheck(message);
  else if (message.type === "seated") go(message.game);
  else if (message.type === "refused") note(words.refused(message));
}

/** To the table; a page that has been away may learn of its seat only by finding it taken. */
function go(game) {
  if (goes) return; // being told twice must not break off the way there
  goes = true;
  ready.hide();
  location.assign(`/game/${game}/`);
}

function takeCheck(check) {
  ready.show(check, kindOf(check.ladder), check.now - Date.now());
}

function take(state) {
  const before = told;
  told = state;
  toldAt = Date.now();
  // Whoever waits is asked for a sign of life by every state, but not more often than it helps.
  if (state.ticket && Date.now() - lifeAt > LIFE_MS) {
    lifeAt = Date.now();
    line.send({ type: "ping" });
  }
  if (before?.ticket && state.bar?.code === "running") {
    go(state.bar.game);
    return;
  }
  explain(before, state);
  render();
}

/** What has become of the search, if it is not what this page has just asked for. */
function explain(before, state) {
  const isAsked = Boolean(state.ticket?.asked);
  if (!isAsked) ready.hide();
  if (wasAsked && !isAsked) {
    if (state.ticket) note(words.othersMissed());
    else if (!hasLeft) note(words.missed());
  } else if (before?.ticket && !state.ticket && !hasLeft) {
    note(words.lost());
  } else if (before?.ticket?.partner && state.ticket && !state.ticket.partner) {
    note(words.partnerLeft());
  }
  wasAsked = isAsked;
  if (!state.ticket) hasLeft = false;
}

// --- drawing ---

function render() {
  const { bar, ticket } = told;
  byId("ranked-bar").hidden = !bar;
  byId("ranked-bar").querySelector("[data-bar-text]").textContent = words.barred(bar);
  for (const link of byId("ranked-bar").querySelectorAll("[data-bar]")) link.hidden = link.dataset.bar !== bar?.code;
  if (bar?.code === "running") byId("ranked-bar").querySelector("[data-bar=running]").href = `/game/${bar.game}/`;
  for (const rung of rungs) renderRung(rung, told.ladders[rung.dataset.ladder], bar, ticket);
  renderInvited();
  tick();
}

function renderRung(rung, now, bar, ticket) {
  const part = (name) => rung.querySelector(name);
  part("[data-now=waiting]").textContent = now?.waiting ?? 0;
  part("[data-now=playing]").textContent = now?.playing ?? 0;
  part("[data-now=wait]").textContent = words.usualWait(now?.wait ?? null);
  const isOwn = ticket?.ladder === rung.dataset.ladder;
  const held = rung.contains(document.activeElement);
  const changes = part("[data-search]").hidden === isOwn;
  part("[data-search]").hidden = !isOwn;
  part("[data-idle]").hidden = isOwn;
  rung.toggleAttribute("data-searching", isOwn);
  part("[data-do=join]").hidden = Boolean(bar) || !now?.open;
  part("[data-do=join]").toggleAttribute("disabled", Boolean(ticket));
  if (part("[data-pair]")) renderPair(part, bar, ticket, now);
  if (isOwn) {
    const consent = part("[data-do=consent]");
    if (consent) consent.checked = ticket.cpu;
    part("[data-partner]").hidden = !ticket.partner;
    part("[data-partner]").textContent = ticket.partner ? words.partner(ticket.partner) : "";
  }
  // Whoever has pressed a button that is gone now goes on at the one in its place.
  if (held && changes) part(isOwn ? "[data-do=leave]" : "[data-do=join]").focus({ preventScroll: true });
}

function renderPair(part, bar, ticket, now) {
  part("[data-pair]").hidden = Boolean(bar) || Boolean(ticket) || !now?.open;
  const { inviting } = told;
  const shown = part("[data-inviting]");
  shown.hidden = !inviting;
  shown.replaceChildren();
  if (!inviting) return;
  part("[data-pair]").open = true;
  shown.append(inviting.declined ? words.said(inviting.name) : words.asked(inviting.name));
  if (!inviting.declined) shown.append(" ", button(words.takeBack(), { type: "uninvite" }, "button quiet"));
}

function renderInvited() {
  const shown = byId("ranked-invited");
  const key = JSON.stringify(told.invited);
  if (shown.dataset.key === key) return;
  shown.dataset.key = key;
  shown.hidden = !told.invited.length;
  shown.replaceChildren(
    ...told.invited.map(({ by, name, ladder }) =>
      el(
        "div",
        { class: "notice", role: "status" },
        el("p", { text: words.invitedBy(name, kindOf(ladder)) }),
        button(words.accept(), { type: "accept", by }, "button primary"),
        button(words.refuse(), { type: "refuse", by }, "button"),
      ),
    ),
  );
}

const button = (text, message, style) =>
  el("button", { type: "button", class: style, text, onclick: () => send(message) });

/** What goes on by itself: the time of the search, how wide it is by now, the ready check. */
function tick() {
  ready.count();
  const ticket = told?.ticket;
  if (!ticket) return;
  const rung = rungs.find(({ dataset }) => dataset.ladder === ticket.ladder);
  if (!rung) return;
  const since = (Date.now() - toldAt) / 1_000;
  const isOpen = ticket.window === null || since >= ticket.opens_in;
  rung.querySelector("[data-clock]").textContent = words.clock(ticket.waited + since);
  const wide = isOpen ? null : Math.floor((ticket.window + since * ticket.growth) / 5) * 5;
  rung.querySelector("[data-window]").textContent = words.reach(wide);
}
setInterval(tick, 250);

// --- doing ---

section.addEventListener("click", (event) => {
  const pressed = event.target.closest("button[data-do]");
  if (!pressed) return;
  const ladder = pressed.closest(".rung")?.dataset.ladder;
  const act = pressed.dataset.do;
  if (act === "leave" || act === "decline") hasLeft = true;
  send(act === "join" ? { type: "join", ladder, cpu: false } : { type: act });
});

section.addEventListener("change", (event) => {
  if (event.target.matches("[data-do=consent]")) send({ type: "consent", cpu: event.target.checked });
});

section.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-do=invite]");
  if (!form) return;
  event.preventDefault();
  const name = form.elements.name.value.trim();
  if (name) send({ type: "invite", ladder: form.closest(".rung").dataset.ladder, name });
});

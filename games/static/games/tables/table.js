/* The table page: holds what is known of the game, hands answers to the line, and draws after every change. */

import { Actions } from "./actions.js";
import { agreementText } from "../parties/agreement.js";
import { Stage, stepsOf } from "./animate.js";
import { announce, speak } from "./announce.js";
import { wireCheck } from "../histories/check.js";
import { Clock } from "./clock.js";
import { confirmCallOff, confirmFinish, confirmNil } from "./confirm.js";
import { renderConnection } from "./connection.js";
import { openLastTrick, openSheet, stopAsking, toggle, wireDialogs } from "../shared/dialogs.js";
import { byId } from "../shared/dom.js";
import { renderChips, renderFacts, renderMiddle, renderSide } from "./facts.js";
import { Focus } from "./focus.js";
import { Hand } from "./hand.js";
import { wireKeys } from "./keys.js";
import { Overlay } from "./overlay.js";
import { Panel } from "./panel.js";
import { keepGiven, keepPromise } from "./promise.js";
import { barred, isAsked, isChoosing, isComplete, prompt } from "./prompt.js";
import { Receipt } from "./receipt.js";
import { Seats } from "./seats.js";
import { Settings, wireSettings } from "../shared/settings.js";
import { Line, PROTOCOL } from "./socket.js";
import { buzz, play as playSound } from "../shared/sound.js";
import { sentence } from "./story.js";
import { Talk } from "./talk.js";
import { isNil, number, refusal, say } from "../shared/text.js";

const { gettext, ngettext } = window;

const boot = JSON.parse(byId("boot").textContent);
const settings = new Settings(boot);
const title = document.title;

/** Everything the page knows. Renderers read it; only this module changes it. */
const model = {
  boot,
  view: null,
  sheet: [],
  presence: [],
  chosen: new Set(), // cards to pass or to swap
  lifted: null, // the card that a second tap plays
  bid: null, // chosen, not yet sent
  sent: null, // id of the question that has been answered
  ended: null, // why the game has ended without a result
  message: null, // shown instead of the prompt for a while
  backSent: false,
  rematch: null, // id of the game that follows
  rematchSent: false,
  get confirm() {
    return settings.get("confirm");
  },
};

/* --- answers --- */

function act(action) {
  if (!isAsked(model)) return;
  model.sent = model.view.ask.id;
  model.lifted = null;
  model.message = null;
  stage.finish();
  line.act(model.view.ask.id, action);
  render();
}

function tap(card) {
  const { view } = model;
  if (!view?.hand) return;
  const ask = isAsked(model) ? view.ask : null;
  if (isChoosing(model)) choose(card, !model.chosen.has(card));
  else if (ask?.phase === "play" && ask.cards.includes(card)) tapLegal(card);
  else if (view.ask && !ask) show(gettext("Your answer is on its way."));
  else if (view.phase !== "over") show(barred(model, card), { tone: "error" });
}

/** With confirmation on, the first tap lifts; but nobody loses a turn over it, so in the last seconds it plays. */
function tapLegal(card) {
  const left = clock.left(boot.seat);
  const hasty = left !== null && left < 5_000;
  if (model.confirm && model.lifted !== card && !hasty) {
    model.lifted = card;
    model.message = null;
    stage.finish();
    announcePrompt();
    render();
  } else {
    act({ kind: "play", card });
  }
}

function choose(card, chosen) {
  const { ask } = model.view;
  if (chosen && model.chosen.size >= ask.count) {
    if (model.chosen.has(card)) return;
    show(
      say(
        ngettext(
          "%(count)s card is chosen already. Tap it to put it back.",
          "%(count)s cards are chosen already. Tap one to put it back.",
          ask.count,
        ),
        { count: number(ask.count) },
      ),
      { tone: "error" },
    );
    return;
  }
  if (chosen) model.chosen.add(card);
  else model.chosen.delete(card);
  model.message = null;
  clearTheFelt();
  render();
}

/** Who has begun to answer wants no score of the last deal any more, shown already or still to come. */
function clearTheFelt() {
  overlay.hide();
  stage.finish();
}

function give() {
  if (isComplete(model)) act({ kind: model.view.ask.phase, cards: [...model.chosen] });
}

function bid(value) {
  clearTheFelt();
  if (model.confirm && model.bid !== value) {
    model.bid = value;
    render();
  } else if (isNil(boot, value)) {
    confirmNil(boot.traits.nil, () => act({ kind: "bid", bid: 0 }));
  } else {
    act({ kind: "bid", bid: value });
  }
}

function finish() {
  const { finish: cards } = model.view.ask;
  confirmFinish(cards, () => act(cards.length ? { kind: "finish", cards } : { kind: "finish" }));
}

function takeBack() {
  model.backSent = true;
  line.back();
  render();
}

function rematch() {
  if (model.rematch !== null) location.assign(location.pathname.replace(/\d+/, model.rematch) + location.search);
  else if (boot.party?.changed) location.assign(boot.party.url);
  else if (!model.rematchSent) {
    model.rematchSent = true;
    overlay.rematch(gettext("Opening the rematch…"));
    line.rematch();
  }
}

/* --- news --- */

function onNews(news) {
  const before = model.view;
  model.view = news.view;
  if (news.seats) model.presence = news.seats;
  if (news.sheet) model.sheet = news.sheet;
  model.ended = news.void ?? null;
  if (news.view.ask?.id !== before?.ask?.id) newQuestion(news.view.ask);
  else if (model.lifted && !news.view.ask?.cards.includes(model.lifted)) model.lifted = null;
  if (model.presence[boot.seat] !== "stand_in") model.backSent = false;
  clock.set(news.clock);
  for (const event of news.events) tell(event, before !== null);
  render();
  if (news.view.ask?.id !== before?.ask?.id) focus.follow();
  const steps = before === null ? [] : news.events.flatMap((event) => stepsOf(event, news.view.result !== null));
  if (steps.length) stage.push(steps);
  else idle();
}

/** Speaks and writes down an event, or only writes it if it happened before the page was opened. */
function tell(event, fresh) {
  const text = sentence(event, boot);
  announce(text, { spoken: fresh });
  if (fresh && event.event === "handed_over" && event.received) show(text, { lasting: true, spoken: false });
}

function newQuestion(ask) {
  model.chosen.clear();
  model.lifted = null;
  model.bid = null;
  model.sent = null;
  if (!model.message?.lasting) model.message = null;
  stopAsking();
  if (!ask) return;
  if (settings.get("soundTurn")) playSound("turn");
  if (settings.get("vibrate")) buzz(40);
  speak(prompt(model).text);
}

/** Nothing moves any more: the felt shows the view, and the end of the game if it has come. */
function idle() {
  const { view } = model;
  if (!view || stage.running) return;
  stage.lay(view.leader ?? 0, view.trick);
  if (view.result || model.ended) overlay.final(...ending());
  renderAgreement();
}

/** At a party's table the button says who has agreed to a rematch. */
function renderAgreement() {
  if (boot.party && model.rematch === null) overlay.rematch(agreementText(boot.party, boot.seat));
}

/** What the end of the game is shown with. */
function ending() {
  const thanks = boot.seat === null ? null : talk.thanks();
  const about = { rematch: model.rematch, ended: model.ended, thanks, receipt: receipt.parts() };
  return [model.view.result, model.sheet.at(-1), about];
}

/** The cards are being prepared: what is promised about them is kept, and this browser's share of them given. */
function onOpening({ commitment }) {
  const { nonce } = keepPromise(boot.game, commitment, { seated: boot.seat !== null });
  if (nonce) line.give(nonce);
}

function onRefused(message, sent) {
  if (sent?.type === "nonce") return; // the cards come without it; the check of the deals will say so
  model.sent = null;
  model.backSent = false;
  if (model.rematchSent) {
    model.rematchSent = false;
    if (message.code === "party_changed") boot.party.changed = true;
    overlay.rematch(boot.party ? agreementText(boot.party, boot.seat) : gettext("Rematch"));
  }
  model.lifted = null;
  if (message.code === "stale") render();
  else show(refusal(message.code, { ...message, traits: boot.traits }), { tone: "error" });
}

function onRematch(message) {
  model.rematch = message.game;
  if (model.rematchSent) rematch();
  else if (model.view?.result && !stage.running) overlay.again(...ending());
}

/** Somebody at the party has agreed to a rematch, or has taken it back. */
function onReady({ seats: agreed, of, changed }) {
  if (!boot.party || model.rematch !== null) return;
  Object.assign(boot.party, { seats: agreed, of, changed });
  if (!agreed.includes(boot.seat)) model.rematchSent = false;
  renderAgreement();
}

/** The game was rated, or its rating was taken back. */
function onRated({ seats: ratings }) {
  boot.ratings = ratings.map((rating, seat) => rating?.after ?? boot.ratings?.[seat] ?? null);
  receipt.changed();
  render();
}

function onAck(message, sent) {
  if (sent?.type === "nonce") keepGiven(boot.game);
  if (sent?.type === "rematch" && model.rematch !== null) rematch();
}

/* --- drawing --- */

function render() {
  const { view } = model;
  seats.render(model);
  hand.render(model);
  panel.render(model);
  actions.render(model);
  renderFacts(byId("facts"), model);
  renderMiddle(byId("middle"), model);
  renderSide(byId("side-sheet"), model);
  talk.render(model);
  renderPrompt();
  byId("table").dataset.phase = view?.phase ?? "";
  byId("table").dataset.ask = view?.ask?.id ?? "";
  byId("table").toggleAttribute("data-mine", isAsked(model));
  document.title = isAsked(model) ? say(gettext("Your turn! %(title)s"), { title }) : title;
  tick();
  focus.settle();
}

function renderPrompt() {
  const { text, tone } = prompt(model);
  const node = byId("prompt");
  node.dataset.tone = tone;
  if (byId("prompt-text").textContent === text) return;
  byId("prompt-text").textContent = text;
  node.removeAttribute("data-long");
  node.toggleAttribute("data-long", byId("prompt-text").offsetHeight > node.clientHeight); // then it is set smaller
}

function announcePrompt() {
  byId("prompt-say").textContent = prompt(model).text;
}

/** Shows a sentence in place of the prompt, long enough to be read. `tone`: as the prompt's own if left out; `lasting`:
    a new question does not end it; `spoken`: unless it has been announced already. */
function show(text, { tone, lasting = false, spoken = true } = {}) {
  clearTimeout(show.timer);
  model.message = { text, tone, lasting };
  renderPrompt();
  if (spoken) announcePrompt();
  show.timer = setTimeout(
    () => {
      model.message = null;
      renderPrompt();
    },
    2_500 + text.length * 50,
  );
}

function tick() {
  seats.tick(clock);
  const left = isAsked(model) ? clock.left(boot.seat) : null;
  const node = byId("countdown");
  node.hidden = left === null;
  if (left === null) return;
  const seconds = Math.ceil(left / 1000);
  byId("prompt").style.setProperty("--share", (clock.share(boot.seat) ?? 1).toFixed(3));
  node.toggleAttribute("data-short", seconds <= 10);
  if (node.textContent === number(seconds)) return;
  node.textContent = number(seconds);
  if (seconds === 10) speak(gettext("Ten seconds left."));
  // The lifted card is what the player meant: better than what a computer would play in a moment.
  if (left < 800 && model.lifted) act({ kind: "play", card: model.lifted });
}

/* --- wiring --- */

const clock = new Clock(tick);
const seats = new Seats(byId("seats"), byId("own"), byId("sides"), boot);
const hand = new Hand(byId("hand"), {
  tap,
  choose,
  enter() {
    const done = isComplete(model);
    if (done) give();
    return done;
  },
});
const focus = new Focus(hand);
const actions = new Actions(byId("actions"), {
  give,
  bid,
  play: (card) => act({ kind: "play", card }),
  callOff: () => confirmCallOff(() => act({ kind: "skip" })),
  finish,
  back: takeBack,
});
const panel = new Panel(byId("panel"), { act, bid });
const overlay = new Overlay(byId("overlay"), boot, {
  dismiss: () => stage.skip(),
  rematch,
  changed: () => focus.settle(),
  cards(section) {
    const { kind, names, game, seat } = boot;
    wireCheck(section, { kind, names, address: boot.record, game, seat });
  },
});
const receipt = new Receipt(boot.receipt);
const stage = new Stage(byId("trick"), boot, {
  settings,
  rectOf: (seat, card) => (card && seat === boot.seat && hand.rectOf(card)) || seats.rectOf(seat),
  sound(name, seat) {
    if (settings.get(name === "trick" ? "soundTricks" : "soundCards") && (name !== "trick" || seat === boot.seat))
      playSound(name);
  },
  summary: (step) => (step ? overlay.deal(step) : overlay.hide()),
  idle,
});

const talk = new Talk(boot, { send: (type, keys) => line.tell(type, keys), rectOf: (seat) => seats.rectOf(seat) });

hand.onReshape(render);
renderChips(byId("chips"), boot);
wireDialogs((by) => (by === "pointer" ? focus.toQuestion() : focus.settle()));
wireSettings(byId("dialog-settings"), settings);
settings.onChange((name) => {
  if (name === "confirm") model.lifted = null;
  const sound = { soundTurn: "turn", soundCards: "card", soundTricks: "trick" }[name];
  if (sound && settings.get(name)) playSound(sound);
  render();
});
wireKeys({
  last: () => openLastTrick(model),
  sheet: () => openSheet(model),
  talk: () => boot.seat !== null && talk.open(),
  hand: () => (byId("panel").hidden ? hand.focus() : focus.toQuestion()),
  skip: () => stage.skip(),
  number(digit) {
    if (model.view?.ask?.phase === "bid") {
      clearTheFelt();
      panel.typeBid(digit, model);
    } else hand.press(Number(digit));
  },
  escape() {
    if (model.lifted) model.lifted = null;
    model.message = null;
    stage.skip();
    render();
  },
});
byId("open-last").addEventListener("click", () => openLastTrick(model));
byId("open-sheet").addEventListener("click", () => openSheet(model));
byId("open-settings").addEventListener("click", () => toggle("dialog-settings"));
byId("open-keys").addEventListener("click", () => toggle("dialog-keys"));
byId("reload").addEventListener("click", () => location.reload());
for (const id of ["felt", "overlay"])
  byId(id).addEventListener("click", (event) => event.target.closest("button, a, form") || stage.skip());
byId("copy")?.addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(boot.code);
    show(gettext("The game code is copied."));
  } catch {
    getSelection().selectAllChildren(byId("code"));
    show(gettext("The game code is marked: copy it with your keyboard or menu."));
  }
});

/** So far back the page asks for what happened, so that the log can be read after a reload. */
const LOOK_BACK = 150;
const handlers = {
  news: onNews,
  opening: onOpening,
  ack: onAck,
  refused: onRefused,
  rematch: onRematch,
  ready: onReady,
  rated: onRated,
  presence(message) {
    model.presence = message.seats;
    if (model.presence[boot.seat] !== "stand_in") model.backSent = false;
    render();
  },
  said: (message) => talk.said(message),
  muted(message) {
    talk.muted(message);
    render();
  },
  votes: (message) => talk.voted(message, model),
  state: renderConnection,
};
const line = new Line(boot.ws, handlers, Math.max(0, boot.ply - LOOK_BACK), boot.code_of_party);

if (boot.version !== PROTOCOL) renderConnection("reload");
render();
if (boot.notice) show(boot.notice, { lasting: true }); // what another page has led here with

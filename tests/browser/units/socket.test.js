import { backOff, Line, newId } from "/games/tables/socket.js";
import { equal, ok, test } from "./check.js";

/** A WebSocket without a network; the test opens it, and speaks for the server. */
class FakeSocket extends EventTarget {
  static OPEN = 1;
  static CONNECTING = 0;
  static all = [];

  constructor(url) {
    super();
    this.url = url;
    this.readyState = 0;
    this.sent = [];
    FakeSocket.all.push(this);
  }

  send(text) {
    this.sent.push(JSON.parse(text));
  }

  open() {
    this.readyState = 1;
    this.dispatchEvent(new Event("open"));
  }

  say(message) {
    this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) }));
  }

  close(code = 1006) {
    this.readyState = 3;
    this.dispatchEvent(new CloseEvent("close", { code }));
  }
}
window.WebSocket = FakeSocket;

const news = (ply, ...plies) => ({
  type: "news",
  ply,
  seat: 0,
  events: plies.map((at) => ({ event: "bid", ply: at })),
  view: {},
});
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

function line() {
  const heard = [];
  const note = (name) => (message) => heard.push([name, message]);
  const on = Object.fromEntries(
    ["news", "ack", "refused", "presence", "rematch", "state"].map((name) => [name, note(name)]),
  );
  const made = new Line("/ws/game/7/", on);
  return { made, heard, names: (name) => heard.filter(([kind]) => kind === name).map(([, message]) => message) };
}
const latest = () => FakeSocket.all.at(-1);

test("an action is kept until it is decided, and sent again under its name", async () => {
  const { made } = line();
  const first = latest();
  ok(first.url.endsWith("/ws/game/7/?v=1"), first.url);
  const id = made.act("1.0.play.1", { kind: "play", card: "2C" });
  first.open();
  equal(first.sent, [{ type: "act", id, ask: "1.0.play.1", action: { kind: "play", card: "2C" } }]);
  first.say(news(5));
  first.close();
  await pause(900);
  const second = latest();
  ok(second !== first && second.url.endsWith("?v=1&since=5"), second.url);
  second.open();
  equal(
    second.sent.map((message) => message.id),
    [id],
  );
  second.say({ type: "ack", id, ply: 6 });
  second.close();
  await pause(900);
  latest().open();
  equal(latest().sent, []);
});

test("old news and old events are dropped", () => {
  const { names } = line();
  latest().open();
  latest().say(news(5, 4, 5));
  latest().say(news(4, 4));
  latest().say(news(7, 5, 6, 7));
  equal(
    names("news").map((message) => message.ply),
    [5, 7],
  );
  equal(
    names("news")[1].events.map((event) => event.ply),
    [6, 7],
  );
});

test("some refusals are tried again under the same name, others are told", async () => {
  const { made, names } = line();
  latest().open();
  const id = made.act("1.0.bid.1", { kind: "bid", bid: 3 });
  latest().say({ type: "refused", id, code: "unavailable" });
  equal(names("refused"), []);
  await pause(1100);
  equal(
    latest().sent.map((message) => message.id),
    [id, id],
  );
  latest().say({ type: "refused", id, code: "stale" });
  equal(
    names("refused").map((message) => message.code),
    ["stale"],
  );
  equal(made.pending.size, 0);
});

test("what was too fast is sent again under the same name after a pause", async () => {
  const { made, names } = line();
  latest().open();
  const id = made.act("1.0.play.1", { kind: "play", card: "2C" });
  latest().say({ type: "refused", id, code: "too_fast" });
  await pause(500);
  equal(latest().sent.length, 1);
  await pause(700);
  equal(
    latest().sent.map((message) => message.id),
    [id, id],
  );
  latest().say({ type: "ack", id, ply: 3 });
  equal([names("refused").length, names("ack").length, made.pending.size], [0, 1, 0]);
});

test("a table that stays unavailable is told of in the end, and the answer is let go", async () => {
  const { made, names } = line();
  latest().open();
  const id = made.act("1.0.play.1", { kind: "play", card: "2C" });
  for (let tries = 1; names("refused").length === 0 && tries < 9; tries += 1) {
    latest().say({ type: "refused", id, code: "unavailable" });
    await pause(1_050);
    ok(latest().sent.length <= 6, "no more than five tries after the first");
  }
  equal(
    names("refused").map((message) => message.code),
    ["unavailable"],
  );
  equal(made.pending.size, 0);
});

test("the first news may be asked for from a ply on, later ones from the ply held", async () => {
  new Line("/ws/game/7/", { news() {}, state() {} }, 12);
  ok(latest().url.endsWith("?v=1&since=12"), latest().url);
  latest().open();
  latest().say(news(20, 13, 20));
  latest().close();
  await pause(900);
  ok(latest().url.endsWith("&since=20"), latest().url);
});

test("a final close is told and not tried again", async () => {
  const { names } = line();
  latest().open();
  const count = FakeSocket.all.length;
  latest().close(4404);
  await pause(900);
  equal([names("state").at(-1), FakeSocket.all.length], ["gone", count]);
});

test("a message that is no JSON does no harm", () => {
  const { names } = line();
  latest().open();
  latest().dispatchEvent(new MessageEvent("message", { data: "<html>" }));
  latest().say(news(1));
  equal(names("news").length, 1);
});

test("waiting doubles, is capped and spread", () => {
  ok(backOff(0, 0) < backOff(1, 0) && backOff(1, 0) < backOff(2, 0), "grows");
  ok(backOff(30, 1) <= 12_000 && backOff(3, 0) < backOff(3, 1), "cap and spread");
});

test("names are ids that the server takes, also without randomUUID", () => {
  const own = crypto.randomUUID;
  for (const random of [own, undefined]) {
    Object.defineProperty(crypto, "randomUUID", { value: random, configurable: true });
    ok(/^[A-Za-z0-9-]{1,64}$/.test(newId()) && newId() !== newId(), "id");
  }
  delete crypto.randomUUID;
});

test("a share of the shuffle is given once, again after a broken line, and again when the table asks anew", async () => {
  const { made } = line();
  latest().open();
  made.give("00ff");
  made.give("00ff"); // the table asks while the first is on its way
  equal(latest().sent.length, 1);
  const [{ id, type, nonce }] = latest().sent;
  equal([type, nonce], ["nonce", "00ff"]);
  latest().close();
  await pause(900);
  latest().open();
  equal(latest().sent, [{ type, id, nonce }]);
  latest().say({ type: "ack", id, ply: 0 });
  made.give("00ff");
  equal(latest().sent.length, 2);
});

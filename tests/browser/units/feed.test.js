import { Feed } from "/games/shared/feed.js";
import { equal, ok, test } from "./check.js";

/** A WebSocket without a network; the test speaks for the server. */
class FakeSocket extends EventTarget {
  static OPEN = 1;
  static all = [];

  constructor(url) {
    super();
    this.url = url;
    this.readyState = 1;
    this.sent = [];
    FakeSocket.all.push(this);
  }

  send(text) {
    this.sent.push(JSON.parse(text));
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

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function open() {
  const heard = { messages: [], states: [] };
  new Feed("/ws/party/KMX3PD/", {
    message: (message) => heard.messages.push(message.type),
    state: (state) => heard.states.push(state),
  });
  return { heard, socket: FakeSocket.all.at(-1) };
}

test("what is told is handed on, and an answer to a sign of life is not", () => {
  const { heard, socket } = open();
  socket.say({ type: "party" });
  socket.say({ type: "pong" });
  equal(heard.messages, ["party"]);
});

test("a line that is lost is opened again", async () => {
  const { heard, socket } = open();
  socket.close();
  equal(heard.states, ["lost"]);
  const count = FakeSocket.all.length;
  await wait(600);
  ok(FakeSocket.all.length > count, "no new line");
});

test("a party that is not there is not asked for again", async () => {
  const { heard, socket } = open();
  socket.close(4404);
  equal(heard.states, ["ended"]);
  const count = FakeSocket.all.length;
  await wait(600);
  equal(FakeSocket.all.length, count);
});

test("the tab is back: a sign of life at once", () => {
  const { socket } = open();
  window.dispatchEvent(new Event("online"));
  equal(socket.sent.at(-1), { type: "ping" });
});

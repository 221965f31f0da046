import { checkedText, ownFaults } from "/games/histories/check.js";
import { kept, keepGiven, keepPromise } from "/games/tables/promise.js";
import { equal, ok, test } from "./check.js";

const [PROMISE, OTHER] = ["ab".repeat(32), "cd".repeat(32)];
const record = (nonces, commitment = PROMISE) => ({ commitment, nonces, secret: "00", log: [{}, {}] });

test("a share of 16 bytes is drawn once for all tabs, and stays what it is", () => {
  localStorage.clear();
  const first = keepPromise(5, PROMISE, { seated: true });
  ok(/^[0-9a-f]{32}$/.test(first.nonce), "16 bytes in hex");
  equal(keepPromise(5, PROMISE, { seated: true }).nonce, first.nonce);
  ok(keepPromise(6, PROMISE, { seated: true }).nonce !== first.nonce, "another game, another share");
});

test("the first promise stays, whatever is said later", () => {
  localStorage.clear();
  keepPromise(5, PROMISE, { seated: true });
  equal(keepPromise(5, OTHER, { seated: true }).commitment, PROMISE);
  equal(kept(5).commitment, PROMISE);
});

test("whoever watches keeps the promise and draws nothing", () => {
  localStorage.clear();
  equal(keepPromise(5, PROMISE, { seated: false }).nonce, undefined);
  equal(kept(5).commitment, PROMISE);
});

test("without storage it is known as long as the page is open", () => {
  localStorage.clear();
  const { setItem } = Storage.prototype;
  Storage.prototype.setItem = () => {
    throw new Error("full");
  };
  const first = keepPromise(8, PROMISE, { seated: true });
  Storage.prototype.setItem = setItem;
  equal(localStorage.length, 0);
  equal(keepPromise(8, PROMISE, { seated: true }).nonce, first.nonce);
});

test("the games of long ago are forgotten, the latest are kept", () => {
  localStorage.clear();
  const { now } = Date;
  for (let game = 1; game <= 230; game += 1) {
    Date.now = () => game;
    keepPromise(game, PROMISE, { seated: true });
  }
  Date.now = now;
  const known = Object.keys(localStorage).length;
  ok(known <= 200, `${known} are kept`);
  ok(localStorage.getItem("moonshot.deals.230") && !localStorage.getItem("moonshot.deals.1"), "the oldest went");
});

test("another promise and another share than this browser's are found", () => {
  localStorage.clear();
  const { nonce } = keepPromise(5, PROMISE, { seated: true });
  keepGiven(5);
  equal(ownFaults(record(["", nonce]), kept(5), 1), []);
  equal(ownFaults(record(["", nonce], OTHER), kept(5), 1), ["other_promise"]);
  equal(ownFaults(record([nonce, "00"]), kept(5), 1), ["other_share"]);
  equal(ownFaults(record(["", nonce], null), kept(5), 1), ["other_promise"]);
});

test("a share that the table never took is not missed, and a browser that was not there misses nothing", () => {
  localStorage.clear();
  keepPromise(5, PROMISE, { seated: true });
  equal(ownFaults(record(["", ""]), kept(5), 1), []);
  equal(ownFaults(record(["", "00"], OTHER), kept(6), 1), []);
});

test("what was not known here is said, too", () => {
  const away = checkedText(record(["00", "11"]), null, null).join(" ");
  ok(away.includes("was not at the table before the deal"), away);
  const there = checkedText(record(["00", "11"]), { commitment: PROMISE, nonce: "11", given: true }, 1).join(" ");
  ok(there.includes("The share that this browser gave before the deal went into it."), there);
  ok(checkedText({ ...record([""]), commitment: null }, null, 0).join(" ").includes("Nothing had been promised"), "");
});

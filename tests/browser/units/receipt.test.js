import { Receipt } from "/games/tables/receipt.js";
import { equal, ok, test } from "./check.js";

const page = (status, headline) =>
  `<div class="receipt" data-status="${status}"><p class="receipt-headline">${headline}</p><h3>Ratings</h3></div>`;

/** A receipt that is answered with these texts, one after the other, and its addresses asked for. */
function receiptOf(...answers) {
  const asked = [];
  const receipt = new Receipt("/ladder/receipt/7/", async (address) => {
    asked.push(address);
    return answers.length > 1 ? answers.shift() : answers[0];
  });
  return { receipt, asked };
}

test("a table that is not ranked has no receipt and asks for none", () => {
  const asked = [];
  const receipt = new Receipt(undefined, async (address) => asked.push(address));
  equal(receipt.parts(), { headline: null, body: null });
  equal(asked, []);
});

test("a rated game's receipt is shown: a line, and all the rest", async () => {
  const { receipt, asked } = receiptOf(page("rated", "Your rating: 1500? → 1510?"));
  receipt.parts();
  receipt.parts(); // shown again, asked for once
  await receipt.load();
  equal(receipt.headline.textContent, "Your rating: 1500? → 1510?");
  equal(receipt.body.textContent, "Ratings");
  equal(asked.length, 2);
  equal(receipt.tries, 2);
});

test("until the game is rated that is said, and the receipt asked for again", async () => {
  const { receipt } = receiptOf(page("pending", "The game is being rated…"), page("rated", "Done"));
  await receipt.load();
  equal(receipt.headline.textContent, "The game is being rated…");
  ok(receipt.timer, "it is asked for again");
  receipt.changed(); // the table was told
  await receipt.load();
  equal(receipt.headline.textContent, "Done");
});

test("an answer that comes late does not take the place of a newer one", async () => {
  let answer;
  const receipt = new Receipt("/7/", () => new Promise((resolve) => (answer = resolve)));
  const first = receipt.load();
  const answerFirst = answer;
  const second = receipt.load();
  answer(page("rated", "New"));
  await second;
  answerFirst(page("pending", "Old"));
  await first;
  equal(receipt.headline.textContent, "New");
});

test("without an answer the page says so in the end and shows no receipt", async () => {
  const { receipt } = receiptOf(null);
  for (let i = 0; i < 8; i += 1) await receipt.load();
  clearTimeout(receipt.timer);
  equal(receipt.headline.textContent, "The receipt is not there yet. Reload the page later.");
  equal(receipt.body.children.length, 0);
});

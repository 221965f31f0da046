import { inHandOrder, inTwoRows } from "/games/shared/cards.js";
import { arrowTo, cardAt, placeOf, plateAt } from "/games/tables/places.js";
import { equal, ok, test } from "./check.js";

const HAND = ["2C", "9C", "TC", "3D", "KD", "AD", "2H", "5H", "QH", "4S", "9S", "QS", "AS"];

test("the hand alternates colours and keeps every card", () => {
  const hand = inHandOrder(HAND);
  equal(hand.map((card) => card[1]).join(""), "CCCDDDSSSSHHH");
  equal([...hand].sort(), [...HAND].sort());
  equal(HAND[0], "2C"); // the view is left as it was
});

test("two rows are about equal and hold every card once", () => {
  for (let count = 11; count <= 17; count += 1) {
    const cards = Array.from(
      { length: count },
      (_, i) => `${"23456789TJQKA"[i % 13]}${i < 6 ? "C" : i < 12 ? "D" : "S"}`,
    );
    const [upper, lower] = inTwoRows(cards);
    equal([...upper, ...lower], cards);
    ok(
      Math.abs(upper.length - lower.length) <= 3 && upper.length <= 10,
      `${count}: ${upper.length} and ${lower.length}`,
    );
  }
});

test("a row breaks where a suit ends if it can", () => {
  const [upper] = inTwoRows(["2C", "3C", "4C", "5C", "6C", "7C", "2D", "3D", "4D", "5D", "6D", "7D", "8D"]);
  equal(upper.length, 6);
});

test("the own seat is at the bottom, the left neighbour at the left", () => {
  equal([placeOf(2, 2, 4), placeOf(3, 2, 4), placeOf(0, 2, 4), placeOf(1, 2, 4)], [0, 1, 2, 3]);
  for (let players = 2; players <= 7; players += 1) {
    const [x, y] = cardAt(0, players);
    ok(Math.abs(x) < 0.01 && y > 0, "own card below the middle");
    for (let place = 1; place < players; place += 1) ok(plateAt(place, players), `${players}: ${place}`);
    if (players > 2) ok(cardAt(1, players)[0] < 0 && plateAt(1, players)[0] === 0, "left neighbour");
  }
});

test("arrows point where cards go", () => equal([arrowTo(1, 4), arrowTo(2, 4), arrowTo(3, 4)], [270, 360, 450]));

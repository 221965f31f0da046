import { agreementText } from "/games/parties/agreement.js";
import { equal, test } from "./check.js";

const party = (seats, more = {}) => ({ url: "/party/KMX3PD/", seats, of: 4, changed: false, ...more });

test("nobody has agreed yet: the button asks for a rematch", () => {
  equal(agreementText(party([]), 0), "Rematch");
});

test("whoever has not agreed sees how many have", () => {
  equal(agreementText(party([1, 2]), 0), "Rematch: 2 of 4 agree");
});

test("whoever has agreed waits for the others", () => {
  equal(agreementText(party([0, 2]), 0), "Waiting: 2 of 4 agree");
});

test("once the party has changed the button leads there, whoever had agreed", () => {
  equal(agreementText(party([0], { changed: true }), 0), "The party has changed: look there");
});

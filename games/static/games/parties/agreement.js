/* Rematches at a party's table: who has agreed, and what the button says meanwhile. */

import { number, say } from "../shared/text.js";

const { gettext } = window;

/** What is on the rematch button. `party` is what the table knows of its party, `seat` the own one. */
export function agreementText(party, seat) {
  if (party.changed) return gettext("The party has changed: look there");
  const counts = { ready: number(party.seats.length), of: number(party.of) };
  if (party.seats.includes(seat)) return say(gettext("Waiting: %(ready)s of %(of)s agree"), counts);
  return party.seats.length ? say(gettext("Rematch: %(ready)s of %(of)s agree"), counts) : gettext("Rematch");
}

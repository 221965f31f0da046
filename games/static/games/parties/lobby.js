/* The front page's list of parties keeps itself up to date. */

import { byId } from "../shared/dom.js";
import { Feed } from "../shared/feed.js";

const list = byId("party-list");

/** The rows as the server wrote them, in this page's language; whoever is on a row by keys stays on it. */
function show(html) {
  const held = list.contains(document.activeElement) ? document.activeElement.dataset.party : undefined;
  list.innerHTML = html;
  if (held) list.querySelector(`[data-party="${CSS.escape(held)}"]`)?.focus();
}

new Feed(`/ws/lobby/?lang=${document.documentElement.lang}`, {
  message: (message) => message.type === "lobby" && show(message.html),
  state: (state) => list.toggleAttribute("data-stale", state !== "open"),
});

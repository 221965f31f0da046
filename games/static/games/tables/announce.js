/* Everything that happens, as sentences: for screen readers at once, and as a log that can be read. */

import { byId, el } from "../shared/dom.js";

const KEPT = 60;

/** Spoken only: what is asked, not what happened. */
export function speak(text) {
  const live = byId("live");
  live.append(el("p", { text }));
  while (live.children.length > 8) live.firstChild.remove();
}

/** Something that happened: spoken and written down. What happened before the page was opened is only written. */
export function announce(text, { spoken = true } = {}) {
  if (!text) return;
  if (spoken) speak(text);
  const log = byId("log");
  log.append(el("li", { text }));
  while (log.children.length > KEPT) log.firstChild.remove();
  log.scrollTop = log.scrollHeight;
}

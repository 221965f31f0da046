/* Keys of the whole page; those of the hand and of the bids are in their own modules. */

import { anyOpen, toggle } from "../shared/dialogs.js";

const ARROWS = ["arrowleft", "arrowright", "arrowup", "arrowdown", "home", "end"];

/** What has a use for arrows itself: the hand, the bids, and whatever scrolls. */
const OWN_ARROWS = "#hand, #panel, dialog, [tabindex='0']:not(button)";

/** `on`: last(), sheet(), talk(), number(digit), escape(), skip(), hand(). */
export function wireKeys(on) {
  addEventListener("keydown", (event) => {
    document.documentElement.dataset.input = "keys";
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.target.matches?.("input, select, textarea")) return;
    const key = event.key.toLowerCase();
    if (key === "l") on.last();
    else if (key === "s") on.sheet();
    else if (key === "t") on.talk();
    else if (key === "?") toggle("dialog-keys");
    else if (anyOpen()) return;
    else if (key === "h") on.hand();
    else if (key === "escape") on.escape();
    else if (/^[0-9]$/.test(key)) on.number(key);
    else if (key === "n") on.skip();
    else if (ARROWS.includes(key) && !event.target.closest?.(OWN_ARROWS)) on.hand();
    else return;
    event.preventDefault();
  });
  addEventListener("pointerdown", () => {
    document.documentElement.dataset.input = "pointer";
  });
  // Where there is no finger on the glass, keys are the first thing to be tried: what has the focus shows it.
  document.documentElement.dataset.input = matchMedia("(pointer: coarse)").matches ? "pointer" : "keys";
}

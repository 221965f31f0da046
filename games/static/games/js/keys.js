/* Keys of the whole page; those of the hand and of the bids are in their own modules. */

import { anyOpen, toggle } from "./dialogs.js";

/** `on`: last(), sheet(), number(digit), escape(), skip(), hand(). */
export function wireKeys(on) {
  addEventListener("keydown", (event) => {
    document.documentElement.dataset.input = "keys";
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.target.matches?.("input, select, textarea")) return;
    const key = event.key.toLowerCase();
    if (key === "l") on.last();
    else if (key === "s") on.sheet();
    else if (key === "?") toggle("dialog-keys");
    else if (anyOpen()) return;
    else if (key === "h") on.hand();
    else if (key === "escape") on.escape();
    else if (/^[0-9]$/.test(key)) on.number(key);
    else if (key === "n") on.skip();
    else return;
    event.preventDefault();
  });
  addEventListener("pointerdown", () => {
    document.documentElement.dataset.input = "pointer";
  });
}

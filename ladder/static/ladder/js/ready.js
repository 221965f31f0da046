/* The ready check: a dialog that calls, counts down and takes one answer. */

import { buzz, play } from "../../games/shared/sound.js";

import * as words from "./words.js";

const dialog = document.getElementById("ready-check");
const part = (name) => dialog.querySelector(name);
const usualTitle = document.title;

let current = null; // the check that is shown
let until = 0; // by this page's clock
let whole = 15_000;

/** Shows a check, or how many of the others are ready by now. `ahead`: how far the server's clock is ahead. */
export function show(check, kind, ahead) {
  const isNew = current?.until !== check.until;
  current = check;
  until = check.until - ahead;
  part("#ready-text").textContent = words.tableOf(kind, check.cpu);
  part("[data-others]").textContent = words.others(check.ready, check.of);
  for (const button of dialog.querySelectorAll("[data-do]")) button.hidden = check.is_ready;
  dialog.toggleAttribute("data-answered", check.is_ready);
  if (!dialog.open) dialog.showModal();
  if (isNew) {
    whole = Math.max(1_000, check.until - check.now);
    document.title = words.calls();
    play("turn");
    buzz(200);
  }
  count();
}

/** The check is over, however it went. */
export function hide() {
  if (!current) return;
  current = null;
  document.title = usualTitle;
  dialog.close();
}

export const isShown = () => current !== null;

/** The seconds that are left. */
export function count() {
  if (!current) return;
  const left = Math.max(0, until - Date.now());
  part("[data-left]").textContent = Math.ceil(left / 1_000);
  part("svg circle:last-child").style.strokeDashoffset = String(100 - Math.min(100, (left / whole) * 100));
}

// Esc is too easily pressed by accident for an answer that cannot be taken back.
dialog.addEventListener("cancel", (event) => event.preventDefault());
dialog.addEventListener("close", () => current && dialog.showModal());

/* The window of the replay page in which a game is played on from the step that is shown. */

import { wireDialogs } from "../shared/dialogs.js";
import { byId } from "../shared/dom.js";

const root = byId("play-on");
const dialog = byId("dialog-play-on");
const button = root.querySelector("[data-open]");
const slider = byId("slider");
const { result } = JSON.parse(byId("replay").textContent);

/** With the last card the game is over; one that ended without a result goes on where it stopped. */
const isOver = () => result !== null && slider.value === slider.max;

function renderButton() {
  button.setAttribute("aria-disabled", String(isOver()));
  root.querySelector("[data-note]").hidden = !isOver();
}

button.addEventListener("click", () => {
  if (isOver()) return;
  const { seat, ply } = dialog.querySelector("form").elements;
  ply.value = slider.value;
  if (/^\d$/.test(byId("who").value)) seat.value = byId("who").value; // the seat that is watched
  dialog.querySelector("[data-place]").textContent = byId("place").textContent;
  dialog.showModal();
});

wireDialogs(() => {});
new MutationObserver(renderButton).observe(byId("place"), { childList: true });
renderButton();

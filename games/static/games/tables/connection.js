/* What is said of the line while it is not as it should be. */

import { byId } from "../shared/dom.js";

const { gettext } = window;

const STATES = {
  connecting: () => "",
  open: () => "",
  lost: () => gettext("The connection is lost. Trying again…"),
  reload: () => gettext("This page is out of date. Please reload it."),
  signed_out: () => gettext("This browser has no seat here any more. Please reload the page."),
  gone: () => gettext("This game is not there any more."),
};

export function renderConnection(state) {
  const text = STATES[state]();
  byId("line").hidden = !text;
  byId("line-text").textContent = text;
  byId("reload").hidden = state !== "reload" && state !== "signed_out";
}

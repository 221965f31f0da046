/* The page of a party: hears of every change, fetches its moving part as this visitor sees it, and sends its forms.

   Without this script every form works as well; the page is then as old as its last loading. */

import { byId } from "../shared/dom.js";
import { Feed } from "../shared/feed.js";

const { gettext } = window;

const root = byId("party-now");
const { code } = byId("main").dataset;
const path = `/party/${code}/`;

const now = () => root.querySelector(".now").dataset;

/** Whether another page is on its way: then this one is not loaded anew. */
let leaving = false;

function leave() {
  leaving = true;
  setTimeout(() => (leaving = false), 5_000); // it did not come
}

function reload() {
  if (leaving) return;
  leave();
  location.reload();
}

function goTo(place) {
  if (leaving) return;
  leave();
  location.assign(place);
}

addEventListener("pageshow", () => (leaving = false));

/* --- what changes --- */

let fetching = null;

/** Fetches the moving part. An answer that was overtaken by a newer request is dropped. */
async function refresh() {
  fetching?.abort();
  const mine = new AbortController();
  fetching = mine;
  try {
    const answer = await fetch(`${path}now/`, { signal: mine.signal, headers: { Accept: "text/html" } });
    if (answer.status === 403 || answer.status === 410 || answer.status === 404) reload();
    if (!answer.ok) return;
    const html = await answer.text();
    if (fetching === mine) show(html);
  } catch (error) {
    if (error.name !== "AbortError") setTimeout(refresh, 2_000);
  }
}

function show(html) {
  const before = { ...now() };
  const said = status();
  const focused = root.contains(document.activeElement) ? document.activeElement.dataset.focus : undefined;
  const open = byId("settings")?.open;
  root.innerHTML = html;
  if (focused) root.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus();
  if (status() !== said) byId("party-say").textContent = status();
  const after = now();
  if (after.viewer !== before.viewer || (after.status !== before.status && !open)) reload();
  const settings = byId("settings");
  if (settings) settings.hidden = after.status === "playing";
}

const status = () => root.querySelector(".party-status").textContent.trim();

function onParty(message) {
  const known = now();
  const begun = message.status === "playing" && String(message.game) !== known.game;
  if (begun && known.viewer !== "visitor") goTo(`/game/${message.game}/`);
  else refresh();
}

new Feed(`/ws/party/${code}/`, {
  message: (message) => message.type === "party" && onParty(message),
  state(state) {
    byId("party-line").hidden = state !== "lost";
    if (state === "ended") reload();
  },
});

/* --- what is done --- */

function notice(text) {
  const node = byId("party-notice");
  node.textContent = text;
  node.hidden = !text;
  if (text) node.scrollIntoView({ block: "nearest" });
}

/** Asks in a window of the page; the answer is a promise. */
function confirmed(text, yes) {
  const dialog = byId("confirm");
  byId("confirm-text").textContent = text;
  byId("confirm-yes").textContent = yes;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

async function send(form) {
  if (form.dataset.sending !== undefined) return;
  form.dataset.sending = "";
  try {
    const answer = await fetch(form.action, {
      method: "POST",
      body: new FormData(form),
      headers: { Accept: "application/json" },
    });
    const said = await answer.json();
    notice(said.text ?? "");
    if (said.to && said.to !== path) goTo(said.to);
    else refresh();
  } catch {
    notice(gettext("That did not get through. Please try again."));
  } finally {
    delete form.dataset.sending;
  }
}

root.addEventListener("submit", async (event) => {
  const form = event.target;
  const live = "live" in form.dataset;
  if (live || form.dataset.confirm) event.preventDefault();
  if (form.dataset.confirm && !(await confirmed(form.dataset.confirm, event.submitter.textContent))) return;
  if (live) send(form);
  else if (form.dataset.confirm) {
    leave();
    form.submit();
  }
});

addEventListener("submit", (event) => event.defaultPrevented || leave());

/* --- the invitation --- */

const link = byId("invite-link").textContent;

byId("copy-link").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(link);
    notice(gettext("The link is copied."));
  } catch {
    getSelection().selectAllChildren(byId("invite-link"));
    notice(gettext("The link is marked: copy it with your keyboard or menu."));
  }
});

if (navigator.share) {
  byId("share-link").hidden = false;
  byId("share-link").addEventListener("click", () => navigator.share({ title: document.title, url: link }).catch(() => {}));
}

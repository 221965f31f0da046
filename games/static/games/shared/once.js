/* Forms that open a game are sent once: a second click on the way would deal a second game. */

const AGAIN_AFTER = 10_000; // the answer may never come; then one more try is allowed

function free(form) {
  clearTimeout(form.freeing);
  delete form.dataset.sent;
  form.removeAttribute("aria-busy");
}

addEventListener("submit", (event) => {
  const form = event.target;
  if (!("once" in form.dataset)) return;
  if ("sent" in form.dataset) {
    event.preventDefault();
    return;
  }
  form.dataset.sent = "";
  form.setAttribute("aria-busy", "true");
  form.freeing = setTimeout(free, AGAIN_AFTER, form);
});

// A page that comes back from the browser's cache is as it was left.
addEventListener("pageshow", () => document.querySelectorAll("form[data-sent]").forEach(free));

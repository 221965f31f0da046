/* A member's settings come with the account: what it holds replaces what this browser has kept, and a change made here
   is stored there. Runs before the first paint, and before the page reads its settings. */
(() => {
  const KEY = "moonshot.settings";
  const address = document.currentScript.dataset.save;
  const held = JSON.parse(document.getElementById("account-settings").textContent);
  try {
    if (Object.keys(held).length) localStorage.setItem(KEY, JSON.stringify(held));
  } catch {
    // Storage is full or switched off: this page goes on with what is usual.
  }

  function save() {
    const token = document.querySelector("[name=csrfmiddlewaretoken]")?.value;
    const kept = localStorage.getItem(KEY);
    if (!token || !kept) return;
    fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRFToken": token },
      body: kept,
      keepalive: true,
    }).catch(() => {}); // offline: the next change takes this one along
  }

  document.addEventListener("change", (event) => {
    if (event.target.closest?.("[data-setting]")) setTimeout(save); // after the page has kept it
  });
})();

/* The text of a result: copied, or handed to whatever the phone shares with. Without this script it can be marked. */

const box = document.querySelector("[data-share]");

if (box) {
  const text = box.querySelector(".share-text");
  const copy = box.querySelector("[data-copy]");
  const send = box.querySelector("[data-send]");
  const said = box.querySelector("[data-said]");

  copy.hidden = false;
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text.textContent);
      said.textContent = copy.dataset.done;
    } catch {
      getSelection().selectAllChildren(text);
      said.textContent = copy.dataset.marked;
    }
  });

  if (navigator.share) {
    send.hidden = false;
    send.addEventListener("click", () => navigator.share({ text: text.textContent }).catch(() => {}));
  }
}

/* Applies the chosen theme before anything is painted, so that a dark page never flashes white.
   A classic script in the head; games/shared/settings.js keeps the same entry up to date. */
(function () {
  "use strict";
  try {
    var kept = JSON.parse(localStorage.getItem("moonshot.settings") || "{}");
    var root = document.documentElement;
    if (kept.theme === "light" || kept.theme === "dark") root.dataset.theme = kept.theme;
    if (kept.fourColours === false) root.dataset.colours = "two";
  } catch (error) {
    /* Storage may be switched off; the theme of the system then applies. */
  }
})();

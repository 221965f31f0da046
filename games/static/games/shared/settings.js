/* What a player has set for this browser: kept in localStorage, put on the root element for the style sheet. */

const KEY = "moonshot.settings";

const coarse = matchMedia("(pointer: coarse)");
export const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

const DEFAULTS = {
  confirm: null, // null: as the table suggests
  speed: 1,
  pause: 1.3,
  soundTurn: false,
  soundCards: false,
  soundTricks: false,
  vibrate: true,
  cardSize: "normal",
  fourColours: true,
  theme: "system",
};

export class Settings {
  constructor(boot) {
    // Where time runs, or others wait, one had better hear that one is asked.
    const others = boot.cpu.some((level, seat) => !level && seat !== boot.seat);
    this.suggested = { confirm: boot.guest || coarse.matches, soundTurn: boot.timer > 0 || others };
    if (boot.pace === 0) this.suggested = { ...this.suggested, speed: 0, pause: 0 };
    this.kept = read();
    this.listeners = [];
    this.#apply();
  }

  get(name) {
    return this.kept[name] ?? this.suggested[name] ?? DEFAULTS[name];
  }

  set(name, value) {
    this.kept[name] = value;
    try {
      localStorage.setItem(KEY, JSON.stringify(this.kept));
    } catch {
      // Storage is full or switched off: the setting holds for this page.
    }
    this.#apply();
    for (const listener of this.listeners) listener(name);
  }

  onChange(listener) {
    this.listeners.push(listener);
  }

  /** How fast cards move; 0 is not at all. */
  get speed() {
    return reducedMotion.matches ? 0 : this.get("speed");
  }

  #apply() {
    const { dataset } = document.documentElement;
    const theme = this.get("theme");
    if (theme === "system") delete dataset.theme;
    else dataset.theme = theme;
    if (this.get("fourColours")) delete dataset.colours;
    else dataset.colours = "two";
    dataset.cardSize = this.get("cardSize");
  }
}

function read() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return kept && typeof kept === "object" ? kept : {};
  } catch {
    return {};
  }
}

/** Ties the controls of the dialog to the settings; each names its setting in `data-setting`. */
export function wireSettings(dialog, settings) {
  for (const control of dialog.querySelectorAll("[data-setting]")) {
    const name = control.dataset.setting;
    const value = settings.get(name);
    const output = control.parentElement.querySelector("output");
    if (control.type === "checkbox") control.checked = Boolean(value);
    else control.value = String(value);
    const show = () => {
      if (output) output.textContent = control.value;
    };
    show();
    control.addEventListener("input", () => {
      show();
      if (control.type === "checkbox") settings.set(name, control.checked);
      else settings.set(name, control.type === "range" ? Number(control.value) : control.value);
    });
  }
}

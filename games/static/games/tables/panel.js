/* Questions that are not answered with a card: bid, blind nil, moon. They lie over the felt, where no trick is then. */

import { el, rebuild } from "../shared/dom.js";
import { isAsked } from "./prompt.js";
import { isNil, isPartner, number, otherName, say, score, seatName } from "../shared/text.js";

const { gettext, ngettext } = window;

/** Where keys begin: an ordinary bid, neither nil nor a boast. */
const FIRST_FOCUS = "3";

export class Panel {
  /** `on`: act(action), bid(number). */
  constructor(root, on) {
    this.root = root;
    this.on = on;
    this.typed = "";
    root.addEventListener("keydown", (event) => this.#key(event));
  }

  render(model) {
    const [key, build] = this.#what(model);
    this.root.hidden = key === null;
    this.root.dataset.what = key?.[0] ?? "";
    rebuild(this.root, key, () => (key === null ? [] : build()));
    if (key?.[0] === "bid") this.#markBid(model);
  }

  #what(model) {
    if (!isAsked(model)) return [null];
    const { ask } = model.view;
    if (ask.phase === "bid") return [["bid", ask.id], () => this.#bid(model)];
    if (ask.phase === "blind") return [["blind", ask.id], () => this.#blind()];
    if (ask.phase === "moon") return [["moon", ask.id], () => this.#moon(model)];
    return [null];
  }

  #button(text, listener, primary, focus) {
    return el("button", {
      type: "button",
      class: primary ? "button primary" : "button",
      onclick: listener,
      text,
      "data-focus": focus,
    });
  }

  #blind() {
    return [
      el("h2", { class: "panel-title", text: gettext("Bid nil without seeing your cards?") }),
      el("p", {
        class: "panel-text",
        text: gettext(
          "Take no trick: +200 points. Take one: −200. After the bidding you swap two cards with your partner.",
        ),
      }),
      el(
        "div",
        { class: "panel-actions" },
        this.#button(gettext("Bid blind nil"), () => this.on.act({ kind: "blind", blind: true }), false, "yes"),
        this.#button(gettext("No, show my cards"), () => this.on.act({ kind: "blind", blind: false }), true, "no"),
      ),
    ];
  }

  #moon({ view, boot }) {
    const seats = boot.names.map((_, seat) => seat);
    const choice = (name, title, action) => {
      const rows = seats.map((seat) =>
        el(
          "tr",
          { "data-own": seat === boot.seat },
          el("th", { scope: "row", text: seatName(boot, seat) }),
          el("td", { text: score(view.ask.tables[name][boot.sides[seat]], boot.score_sign) }),
        ),
      );
      return el(
        "div",
        { class: "moon-choice" },
        el("table", {}, el("caption", { text: title }), el("tbody", {}, ...rows)),
        this.#button(action, () => this.on.act({ kind: "moon", choice: name }), true, name),
      );
    };
    return [
      el(
        "div",
        { class: "moon-choices" },
        choice("add", gettext("Scores if the others get 26 points"), gettext("Add to the others")),
        choice("subtract", gettext("Scores if you lose 26 points"), gettext("Take off yours")),
      ),
    ];
  }

  /* --- bid --- */

  #bid({ view, boot, confirm }) {
    const buttons = view.ask.bids.map((bid) =>
      el("button", {
        type: "button",
        class: "bid-choice",
        onclick: () => this.on.bid(bid),
        "data-bid": bid,
        "data-focus": `bid-${bid}`,
        "aria-label":
          isNil(boot, bid) ? gettext("Nil: no trick at all") : say(ngettext("%(count)s trick", "%(count)s tricks", bid), { count: bid }),
        "aria-pressed": confirm ? "false" : null,
        text: isNil(boot, bid) ? gettext("Nil") : number(bid),
      }),
    );
    const others = boot.names.flatMap((_, seat) => (seat !== boot.seat && view.bids[seat] !== null ? [seat] : []));
    const lines = others.map((seat) => {
      const values = { name: otherName(boot, seat), bid: number(view.bids[seat]) };
      if (isNil(boot, view.bids[seat])) return say(gettext("%(name)s: nil"), values);
      return say(gettext("%(name)s: %(bid)s"), values);
    });
    return [
      el("div", { class: "bid-grid", role: "group", "aria-label": gettext("Your bid") }, ...buttons),
      el(
        "p",
        { class: "bid-others" },
        ...others.map((seat, i) => el("span", { "data-partner": isPartner(boot, seat), text: lines[i] })),
        others.length ? null : gettext("You bid first."),
      ),
    ];
  }

  #markBid(model) {
    for (const button of this.root.querySelectorAll("[data-bid]")) {
      const chosen = Number(button.dataset.bid) === model.bid;
      if (model.confirm) button.setAttribute("aria-pressed", String(chosen));
      button.tabIndex = chosen || (model.bid === null && button.dataset.bid === FIRST_FOCUS) ? 0 : -1;
    }
  }

  /** A digit: the bid of that number; 1 and another digit soon after it make 10 to 13. */
  typeBid(digit, model) {
    clearTimeout(this.typing);
    const text = this.typed === "1" && Number(digit) <= 3 ? `1${digit}` : digit;
    this.typed = text === "1" ? text : "";
    this.typing = setTimeout(() => (this.typed = ""), 900);
    const button = this.root.querySelector(`[data-bid="${text}"]`);
    button?.focus();
    if (button && model.confirm) this.on.bid(Number(text));
  }

  #key(event) {
    const button = event.target.closest("[data-bid]");
    if (!button) return;
    const buttons = [...this.root.querySelectorAll("[data-bid]")];
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };
    if (!(event.key in steps)) return;
    event.preventDefault();
    buttons[buttons.indexOf(button) + steps[event.key]]?.focus();
  }
}

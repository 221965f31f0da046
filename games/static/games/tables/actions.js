/* The buttons at the bottom, under the thumb: pass, swap, play, bid, call off, finish, take the seat back. */

import { el, rebuild } from "../shared/dom.js";
import { isAsked, isComplete, isStoodIn } from "./prompt.js";
import { cardName, cardShort, isNil, number, say } from "../shared/text.js";

const { gettext } = window;

export class Actions {
  /** `on`: give(), play(card), bid(number), callOff(), finish(), back(). */
  constructor(root, on) {
    this.root = root;
    this.on = on;
  }

  render(model) {
    const buttons = this.#buttons(model);
    rebuild(
      this.root,
      buttons.map(({ onclick, ...rest }) => rest),
      () => buttons.map((button) => this.#button(button)),
    );
  }

  #button({ name, text, label, keys, primary, enabled = true, onclick }) {
    return el("button", {
      type: "button",
      class: primary ? "button primary" : "button",
      "data-focus": name,
      "data-action": name,
      "aria-disabled": enabled ? null : "true",
      "aria-label": label,
      "aria-keyshortcuts": keys,
      onclick,
      text,
    });
  }

  #buttons(model) {
    if (isStoodIn(model)) {
      const text = model.backSent ? gettext("Taking your seat…") : gettext("I'm back");
      return [{ name: "back", text, primary: true, enabled: !model.backSent, onclick: () => this.on.back() }];
    }
    if (!isAsked(model)) return [];
    const { ask } = model.view;
    if (ask.phase === "pass" || ask.phase === "exchange") return this.#give(model, ask);
    if (ask.phase === "play" && ask.finish && !model.lifted) {
      return [{ name: "finish", text: gettext("Finish the deal…"), onclick: () => this.on.finish() }];
    }
    if (ask.phase === "play" && model.lifted) {
      const card = model.lifted;
      return [
        {
          name: "play",
          text: say(gettext("Play %(card)s"), { card: cardShort(card) }),
          label: say(gettext("Play the %(card)s"), { card: cardName(card) }),
          primary: true,
          onclick: () => this.on.play(card),
        },
      ];
    }
    if (ask.phase === "bid" && model.confirm) {
      const text =
        model.bid === null
          ? gettext("Choose your bid")
          : isNil(model.boot, model.bid)
            ? gettext("Bid nil")
            : say(gettext("Bid %(bid)s"), { bid: number(model.bid) });
      return [
        {
          name: "bid",
          text,
          primary: true,
          enabled: model.bid !== null,
          onclick: () => model.bid !== null && this.on.bid(model.bid),
        },
      ];
    }
    return [];
  }

  #give(model, ask) {
    const done = isComplete(model);
    const values = { chosen: number(model.chosen.size), count: number(ask.count) };
    const passing = ask.phase === "pass";
    const text = passing
      ? say(gettext("Pass %(chosen)s/%(count)s"), values)
      : say(gettext("Give %(chosen)s/%(count)s"), values);
    const buttons = [
      {
        name: "give",
        text: done ? (passing ? gettext("Pass") : gettext("Give")) : text,
        primary: true,
        enabled: done,
        keys: "Enter",
        onclick: () => this.on.give(),
      },
    ];
    if (ask.skip)
      buttons.unshift({ name: "skip", text: gettext("Call the deal off"), onclick: () => this.on.callOff() });
    return buttons;
  }
}

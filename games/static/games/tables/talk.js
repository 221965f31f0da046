/* What people say to each other and decide together: phrases, mutes, votes, leaving. Texts of phrases come with the page,
   since each reader has them in his own language. */

import { announce } from "./announce.js";
import { toggle } from "../shared/dialogs.js";
import { byId, el, icon, rebuild } from "../shared/dom.js";
import { list, number, presenceName, say, seatName } from "../shared/text.js";

const { gettext } = window;

const BUBBLE_MS = 4_500;
const ANSWER_MS = 900;
const GROUPS = {
  greeting: () => gettext("Greetings"),
  praise: () => gettext("Praise"),
  reply: () => gettext("Replies"),
  table: () => gettext("At the table"),
  parting: () => gettext("Parting"),
};

export class Talk {
  /** `send(type, keys)` sends a message; `rectOf(seat)` is where a seat is on the screen. */
  constructor(boot, { send, rectOf }) {
    this.boot = boot;
    this.send = send;
    this.rectOf = rectOf;
    this.phrases = new Map(boot.phrases.map((phrase) => [phrase.key, phrase.text]));
    this.mutes = new Set();
    this.standing = [];
    this.greeted = new Set(); // of "start" and "end"
    this.button = byId("open-talk");
    this.button.addEventListener("click", () => this.open());
    byId("talk-phrases").replaceChildren(...this.#phraseGroups());
    byId("greet").addEventListener("click", () => this.greet("start"));
  }

  get alone() {
    return this.boot.humans.filter(Boolean).length < 2;
  }

  open() {
    toggle("dialog-talk");
  }

  say(key) {
    this.send("say", { phrase: key });
    for (const [when, greeting] of Object.entries(this.boot.greetings)) if (greeting === key) this.greeted.add(when);
  }

  greet(when) {
    if (this.greeted.has(when)) return;
    this.say(this.boot.greetings[when]);
    byId("greet").hidden = true;
  }

  /** The button that offers the words of thanks beside the result. */
  thanks() {
    const text = this.phrases.get(this.boot.greetings.end);
    return el("button", {
      type: "button",
      class: "button quiet",
      id: "thanks",
      text,
      onclick: (event) => {
        this.greet("end");
        event.target.disabled = true;
      },
    });
  }

  /** A phrase from a seat: a bubble at its plate, a line in the log. */
  said({ seat, phrase }) {
    const text = this.phrases.get(phrase);
    if (text === undefined) return;
    this.#bubble(seat, text);
    announce(say(gettext("%(name)s: “%(phrase)s”"), { name: seatName(this.boot, seat), phrase: text }));
    const isGreeting = Object.values(this.boot.greetings).includes(phrase);
    if (isGreeting && seat === this.boot.seat) setTimeout(() => this.#cpusAnswer(text), ANSWER_MS);
  }

  muted({ seats }) {
    this.mutes = new Set(seats);
  }

  voted({ votes }, model) {
    const before = JSON.stringify(this.standing);
    this.standing = votes;
    if (JSON.stringify(votes) !== before) for (const vote of votes) announce(this.#voteText(vote));
    this.render(model);
  }

  render(model) {
    const { view, boot } = model;
    this.button.hidden = boot.seat === null;
    if (!view) return;
    const early = view.deal === 1 && view.tricks_taken.every((count) => count === 0);
    byId("greet").hidden = boot.seat === null || !early || this.greeted.has("start") || view.ply > 40;
    const facts = {
      presence: model.presence,
      mutes: [...this.mutes],
      standing: this.standing,
      over: view.phase === "over" || Boolean(model.ended),
      asked: view.asked,
    };
    rebuild(byId("talk-people"), facts, () => this.#people(facts));
    rebuild(byId("votes"), [this.standing, facts.over], () => (facts.over ? [] : this.#votes()));
  }

  #phraseGroups() {
    const groups = [...new Set(this.boot.phrases.map((phrase) => phrase.group))];
    return groups.map((group) =>
      el(
        "section",
        { class: "phrase-group" },
        el("h3", { text: GROUPS[group]() }),
        el(
          "div",
          { class: "phrases" },
          ...this.boot.phrases
            .filter((phrase) => phrase.group === group)
            .map((phrase) =>
              el("button", {
                type: "button",
                class: "phrase",
                "data-phrase": phrase.key,
                text: phrase.text,
                onclick: () => {
                  byId("dialog-talk").close();
                  this.say(phrase.key);
                },
              }),
            ),
        ),
      ),
    );
  }

  #people(facts) {
    const { boot } = this;
    const rows = boot.humans
      .map((human, seat) => ({ human, seat }))
      .filter(({ human, seat }) => human && seat !== boot.seat)
      .map(({ seat }) => this.#person(seat, facts));
    if (facts.over || boot.seat === null || this.alone) return rows;
    const own = this.standing.find((vote) => vote.about === "void");
    const voted = own?.seats.includes(boot.seat) ?? false;
    rows.push(
      el(
        "li",
        { class: "person-table" },
        el("button", {
          type: "button",
          class: "button",
          "data-vote": "void",
          "data-focus": "void",
          text: voted ? gettext("Take back: end without a result") : gettext("Vote to end without a result"),
          onclick: () => this.send("vote", { about: "void", target: null, on: !voted }),
        }),
        el("button", {
          type: "button",
          class: "button",
          "data-leave": true,
          "data-focus": "leave",
          text: gettext("Leave: a CPU plays on for me"),
          onclick: () => {
            byId("dialog-talk").close();
            this.send("leave", {});
          },
        }),
      ),
    );
    return rows;
  }

  #person(seat, facts) {
    const { boot } = this;
    const off = this.mutes.has(seat);
    const vote = this.standing.find((entry) => entry.about === "stand_in" && entry.target === seat);
    const voted = vote?.seats.includes(boot.seat) ?? false;
    const absent = !facts.over && !boot.timer && facts.presence[seat] === "away" && facts.asked.includes(seat);
    return el(
      "li",
      { class: "person", "data-seat": seat },
      el("span", { class: "person-name", text: boot.names[seat] }),
      el("span", { class: "person-presence", text: presenceName(facts.presence[seat] ?? "online") }),
      el(
        "span",
        { class: "person-actions" },
        el("button", {
          type: "button",
          class: "button",
          "aria-pressed": String(off),
          "data-mute": seat,
          "data-focus": `mute-${seat}`,
          text: off ? gettext("Hear again") : gettext("Mute"),
          onclick: () => this.send("mute", { seat, on: !off }),
        }),
        absent
          ? el("button", {
              type: "button",
              class: "button",
              "data-vote": "stand_in",
              "data-focus": `vote-${seat}`,
              text: voted ? gettext("Wait for them after all") : gettext("Vote for a CPU to play on"),
              onclick: () => this.send("vote", { about: "stand_in", target: seat, on: !voted }),
            })
          : null,
        boot.accounts[seat]
          ? el("a", {
              class: "button",
              "data-profile": seat,
              href: `${boot.players_at}${boot.accounts[seat]}/`,
              target: "_blank",
              text: gettext("Ratings"),
            })
          : null,
        this.#block(seat),
        el("a", {
          class: "button",
          href: `${boot.report}${seat}/`,
          text: gettext("Report…"),
        }),
      ),
    );
  }

  /** A form, since it leads to the list of those who are blocked. */
  #block(seat) {
    const form = byId("block-form").content.cloneNode(true);
    form.querySelector("[name=seat]").value = seat;
    return form;
  }

  #votes() {
    const { boot } = this;
    return this.standing.map((vote) => {
      const mine = vote.seats.includes(boot.seat);
      const own = vote.target === boot.seat;
      return el(
        "p",
        { class: "vote", "data-about": vote.about },
        icon("vote"),
        el("span", { text: this.#voteText(vote) }),
        own || boot.seat === null
          ? null
          : el("button", {
              type: "button",
              class: "button",
              "data-focus": `${vote.about}-${vote.target}`,
              text: mine ? gettext("Take back") : gettext("Agree"),
              onclick: () => this.send("vote", { about: vote.about, target: vote.target, on: !mine }),
            }),
      );
    });
  }

  #voteText(vote) {
    const names = list(vote.seats.map((seat) => seatName(this.boot, seat)));
    const values = { names, count: number(vote.seats.length), needed: number(vote.needed) };
    if (vote.about === "void") {
      return say(gettext("End without a result? %(names)s agreed, %(count)s of %(needed)s."), values);
    }
    return say(gettext("A CPU for %(name)s? %(names)s agreed, %(count)s of %(needed)s."), {
      ...values,
      name: seatName(this.boot, vote.target),
    });
  }

  #bubble(seat, text) {
    const plate = this.rectOf(seat);
    document.querySelector(`.bubble[data-seat="${seat}"]`)?.remove();
    const bubble = el("span", { class: "bubble", "aria-hidden": "true", "data-seat": seat, text });
    byId("main").append(bubble);
    const half = bubble.offsetWidth / 2 + 4;
    const x = Math.min(Math.max((plate.left + plate.right) / 2, half), innerWidth - half);
    const above = plate.top > bubble.offsetHeight + 56; // the header of the page
    bubble.style.left = `${x - half + 4}px`;
    bubble.style.top = `${above ? plate.top - bubble.offsetHeight - 4 : plate.bottom + 4}px`;
    setTimeout(() => bubble.remove(), BUBBLE_MS);
  }

  /** Computer players are polite, too. */
  #cpusAnswer(text) {
    this.boot.cpu.forEach((level, seat) => level && this.#bubble(seat, text));
  }
}

/* What a step of a replay is called: what happened, who did it and how long it took, and where in the game that is. */

import { sees } from "./replay_hands.js";
import { sentence } from "../tables/story.js";
import { cardNames, number, otherName, say } from "../shared/text.js";

const { gettext } = window;

/** What happened, with as much as is to be seen. `isShort`: without the scores, which stand beside it. */
export function stepText(step, { boot, who }, isShort = false) {
  const open = step.gave && step.seat !== boot.seat && sees(who, step.seat, boot);
  const own = boot.seat !== null && (who === "own" || who === "all") ? step.own?.[boot.seat] : undefined;
  const events = own ?? step.events;
  const isOver = events.some((event) => event.event === "game_over");
  const told = events.map((event) => {
    if (isShort && event.event === "deal_scored") {
      return isOver ? "" : say(gettext("Deal %(deal)s is scored."), { deal: number(event.score.deal) });
    }
    if (open && event.event === "answered") return withTimeout(event, givenText(step, boot));
    return sentence(event, boot);
  });
  return told.filter(Boolean).join(" ");
}

const withTimeout = (event, text) =>
  event.by === "timeout" ? say(gettext("Time is up, a CPU answers. %(text)s"), { text }) : text;

function givenText(step, boot) {
  const to = step.gave.to === boot.seat ? gettext("you") : otherName(boot, step.gave.to);
  return say(gettext("%(name)s passes %(cards)s to %(to)s."), {
    name: otherName(boot, step.seat),
    cards: cardNames(step.gave.cards),
    to,
  });
}

/** Who answered, where that is not the player himself, and the time from question to answer. */
export function tookText(step, { boot }) {
  if (step.took === undefined) return "";
  const time = timeText(step.took);
  if (step.cause === "timeout") return say(gettext("time was up after %(time)s"), { time });
  if (step.cause === "cpu") {
    if (boot.cpu[step.seat]) return say(gettext("CPU, %(time)s"), { time });
    return say(gettext("Stand-in, %(time)s"), { time });
  }
  return time;
}

function timeText(ms) {
  if (ms < 10_000) return say(gettext("%(seconds)s s"), { seconds: (ms / 1000).toFixed(1) });
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return say(gettext("%(seconds)s s"), { seconds: number(seconds) });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) {
    return say(gettext("%(minutes)s min %(seconds)s s"), { minutes: number(minutes), seconds: number(seconds % 60) });
  }
  return say(gettext("%(hours)s h %(minutes)s min"), {
    hours: number(Math.floor(minutes / 60)),
    minutes: number(minutes % 60),
  });
}

/** Where in the game: "Deal 3 · trick 5 · card 2". */
export function placeText({ place: [deal, trick, card] }) {
  if (deal === 0) return gettext("Before the first deal");
  if (trick === 0) return say(gettext("Deal %(deal)s · before the first trick"), { deal: number(deal) });
  return say(gettext("Deal %(deal)s · trick %(trick)s · card %(card)s"), {
    deal: number(deal),
    trick: number(trick),
    card: number(card),
  });
}

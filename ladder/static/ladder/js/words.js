/* What is said of the queue, in the reader's language. */

const { gettext, ngettext, interpolate } = window;
const say = (sentence, values) => interpolate(sentence, values, true);

/** 0:42 */
export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** A usual wait, rounded to what is worth saying. */
export function usualWait(seconds) {
  if (seconds === null) return "–";
  if (seconds < 55) return say(gettext("%(seconds)s s"), { seconds: Math.max(10, Math.ceil(seconds / 10) * 10) });
  return say(gettext("%(minutes)s min"), { minutes: Math.ceil(seconds / 60) });
}

/** How far away the others' ratings may be. */
export const reach = (wide) =>
  wide === null
    ? gettext("Among players of every rating")
    : say(gettext("Among ratings up to %(points)s away"), { points: wide });

export const partner = (name) => say(gettext("With %(name)s as your partner"), { name });

/** Why somebody may not queue. */
export function barred(bar) {
  switch (bar?.code) {
    case "sign_up":
      return gettext("Ranked games are for players with an account. What you have played as a guest stays yours.");
    case "too_few_games":
      return say(gettext("Finish %(needed)s games of any sort first. So far: %(done)s of %(needed)s."), {
        needed: bar.needed,
        done: bar.games,
      });
    case "locked": {
      const until = new Date(bar.until);
      const isToday = until.toDateString() === new Date().toDateString();
      const form = isToday ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" };
      const time = new Intl.DateTimeFormat(document.documentElement.lang, form).format(until);
      return say(gettext("You have left ranked games, so you have to wait until %(time)s."), { time });
    }
    case "running":
      return gettext("Your ranked game goes on.");
    default:
      return "";
  }
}

const REFUSED = {
  closed: () => gettext("This ladder is closed just now."),
  unknown_ladder: () => gettext("This ladder is not there any more."),
  waiting: () => gettext("You are searching already."),
  not_waiting: () => gettext("The search has ended."),
  checking: () => gettext("A table is being made; answer that first."),
  no_check: () => gettext("Too late: the table was not made."),
  no_pairs: () => gettext("This game has no partners."),
  yourself: () => gettext("That is yourself."),
  not_found: () => gettext("Nobody of this name can be asked."),
  declined: () => gettext("This player does not want to just now."),
  too_far_apart: () => gettext("Your ratings are more than 400 apart."),
  no_invite: () => gettext("The invitation has run out."),
  partner_cannot: () => gettext("The other one cannot play ranked games just now."),
  too_fast: () => gettext("That was too fast. Try it again in a second."),
  unavailable: () => gettext("That could not be stored just now. Try it again in a moment."),
};

/** Why something was not done. */
export const refused = (message) => REFUSED[message.code]?.() ?? barred(message);

export const noLine = () => gettext("There is no connection just now. It is being tried again…");
export const missed = () => gettext("You did not answer in time, so your search has ended.");
export const othersMissed = () => gettext("Not everybody was ready. You keep your place, and the search goes on.");
export const lost = () => gettext("The search has ended.");
export const partnerLeft = () => gettext("Your partner has left the search. It goes on for you alone.");

export const invitedBy = (name, game) =>
  say(gettext("%(name)s wants to play ranked %(game)s as your partner."), { name, game });
export const asked = (name) => say(gettext("%(name)s has been asked."), { name });
export const said = (name) => say(gettext("%(name)s does not want to just now."), { name });
export const accept = () => gettext("Play together");
export const refuse = () => gettext("No, thanks");
export const takeBack = () => gettext("Take it back");

/** For the dialog: which game, and whether a CPU has a seat. */
export const tableOf = (kind, hasCpu) =>
  hasCpu
    ? say(gettext("Ranked %(game)s with a CPU in the fourth seat."), { game: kind })
    : say(gettext("Ranked %(game)s, four people."), { game: kind });

export const others = (ready, of) =>
  say(ngettext("%(ready)s of %(of)s is ready", "%(ready)s of %(of)s are ready", ready), { ready, of });

export const calls = () => gettext("● A table is ready");

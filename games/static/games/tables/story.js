/* Events to sentences: what is announced to screen readers and written in the log, one full sentence each. */

import { endedText } from "./sheet.js";
import { cardName, cardNames, giver, isNil, joined, otherName, receiver, say, score, seatNames, sideName } from "../shared/text.js";

const { gettext, ngettext } = window;

/** Two versions of a sentence: the player's own, and somebody else's with %(name)s. */
function told(boot, seat, own, other, values = {}) {
  if (seat === boot.seat) return say(own, values);
  return say(other, { name: otherName(boot, seat), ...values });
}

const SENTENCES = {
  opened: (event, boot) => told(boot, event.dealer, gettext("You deal first."), gettext("%(name)s deals first.")),

  dealt(event, boot) {
    if (event.direction === "hold") {
      return say(gettext("Deal %(deal)s is dealt. Nobody passes in this deal."), { deal: event.deal });
    }
    const to = boot.seat === null ? null : receiver(event.direction, boot.seat, boot.players);
    if (to === null) return say(gettext("Deal %(deal)s is dealt."), { deal: event.deal });
    return say(gettext("Deal %(deal)s is dealt. You pass to %(name)s."), {
      deal: event.deal,
      name: otherName(boot, to),
    });
  },

  called_off: (event, boot) =>
    told(
      boot,
      event.seat,
      gettext("You call the deal off. New cards are dealt."),
      gettext("%(name)s calls the deal off. New cards are dealt."),
    ),

  answered(event, boot) {
    if (event.phase === "blind") {
      return told(
        boot,
        event.seat,
        gettext("You have decided on blind nil."),
        gettext("%(name)s has decided on blind nil."),
      );
    }
    if (event.cards) {
      const own = event.phase === "exchange" ? gettext("You give %(cards)s.") : gettext("You pass %(cards)s.");
      return say(own, { cards: cardNames(event.cards) });
    }
    return told(boot, event.seat, gettext("You have chosen your cards."), gettext("%(name)s has chosen cards."));
  },

  handed_over(event, boot) {
    if (event.received) {
      const from =
        event.phase === "exchange"
          ? (boot.seat + boot.players / 2) % boot.players
          : giver(event.direction, boot.seat, boot.players);
      return say(gettext("%(name)s gives you %(cards)s."), {
        name: otherName(boot, from),
        cards: cardNames(event.received),
      });
    }
    return event.phase === "exchange"
      ? gettext("The partners have swapped their cards.")
      : gettext("The cards are passed.");
  },

  blind_shown(event, boot) {
    const blind = event.blinds.flatMap((answer, seat) => (answer ? [seat] : []));
    if (blind.length === 0) return gettext("Nobody bids nil blind.");
    return say(gettext("Blind nil: %(names)s."), { names: seatNames(boot, blind) });
  },

  hand_shown: () => gettext("You see your cards now."),

  bid(event, boot) {
    if (isNil(boot, event.bid)) return told(boot, event.seat, gettext("You bid nil."), gettext("%(name)s bids nil."));
    return told(
      boot,
      event.seat,
      ngettext("You bid %(bid)s trick.", "You bid %(bid)s tricks.", event.bid),
      ngettext("%(name)s bids %(bid)s trick.", "%(name)s bids %(bid)s tricks.", event.bid),
      { bid: event.bid },
    );
  },

  played: (event, boot) =>
    told(boot, event.seat, gettext("You play the %(card)s."), gettext("%(name)s plays the %(card)s."), {
      card: cardName(event.card),
    }),

  broken: (event, boot) => boot.traits.broken,

  trick_taken: (event, boot) =>
    told(boot, event.seat, gettext("You take the trick."), gettext("%(name)s takes the trick.")),

  kitty_taken(event, boot) {
    if (event.cards) return say(gettext("You take the kitty: %(cards)s."), { cards: cardNames(event.cards) });
    return told(boot, event.seat, gettext("You take the kitty."), gettext("%(name)s takes the kitty."));
  },

  finished(event, boot) {
    if (event.cards?.length) {
      return told(
        boot,
        event.seat,
        gettext("You show %(cards)s and take every trick that is left."),
        gettext("%(name)s shows %(cards)s and takes every trick that is left."),
        { cards: cardNames(event.cards) },
      );
    }
    return told(boot, event.seat, gettext("You finish the deal."), gettext("%(name)s finishes the deal."));
  },

  moon_shot: (event, boot) =>
    told(
      boot,
      event.seat,
      gettext("You have shot the moon!"),
      gettext("%(name)s has shot the moon and chooses how it counts."),
    ),

  moon_chosen(event, boot) {
    if (event.choice === "add") {
      return told(
        boot,
        event.seat,
        gettext("You add 26 points to the others."),
        gettext("%(name)s adds 26 points to the others."),
      );
    }
    return told(
      boot,
      event.seat,
      gettext("You take 26 points off your own score."),
      gettext("%(name)s takes 26 points off instead."),
    );
  },

  deal_scored(event, boot) {
    const totals = event.score.scores.map((total, side) =>
      say(gettext("%(name)s: %(score)s."), { name: sideName(boot, side), score: score(total, boot.score_sign) }),
    );
    return joined([say(gettext("Deal %(deal)s is scored."), { deal: event.score.deal }), ...totals]);
  },

  stand_in(event, boot) {
    if (event.by === "leave") {
      return told(
        boot,
        event.seat,
        gettext("You have left. A CPU plays for you until you are back."),
        gettext("%(name)s has left. A CPU plays on in that seat."),
      );
    }
    if (event.by === "vote") {
      return told(
        boot,
        event.seat,
        gettext("The others have voted for a CPU to play for you until you are back."),
        gettext("By vote, a CPU plays on for %(name)s."),
      );
    }
    return told(
      boot,
      event.seat,
      gettext("You were away. A CPU plays for you until you are back."),
      gettext("%(name)s is away. A CPU plays on in that seat."),
    );
  },

  back: (event, boot) => told(boot, event.seat, gettext("You are back."), gettext("%(name)s is back.")),

  outage: () => gettext("The site was down for a moment. The time is given back."),

  void: (event, boot) =>
    event.reason === "absent"
      ? told(
          boot,
          event.seat,
          gettext("You have not played at all, so the game ends without a result. You count as having abandoned it."),
          gettext("%(name)s has not played at all, so the game ends without a result."),
        )
      : joined([gettext("The game ends without a result."), endedText(event.reason)]),

  game_over(event, boot) {
    const first = event.result.placings.flatMap((place, seat) => (place === 1 ? [seat] : []));
    if (first.length === 1 && first[0] === boot.seat) return gettext("The game is over. You win!");
    return say(gettext("The game is over. First place: %(names)s."), { names: seatNames(boot, first) });
  },
};

export const EVENT_KINDS = Object.keys(SENTENCES);

/** The sentence of an event; empty for a kind that this page does not know. */
export function sentence(event, boot) {
  if (!(event.event in SENTENCES)) return "";
  const text = SENTENCES[event.event](event, boot);
  return event.by === "timeout" ? say(gettext("Time is up, a CPU answers. %(text)s"), { text }) : text;
}

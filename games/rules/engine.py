"""The skeleton of a trick game with a dealer: phases, turns, tricks and the log. `Answers` are what a kind says.

Everything is a pure function of options and state; chance comes in as the actions `open` (who deals first) and `deal`
(the pack). `Rules.apply` is the only way from one state to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import ClassVar, TypeVar

from games.rules.answers import Answers
from games.rules.cards import BY_RANK, DECK, in_order
from games.rules.refusals import Refused
from games.rules.state import Action, Due, Result, State, Trick, evolve

#: The kinds of action that each phase takes.
ANSWERS: dict[str, tuple[str, ...]] = {
    "open": ("open",),
    "deal": ("deal",),
    "pass": ("pass", "skip"),
    "blind": ("blind",),
    "bid": ("bid",),
    "exchange": ("exchange",),
    "play": ("play", "finish"),
    "moon": ("moon",),
    "over": (),
}

#: Phases in which several seats answer the same question in any order, unseen until all have.
SIMULTANEOUS = ("pass", "blind", "exchange")

T = TypeVar("T")

#: Values, so the common ones are made once: by seat, then by card or bid; by phase, then by seat.
_PLAYS = [{card: Action("play", seat, card=card) for card in DECK} for seat in range(7)]
_BIDS = [tuple(Action("bid", seat, bid=bid) for bid in range(14)) for seat in range(7)]


_TURNS = {phase: [Due(phase, (seat,)) for seat in range(7)] for phase in ANSWERS}
_NOBODY = {phase: Due(phase) for phase in ANSWERS}


class Rules(Answers):
    """The rules of one kind for a number of players and a set of options. States hold everything that moves.

    A kind's constructor sets the facts that `Answers` declares.
    """

    _latest: tuple[State | None, Sequence[str]] = (None, ())

    # --- the questions a table asks -------------------------------------------------------------------------------

    def start(self) -> State:
        """The state before the first action, which is `open`."""
        none = (None,) * self.players
        return State(
            hands=((),) * self.players,
            given=none,
            skipped=(False,) * self.players,
            blinds=none,
            bids=none,
            scores=(0,) * self.sides,
            bags=self.first_bags(),
        )

    def due(self, state: State) -> Due:
        """Who has to act now."""
        if state.phase in SIMULTANEOUS:
            answers = state.blinds if state.phase == "blind" else state.given
            return Due(state.phase, tuple(seat for seat in self.asked_together(state) if answers[seat] is None))
        return _NOBODY[state.phase] if state.turn is None else _TURNS[state.phase][state.turn]

    def next_deal(self, state: State) -> tuple[int, int, int]:
        """Number, attempt and dealer of the deal that is due in phase `deal`.

        The deal moves left, unless it was called off.
        """
        if len(state.sheet) < state.deal:
            return state.deal, state.attempt, state.dealer
        return state.deal + 1, 0, (state.dealer + 1) % self.players

    def ask_id(self, state: State, seat: int) -> str | None:
        """The name of the question this seat has to answer, `<deal>.<attempt>.<phase>.<n>`, or None.

        `n` is the trick in play, the place in bidding, else 0. The name stays when another seat answers the same
        question.
        """
        if seat not in self.due(state).seats:
            return None
        n = 0
        if state.phase == "play":
            n = len(state.tricks) + 1
        elif state.phase == "bid":
            n = (seat - state.dealer - 1) % self.players + 1
        return f"{state.deal}.{state.attempt}.{state.phase}.{n}"

    def check(self, state: State, action: Action) -> None:
        """Returns if `apply` would accept the action; raises Refused with the reason if not."""
        phase, kind, seat = state.phase, action.kind, action.seat
        if kind not in ANSWERS[phase]:
            raise Refused("game_over") if phase == "over" else Refused("wrong_phase", phase=phase)
        if seat is None:
            if phase not in ("open", "deal"):
                raise Refused("no_such_seat")
        elif phase in ("open", "deal"):
            raise Refused("bad_action", field="seat")
        elif not 0 <= seat < self.players:
            raise Refused("no_such_seat")
        elif phase in SIMULTANEOUS:
            if seat not in self.asked_together(state):
                raise Refused("not_your_turn")
            if (state.blinds if phase == "blind" else state.given)[seat] is not None:
                raise Refused("already_answered")
        elif seat != state.turn:
            raise Refused("not_your_turn")
        self._CHECKS[kind](self, state, action, -1 if seat is None else seat)

    def legal_actions(self, state: State, seat: int) -> tuple[Action, ...]:
        """Everything this seat may do now, in a fixed order; empty if it is not asked.

        The dealer's actions are not listed.
        """
        if state.phase == "play":
            if seat != state.turn:
                return ()
            plays = _PLAYS[seat]
            actions = [plays[card] for card in self._legal(state)]
            finish = self.finish(state)
            return tuple(actions) if finish is None else (*actions, finish)
        if seat not in self.due(state).seats:
            return ()
        if state.phase in ("pass", "exchange"):
            kind = state.phase
            given = [Action(kind, seat, cards=cards) for cards in combinations(state.hands[seat], self.cards_given)]
            if kind == "pass" and self.may_skip(state, seat):
                given.append(Action("skip", seat))
            return tuple(given)
        if state.phase == "blind":
            return (Action("blind", seat, blind=False), Action("blind", seat, blind=True))
        if state.phase == "bid":
            return _BIDS[seat][: len(self.bids)]
        return (Action("moon", seat, choice="add"), Action("moon", seat, choice="subtract"))

    def apply(self, state: State, action: Action) -> State:
        """The state after the action; raises Refused, and then nothing has changed."""
        self.check(state, action)
        seat = -1 if action.seat is None else action.seat
        return self._STEPS[action.kind](self, state, action, seat)

    def default_action(self, state: State, seat: int) -> Action:
        """What the clock plays for a seat that is asked: always legal, never calls off or ends a deal."""
        if seat not in self.due(state).seats:
            raise Refused("not_your_turn")
        phase, hand = state.phase, state.hands[seat]
        by_rank = sorted(hand, key=BY_RANK.__getitem__)
        if phase == "play":
            return _PLAYS[seat][min(self.legal_cards(state), key=BY_RANK.__getitem__)]
        if phase == "pass":
            return Action("pass", seat, cards=in_order(by_rank[-self.cards_given :]))
        if phase == "exchange":
            return Action("exchange", seat, cards=in_order(by_rank[: self.cards_given]))
        if phase == "blind":
            return Action("blind", seat, blind=False)
        if phase == "bid":
            return Action("bid", seat, bid=max(1, sum(card[0] in "AK" for card in hand)))
        return Action("moon", seat, choice=self.default_moon(state))

    def finish(self, state: State) -> Action | None:
        """The action by which the seat on lead may end the deal now, or None."""
        if state.phase != "play" or state.trick or not self.is_decided(state):
            return None
        return Action("finish", state.mover, cards=state.hands[state.mover] if self.finish_shows_hand else ())

    def barred(self, state: State, seat: int) -> dict[str, str]:
        """Each card that the seat on turn may not play now, with the code of the first rule that bars it."""
        reasons: dict[str, str] = {}
        if state.phase == "play" and seat == state.turn:
            self.legal_cards(state, reasons)
        return reasons

    def result(self, state: State) -> Result | None:
        """Places, scores and the reason, or None while the game goes on."""
        if state.reason is None:
            return None
        places = self.places(state.scores)
        return Result(tuple(places[self.side(seat)] for seat in range(self.players)), state.scores, state.reason)

    def _legal(self, state: State) -> Sequence[str]:
        """The legal cards of a state, remembered for the last one: who lists them mostly plays one of them next."""
        known, cards = self._latest
        if known is not state:
            cards = self.legal_cards(state)
            self._latest = state, cards
        return cards

    # --- checks: one for each kind of action; phase and seat have been looked at ------------------------------------

    def _check_open(self, state: State, action: Action, seat: int) -> None:
        if action.dealer is None or not 0 <= action.dealer < self.players:
            raise Refused("no_such_seat")

    def _check_deal(self, state: State, action: Action, seat: int) -> None:
        if len(action.pack) != len(self.deck) or set(action.pack) != set(self.deck):
            raise Refused("bad_pack", count=len(self.deck))

    def _check_given(self, state: State, action: Action, seat: int) -> None:
        if len(action.cards) != self.cards_given:
            raise Refused("wrong_count", count=self.cards_given)
        hand = state.hands[seat]
        for place, card in enumerate(action.cards):
            if card not in hand:
                raise Refused("not_in_hand", card=card)
            if card in action.cards[:place]:
                raise Refused("same_card_twice", card=card)

    def _check_skip(self, state: State, action: Action, seat: int) -> None:
        if not self.may_skip(state, seat):
            raise Refused("no_skip_right")

    def _check_blind(self, state: State, action: Action, seat: int) -> None:
        if action.blind is None:
            raise Refused("bad_action", field="blind")

    def _check_bid(self, state: State, action: Action, seat: int) -> None:
        if action.bid is None or action.bid not in self.bids:
            raise Refused("bid_out_of_range")

    def _check_play(self, state: State, action: Action, seat: int) -> None:
        card = action.card
        if card in self._legal(state):
            return
        if card is None or card not in state.hands[seat]:
            raise Refused("not_in_hand", card=card)
        code = self.barred(state, seat)[card]
        if code == "must_follow_suit":
            raise Refused(code, suit=state.trick[0][1])
        if code == "must_lead_opening_card":
            raise Refused(code, card=self.legal_cards(state)[0])
        raise Refused(code)

    def _check_moon(self, state: State, action: Action, seat: int) -> None:
        if action.choice not in ("add", "subtract"):
            raise Refused("bad_action", field="choice")

    def _check_finish(self, state: State, action: Action, seat: int) -> None:
        finish = self.finish(state)
        if finish is None:
            raise Refused("not_decided")
        if len(action.cards) != len(finish.cards) or set(action.cards) != set(finish.cards):
            raise Refused("wrong_proof")

    # --- steps: one for each kind of action, already checked ----------------------------------------------------------

    def _open(self, state: State, action: Action, seat: int) -> State:
        return evolve(state, ply=state.ply + 1, phase="deal", dealer=action.dealer)

    def _deal(self, state: State, action: Action, seat: int) -> State:
        deal, attempt, dealer = self.next_deal(state)
        n, size, first = self.players, self.hand_size, dealer + 1
        dealt = action.pack[: n * size]
        none = (None,) * n
        return self.after_deal(
            evolve(
                state,
                ply=state.ply + 1,
                deal=deal,
                attempt=attempt,
                dealer=dealer,
                hands=tuple(in_order(dealt[(seat - first) % n :: n]) for seat in range(n)),
                kitty=in_order(action.pack[n * size :]),
                kitty_taker=None,
                given=none,
                blinds=none,
                bids=none,
                turn=None,
                leader=None,
                trick=(),
                tricks=(),
                broken=False,
                finisher=None,
            )
        )

    def _skip(self, state: State, action: Action, seat: int) -> State:
        return evolve(
            state,
            ply=state.ply + 1,
            phase="deal",
            attempt=state.attempt + 1,
            skipped=_put(state.skipped, seat, True),
            given=(None,) * self.players,
        )

    def _give(self, state: State, action: Action, seat: int) -> State:
        given = _put(state.given, seat, in_order(action.cards))
        after = evolve(state, ply=state.ply + 1, given=given)
        if self.due(after).seats:
            return after
        hands = list(state.hands)
        for other in self.asked_together(state):
            received = given[self.giver(state, other)] or ()
            kept = [card for card in state.hands[other] if card not in (given[other] or ())]
            hands[other] = in_order([*kept, *received])
        return self.begin_play(evolve(after, hands=tuple(hands)))

    def _blind(self, state: State, action: Action, seat: int) -> State:
        after = evolve(state, ply=state.ply + 1, blinds=_put(state.blinds, seat, action.blind))
        if self.due(after).seats:
            return after
        bids = tuple(0 if blind else None for blind in after.blinds)
        return self._next_bidder(evolve(after, phase="bid", bids=bids), state.dealer + 1)

    def _bid(self, state: State, action: Action, seat: int) -> State:
        after = evolve(state, ply=state.ply + 1, bids=_put(state.bids, seat, action.bid))
        return self._next_bidder(after, seat + 1)

    def _next_bidder(self, state: State, first: int) -> State:
        for seat in range(first, first + self.players):
            if state.bids[seat % self.players] is None:
                return evolve(state, turn=seat % self.players)
        return self.after_bids(evolve(state, turn=None))

    def begin_play(self, state: State) -> State:
        """Opens trick one; every hand is what it will be played from."""
        opener = self.opener(state)
        return evolve(state, phase="play", leader=opener, turn=opener)

    def _play(self, state: State, action: Action, seat: int) -> State:
        card, n = action.card, self.players
        assert card is not None
        hands, trick = state.hands, (*state.trick, card)
        hand = hands[seat]
        place = hand.index(card)
        hands = (*hands[:seat], hand[:place] + hand[place + 1 :], *hands[seat + 1 :])
        broken = state.broken or self.breaks(state, card)
        if len(trick) < n:
            return evolve(state, ply=state.ply + 1, hands=hands, trick=trick, broken=broken, turn=(seat + 1) % n)
        leader = state.leader
        assert leader is not None
        winner = self.winner(leader, trick)
        after = evolve(
            state,
            ply=state.ply + 1,
            hands=hands,
            trick=(),
            broken=broken,
            tricks=(*state.tricks, Trick(leader, trick, winner)),
            leader=winner,
            turn=winner,
            kitty_taker=winner if state.kitty and not state.tricks else state.kitty_taker,
        )
        return after if hands[winner] else self.after_play(after)

    def _moon(self, state: State, action: Action, seat: int) -> State:
        return self.close_deal(evolve(state, ply=state.ply + 1), action.choice)

    def _finish(self, state: State, action: Action, seat: int) -> State:
        return self.after_play(evolve(state, ply=state.ply + 1, finisher=seat))

    def close_deal(self, state: State, choice: str | None = None) -> State:
        """Scores the deal and ends the game or moves on to the next deal. `choice` is a moon's, add or subtract."""
        row = self.score(state, choice)
        reason, extra_deals = self.end(row.scores, state)
        return evolve(
            state,
            turn=None,
            leader=None,
            scores=row.scores,
            bags=row.bags,
            extra_deals=extra_deals,
            sheet=(*state.sheet, row),
            reason=reason,
            phase="over" if reason else "deal",
        )

    _CHECKS: ClassVar[dict[str, Callable[[Rules, State, Action, int], None]]] = {
        "open": _check_open,
        "deal": _check_deal,
        "skip": _check_skip,
        "pass": _check_given,
        "blind": _check_blind,
        "bid": _check_bid,
        "exchange": _check_given,
        "play": _check_play,
        "moon": _check_moon,
        "finish": _check_finish,
    }
    _STEPS: ClassVar[dict[str, Callable[[Rules, State, Action, int], State]]] = {
        "open": _open,
        "deal": _deal,
        "skip": _skip,
        "pass": _give,
        "blind": _blind,
        "bid": _bid,
        "exchange": _give,
        "play": _play,
        "moon": _moon,
        "finish": _finish,
    }


def _put(row: tuple[T, ...], place: int, value: T) -> tuple[T, ...]:
    return (*row[:place], value, *row[place + 1 :])

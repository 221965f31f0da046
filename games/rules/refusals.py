"""Why something is not accepted: a closed list of codes. Sentences are written where the language is known."""

#: code: what it means to a developer. `Refused` accepts no other code.
CODES: dict[str, str] = {
    # options, kinds and presets
    "unknown_kind": "no game of that name; `field` is kind",
    "bad_players": "the kind is not played by that number; `field` is players",
    "unknown_option": "the kind has no option of that name; `field` names it",
    "bad_type": "the value has the wrong JSON type; `field` names it",
    "bad_value": "the value is not among those allowed; `field` names it",
    "bad_combination": "the option does not go with another one; `field` names it, `other` the other",
    # the form of an action
    "bad_action": "not an action: unknown kind, or a key missing, unknown or of the wrong type; `field` names it",
    "unknown_card": "not the text of a card; `field` names the key",
    "no_such_seat": "no seat of that number at this table",
    # when and who
    "game_over": "the game has ended",
    "wrong_phase": "nobody is asked for such an action now; `phase` says what is asked",
    "not_your_turn": "another seat is asked",
    "already_answered": "this seat has answered the question that all are asked",
    # what
    "bad_pack": "a pack holds each card of this table once",
    "not_in_hand": "the seat does not hold the card; `card` names it",
    "wrong_count": "not the number of cards that is asked for; `count` says how many",
    "same_card_twice": "a card is named twice; `card` names it",
    "bid_out_of_range": "a bid is a whole number from 0 to 13",
    "no_skip_right": "this deal cannot be called off by this seat: option, attempt, or the right is spent",
    "must_lead_opening_card": "the first lead of the deal is one certain card; `card` names it",
    "must_follow_suit": "a card of the led suit is held; `suit` names the suit",
    "hearts_not_broken": "hearts may not be led yet",
    "hearts_held_back": "no heart may be played before hearts are broken",
    "no_points_first_trick": "point cards are barred from trick one",
    "spades_not_broken": "spades may not be led yet",
    "not_decided": "the deal is not decided, so it cannot be finished early",
    "wrong_proof": "the cards shown are not the whole hand",
}


#: Longest part of a name that is echoed in an answer.
MOST_ECHOED = 64


def echoed(name: object) -> str:
    """A name from outside, cut so that an answer stays short."""
    return str(name)[:MOST_ECHOED]


class Refused(Exception):
    """Something was not accepted. `code` is one of `CODES`; `details` are JSON values that fill its sentence."""

    def __init__(self, code: str, **details: object) -> None:
        if code not in CODES:
            raise ValueError(f"not a refusal code: {code}")
        super().__init__(code)
        self.code = code
        self.details = details

    def to_json(self) -> dict[str, object]:
        return {"code": self.code, **self.details}

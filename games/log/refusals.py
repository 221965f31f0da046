"""Why the site, rather than the rules, does not accept something."""

from __future__ import annotations

#: code: what it means to a developer. The rules have codes of their own in `games.rules.refusals`.
CODES: dict[str, str] = {
    "stale": "the question is no longer asked, or not yet",
    "id_reused": "the seat has used this id for another action",
    "busy": "others moved in between every time; ask again",
    "opening": "the cards are still being prepared",
    "bad_nonce": "a nonce is 1 to 32 bytes in hex",
    "nonce_given": "the seat has given another nonce; it cannot be changed",
    "nonce_late": "the cards are dealt, or about to be",
    "stood_in": "a CPU has the seat; take it back first",
    "not_seated": "a spectator cannot act",
    "no_vote": "there is nothing to vote on, or not yet",
    "void_limit": "this player has ended as many games without a result today as may be",
    "nobody_there": "nobody sits there whom that could be about",
    "nobody_left": "the last player who is there cannot leave; the game waits",
    "muted": "an administrator has muted this player: nobody is told what he says",
    "too_chatty": "several phrases in a few seconds; wait a moment",
    "unknown_phrase": "not one of the phrases",
    "no_rematch": "the game is not over, or the others have to be asked",
    "party_changed": "the rules or the seats of the party have changed; it is agreed to at the party's page",
    "too_fast": "more than ten messages a second; send it again in a second with the same id",
    "unavailable": "the move could not be stored just now; send it again with the same id",
}


class Rejected(Exception):
    """The site did not accept something. `code` is one of `CODES`."""

    def __init__(self, code: str) -> None:
        if code not in CODES:
            raise ValueError(f"not a code: {code}")
        super().__init__(code)
        self.code = code

    def to_json(self) -> dict[str, object]:
        return {"code": self.code}

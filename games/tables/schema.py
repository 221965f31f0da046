"""Every message that goes out, as JSON Schema. `games.tables.protocol` builds them; tests hold the two together."""

from __future__ import annotations

from typing import Any

from games.kinds import NAMES
from games.log import refusals
from games.rules import CODES, REASONS
from games.rules.engine import ANSWERS
from games.tables import phrases

Schema = dict[str, Any]

_INT: Schema = {"type": "integer"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_SEAT: Schema = {"type": "integer", "minimum": 0, "maximum": 6}
_BOOL: Schema = {"type": "boolean"}
_TEXT: Schema = {"type": "string"}
_NULL: Schema = {"type": "null"}
_CARD: Schema = {"type": "string", "pattern": "^[2-9TJQKA][CDHS]$"}


def _either(*schemas: Schema) -> Schema:
    return {"anyOf": list(schemas)}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _among(*values: str) -> Schema:
    return {"enum": list(values)}


def _object(keys: dict[str, Schema], *, optional: tuple[str, ...] = ()) -> Schema:
    """An object with these keys, all of them but the optional ones, and no others."""
    required = [key for key in keys if key not in optional]
    return {"type": "object", "properties": keys, "required": required, "additionalProperties": False}


def _message(name: str, keys: dict[str, Schema], *, optional: tuple[str, ...] = ()) -> Schema:
    return _object({"type": {"const": name}, **keys}, optional=optional)


def _event(name: str, seat: Schema, keys: dict[str, Schema], *, optional: tuple[str, ...] = ()) -> Schema:
    return _object({"event": {"const": name}, "seat": seat, "ply": _COUNT, **keys}, optional=optional)


_CARDS = _list(_CARD)
_RATING: Schema = {"type": "string", "pattern": r"^\d{1,5}\??$"}
_HIDDEN = _either(_CARDS, _NULL)  # null to those who may not see them
_SEAT_OR_NONE = _either(_SEAT, _NULL)
_DIRECTION = _either(_among("left", "right", "across", "opponent", "hold"), _NULL)
_LINE = _object({"side": _SEAT, "what": _TEXT, "amount": _INT, "seat": _SEAT_OR_NONE})
_ROW = _object(
    {"deal": _COUNT, "lines": _list(_LINE), "change": _list(_INT), "scores": _list(_INT), "bags": _list(_INT)}
)
_RESULT = _object({"placings": _list(_COUNT), "scores": _list(_INT), "reason": _among(*REASONS)})
_TRICK = _object({"leader": _SEAT, "cards": _CARDS, "winner": _SEAT})
_ASK = _object(
    {
        "id": _TEXT,
        "phase": _among(*ANSWERS),
        "count": _COUNT,
        "cards": _CARDS,
        "barred": {"type": "object", "propertyNames": _CARD, "additionalProperties": _among(*CODES)},
        "bids": _list(_COUNT),
        "skip": _BOOL,
        "finish": _HIDDEN,
        "tables": {"type": "object", "propertyNames": _among("add", "subtract"), "additionalProperties": _list(_INT)},
    }
)
VIEW = _object(
    {
        "kind": {"enum": NAMES},
        "players": _COUNT,
        "seat": _SEAT_OR_NONE,
        "ply": _COUNT,
        "phase": _among(*ANSWERS),
        "deal": _COUNT,
        "attempt": _COUNT,
        "dealer": _SEAT_OR_NONE,
        "direction": _DIRECTION,
        "hand": _HIDDEN,
        "hand_counts": _list(_COUNT),
        "asked": _list(_SEAT),
        "answered": _list(_SEAT),
        "gave": _HIDDEN,
        "received": _HIDDEN,
        "skips_left": _list(_BOOL),
        "blinds": _list(_either(_BOOL, _NULL)),
        "bids": _list(_either(_COUNT, _NULL)),
        "leader": _SEAT_OR_NONE,
        "turn": _SEAT_OR_NONE,
        "trick": _CARDS,
        "last_trick": _either(_TRICK, _NULL),
        "tricks_taken": _list(_COUNT),
        "points_taken": _list(_INT),
        "broken": _BOOL,
        "kitty_count": _COUNT,
        "kitty_taker": _SEAT_OR_NONE,
        "kitty": _HIDDEN,
        "finisher": _SEAT_OR_NONE,
        "shown": _HIDDEN,
        "scores": _list(_INT),
        "bags": _list(_INT),
        "extra_deals": _COUNT,
        "ask": _either(_ASK, _NULL),
        "result": _either(_RESULT, _NULL),
    }
)
_VOID = _among("vote", "admin", "outage", "abandoned", "absent")
_BY: dict[str, Schema] = {"by": {"const": "timeout"}}

#: Every event: those of the rules, then those of the site.
EVENTS: dict[str, Schema] = {
    "opened": _event("opened", _NULL, {"dealer": _SEAT}),
    "dealt": _event(
        "dealt",
        _NULL,
        {
            "deal": _COUNT,
            "attempt": _COUNT,
            "dealer": _SEAT,
            "direction": _DIRECTION,
            "hand": _HIDDEN,
            "hand_counts": _list(_COUNT),
            "kitty_count": _COUNT,
        },
    ),
    "called_off": _event("called_off", _SEAT, {"deal": _COUNT}),
    "answered": _event(
        "answered",
        _SEAT,
        {
            "phase": _among("pass", "exchange", "blind"),
            "cards": _HIDDEN,
            "blind": _either(_BOOL, _NULL),
            **_BY,
        },
        optional=("cards", "blind", "by"),
    ),
    "handed_over": _event(
        "handed_over",
        _NULL,
        {
            "phase": _among("pass", "exchange"),
            "direction": _DIRECTION,
            "seats": _list(_SEAT),
            "gave": _HIDDEN,
            "received": _HIDDEN,
        },
    ),
    "blind_shown": _event("blind_shown", _NULL, {"blinds": _list(_either(_BOOL, _NULL))}),
    "hand_shown": _event("hand_shown", _SEAT, {"hand": _CARDS}),
    "bid": _event("bid", _SEAT, {"bid": _COUNT, **_BY}, optional=("by",)),
    "played": _event("played", _SEAT, {"card": _CARD, **_BY}, optional=("by",)),
    "broken": _event("broken", _SEAT, {"card": _CARD}),
    "trick_taken": _event("trick_taken", _SEAT, {"cards": _CARDS, "leader": _SEAT}),
    "kitty_taken": _event("kitty_taken", _SEAT, {"count": _COUNT, "cards": _HIDDEN}),
    "finished": _event("finished", _SEAT, {"cards": _CARDS}),
    "moon_shot": _event("moon_shot", _SEAT, {}),
    "moon_chosen": _event("moon_chosen", _SEAT, {"choice": _among("add", "subtract"), **_BY}, optional=("by",)),
    "deal_scored": _event("deal_scored", _NULL, {"score": _ROW, "kitty": _CARDS}),
    "game_over": _event("game_over", _NULL, {"result": _RESULT}),
    "stand_in": _event("stand_in", _SEAT, {"by": _among("vote", "leave")}, optional=("by",)),
    "back": _event("back", _SEAT, {}),
    "void": _event("void", _SEAT_OR_NONE, {"reason": _VOID}),
    "outage": _event("outage", _NULL, {"seconds": {"type": "number", "minimum": 0}}),
}
_RATED = _object({"before": _RATING, "after": _RATING, "change": {"type": "string", "pattern": r"^(0|[+−]\d+\.\d\d)$"}})
_SEATS = _list(_among("online", "away", "cpu", "stand_in"))
NAME: Schema = {"type": "string", "pattern": "^[A-Za-z0-9-]{1,64}$"}

#: Type of a message to its schema: every message that goes out.
SCHEMA: dict[str, Schema] = {
    "news": _message(
        "news",
        {
            "ply": _COUNT,
            "seat": _SEAT_OR_NONE,
            "events": _list(_either(*EVENTS.values())),
            "view": VIEW,
            "clock": _object(
                {
                    "now": _COUNT,
                    "due": {"type": "object", "propertyNames": {"pattern": "^[0-6]$"}, "additionalProperties": _COUNT},
                    "limit": _either({"type": "number"}, _NULL),
                }
            ),
            "seats": _SEATS,
            "sheet": _list(_ROW),
            "void": _VOID,
            "version": _COUNT,
        },
        optional=("sheet", "void", "version"),
    ),
    "opening": _message("opening", {"commitment": {"type": "string", "pattern": "^[0-9a-f]{64}$"}}),
    "ack": _message("ack", {"id": NAME, "ply": _COUNT}),
    "refused": _message(
        "refused",
        {
            "id": _either(NAME, {"const": ""}),  # a ping has none
            "code": _among(*CODES, *refusals.CODES),
            "field": _TEXT,
            "card": _either(_CARD, _NULL),
            "suit": _among(*"CDHS"),
            "count": _COUNT,
            "phase": _among(*ANSWERS),
        },
        optional=("field", "card", "suit", "count", "phase"),
    ),
    "pong": _message("pong", {"ply": _COUNT, "now": _COUNT}),
    "presence": _message("presence", {"seats": _SEATS}),
    "said": _message("said", {"seat": _SEAT, "phrase": _among(*sorted(phrases.KEYS))}),
    "muted": _message("muted", {"seats": _list(_SEAT)}),
    "votes": _message(
        "votes",
        {
            "votes": _list(
                _object(
                    {
                        "about": _among("stand_in", "void"),
                        "target": _SEAT_OR_NONE,
                        "seats": _list(_SEAT),
                        "needed": _COUNT,
                    }
                )
            )
        },
    ),
    "rematch": _message("rematch", {"game": _COUNT}),
    "rated": _message("rated", {"seats": _list(_either(_RATED, _NULL))}),
    "ready": _message("ready", {"seats": _list(_SEAT), "of": _COUNT, "changed": _BOOL}),
}

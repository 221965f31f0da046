"""Messages: every one that goes out fits its schema and the page that describes it; nothing else is let in."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from games.kinds import rules_for
from games.log import refusals
from games.log.positions import Entry, Holder, Position, Step, Table, advance, start, walk
from games.log.services import said
from games.rules import CODES, Action, Refused, View
from games.rules.state import ACTION_KEYS, DEALERS_ACTIONS
from games.shapes import schema_of, schemas_of, tagged
from games.tables import protocol, told
from tests.games.rules.play import TABLES, random_game, random_rules

README = (Path(protocol.__file__).parent / "README.md").read_text()
RULES_README = (Path(protocol.__file__).parents[1] / "rules" / "README.md").read_text()
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
NOON_MS = round(NOON.timestamp() * 1000)
SCHEMAS = protocol.schemas()
EVENTS = schemas_of(tagged(told.Event, "event"))
VIEW = schema_of(told.View)
VALIDATORS = {name: Draft202012Validator(form) for name, form in SCHEMAS.items()}
OF_EVENTS = {name: Draft202012Validator(form) for name, form in EVENTS.items()}

modest = settings(derandomize=True, deadline=None, database=None, max_examples=200)


def check(said: Mapping[str, object]) -> None:
    """The message fits its schema, and goes through JSON unchanged."""
    message: Any = said
    assert json.loads(protocol.text(message)) == message
    # An event has to fit one schema of twenty. Looked up by its name that takes a tenth of the time.
    events = message.get("events", [])
    found = [fault for event in events for fault in OF_EVENTS[event["event"]].iter_errors(event)]
    found += VALIDATORS[message["type"]].iter_errors({**message, "events": events[:1]} if events else message)
    assert [f"{'/'.join(map(str, fault.path))}: {fault.message[:300]}" for fault in found][:3] == []


#: Options that bring every phase into play.
EVENTFUL: dict[str, dict[str, str | int]] = {
    "hearts": {"surplus": "kitty", "passing": "rotate", "skip_right": "one_each", "moon": "choose", "end_score": 60},
    "spades": {"blind_nil": "yes", "floor": "no", "target": 500},
}


@cache
def game_of(kind: str, players: int, number: int) -> tuple[Table, tuple[Step, ...]]:
    """A random game with time-outs, seats that change hands and outages."""
    rng = random.Random(f"protocol {kind} {players} {number}")
    rules = random_rules(kind, players, rng, **(EVENTFUL[kind] if number == 0 else {}))
    holders = [Holder(None, "normal", "")] + [Holder(seat, "", "x") for seat in range(1, players)]
    table = Table(1, rules, rng.choice((0, 30)), tuple(holders), "")
    steps: list[Step] = []
    position = start(table)

    def add(seat: int | None, name: str, data: dict[str, Any], cause: str) -> None:
        nonlocal position
        at = NOON + timedelta(seconds=len(steps))
        entry = Entry(position.ply + 1, seat, name, "", data, cause, None, at)
        after = advance(table, position, entry)
        steps.append(Step(position, entry, after))
        position = after

    for _, action, _ in random_game(rules, rng):
        cause = "dealer" if action.seat is None else rng.choice(("player", "timeout", "cpu"))
        add(action.seat, action.kind, said(action), cause)
        if rng.random() < 0.1:
            seat = rng.randrange(1, players)
            add(seat, "back" if seat in position.stand_ins else "stand_in", {}, "timeout")
        if rng.random() < 0.05:
            add(None, "outage", {"seconds": round(rng.random() * 50, 3)}, "dealer")
        if number == 2 and len(steps) > 20:
            add(None, "void", {"reason": "vote"}, "dealer")
            break
    return table, tuple(steps)


def keys_of(name: str) -> set[str]:
    """The keys of a message that comes in, but its type."""
    return set(schema_of(protocol.INCOMING[name])["required"]) - {"type"}


def held_by(players: int) -> list[protocol.Held]:
    """A CPU in seat 0, and people who are there in the others."""
    people: list[protocol.Held] = ["online"] * (players - 1)
    return ["cpu", *people]


def news(table: Table, steps: list[Step], seat: int | None, *, whole: bool = False) -> dict[str, Any]:
    message: Any = protocol.news(
        table, steps, steps[-1].after, seat, whole=whole, now_ms=NOON_MS, seats=held_by(table.rules.players)
    )
    found: dict[str, Any] = message
    return found


# --- what goes out ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "players"), TABLES)
def test_all_news_of_random_games_fit_the_schema(kind: str, players: int) -> None:
    rng = random.Random(f"news {kind} {players}")
    for number in range(2):
        table, steps = game_of(kind, players, number)
        viewers = [None, *range(players)]
        # Each entry to one of the viewers; and as one message, as after an absence.
        for step in rng.sample(steps, min(len(steps), 60)):
            check(news(table, [step], rng.choice(viewers)))
        check(news(table, list(steps[-200:]), rng.choice(viewers), whole=True))


@pytest.mark.parametrize(("kind", "players"), TABLES)
def test_what_is_encoded_once_for_all_says_to_each_what_is_built_for_him_alone(kind: str, players: int) -> None:
    rng = random.Random(f"edition {kind} {players}")
    table, steps = game_of(kind, players, 0)
    held = held_by(players)
    for _ in range(30):
        first = rng.randrange(len(steps))
        told = list(steps[first : first + rng.randint(1, 5)])
        edition = protocol.Edition(table, told, told[-1].after, now_ms=NOON_MS, seats=held)
        for seat in (None, *range(players)):
            assert json.loads(edition.text(seat)) == news(table, told, seat)


def test_a_game_without_a_result_says_so_and_why_to_everybody() -> None:
    table, steps = game_of("spades", 4, 2)
    for seat in (None, 0, 3):
        message = news(table, list(steps[-1:]), seat, whole=True)
        check(message)
        assert message["void"] == "vote"
        assert message["events"] == [{"event": "void", "seat": None, "ply": steps[-1].entry.ply, "reason": "vote"}]
        assert message["clock"]["due"] == {}
        assert (message["view"]["ask"], message["view"]["asked"], message["view"]["turn"]) == (None, [], None)
        edition = protocol.Edition(table, list(steps[-1:]), steps[-1].after, now_ms=NOON_MS, seats=message["seats"])
        assert json.loads(edition.text(seat))["void"] == "vote"
    assert "void" not in news(table, list(steps[:-1]), 0)


def test_a_name_fits_the_schema_as_it_fits_the_parser() -> None:
    assert SCHEMAS["ack"]["properties"]["id"]["pattern"] == f"^{protocol.ID.pattern}$"


def test_a_whole_message_fits_the_whole_schema() -> None:
    table, steps = game_of("hearts", 3, 0)
    message = news(table, list(steps[-12:]), 0, whole=True)
    assert VALIDATORS["news"].is_valid(message)
    for key, value in (("events", [{"event": "dealt"}]), ("seat", -1), ("view", {}), ("more", 1), ("ply", None)):
        assert not VALIDATORS["news"].is_valid({**message, key: value})


def test_every_event_of_the_schema_happens_and_no_other() -> None:
    seen = set()
    for kind, players in TABLES:
        for number in range(3):
            table, steps = game_of(kind, players, number)
            for seat in (0, 1):
                seen |= {event["event"] for event in news(table, list(steps), seat)["events"]}
    assert seen == set(EVENTS)


def test_every_event_is_described_with_its_keys() -> None:
    described = {
        name: set(re.findall(r"`(\w+)`", keys))
        for name, _, keys in re.findall(r"^\| `(\w+)` \|([^|]*)\|([^|]*)\|[^|]*\|$", RULES_README, re.M)
    }
    for name, form in EVENTS.items():
        own = set(form["properties"]) - {"event", "seat", "ply", "by"}
        if name in ("stand_in", "back", "outage", "void"):
            assert f"`{name}`" in README
            assert own == {"outage": {"seconds"}, "void": {"reason"}}.get(name, set())
        else:
            assert own - described[name] == set(), name
    assert '`"by": "timeout"`' in README


def test_every_field_of_a_view_goes_out_but_those_that_the_page_has() -> None:
    sent = set(VIEW["properties"])
    assert sent == set(View.__slots__) - {"options", "sheet", "tricks"} | {"last_trick"}
    described = set(re.findall(r"^\| `(\w+)` \|", RULES_README, re.M))
    assert sent - {"last_trick"} <= described


def test_every_message_has_a_row_with_its_keys_and_no_row_is_without_a_message() -> None:
    out, incoming = README.split("### What the server sends")[1].split("### What a client sends")
    rows = {
        name: set(re.findall(r"`(\w+)`", keys)) for name, keys in re.findall(r"^\| `(\w+)` \| (`[^|]*) \|", out, re.M)
    }
    assert set(rows) == set(SCHEMAS)
    for name, form in SCHEMAS.items():
        assert rows[name] <= set(form["properties"]), name
        assert set(form["required"]) - {"type"} <= rows[name], name
    rows = {
        name: set(re.findall(r"`(\w+)`", keys))
        for name, keys in re.findall(r"^\| `(\w+)` \| (`[^|]*) \|", incoming, re.M)
    }
    assert rows == {name: keys_of(name) for name in protocol.INCOMING}


def test_every_close_code_is_described() -> None:
    codes = {value for name, value in vars(protocol).items() if name.startswith("CLOSE_")}
    assert len(codes) == 8
    assert {code for code in codes if str(code) not in README} == set()


def test_every_refusal_code_of_rules_and_site_is_described() -> None:
    site = set(re.findall(r"^\| `(\w+)` \| [^|]+ \|$", README, re.M))
    assert set(refusals.CODES) <= site
    rules = set(re.findall(r"^\| `(\w+)` \|", RULES_README.split("## Refusal codes")[1], re.M))
    assert set(CODES) <= rules
    assert "rules/README.md#refusal-codes" in README
    assert not set(CODES) & set(refusals.CODES), "one code, one meaning"


@pytest.mark.parametrize("code", sorted(refusals.CODES))
def test_every_refusal_of_the_site_fits_the_schema(code: str) -> None:
    check(protocol.refused("a-1", refusals.Rejected(code).to_json()))


def test_a_refusal_with_a_code_that_is_not_listed_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="not a code"):
        refusals.Rejected("because")


def test_refusals_of_the_rules_fit_the_schema() -> None:
    # Whatever somebody may send for a seat: the same attempts at many moments of many games.
    cards = ("2C", "QS", "AH", "5D")
    attempts: list[dict[str, Any]] = [
        *[{"kind": "play", "card": card} for card in cards],
        *[{"kind": kind, "cards": list(cards[:n])} for kind in ("pass", "exchange", "finish") for n in (0, 2, 3)],
        {"kind": "pass", "cards": ["2C", "2C", "2C"]},
        *[{"kind": "bid", "bid": bid} for bid in (-1, 0, 14, 10**400, True, None)],
        {"kind": "skip"},
        {"kind": "moon", "choice": "add"},
        {"kind": "moon", "choice": ["add"]},
        {"kind": "blind", "blind": True},
        {"kind": "deal", "pack": ["2C"]},
        {"kind": "open", "dealer": 0},
        {"kind": "play", "card": "ZZ"},
        {"kind": "play", "card": ["2C"]},
        {"kind": "play", "card": "2C", "seat": 3},
        {"kind": "play", "card": "2C", "\ud800": 1},
        {"kind": "x" * 900},
        {"kind": None},
        {},
    ]
    codes = set()
    for kind, players in TABLES:
        table, steps = game_of(kind, players, 0)
        for step in steps[:: max(1, len(steps) // 20)]:
            for attempt in attempts:
                try:
                    action = protocol.Act("a", "ask", attempt).action_of(1)
                    table.rules.check(step.after.state, action)
                except Refused as refused:
                    codes.add(refused.code)
                    check(protocol.refused("a", refused.to_json()))
    assert len(codes) >= 12, codes


def test_other_messages_fit_the_schema() -> None:
    for message in (
        protocol.ack("a-1", 0),
        protocol.ack("x" * 64, 10**6),
        protocol.refused("", refusals.Rejected("too_fast").to_json()),
        protocol.pong(0, NOON_MS),
        protocol.presence(["online", "away", "cpu", "stand_in"]),
        protocol.rematch(7),
    ):
        check(message)


def test_a_schema_is_closed_at_every_depth() -> None:
    def open_objects(form: Any, path: str) -> list[str]:
        if isinstance(form, list):
            return [found for number, part in enumerate(form) for found in open_objects(part, f"{path}/{number}")]
        if not isinstance(form, dict):
            return []
        own = [path] if form.get("type") == "object" and "additionalProperties" not in form else []
        return own + [found for name, part in form.items() for found in open_objects(part, f"{path}/{name}")]

    for name, form in SCHEMAS.items():
        Draft202012Validator.check_schema(form)
        assert open_objects(form, name) == []


def test_r01_news_say_the_ply_that_they_lead_to() -> None:
    table, steps = game_of("hearts", 4, 0)
    for step in steps[::17]:
        message = news(table, [step], 0)
        assert message["ply"] == message["view"]["ply"] == step.after.ply
        assert {event["ply"] for event in message["events"]} <= {step.entry.ply}


def test_r02_the_hand_comes_with_the_event_in_one_frame() -> None:
    table, steps = game_of("spades", 4, 1)
    for step in steps[::11]:
        for seat in range(4):
            view = news(table, [step], seat)["view"]
            assert (view["seat"], view["hand"] is None) == (seat, table.rules.hand_size == 0)


def test_r19_the_fourth_card_and_the_cleared_table_are_told_in_order_and_the_counts_follow() -> None:
    table, steps = game_of("spades", 4, 1)
    seen = 0
    for step in steps:
        if len(step.after.state.tricks) == len(step.before.state.tricks) + 1:
            message = news(table, [step], 0)
            names = [event["event"] for event in message["events"]]
            assert names.index("played") < names.index("trick_taken")
            assert message["view"]["trick"] == []
            assert sum(message["view"]["tricks_taken"]) == len(step.after.state.tricks)
            seen += 1
    assert seen > 12


def test_news_tell_an_answer_of_the_clock_from_the_players_own() -> None:
    table, steps = game_of("hearts", 4, 1)
    for step in steps:
        told = [event for event in news(table, [step], 2)["events"] if event["event"] in ("played", "answered")]
        assert all((event.get("by") == "timeout") == (step.entry.cause == "timeout") for event in told)


def test_the_clock_is_shown_for_users_and_not_for_cpus() -> None:
    holders = (Holder(1, "", "a"), Holder(None, "normal", ""), Holder(2, "", "b"), Holder(None, "normal", ""))
    rules = game_of("hearts", 4, 0)[0].rules
    table = Table(1, rules, 30, holders, "")
    position: Position = start(table)
    for number, action in enumerate((Action("open", dealer=0), Action("deal", pack=rules.deck)), 1):
        position = advance(table, position, Entry(number, None, action.kind, "", said(action), "dealer", None, NOON))
    shown = protocol.clock(table, position, NOON_MS)
    assert shown == {"now": NOON_MS, "due": {"0": NOON_MS + 60_000, "2": NOON_MS + 60_000}, "limit": 60}


def test_a_frame_is_ascii_so_that_half_a_surrogate_can_be_sent_back() -> None:
    text = protocol.text(protocol.refused("a", {"code": "bad_action", "field": "\ud800ハート"}))
    assert text.isascii()
    assert json.loads(text)["field"] == "\ud800ハート"


# --- what comes in ----------------------------------------------------------------------------------------------------

GOOD: dict[str, dict[str, Any]] = {
    "act": {"type": "act", "id": "a-1", "ask": "1.0.play.1", "action": {"kind": "play", "card": "QS"}},
    "ping": {"type": "ping", "ply": 0},
    "nonce": {"type": "nonce", "id": "n", "nonce": "00ff"},
    "back": {"type": "back", "id": "b"},
    "rematch": {"type": "rematch", "id": "c" * 64},
    "leave": {"type": "leave", "id": "d"},
    "say": {"type": "say", "id": "e", "phrase": "hello"},
    "mute": {"type": "mute", "id": "f", "seat": 3, "on": True},
    "vote": {"type": "vote", "id": "g", "about": "stand_in", "target": 2, "on": False},
}


@pytest.mark.parametrize("name", sorted(GOOD))
def test_a_message_is_read_as_it_was_sent(name: str) -> None:
    message = protocol.parse(json.dumps(GOOD[name]))
    assert {slot: getattr(message, slot) for slot in message.__slots__} | {"type": name} == GOOD[name]
    assert set(GOOD) == set(protocol.INCOMING)


def test_c02_no_client_can_say_that_somebodys_time_is_up() -> None:
    for kind in ("timeout", "expire", "stand_in", "outage", "void", "deal", "open", "news", "ack"):
        with pytest.raises(protocol.Malformed):
            protocol.parse(json.dumps({"type": kind, "id": "a", "seat": 1}))
    for kind in ("stand_in", "back", "outage", "void"):
        with pytest.raises(Refused):
            protocol.Act("a", "b", {"kind": kind}).action_of(0)


BROKEN = [
    "",
    " ",
    "null",
    "1",
    "[]",
    '"act"',
    "{",
    "{}",
    "\x00",
    "NaN",
    '{"type": "ping", "ply": NaN}',
    '{"type": "ping", "ply": 1e3}',
    '{"type": "ping", "ply": 1.0}',
    '{"type": "ping", "ply": "1"}',
    '{"type": "ping", "ply": true}',
    '{"type": "ping", "ply": null}',
    '{"type": "ping", "ply": -1}',
    '{"type": "ping", "ply": 2147483648}',
    '{"type": "ping"}',
    '{"type": "ping", "ply": 1, "seat": 2}',
    '{"type": "Ping", "ply": 1}',
    '{"type": ["ping"], "ply": 1}',
    '{"type": {"a": 1}, "ply": 1}',
    '{"type": null}',
    '{"ply": 1}',
    '{"type": "back"}',
    '{"type": "back", "id": ""}',
    '{"type": "back", "id": 7}',
    '{"type": "back", "id": "a b"}',
    '{"type": "back", "id": "a\\n"}',
    '{"type": "back", "id": "é"}',
    json.dumps({"type": "back", "id": "x" * 65}),
    '{"type": "act", "id": "a", "ask": "q"}',
    '{"type": "act", "id": "a", "ask": 3, "action": {}}',
    '{"type": "act", "id": "a", "ask": "q", "action": []}',
    '{"type": "act", "id": "a", "ask": "q", "action": null}',
    '{"type": "act", "id": "a", "ask": "q", "action": {}, "cause": "cpu"}',
    json.dumps({"type": "act", "id": "a", "ask": "q" * 41, "action": {}}),
    '{"type": "say", "id": "a", "phrase": 1}',
    json.dumps({"type": "say", "id": "a", "phrase": "p" * 41}),
    '{"type": "mute", "id": "a", "seat": 7, "on": true}',
    '{"type": "mute", "id": "a", "seat": -1, "on": true}',
    '{"type": "mute", "id": "a", "seat": true, "on": true}',
    '{"type": "mute", "id": "a", "seat": 1, "on": 1}',
    '{"type": "vote", "id": "a", "about": "kick", "target": 1, "on": true}',
    '{"type": "vote", "id": "a", "about": ["void"], "target": null, "on": true}',
    '{"type": "vote", "id": "a", "about": "void", "target": "1", "on": true}',
    '{"type": "vote", "id": "a", "about": "void", "on": true}',
    "[" * 1_000,
    '{"type": "act", "id": "a", "ask": "q", "action": ' + '{"a":' * 180,
    json.dumps({"type": "act", "id": "a", "ask": "q", "action": {"kind": "x" * 1_000}}),
    '{"type": "ping", "ply": ' + "9" * 990 + "}",
    "あ" * 500,
]


@pytest.mark.parametrize("frame", BROKEN, ids=range(len(BROKEN)))
def test_a_frame_that_is_no_message_is_malformed(frame: str) -> None:
    with pytest.raises(protocol.Malformed):
        protocol.parse(frame)


def test_a_frame_has_at_most_a_kibibyte_however_it_is_counted() -> None:
    room = protocol.MOST_BYTES - len(json.dumps(GOOD["ping"]))
    assert protocol.parse(json.dumps(GOOD["ping"]) + " " * room) == protocol.Ping(0)
    with pytest.raises(protocol.Malformed):
        protocol.parse(json.dumps(GOOD["ping"]) + " " * (room + 1))
    wide = json.dumps({**GOOD["act"], "action": {"kind": "あ" * 350}}, ensure_ascii=False)
    assert len(wide) < protocol.MOST_BYTES < len(wide.encode())
    with pytest.raises(protocol.Malformed):
        protocol.parse(wide)


def parsed(text: str) -> protocol.Message | None:
    try:
        return protocol.parse(text)
    except protocol.Malformed:
        return None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=8,
)
keys = st.sampled_from(("type", "id", "ask", "action", "ply", "seat", "v", ""))
names = st.sampled_from((*GOOD, "news", "say", ""))


@modest
@given(st.text(max_size=1_200))
def test_no_text_makes_the_parser_fail(text: str) -> None:
    parsed(text)


@modest
@given(st.binary(max_size=300))
def test_no_bytes_read_as_text_make_the_parser_fail(data: bytes) -> None:
    parsed(data.decode("latin-1"))


@modest
@given(st.dictionaries(keys, json_values, max_size=6), names)
def test_what_the_parser_lets_in_has_the_form_of_a_message(data: dict[str, Any], name: str) -> None:
    message = parsed(json.dumps({**data, "type": name}))
    if message is None:
        return
    assert type(message) is protocol.INCOMING[name]
    assert set(data) - {"type"} == keys_of(name)


@modest
@given(st.sampled_from(sorted(GOOD)), st.sampled_from(("id", "ask", "action", "ply", "type")), json_values)
def test_a_good_message_with_one_value_changed_is_read_or_malformed(name: str, key: str, value: Any) -> None:
    message = parsed(json.dumps({**GOOD[name], key: value}))
    if message is not None and not isinstance(message, protocol.Ping):
        assert protocol.ID.fullmatch(message.id)


@modest
@given(json_values, st.integers(0, 3))
def test_an_action_of_any_form_is_an_action_of_the_own_seat_or_refused(value: Any, seat: int) -> None:
    act = protocol.Act("a", "q", value if isinstance(value, dict) else {"kind": value})
    try:
        assert act.action_of(seat).seat == seat
    except Refused as refused:
        check(protocol.refused("a", refused.to_json()))


@modest
@given(
    st.sampled_from(sorted(ACTION_KEYS)),
    st.dictionaries(
        st.sampled_from(("card", "cards", "bid", "blind", "choice", "dealer", "pack", "seat")), json_values
    ),
    st.integers(0, 3),
)
def test_n01_no_action_names_a_seat_and_none_is_the_dealers(kind: str, more: dict[str, Any], seat: int) -> None:
    act = protocol.Act("a", "q", {"kind": kind, **more})
    try:
        action = act.action_of(seat)
    except Refused:
        return
    assert "seat" not in more
    assert kind not in DEALERS_ACTIONS
    assert action.seat == seat


@pytest.mark.parametrize(("kind", "players", "options"), [("hearts", 3, {"surplus": "kitty"}), ("spades", 4, {})])
def test_an_edition_tells_every_viewer_what_its_own_news_would(
    kind: str, players: int, options: dict[str, Any]
) -> None:
    rules = rules_for(kind, players, {**options, **({"end_score": 20} if kind == "hearts" else {"target": 100})})
    holders = tuple(Holder(seat + 1, "", f"player {seat}") for seat in range(players))
    table = Table(1, rules, 30, holders, "")
    position = start(table)
    held: list[protocol.Held] = ["online"] * players
    for _, action, _ in random_game(rules, random.Random(4)):
        entry = Entry(position.ply + 1, action.seat, action.kind, "", said(action), "player", None, NOON)
        steps = walk(table, position, [entry])
        position = steps[-1].after
        edition = protocol.Edition(table, steps, position, now_ms=5, seats=held)
        for seat in (None, *range(players)):
            told = protocol.news(table, steps, position, seat, whole=False, now_ms=5, seats=held)
            assert json.loads(edition.text(seat)) == json.loads(protocol.text(told))

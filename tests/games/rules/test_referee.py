"""The referee keeps what its page says: the printed session, every op, every refusal, and that any line is answered."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from games.codes import deals
from games.kinds import KINDS, options_for, rules_for
from games.programs.referee import LONGEST_LINE, MOST_GAMES, OPS, Referee
from games.rules import CODES, DECK, RULES_VERSION
from games.rules.refusals import MOST_ECHOED
from games.rules.state import ACTION_KEYS
from games.rules.view import Ask, View
from tests.bench.referee_fuzz import REFEREE_CODES, Fuzzer, Process, drive
from tests.games.rules.play import samples

ROOT = Path(__file__).resolve().parents[3]
README = (ROOT / "games" / "rules" / "README.md").read_text(encoding="utf-8")
Json = dict[str, Any]

CODE = "4000-0000-0000-000K"  # Hearts for four
SPADES_CODE = "C000-0000-0000-001J"
OPEN: Json = {"op": "open", "kind": "hearts", "players": 4, "code": CODE, "dealer": 3}
#: With the dealer 3, seat s gets every fourth card from the s-th on, so everybody holds all suits and seat 0 the ♣2.
DEAL: Json = {"op": "apply", "action": {"kind": "deal", "pack": list(DECK)}}
#: And here a suit each, but for two cards: seat 0 clubs, 1 diamonds and ♥2, 2 hearts and ♦2, 3 spades.
SUITS = [[c for c in DECK if c[1] == suit] for suit in "CDHS"]
SUITS[1][0], SUITS[2][0] = SUITS[2][0], SUITS[1][0]
DEAL_SUITS: Json = {"op": "apply", "action": {"kind": "deal", "pack": [suit[i] for i in range(13) for suit in SUITS]}}
#: And here all spades for seat 0.
ALL_SPADES: Json = {
    "op": "apply",
    "action": {"kind": "deal", "pack": [DECK[39 + i // 4] if i % 4 == 0 else DECK[i - 1 - i // 4] for i in range(52)]},
}
SPADES: Json = {"op": "open", "kind": "spades", "players": 4, "code": SPADES_CODE, "dealer": 3}


def act(kind: str, seat: int, **keys: object) -> Json:
    return {"op": "apply", "action": {"kind": kind, "seat": seat, **keys}}


BIDS = [act("bid", seat, bid=2) for seat in range(4)]


class Table(Referee):
    """A referee that is asked in Python."""

    def ask(self, request: object) -> Json:
        line = request if isinstance(request, bytes) else json.dumps(request).encode()
        answer: Json = json.loads(json.dumps(self.answer(line)))
        return answer

    def accept(self, *requests: Json) -> Json:
        """Asks all of them; returns the last answer, without its `ok`."""
        for request in requests:
            answer = self.ask(request)
            assert answer.pop("ok"), (request, answer)
        return answer

    def refuse(self, request: object) -> Json:
        """Asks it and sees that nothing has changed; returns the refusal, without its `ok`."""
        before = {name: self.ask({"op": "state", "game": name}) for name in list(self.games)}
        answer = self.ask(request)
        assert not answer.pop("ok"), (request, answer)
        assert {name: self.ask({"op": "state", "game": name}) for name in list(self.games)} == before
        return answer


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture
def process() -> Iterator[Process]:
    """The real process; at the end it must leave with status 0 and have written nothing to stderr."""
    running = Process()
    try:
        yield running
        running.close()
    finally:
        running.kill()


# --- the page ---------------------------------------------------------------------------------------------------------


def session() -> list[tuple[str, str]]:
    """Requests and answers of the session that the page prints."""
    lines = README.split("\n```text\n> ", 1)[1].split("\n```", 1)[0].splitlines()
    lines[0] = "> " + lines[0]
    assert [line[:2] for line in lines] == ["> ", "< "] * (len(lines) // 2)
    return [(lines[i][2:], lines[i + 1][2:]) for i in range(0, len(lines), 2)]


def row_of(name: str, section: str, page: str = README) -> str:
    """The row of a table in a section of a page whose first cell is this name."""
    text = page.split(f"\n## {section}\n", 1)[1].split("\n## ", 1)[0]
    return next(line for line in text.splitlines() if line.startswith(f"| `{name}` |"))


def test_every_line_of_the_printed_session_is_answered_as_printed(process: Process) -> None:
    for request, answer in session():
        assert process.ask_raw(request.encode()).decode() == answer


def test_the_printed_session_shows_every_op_and_some_refusals() -> None:
    requests = [json.loads(request) for request, _ in session() if '"op"' in request and request.endswith("}")]
    assert {request["op"] for request in requests} >= OPS.keys() - {"state"}
    assert sum('"ok": false' in answer for _, answer in session()) >= 5


@pytest.mark.parametrize("code", [*CODES, *REFEREE_CODES])
def test_the_page_explains_every_code(code: str) -> None:
    assert row_of(code, "Refusal codes" if code in CODES else "The referee")


@pytest.mark.parametrize("op", OPS)
def test_the_page_names_every_key_of_every_op(op: str) -> None:
    _, required, optional = OPS[op]
    for key in (*required, *optional):
        assert f"`{key}`" in row_of(op, "The referee")


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_has_every_option_with_every_value_and_its_default(kind: str) -> None:
    page = (ROOT / "games" / "kinds" / kind / "README.md").read_text(encoding="utf-8")
    for option in KINDS[kind].options.declared():
        row = row_of(option.name, f"Options of {kind.capitalize()}", page)
        assert f"**{option.default}**" in row
        for value in samples(option) if option.type == "choice" else (f"{option.low} to {option.high}",):
            assert str(value) in row


@pytest.mark.parametrize("kind", ACTION_KEYS)
def test_the_page_shows_the_json_of_every_action(kind: str) -> None:
    row = row_of(kind, "Actions")
    assert f'{{"kind": "{kind}"' in row
    assert f'"{ACTION_KEYS[kind] or "seat"}": ' in row


@pytest.mark.parametrize("name", [*View.__dataclass_fields__, *Ask.__dataclass_fields__])
def test_the_page_explains_every_field_of_a_view(name: str) -> None:
    assert row_of(name, "Views")


# --- what each op does ------------------------------------------------------------------------------------------------


def test_open_says_what_is_played_and_that_the_dealer_is_asked(table: Table) -> None:
    answer = table.accept(OPEN | {"options": {"end_score": 50}, "id": 7})
    assert (answer["id"], answer["code"], answer["version"]) == (7, CODE, RULES_VERSION)
    assert (answer["deck"], answer["hand_size"]) == (list(DECK), 13)
    assert answer["options"] == options_for("hearts", {"end_score": 50}).to_json()
    assert (answer["ply"], answer["phase"], answer["seats"], answer["asks"]) == (1, "deal", [], {})
    assert (answer["deal"], answer["attempt"], answer["dealer"], answer["direction"]) == (1, 0, 3, "left")


def test_open_without_code_or_dealer_draws_both(table: Table) -> None:
    first, second = (table.accept({"op": "open", "kind": "spades", "players": 4}) for _ in range(2))
    assert first["code"] != second["code"]
    assert second["dealer"] == deals.first_dealer(deals.read_code(second["code"]).seed, 4)


def test_open_takes_the_place_of_a_game_of_that_name(table: Table) -> None:
    table.accept(OPEN, DEAL)
    assert table.accept(SPADES)["ply"] == 1
    assert len(table.games) == 1


def test_games_of_different_names_do_not_touch_each_other(table: Table) -> None:
    table.accept(OPEN, DEAL, OPEN | {"game": "♠"})
    assert table.accept({"op": "due"})["ply"] == 2
    assert table.accept({"op": "due", "game": "♠"})["ply"] == 1


def test_a_deal_without_a_pack_is_the_one_of_the_code(table: Table) -> None:
    table.accept(OPEN)
    pack = table.accept({"op": "apply", "action": {"kind": "deal"}})["pack"]
    assert pack == list(deals.shuffle(deals.read_code(CODE).seed, 1, 0))
    hands = table.accept({"op": "state"})["state"]["hands"]
    assert [sorted(hand) for hand in hands] == [sorted(pack[seat::4]) for seat in range(4)]


def test_a_deal_that_was_called_off_gets_the_next_attempt_of_the_code(table: Table) -> None:
    table.accept(OPEN | {"options": {"skip_right": "one_each"}}, DEAL, act("skip", 2))
    answer = table.accept({"op": "apply", "action": {"kind": "deal"}})
    assert answer["pack"] == list(deals.shuffle(deals.read_code(CODE).seed, 1, 1))
    assert (answer["deal"], answer["attempt"], answer["dealer"]) == (1, 1, 3)


def test_a_deal_with_a_pack_is_that_pack(table: Table) -> None:
    assert table.accept(OPEN, DEAL)["pack"] == list(DECK)
    assert table.accept({"op": "state"})["state"]["hands"] == [list(DECK[seat::4]) for seat in range(4)]


def test_apply_tells_who_is_asked_next_and_by_what_name(table: Table) -> None:
    answer = table.accept(OPEN, DEAL, act("pass", 1, cards=["2D", "7C", "3C"]))
    assert (answer["ply"], answer["phase"], answer["seats"]) == (3, "pass", [0, 2, 3])
    assert answer["asks"] == {str(seat): "1.0.pass.0" for seat in (0, 2, 3)}


def test_apply_tells_events_as_the_viewer_may_know_them(table: Table) -> None:
    told = []
    for viewer in (1, 2, None):
        table.accept(OPEN, DEAL)
        told.append(table.accept(act("pass", 1, cards=["2D", "7C", "3C"]) | {"events": viewer})["events"])
    answered = {"event": "answered", "seat": 1, "phase": "pass"}
    assert told[0] == [answered | {"cards": ["3C", "7C", "2D"]}]
    assert told[1] == told[2] == [answered | {"cards": None}]


def test_apply_tells_the_score_of_a_deal_that_ends(table: Table) -> None:
    table.accept(SPADES, DEAL_SUITS, *[act("bid", seat, bid=bid) for seat, bid in enumerate((1, 0, 1, 13))])
    table.accept(*[act("play", seat, card=SUITS[seat][0]) for seat in range(3)])
    table.accept(act("play", 3, card="2S"))
    answer = table.accept(act("finish", 3, cards=SUITS[3][1:]))
    assert answer["score"]["change"] == [-20, 230]
    assert answer["score"]["scores"] == answer["scores"] == [-20, 230]
    assert (answer["phase"], answer["deal"], answer["dealer"]) == ("deal", 2, 0)


def test_legal_lists_what_may_be_done_and_why_the_rest_may_not(table: Table) -> None:
    table.accept(OPEN | {"options": {"passing": "off"}}, DEAL)
    answer = table.accept({"op": "legal", "seat": 0})
    assert answer["actions"] == [{"kind": "play", "seat": 0, "card": "2C"}]
    assert answer["barred"] == dict.fromkeys(DECK[4::4], "must_lead_opening_card")
    assert table.accept({"op": "legal", "seat": 1}) == {"actions": [], "barred": {}}


def test_check_judges_an_action_and_does_not_apply_it(table: Table) -> None:
    table.accept(OPEN, DEAL)
    passed = {"op": "check", "action": {"kind": "pass", "seat": 0, "cards": ["2C", "6C", "TC"]}}
    assert table.accept(passed) == table.accept(passed) == {}
    assert table.refuse({"op": "check", "action": {"kind": "play", "seat": 0, "card": "2C"}})["code"] == "wrong_phase"


def test_default_is_what_the_clock_would_play(table: Table) -> None:
    table.accept(OPEN, DEAL)
    action = table.accept({"op": "default", "seat": 2})["action"]
    assert action["kind"] == "pass"
    table.accept({"op": "check", "action": action})


def test_view_shows_a_seat_its_hand_and_a_spectator_none(table: Table) -> None:
    table.accept(OPEN, DEAL)
    assert table.accept({"op": "view", "seat": 1})["view"]["hand"] == list(DECK[1::4])
    for spectator in ({"op": "view"}, {"op": "view", "seat": None}):
        view = table.accept(spectator)["view"]
        assert (view["seat"], view["hand"], view["ask"], view["hand_counts"]) == (None, None, None, [13] * 4)


def test_state_holds_everything(table: Table) -> None:
    table.accept(OPEN, DEAL)
    state = table.accept({"op": "state"})["state"]
    assert state == table.games["main"].state.to_json()


def test_due_repeats_where_the_game_stands(table: Table) -> None:
    applied = table.accept(OPEN, DEAL)
    del applied["pack"]
    assert table.accept({"op": "due"}) == applied


def test_result_is_null_until_the_game_is_over(table: Table) -> None:
    table.accept(SPADES | {"options": {"target": 100}}, DEAL_SUITS, *[act("bid", seat, bid=0) for seat in range(3)])
    table.accept(act("bid", 3, bid=13), *[act("play", seat, card=SUITS[seat][0]) for seat in range(3)])
    table.accept(act("play", 3, card="2S"))
    assert table.accept({"op": "result"}) == {"result": None}
    table.accept(act("finish", 3, cards=SUITS[3][1:]))
    assert table.accept({"op": "result"})["result"] == {
        "placings": [2, 1, 2, 1],
        "scores": [200, 230],
        "reason": "target",
    }


def test_close_forgets_the_game(table: Table) -> None:
    table.accept(OPEN, {"op": "close"})
    assert table.refuse({"op": "close"}) == {"code": "no_game", "field": "game"}


# --- lines that are no requests ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        b"no json",
        b"{",
        b'{"op": "due"} {"op": "due"}',
        b"{'op': 'due'}",
        b'{"op": "due",}',
        b'{"op": "\xff"}',
        b'{"op": "\xed\xa0\x80"}',  # a surrogate written as if it were a character
        '{"op": "due"}'.encode("utf-16"),
        '{"op": "due"}'.encode("utf-8-sig"),
        b'{"op": "due", "op": "due"}',
        b'{"op": "apply", "action": {"kind": "bid", "seat": 0, "bid": 1, "bid": 2}}',
        b'{"op": "default", "seat": NaN}',
        b'{"op": "default", "seat": Infinity}',
        b'{"op": "default", "seat": -Infinity}',
        b'{"op": "default", "seat": ' + b"9" * 5_000 + b"}",  # more digits than Python reads
        b"[" * 60_000,
        b'{"a":' * 10_000 + b"0" + b"}" * 10_000,
        b"\0",
        b'{"op": "due"}\0',
    ],
    ids=lambda line: repr(line[:40]),
)
def test_bad_json_is_refused(table: Table, line: bytes) -> None:
    table.accept(OPEN, DEAL)
    assert table.refuse(line) == {"code": "bad_json"}


def test_a_line_may_have_65536_bytes_and_no_more(table: Table) -> None:
    table.accept(OPEN, DEAL)
    table.accept({"op": "due"} | json.loads(b'{"id": "ok"}' + b" " * 10))
    full = b'{"op": "due"' + b" " * (LONGEST_LINE - 13) + b"}"
    assert LONGEST_LINE == len(full) == 65_536
    assert table.ask(full)["ok"]
    assert table.refuse(full + b" ") == {"code": "line_too_long", "most": LONGEST_LINE}


@pytest.mark.parametrize("request_", [{}, {"op": "Open"}, {"op": None}, {"op": ["due"]}, {"op": "x" * 1_000}])
def test_an_unknown_op_is_answered_with_those_there_are(table: Table, request_: Json) -> None:
    assert table.refuse(request_ | {"id": 1}) == {"id": 1, "code": "unknown_op", "field": "op", "known": sorted(OPS)}


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        ([], ""),
        ("due", ""),
        (None, ""),
        ({"op": "due", "id": None}, "id"),
        ({"op": "due", "id": 1.5}, "id"),
        ({"op": "due", "id": []}, "id"),
        ({"op": "due", "id": "x" * (MOST_ECHOED + 1)}, "id"),
        ({"op": "due", "id": 10**MOST_ECHOED}, "id"),
        ({"op": "due", "game": None}, "game"),
        ({"op": "due", "game": 1}, "game"),
        ({"op": "due", "game": "x" * (MOST_ECHOED + 1)}, "game"),
        ({"op": "due", "seat": 0}, "seat"),
        ({"op": "due", "x" * 100: 0}, "x" * MOST_ECHOED),
        ({"op": "open", "players": 4}, "kind"),
        ({"op": "open", "kind": "hearts"}, "players"),
        (OPEN | {"rules": {}}, "rules"),
        (OPEN | {"code": 4}, "code"),
        (OPEN | {"dealer": "3"}, "dealer"),
        (OPEN | {"dealer": True}, "dealer"),
        (OPEN | {"dealer": None}, "dealer"),
        ({"op": "apply"}, "action"),
        ({"op": "check"}, "action"),
        (DEAL | {"seat": 0}, "seat"),
        (DEAL | {"op": "check", "events": 0}, "events"),
        ({"op": "legal"}, "seat"),
        ({"op": "legal", "seat": None}, "seat"),
        ({"op": "legal", "seat": "0"}, "seat"),
        ({"op": "default"}, "seat"),
        ({"op": "default", "seat": 0.0}, "seat"),
        ({"op": "default", "seat": False}, "seat"),
        ({"op": "view", "seat": "0"}, "seat"),
        ({"op": "view", "seat": [0]}, "seat"),
        ({"op": "state", "seat": 0}, "seat"),
        ({"op": "result", "action": {}}, "action"),
        ({"op": "close", "all": True}, "all"),
    ],
    ids=lambda value: json.dumps(value)[:60],
)
def test_a_request_with_a_wrong_key_or_type_is_refused_with_the_key(table: Table, request_: object, field: str) -> None:
    table.accept(OPEN, DEAL)
    answer = table.refuse(request_)
    answer.pop("id", None)
    assert answer == {"code": "bad_request", "field": field}


@pytest.mark.parametrize("events", ["0", True, [], 1.0])
def test_events_for_no_seat_are_refused_with_the_key(table: Table, events: object) -> None:
    table.accept(OPEN)
    assert table.refuse(DEAL | {"events": events}) == {"code": "bad_request", "field": "events"}


@pytest.mark.parametrize("op", sorted(OPS.keys() - {"open"}))
def test_every_op_but_open_needs_a_game(table: Table, op: str) -> None:
    keys = {"action": {"kind": "deal"}, "seat": 0}
    request = {"op": op} | {key: keys[key] for key in OPS[op][1]}
    table.accept(OPEN, DEAL)
    assert table.refuse(request | {"game": "other"}) == {"code": "no_game", "field": "game"}


def test_a_thousand_games_are_kept_and_no_more(table: Table) -> None:
    table.accept(*[OPEN | {"game": str(number)} for number in range(MOST_GAMES)])
    assert MOST_GAMES == len(table.games) == 1_000
    assert table.ask(OPEN | {"game": "one more"}) == {"ok": False, "code": "too_many_games", "most": MOST_GAMES}
    table.accept(OPEN | {"game": "0"}, {"op": "close", "game": "1"}, OPEN | {"game": "one more"})


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("", "bad_length"),
        (CODE[:-1], "bad_length"),
        (CODE + "0", "bad_length"),
        ("4000-0000-0000-00U0", "bad_character"),
        ("4000-0000-0000-00\ud800", "bad_character"),
        ("4000-0000-0000-000L", "bad_check"),
        ("4000-0000-0000-00K0", "bad_check"),
        ("Z000-0000-0000-000J", "unknown_table"),
        (SPADES_CODE, "other_table"),
        ("0222-2222-2222-222P", "other_table"),
    ],
)
def test_a_code_that_is_none_or_of_another_table_is_refused_with_the_reason(table: Table, code: str, why: str) -> None:
    table.accept(OPEN, DEAL)
    assert table.refuse(OPEN | {"code": code}) == {"code": "bad_code", "field": "code", "why": why}


def test_a_code_followed_by_something_far_away_is_refused(table: Table) -> None:
    assert table.refuse(OPEN | {"code": CODE + " " * 200 + "X"})["code"] == "bad_code"


def test_a_code_may_be_typed_in_any_case_and_with_any_dashes(table: Table) -> None:
    assert table.accept(OPEN | {"code": " 4ooo 0000–OOOO0ook "})["code"] == CODE
    assert table.accept(OPEN | {"code": "４０００ー００００ー００００ー０００Ｋ"})["code"] == CODE


# --- refusals of the rules --------------------------------------------------------------------------------------------


def opened(**keys: object) -> Json:
    """An `open` without code and dealer."""
    return {"op": "open", "kind": "hearts", "players": 4} | keys


@pytest.mark.parametrize(
    ("request_", "refusal"),
    [
        (opened(kind="whist"), {"code": "unknown_kind", "field": "kind"}),
        (opened(kind=["hearts"]), {"code": "unknown_kind", "field": "kind"}),
        (opened(players=8), {"code": "bad_players", "field": "players", "allowed": [2, 3, 4, 5, 6, 7]}),
        (opened(players="4"), {"code": "bad_players", "field": "players", "allowed": [2, 3, 4, 5, 6, 7]}),
        (opened(players=True), {"code": "bad_players", "field": "players", "allowed": [2, 3, 4, 5, 6, 7]}),
        (opened(kind="spades", players=3), {"code": "bad_players", "field": "players", "allowed": [4]}),
        (opened(options=[]), {"code": "bad_type", "field": "options"}),
        (opened(options={"target": 500}), {"code": "unknown_option", "field": "target"}),
        (opened(options={"moon": True}), {"code": "bad_type", "field": "moon"}),
        (opened(options={"end_score": "100"}), {"code": "bad_type", "field": "end_score"}),
        (opened(options={"end_score": 100.0}), {"code": "bad_type", "field": "end_score"}),
        (opened(options={"end_score": True}), {"code": "bad_type", "field": "end_score"}),
        (opened(options={"end_score": 19}), {"code": "bad_value", "field": "end_score"}),
        (opened(options={"end_score": 301}), {"code": "bad_value", "field": "end_score"}),
        (opened(options={"moon": "maybe"}), {"code": "bad_value", "field": "moon"}),
        (opened(kind="spades", options={"target": 99}), {"code": "bad_value", "field": "target"}),
        (opened(kind="spades", options={"target": 1_001}), {"code": "bad_value", "field": "target"}),
        (
            opened(options={"jack_in_moon": "required"}),
            {"code": "bad_combination", "field": "jack_in_moon", "other": "jack_of_diamonds"},
        ),
        (
            opened(options={"jack_in_moon": "required", "jack_of_diamonds": "minus_ten", "moon": "off"}),
            {"code": "bad_combination", "field": "jack_in_moon", "other": "moon"},
        ),
        (
            opened(options={"hold_deal": "skip", "passing": "off"}),
            {"code": "bad_combination", "field": "hold_deal", "other": "passing"},
        ),
        (
            opened(options={"hold_deal": "skip", "passing": "always_left"}),
            {"code": "bad_combination", "field": "hold_deal", "other": "passing"},
        ),
        (
            opened(options={"skip_right": "one_each", "passing": "off"}),
            {"code": "bad_combination", "field": "skip_right", "other": "passing"},
        ),
        (
            opened(players=2, options={"jack_of_diamonds": "minus_ten"}),
            {"code": "bad_combination", "field": "jack_of_diamonds", "other": "players"},
        ),
        (opened(dealer=4), {"code": "no_such_seat"}),
        (opened(dealer=-1), {"code": "no_such_seat"}),
    ],
    ids=lambda value: json.dumps(value)[:70],
)
def test_a_table_that_is_not_played_is_refused_with_code_and_field(table: Table, request_: Json, refusal: Json) -> None:
    table.accept(OPEN, DEAL)
    assert table.refuse(request_) == refusal


HOLD = OPEN | {"options": {"passing": "off"}}
HELD_BACK = OPEN | {"options": {"passing": "off", "heart_discard": "after_break"}}
DEALER_LEFT = OPEN | {"options": {"passing": "off", "first_lead": "dealer_left"}}
ALL_PASS = [act("pass", seat, cards=list(DECK[seat : seat + 12 : 4])) for seat in range(3)]

#: Requests that lead somewhere, one that is refused there, and the refusal.
REFUSALS: list[tuple[list[Json], Json, Json]] = [
    ([OPEN, DEAL], {"op": "apply", "action": []}, {"code": "bad_action", "field": "action"}),
    ([OPEN, DEAL], {"op": "apply", "action": {"kind": "pa", "seat": 0}}, {"code": "bad_action", "field": "kind"}),
    ([OPEN, DEAL], {"op": "apply", "action": {"kind": "skip"}}, {"code": "bad_action", "field": "seat"}),
    ([OPEN, DEAL], act("skip", 0, why="x"), {"code": "bad_action", "field": "why"}),
    ([OPEN, DEAL], act("pass", 0), {"code": "bad_action", "field": "cards"}),
    ([OPEN, DEAL], act("pass", 0, cards="2C6CTC"), {"code": "bad_action", "field": "cards"}),
    ([OPEN, DEAL], act("pass", 0, cards=[2, 6, 10]), {"code": "bad_action", "field": "cards"}),
    ([OPEN], {"op": "apply", "action": {"kind": "deal", "seat": 3}}, {"code": "bad_action", "field": "seat"}),
    ([SPADES, DEAL], act("bid", 0, bid="2"), {"code": "bad_action", "field": "bid"}),
    ([SPADES, DEAL], act("bid", 0, bid=True), {"code": "bad_action", "field": "bid"}),
    ([SPADES, DEAL], act("blind", 0, blind=1), {"code": "bad_action", "field": "blind"}),
    ([OPEN, DEAL], act("moon", 0, choice="off"), {"code": "bad_action", "field": "choice"}),
    ([OPEN, DEAL], act("play", 0, card="1C"), {"code": "unknown_card", "field": "card"}),
    ([OPEN, DEAL], act("pass", 0, cards=["2C", "6C", "10C"]), {"code": "unknown_card", "field": "cards"}),
    ([OPEN, DEAL], act("pass", 4, cards=["2C", "6C", "TC"]), {"code": "no_such_seat"}),
    ([OPEN, DEAL], act("pass", -1, cards=["2C", "6C", "TC"]), {"code": "no_such_seat"}),
    ([OPEN, DEAL], {"op": "view", "seat": 4}, {"code": "no_such_seat"}),
    ([OPEN, DEAL], {"op": "legal", "seat": -1}, {"code": "no_such_seat"}),
    ([OPEN], DEAL | {"events": 4}, {"code": "no_such_seat"}),
    ([OPEN], act("play", 0, card="2C"), {"code": "wrong_phase", "phase": "deal"}),
    ([OPEN, DEAL], DEAL, {"code": "wrong_phase", "phase": "pass"}),
    ([OPEN], {"op": "apply", "action": {"kind": "open", "dealer": 0}}, {"code": "wrong_phase", "phase": "deal"}),
    ([SPADES, DEAL], act("bid", 1, bid=1), {"code": "not_your_turn"}),
    ([SPADES, DEAL], {"op": "default", "seat": 1}, {"code": "not_your_turn"}),
    ([OPEN], {"op": "default", "seat": 0}, {"code": "not_your_turn"}),
    ([OPEN, DEAL, *ALL_PASS], ALL_PASS[0], {"code": "already_answered"}),
    ([OPEN, DEAL, *ALL_PASS], act("skip", 0), {"code": "already_answered"}),
    ([OPEN], {"op": "apply", "action": {"kind": "deal", "pack": []}}, {"code": "bad_pack", "count": 52}),
    (
        [OPEN],
        {"op": "apply", "action": {"kind": "deal", "pack": [*DECK[:-1], "2C"]}},
        {"code": "bad_pack", "count": 52},
    ),
    ([OPEN, DEAL], act("pass", 0, cards=["2C", "6C", "3C"]), {"code": "not_in_hand", "card": "3C"}),
    ([HOLD, DEAL], act("play", 0, card="3C"), {"code": "not_in_hand", "card": "3C"}),
    ([OPEN, DEAL], act("pass", 0, cards=["2C", "6C"]), {"code": "wrong_count", "count": 3}),
    ([OPEN, DEAL], act("pass", 0, cards=["2C", "6C", "2C"]), {"code": "same_card_twice", "card": "2C"}),
    ([SPADES, DEAL], act("bid", 0, bid=14), {"code": "bid_out_of_range"}),
    ([SPADES, DEAL], act("bid", 0, bid=-1), {"code": "bid_out_of_range"}),
    ([OPEN, DEAL], act("skip", 0), {"code": "no_skip_right"}),
    ([HOLD, DEAL], act("play", 0, card="6C"), {"code": "must_lead_opening_card", "card": "2C"}),
    (
        [HOLD, DEAL, act("play", 0, card="2C")],
        act("play", 1, card="2D"),
        {"code": "must_follow_suit", "suit": "C"},
    ),
    ([DEALER_LEFT, DEAL], act("play", 0, card="4H"), {"code": "hearts_not_broken"}),
    ([HELD_BACK, DEAL_SUITS, act("play", 0, card="2C")], act("play", 1, card="2H"), {"code": "hearts_held_back"}),
    ([HOLD, DEAL_SUITS, act("play", 0, card="2C")], act("play", 1, card="2H"), {"code": "no_points_first_trick"}),
    ([SPADES, DEAL, *BIDS], act("play", 0, card="3S"), {"code": "spades_not_broken"}),
    ([SPADES, DEAL, *BIDS], act("finish", 0, cards=list(DECK[::4])), {"code": "not_decided"}),
    (
        [SPADES | {"dealer": 2}, DEAL_SUITS, *BIDS[3:], *BIDS[:3]],
        act("finish", 3, cards=["AC"]),
        {"code": "not_decided"},
    ),
    ([SPADES | {"dealer": 3}, ALL_SPADES, *BIDS], act("finish", 0), {"code": "wrong_proof"}),
    ([SPADES | {"dealer": 3}, ALL_SPADES, *BIDS], act("finish", 0, cards=["AS"]), {"code": "wrong_proof"}),
    (
        [
            SPADES | {"options": {"target": 100}},
            ALL_SPADES,
            *[act("bid", seat, bid=bid) for seat, bid in enumerate((13, 2, 0, 2))],
            act("finish", 0, cards=SUITS[3]),
        ],
        {"op": "apply", "action": {"kind": "deal"}},
        {"code": "game_over"},
    ),
]


@pytest.mark.parametrize(("before", "request_", "refusal"), REFUSALS, ids=lambda value: json.dumps(value)[:70])
def test_a_refused_action_is_answered_with_its_code_and_changes_nothing(
    table: Table, before: list[Json], request_: Json, refusal: Json
) -> None:
    table.accept(*before)
    assert table.refuse(request_) == refusal


def test_every_refusal_of_an_action_has_an_example_here() -> None:
    at_open = {"unknown_kind", "bad_players", "unknown_option", "bad_type", "bad_value", "bad_combination"}
    assert {refusal["code"] for _, _, refusal in REFUSALS} == CODES.keys() - at_open


# --- the process ------------------------------------------------------------------------------------------------------


def run(source: bytes) -> list[Json]:
    """What the process answers to this input, having ended well and silently."""
    done = subprocess.run(
        [sys.executable, "-m", "games.rules"], cwd=ROOT, input=source, capture_output=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == b"" or done.stdout.endswith(b"\n")
    return [json.loads(line) for line in done.stdout.decode("ascii").splitlines()]


def test_without_input_the_process_says_nothing_and_ends_well() -> None:
    assert run(b"") == []


def test_a_line_that_is_too_long_is_refused_once_and_the_next_one_works() -> None:
    too_long = {"ok": False, "code": "line_too_long", "most": LONGEST_LINE}
    lengths = (LONGEST_LINE + 1, LONGEST_LINE + 2, LONGEST_LINE + 3, 2 * LONGEST_LINE + 4, 20 * LONGEST_LINE)
    source = b"".join(b"x" * length + b"\n" + json.dumps(OPEN).encode() + b"\n" for length in lengths)
    answers = run(source)
    assert answers[::2] == [too_long] * len(lengths)
    assert [answer["ok"] for answer in answers[1::2]] == [True] * len(lengths)


def test_the_longest_line_may_end_in_any_way() -> None:
    full = b'{"op": "due"' + b" " * (LONGEST_LINE - 13) + b"}"
    assert [answer["code"] for answer in run(full + b"\n" + full + b"\r\n" + full)] == ["no_game"] * 3


def test_blank_lines_are_not_answered_and_the_last_line_needs_no_end() -> None:
    assert len(run(b'\n \t\r\n\r\n{"op": "due"}\r\n\n{"op": "due"}')) == 2


def test_a_line_of_bytes_that_are_no_text_is_refused_by_the_process_too() -> None:
    answers = run(b'\xff\xfe\n{"op": "due", "id": "\\ud800"}\n')
    assert answers == [
        {"ok": False, "code": "bad_json"},
        {"ok": False, "id": "\ud800", "code": "no_game", "field": "game"},
    ]


def test_a_line_too_long_is_never_read_as_its_beginning() -> None:
    source = json.dumps(OPEN).encode() + b'\n{"op": "close"}' + b"\r" * LONGEST_LINE + b' or not\n{"op": "due"}\n'
    opened, too_long, due = run(source)
    assert (too_long["ok"], too_long.get("code")) == (False, "line_too_long")
    assert due == {"ok": True} | {key: opened[key] for key in due if key != "ok"}


def test_a_line_too_long_that_begins_with_blanks_is_answered() -> None:
    answers = run(b" " * (LONGEST_LINE + 10) + b'{"op": "due"}\n')
    assert answers == [{"ok": False, "code": "line_too_long", "most": LONGEST_LINE}]


def test_only_spaces_and_tabs_make_a_blank_line() -> None:
    assert run(b" \t\r\n\n\x0b\n") == [{"ok": False, "code": "bad_json"}]


@pytest.mark.parametrize("closing", ["<&-", ">&-", ">/dev/full"])
def test_streams_that_cannot_be_used_leave_no_trace(closing: str) -> None:
    command = f"{sys.executable} -m games.rules {closing}"
    done = subprocess.run(
        ["bash", "-c", command], cwd=ROOT, input=b'{"op": "due"}\n', capture_output=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (1, b"")


TABLES = [("hearts", players) for players in range(2, 8)] + [("spades", 4)]


@pytest.mark.parametrize(("kind", "players"), TABLES)
def test_a_whole_game_of_random_choices_is_played_through_the_process(
    process: Process, kind: str, players: int
) -> None:
    rng = random.Random(players)
    options = {"hearts": {"end_score": 20, "skip_right": "one_each"}, "spades": {"target": 100, "blind_nil": "yes"}}
    code = deals.sealed_code(rules_for(kind, players), bytes(32), [b""] * players).text

    def accept(**request: object) -> Json:
        answer = process.ask(json.dumps(request).encode())
        assert answer["ok"], (request, answer)
        return answer

    now = accept(op="open", kind=kind, players=players, options=options[kind], code=code)
    scored: list[Json] = []
    while now["phase"] != "over":
        action = {"kind": "deal"}
        if now["phase"] != "deal":
            action = rng.choice(accept(op="legal", seat=rng.choice(now["seats"]))["actions"])
        ply, now = now["ply"], accept(op="apply", action=action)
        assert now["ply"] == ply + 1
        scored += [now["score"]] if "score" in now else []
    changes = [sum(column) for column in zip(*[score["change"] for score in scored], strict=True)]
    result = accept(op="result")["result"]
    view = accept(op="view")["view"]
    assert [score["deal"] for score in scored] == list(range(1, len(scored) + 1))
    assert result["scores"] == now["scores"] == view["scores"] == changes
    assert view["result"] == result
    assert len(result["placings"]) == players
    assert 1 in result["placings"]


# --- any line ---------------------------------------------------------------------------------------------------------

FUZZ_LINES = 5_000


def test_no_line_ever_raises_leaves_no_answer_or_changes_the_state_when_refused() -> None:
    referee, fuzzer = Referee(), Fuzzer(seed=5)

    def ask(line: bytes) -> Json:
        answer: Json = json.loads(json.dumps(referee.answer(line), allow_nan=False))
        return answer

    codes = drive(fuzzer, FUZZ_LINES, ask, lambda _: {name: game.state for name, game in referee.games.items()})
    assert codes["accepted"] > FUZZ_LINES / 4
    assert codes.total() - codes["accepted"] > FUZZ_LINES / 4
    assert codes.keys() >= set(REFEREE_CODES)


def test_the_same_seed_makes_the_same_lines() -> None:
    lines: list[list[bytes]] = [[], []]
    for made in lines:
        referee, fuzzer = Referee(), Fuzzer(seed=8)
        for _ in range(500):
            made.append(fuzzer.line())
            fuzzer.learn(made[-1], referee.answer(made[-1]))
    assert lines[0] == lines[1]

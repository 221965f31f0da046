"""`python -m games.cpu`, and the reading of views from JSON behind it."""

from __future__ import annotations

import copy
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from games.cpu.reading import BadView, view_from_json
from games.kinds import rules_for
from games.programs.cpu_player import LONGEST_LINE, answer, main
from games.rules import Action, Rules, State, View, view
from tests.games.rules.play import TABLES, random_game, random_rules
from tests.games.rules.rig import dealt, play, table

ROOT = Path(__file__).resolve().parents[3]


def reply(line: bytes | str, kind: str = "hearts", level: str = "normal") -> dict[str, Any]:
    return answer(line.encode() if isinstance(line, str) else line, kind, level, random.Random(1), budget=1)


def line_of(rules: Rules, state: State, seat: int) -> str:
    return json.dumps(view(rules, state, seat).to_json())


def views(games: int = 1) -> Iterator[tuple[Rules, State, View]]:
    """Views of asked seats and spectators in random games at every table."""
    for kind, players in TABLES:
        rng = random.Random(f"command {kind} {players}")
        for _ in range(games):
            rules = random_rules(kind, players, rng)
            for number, (state, _, _) in enumerate(random_game(rules, rng)):
                if number % 13 == 0 or state.phase not in ("play", "bid", "pass", "deal"):
                    for seat in (*rules.due(state).seats, None):
                        yield rules, state, view(rules, state, seat)


def test_a_view_survives_its_way_through_json() -> None:
    for _, _, seen in views():
        assert view_from_json(json.loads(json.dumps(seen.to_json())), rules_for) == seen


def test_every_view_of_a_game_is_answered_legally() -> None:
    for rules, state, seen in views():
        said = reply(json.dumps(seen.to_json()), rules.kind)
        if seen.ask is None:
            assert said == {"ok": False, "code": "not_asked", "field": "ask"}
        else:
            rules.check(state, Action.from_json(said))


def test_the_command_answers_views_and_names_what_is_wrong_with_a_line() -> None:
    rules = table("hearts")
    seen = line_of(rules, dealt(rules, {}), 2)
    lines = f"{seen}\n\nnonsense\n{{}}\n{seen}\r\n"
    command = [sys.executable, "-m", "games.cpu", "--kind", "hearts", "--level", "normal", "--seed", "1"]
    done = subprocess.run(command, cwd=ROOT, input=lines, capture_output=True, text=True, timeout=60, check=False)
    first, second, third, fourth = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, done.stderr) == (0, "")
    assert (first["kind"], first["seat"], len(first["cards"])) == ("pass", 2, 3)
    assert first == fourth
    assert (second["code"], third["code"]) == ("bad_json", "bad_view")


@pytest.mark.parametrize(
    ("change", "code", "field"),
    [
        ({"kind": "whist"}, "unknown_kind", "kind"),
        ({"kind": ["hearts"]}, "unknown_kind", "kind"),
        ({"players": 9}, "bad_players", "players"),
        ({"options": None}, "bad_view", "options"),
        ({"options": {"moon": "blue"}}, "bad_value", "moon"),
        ({"options": {"trump": "S"}}, "unknown_option", "trump"),
        ({"seat": 4}, "bad_view", "seat"),
        ({"seat": True}, "bad_view", "seat"),
        ({"ply": "3"}, "bad_view", "ply"),
        ({"phase": "tea"}, "bad_view", "phase"),
        ({"hand": ["1S"]}, "unknown_card", "hand"),
        ({"hand": ["AS", "AS"]}, "bad_view", "hand"),
        ({"hand": ["AS"]}, "bad_view", "hand"),
        ({"hand_counts": [13, 13, 13]}, "bad_view", "hand_counts"),
        ({"hand_counts": [13, 13, 13, 99]}, "bad_view", "hand_counts"),
        ({"trick": ["AS"], "leader": None}, "bad_view", "hand"),
        ({"tricks": [{"leader": 0, "cards": ["2C"], "winner": 0}]}, "bad_view", "tricks"),
        ({"scores": [0, 0, 0]}, "bad_view", "scores"),
        ({"scores": [0, 0, 0, 1e300]}, "bad_view", "scores"),
        ({"ask": {}}, "bad_view", "ask"),
        ({"ask": None}, "not_asked", "ask"),
        ({"secret": 1}, "bad_view", "secret"),
    ],
)
def test_what_is_wrong_with_a_view_is_named(change: dict[str, Any], code: str, field: str) -> None:
    rules = table("hearts", passing="off")
    data = view(rules, dealt(rules, {1: "2C AS"}), 1).to_json() | change
    assert reply(json.dumps(data)) == {"ok": False, "code": code, "field": field}


@pytest.mark.parametrize("key", sorted(View.__dataclass_fields__))
def test_every_field_of_a_view_is_needed(key: str) -> None:
    rules = table("spades")
    data = view(rules, dealt(rules, {}), 0).to_json()
    del data[key]
    with pytest.raises(BadView) as bad:
        view_from_json(data, rules_for)
    assert bad.value.to_json() == {"code": "bad_view", "field": key}


def test_cards_in_two_places_and_questions_that_do_not_fit_are_refused() -> None:
    rules = table("hearts", passing="off")
    state = play(rules, dealt(rules, {0: "2C", 1: "3C"}), "2C")
    data = view(rules, state, 1).to_json()
    assert reply(json.dumps(data))["card"] == "3C"
    doubled = copy.deepcopy(data) | {"trick": ["3C"]}
    assert reply(json.dumps(doubled))["field"] == "hand"
    misfits: list[dict[str, Any]] = [{"phase": "moon"}, {"cards": []}, {"cards": ["2C"]}, {"finish": ["2C"]}]
    for wrong in misfits:
        changed = copy.deepcopy(data)
        changed["ask"] |= wrong
        assert reply(json.dumps(changed))["field"] == "ask"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("nonsense", "bad_json"),
        ('{"kind": NaN', "bad_json"),
        ('{"kind": NaN}', "bad_json"),
        ('{"kind": "hearts", "kind": "spades"}', "bad_json"),
        (b"\xff\xfe", "bad_json"),
        ("[" * 100_000, "bad_json"),
        ("1" * 10_000, "bad_json"),
        ("[]", "bad_view"),
        ("null", "bad_view"),
        (b" " * (LONGEST_LINE + 1), "line_too_long"),
    ],
    ids=["word", "cut", "no number", "key twice", "bytes", "deep", "long number", "list", "null", "long line"],
)
def test_lines_that_are_no_view_get_a_code(line: bytes | str, code: str) -> None:
    assert (reply(line)["ok"], reply(line)["code"]) == (False, code)


def test_an_expert_answers_the_same_for_a_seed_and_a_budget() -> None:
    rules = table("hearts")
    lines = f"{line_of(rules, dealt(rules, {}), 2)}\n" * 2
    command = [
        sys.executable,
        "-m",
        "games.cpu",
        "--kind",
        "hearts",
        "--level",
        "expert",
        "--seed",
        "1",
        "--budget",
        "50",
    ]
    answers = []
    for _ in range(2):
        done = subprocess.run(command, cwd=ROOT, input=lines, capture_output=True, text=True, timeout=300, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        answers.append([json.loads(line)["cards"] for line in done.stdout.splitlines()])
    assert answers[0] == answers[1]
    assert [len(cards) for cards in answers[0]] == [3, 3]


def test_what_experts_need_can_be_compiled_beforehand() -> None:
    command = [sys.executable, "-m", "games.cpu", "--warm"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--kind", "hearts"],
        ["--kind", "hearts", "--level", "expert", "--budget", "0"],
        ["--kind", "hearts", "--level", "expert", "--budget", "nan"],
    ],
)
def test_a_wrong_command_line_is_explained(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "games.cpu", *arguments]
    done = subprocess.run(command, cwd=ROOT, input="", capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "usage: python -m games.cpu" in done.stderr
    assert "--budget" not in arguments or "a whole number from 1 to" in done.stderr


@pytest.mark.parametrize("closing", ["<&-", ">&-", ">/dev/full"])
def test_it_ends_without_a_word_when_nothing_can_be_read_or_written(closing: str) -> None:
    """The input or the output closed before the start, and a disk that is full."""
    command = f"echo '{{}}' | {sys.executable} -m games.cpu --kind hearts --level normal {closing}"
    done = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")


@pytest.mark.parametrize("arguments", [["--warm"], ["--kind", "spades", "--level", "expert"]])
def test_it_can_be_interrupted_while_it_compiles(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("games.programs.cpu_player.warm", interrupted)
    monkeypatch.setattr("sys.argv", ["games.cpu", *arguments])
    assert main() == 1


def test_a_pass_of_another_number_of_cards_is_no_question_of_these_rules() -> None:
    """An expert would answer with three."""
    rules = table("hearts")
    data = view(rules, dealt(rules, {}), 0).to_json()
    assert len(reply(json.dumps(data))["cards"]) == 3
    for wrong in ({"count": 2}, {"count": 4}, {"cards": data["hand"][:5]}):
        changed = {**data, "ask": data["ask"] | wrong}
        assert reply(json.dumps(changed)) == {"ok": False, "code": "bad_view", "field": "ask"}


def test_a_view_of_the_other_kind_is_refused() -> None:
    rules = table("spades")
    assert reply(line_of(rules, dealt(rules, {}, dealer=3), 0))["code"] == "wrong_kind"


@pytest.mark.parametrize("level", ["normal", "expert"])
def test_damaged_views_are_refused_or_answered_but_never_crash(level: str) -> None:
    """Values of views are put in each other's places, and plain wrong ones anywhere."""
    rng = random.Random(7)
    wrong: list[Any] = [None, 0, -1, 3, 99, "", "QS", [], ["QS"], {}, True, 0.5, [None] * 4, [[0]], "hearts", "pass"]
    seen = [data for rules, _, found in views() if found.ask is not None for data in [(rules.kind, found.to_json())]]
    answered = 0
    for _ in range(2500):
        kind, data = rng.choice(seen)
        changed: Any = copy.copy(data) | {"ask": copy.copy(data["ask"])}
        target = changed["ask"] if rng.random() < 0.3 else changed
        target[rng.choice(sorted(target))] = rng.choice([*wrong, rng.choice(sorted(data.items()))[1]])
        said = reply(json.dumps(changed), kind, level)
        assert "kind" in said or said["ok"] is False
        answered += "kind" in said
    assert 100 < answered < 2400


def test_a_question_for_some_bids_alone_is_none_of_these_rules() -> None:
    rules = table("spades")
    data = view(rules, dealt(rules, {}, dealer=3), 0).to_json()
    assert "bid" in reply(json.dumps(data), "spades")
    changed = {**data, "ask": data["ask"] | {"bids": [7, 8]}}
    assert reply(json.dumps(changed), "spades") == {"ok": False, "code": "bad_view", "field": "ask"}

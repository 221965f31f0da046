"""The arena measures what it says: both sides get the same deals, and a match that was broken off goes on."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from games.kinds import rules_for
from tests.bench.arena import main, match, report, seatings
from tests.bench.players import player_of


@pytest.mark.parametrize(("players", "alone"), [(4, False), (4, True), (3, False), (5, False), (6, False)])
def test_each_player_sits_in_each_seat_as_often(players: int, alone: bool) -> None:
    rounds = seatings(players, alone)
    for seat in range(players):
        assert sum(who[seat] == 0 for who in rounds) == (len(rounds) // 2 if players % 2 == 0 and not alone else 1)


def test_a_player_against_itself_is_no_better() -> None:
    pairs = match(rules_for("hearts", 4, {}), ("rule", "rule"), range(3))
    assert all(abs(pair.better) < 1e-9 for pair in pairs)


@pytest.mark.parametrize("kind", ["hearts", "spades"])
def test_a_match_that_was_broken_off_goes_on_with_the_same_pairs(tmp_path: Path, kind: str) -> None:
    rules, names, kept = rules_for(kind, 4, {}), ("normal", "random"), tmp_path / "pairs"
    whole = match(rules, names, range(4))
    match(rules, names, range(2), results=kept)
    with kept.open("a") as file:
        file.write('{"number": 2, "bet')  # cut off while it was written
    resumed = match(rules, names, range(4), results=kept)
    assert [pair.better for pair in resumed] == [pair.better for pair in whole]
    assert [pair.better for pair in match(rules, names, range(4), results=kept)] == [pair.better for pair in whole]
    assert f"{names[0]} is better than {names[1]}" in report(rules, names, resumed)
    with pytest.raises(SystemExit, match="holds another match"):
        match(rules, ("random", "normal"), range(4), results=kept)


def test_the_search_after_the_public_recipe_plays_whole_deals() -> None:
    for players in (3, 4, 5):
        rules = rules_for("hearts", players, {"surplus": "kitty"})
        assert len(match(rules, ("pimc@2x20", "rule"), range(2))) == 2


def test_another_program_plays_as_the_same_player_would_here() -> None:
    """Such as an earlier version in a checkout of its own. Level normal draws nothing, so its answers are the same."""
    for kind in ("hearts", "spades"):
        rules, command = rules_for(kind, 4, {}), f"{sys.executable} -m games.cpu --kind {kind} --level normal"
        pairs = match(rules, ("program", "normal"), range(2), program=command)
        here = match(rules, ("normal", "normal"), range(2))
        assert [pair.better for pair in pairs] == [pair.better for pair in here]


@pytest.mark.parametrize("kept", ["", "nonsense\n", '{"kind": "hea', "{}\n", "3"], ids=str)
def test_a_file_of_something_else_is_left_alone_and_an_empty_one_begun(tmp_path: Path, kept: str) -> None:
    rules, file = rules_for("hearts", 4, {}), tmp_path / "pairs"
    file.write_text(kept)
    if kept:
        with pytest.raises(SystemExit, match="holds another match"):
            match(rules, ("random", "random"), range(2), results=file)
        assert file.read_text().startswith(kept)
    else:
        match(rules, ("random", "random"), range(2), results=file)
        assert len(file.read_text().splitlines()) == 3
    with pytest.raises(SystemExit, match="results cannot be kept"):
        match(rules, ("random", "random"), range(2), results=tmp_path / "nowhere" / "pairs")
    with pytest.raises(SystemExit, match="results cannot be kept"):
        match(rules, ("random", "random"), range(2), results=tmp_path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["spades", "expert", "pimc@2x20"], "plays Hearts only"),
        (["spades", "rule", "expert"], "plays Hearts only"),
        (["hearts", "random", "random", "1"], "at least two pairs"),
        (["hearts", "random", "random", "--option", "end_score=\u00b2"], "not a table"),
        (["hearts", "random", "program", "--program", "'"], "not a command"),
    ],
)
def test_wrong_arguments_get_a_line(arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["arena", *arguments])
    with pytest.raises(SystemExit, match=message):
        main()


def test_the_interval_is_that_of_the_mean_of_the_pairs() -> None:
    rules = rules_for("hearts", 4, {})
    pairs = match(rules, ("normal", "random"), range(4))
    better = [pair.better for pair in pairs]
    mean = sum(better) / 4
    error = (sum((one - mean) ** 2 for one in better) / 3 / 4) ** 0.5
    assert f"by {mean:+.2f} ± {1.96 * error:.2f} points a seat and deal" in report(rules, ("normal", "random"), pairs)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("no-such-program-anywhere", "cannot be started"),
        (f"{sys.executable} -c pass", "ended"),
        (f"{sys.executable} -c \"input(); print('what?')\"", "answered no action: what"),
        (f"{sys.executable} -c \"input(); print('[1]')\"", "answered no action"),
        (f'{sys.executable} -c "import time; time.sleep(60)"', "gave no answer in 0.5 s"),
    ],
)
def test_a_program_that_cannot_play_ends_the_match(command: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.bench.program.ANSWER_S", 0.5 if "sleep" in command else 20.0)
    with pytest.raises(SystemExit, match=message):
        match(rules_for("hearts", 4, {}), ("program", "normal"), range(2), program=command)


@pytest.mark.parametrize("name", ["nobody", "pimc@x", "games.nowhere:normal", "expert@much", "..x:y", ":"])
def test_an_unknown_player_ends_the_program(name: str) -> None:
    with pytest.raises(SystemExit, match="no player"):
        player_of(name)

"""The check of finished games as a whole: its kinds against the rules, a kind more, and the one file that is built."""

from __future__ import annotations

import inspect
import itertools
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from games import verify
from games.codes import deals
from games.kinds import KINDS, rules_for
from games.kinds.checks import checks
from games.kinds.kind import Kind
from games.kinds.spades import SPADES
from games.rules import RULES_VERSION
from games.rules.answers import MOST_DEALS
from games.verify import build, walk
from tests.games.verify import whist_check
from tests.games.verify.whist_check import WhistCheck

PROJECT = Path(__file__).resolve().parents[3]
WHIST = Path(whist_check.__file__)

each_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)


@pytest.fixture
def whist(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whist is one of the kinds."""
    monkeypatch.setitem(KINDS, "whist", replace(SPADES, name="whist", check=WhistCheck, check_script=None))


# --- what must agree --------------------------------------------------------------------------------------------------


def test_the_file_has_every_kind_that_is_played() -> None:
    files = {name: Path(inspect.getfile(kind.check)) for name, kind in KINDS.items()}
    places = "the files games/kinds/*/check.py against KINDS of games/kinds/__init__.py"
    assert build.files_of_the_kinds() == files, places


def test_the_check_knows_the_rules_as_they_are() -> None:
    places = "of games/verify/walk.py against that of games/rules/"
    assert walk.RULES_VERSION == RULES_VERSION, f"RULES_VERSION {places}"
    assert walk.MOST_DEALS == MOST_DEALS, f"MOST_DEALS {places}"


@each_kind
def test_the_check_of_a_kind_knows_the_options_that_its_rules_declare(kind: Kind) -> None:
    check, options = kind.check, kind.options
    declared = {option.name: option.default for option in options.declared()}
    places = f"{check.__module__}.{check.__name__} against {options.__module__}.{options.__name__}"
    assert sorted([*check.OPTIONS, *check.UNREAD]) == sorted(declared), f"OPTIONS and UNREAD of {places}"
    usual = {name: declared[name] for name in check.OPTIONS}
    assert dict(check.OPTIONS) == usual, f"the values in OPTIONS and the defaults: {places}"


@each_kind
def test_the_check_of_a_kind_reads_the_options_that_it_lists(kind: Kind) -> None:
    check = kind.check
    file = Path(inspect.getfile(check))
    read = set(re.findall(r'self\.option\(\s*"(\w+)"', file.read_text()))
    read |= {name for row in check.ROWS for name in row.options}
    assert read == set(check.OPTIONS), f"what {check.__module__} reads against its own OPTIONS"


@each_kind
def test_the_rows_of_a_kind_are_the_packs_of_its_rules(kind: Kind) -> None:
    check, options = kind.check, kind.options
    places = f"ROWS of {check.__module__} against the decks of {kind.rules.__module__}"
    names = sorted({name for row in check.ROWS for name in row.options})
    values = [[value.value for value in options.option(name).values] for name in names]
    assert {row.players for row in check.ROWS} == set(options.PLAYERS), f"players: {places}"
    found = set()
    for players, chosen in itertools.product(options.PLAYERS, itertools.product(*values)):
        table_options = dict(zip(names, chosen, strict=True))
        table = verify.table_of(checks(), kind.name, players, table_options)
        assert table.deck == rules_for(kind.name, players, table_options).deck, f"{players} {table_options}: {places}"
        found.add(table.character)
    assert found == {row.character for row in check.ROWS}, f"a row that no options lead to: {places}"


#: The first characters of all codes that have been given out. A line is never changed; a new row is a new line.
GIVEN_OUT = """
0 hearts 2 3 5 7 9 J K
1 hearts 3 2D
2 hearts 3 2C
3 hearts 3
4 hearts 4
5 hearts 5 2D 2C
6 hearts 5
7 hearts 6 2
8 hearts 6 2D 3D 3C 4C
9 hearts 6
A hearts 7 2D 3D 3C
B hearts 7
C spades 4
"""


def test_the_rows_are_those_of_the_codes_that_have_been_given_out() -> None:
    rows = [" ".join(filter(None, (t.character, t.kind, str(t.players), t.removed))) for t in deals.tables()]
    known = GIVEN_OUT.split("\n")[1:-1]
    assert rows[: len(known)] == known, "ROWS of games/kinds/*/check.py against GIVEN_OUT of this test"
    assert rows == known, "GIVEN_OUT of this test lacks a new row of games/kinds/*/check.py: add it at the end"


@pytest.mark.parametrize("character", ["C", "E", "Z"])
def test_a_row_that_is_taken_or_leaves_a_gap_is_refused(character: str) -> None:
    class Other(WhistCheck):
        ROWS = (verify.Row(character, 4, {}, ""),)

    with pytest.raises(ValueError, match=f"{character} \\(whist\\)"):
        verify.tables_of({**checks(), "whist": Other})


# --- a kind more ------------------------------------------------------------------------------------------------------


def whist_record() -> dict[str, Any]:
    """A game of Whist in which every seat plays the first card that it may."""
    code = verify.code_of("D", 2**69 + 12345)
    seed = code[:-1].encode()
    dealer, pack = verify.first_dealer(seed, 4), verify.shuffle(seed, 1, 0)
    hands = [list(pack[(seat - dealer - 1) % 4 :: 4]) for seat in range(4)]
    entries: list[dict[str, Any]] = [
        {"seat": None, "kind": "open", "ask": "", "data": {"dealer": dealer}},
        {"seat": None, "kind": "deal", "ask": "", "data": {"pack": list(pack)}},
    ]
    leader, scores = (dealer + 1) % 4, [0] * 4
    for number in range(1, 14):
        trick: list[str] = []
        for place in range(4):
            hand = hands[(leader + place) % 4]
            card = next((card for card in hand if trick and card[1] == trick[0][1]), hand[0])
            hand.remove(card)
            trick.append(card)
            said = {"seat": (leader + place) % 4, "kind": "play", "ask": f"1.0.play.{number}", "data": {"card": card}}
            entries.append(said)
        best = max((card for card in trick if card[1] == trick[0][1]), key=verify.CARDS.index)
        leader = (leader + trick.index(best)) % 4
        scores[leader] += 1
    places = [1 + sum(other > own for other in scores) for own in scores]
    return {
        "format": "moonshot-game",
        "version": 1,
        "kind": "whist",
        "players": 4,
        "options": {},
        "rules_version": 1,
        "code": code,
        "commitment": None,
        "secret": None,
        "nonces": [""] * 4,
        "log": [{"ply": ply, **entry} for ply, entry in enumerate(entries, 1)],
        "result": {"placings": places, "scores": scores, "reason": "target"},
    }


def test_a_kind_that_is_added_is_checked_as_the_others_are(whist: None) -> None:
    record = whist_record()
    assert verify.answer(record, checks()) == (0, ["OK: 1 pack follows from its game code."])
    assert deals.read_code(record["code"]).kind == "whist"
    log = [*record["log"][:2], {**record["log"][2], "seat": record["log"][3]["seat"]}, *record["log"][3:]]
    assert verify.check_record({**record, "log": log}, checks()) == ["wrong_log 3"]
    assert verify.check_record({**record, "kind": "spades"}, checks())[0] == "wrong_table"
    assert verify.check_record({**record, "options": {"pack": "short"}}, checks()) == ["wrong_table"]
    worse = {**record["result"], "scores": [13, 0, 0, 0]}
    assert verify.check_record({**record, "result": worse}, checks()) == ["wrong_result"]


def test_a_kind_that_is_not_known_is_named_so() -> None:
    with pytest.raises(verify.Unreadable, match="Games of this kind are not known here"):
        verify.check_record(whist_record(), checks())


# --- the one file -----------------------------------------------------------------------------------------------------


def test_the_file_is_the_same_every_time_formatted_and_without_faults(tmp_path: Path) -> None:
    text = build.source(build.files_of_the_kinds())
    assert text == build.source(build.files_of_the_kinds())
    file = tmp_path / "verify.py"
    file.write_text(text)
    for order in (["format", "--check"], ["check"]):
        ruff = [sys.executable, "-m", "ruff", *order, "--config", str(PROJECT / "pyproject.toml"), str(file)]
        done = subprocess.run(ruff, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


def test_the_file_with_a_kind_more_checks_that_kind_alone_in_a_folder(tmp_path: Path) -> None:
    script, file = tmp_path / "verify.py", tmp_path / "record.json"
    script.write_text(build.source({**build.files_of_the_kinds(), "whist": WHIST}))
    file.write_text(json.dumps(whist_record()))
    order = [sys.executable, "-I", "-S", str(script), str(file)]
    done = subprocess.run(order, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "OK: 1 pack follows from its game code.\n", "")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("from games.kinds import rules_for", "imports from games.kinds"),
        ("from . import other", "imports from its folder"),
        ("import django", "imports django"),
        ("import json as other", "imports json"),
        ("from games.verify.cards import CARDS as OTHER", "under another name"),
        ("CARDS = ()", "both define CARDS"),
        ("FLOOR = -200", "both define FLOOR"),
        ("class More(Check): ...", "must have one class"),
        ("def late():\n    import json", "inside a function"),
    ],
)
def test_what_would_be_wrong_in_the_file_is_refused(tmp_path: Path, line: str, why: str) -> None:
    file = tmp_path / "check.py"
    file.write_text(f"{WHIST.read_text()}\n\n{line}\n")
    with pytest.raises(build.Unfit, match=why):
        build.source({**build.files_of_the_kinds(), "whist": file})


@pytest.mark.django_db
def test_the_site_gives_the_file_to_everybody_and_its_pages_link_to_it(whist: None) -> None:
    answer = Client().get(reverse("verify_file"))
    kinds = {**build.files_of_the_kinds(), "whist": WHIST}
    assert answer.content.decode() == build.source(kinds)
    assert answer["Content-Disposition"] == 'attachment; filename="verify.py"'
    for language in ("en", "ja"):
        page = Client().get(f"/{language}/guide/deals/").content.decode()
        assert f'href="{reverse("verify_file")}"' in page


def test_the_file_is_printed_from_the_source() -> None:
    order = [sys.executable, "-S", "-m", "games.verify.build"]
    done = subprocess.run(order, cwd=PROJECT, capture_output=True, text=True, check=True)
    assert done.stdout == build.source(build.files_of_the_kinds())

"""Records of finished games: one JSON a game, plain text and back, the fold to the result, and tampering found."""

from __future__ import annotations

import contextlib
import copy
import io
import itertools
import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from django.core.management import call_command

from games import verify
from games.histories import records
from games.histories.records import notation
from games.kinds.checks import checks
from games.verify import build
from tests.games.finished import played
from tests.games.generated import PRESETS, faults_of, generated
from tests.games.rules.play import TABLES
from tests.games.tampering import NEVER, WAYS, tampered_with

#: A record, or what somebody has made of one.
Record = Any
PROJECT = Path(__file__).resolve().parents[3]

#: Kind, players and options of games that between them use every kind of entry.
GAMES: list[tuple[str, int, dict[str, Any]]] = [
    ("hearts", 4, {"skip_right": "one_each", "moon": "choose", "end_score": 40}),
    ("hearts", 5, {"surplus": "kitty", "jack_of_diamonds": "minus_ten", "end_score": 30}),
    ("hearts", 2, {"end_score": 30}),
    ("spades", 4, {"blind_nil": "yes", "target": 200}),
    ("hearts", 7, {"passing": "always_left", "end_score": 20, "tie_for_first": "shared"}),
    ("hearts", 6, {"hold_deal": "skip", "removed_six": "keep_hearts", "end_score": 40}),
    ("hearts", 3, {"first_lead": "dealer_left", "end_score": 60, "removed_three": "2C"}),
    ("spades", 4, {"first_lead": "club_two", "bag_penalty": "no", "target": 100}),
]
ROUNDS = 7  # 56 games


def tampered(record: Record, change: Callable[[Record], None]) -> Record:
    other = copy.deepcopy(record)
    change(other)
    return other


@pytest.fixture(scope="module")
def game() -> Record:
    return played("hearts", 4, {"end_score": 50}, seed=5)


@pytest.fixture(scope="module")
def spades() -> Record:
    return played("spades", 4, {"target": 200}, seed=6)


# --- one game, one JSON, one text -------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(len(GAMES) * ROUNDS))
def test_a_game_survives_json_text_and_back_and_folds_to_its_result(number: int) -> None:
    kind, players, options = GAMES[number % len(GAMES)]
    record = played(kind, players, options, seed=number, humans=range(number % (players + 1)))
    raw = records.to_bytes(record)
    text = notation.to_text(record)
    assert records.from_bytes(raw) == record
    assert notation.from_text(text) == record
    assert records.to_bytes(notation.from_text(text)) == raw
    assert notation.to_text(records.from_bytes(raw)) == text
    assert records.faults(record) == []
    assert verify.check_record(record, checks()) == []
    jsonschema.validate(record, records.SCHEMA)


@pytest.mark.parametrize("number", range(2 * max(len(PRESETS), len(TABLES)) + 20))
def test_generated_games_of_every_preset_and_table_fold_to_their_stored_results(number: int) -> None:
    assert faults_of(generated(number)) == []


def test_a_void_game_is_a_record_too() -> None:
    record = played(seed=3, most_deals=2)
    assert record["result"] is None
    assert record["log"][-1]["data"] == {"reason": "vote"}
    assert notation.from_text(notation.to_text(record)) == record
    assert (records.faults(record), verify.check_record(record, checks())) == ([], [])


def test_the_same_game_is_the_same_bytes_in_whatever_order_its_keys_come(game: Record) -> None:
    turned = json.loads(json.dumps(dict(reversed(game.items()))))
    assert records.to_bytes(turned) == records.to_bytes(game)
    spaced = json.dumps(turned, indent=2).encode()
    assert records.to_bytes(records.from_bytes(spaced)) == records.to_bytes(game)


def test_a_text_may_have_comments_and_the_line_ends_of_another_system(game: Record) -> None:
    text = notation.to_text(game).replace("\n", "\r\n").replace("\r\n\r\n", "\r\n\r\n% a remark\r\n")
    assert notation.from_text(text) == game


# --- readers are strict -----------------------------------------------------------------------------------------------


def set_key(path: str, value: Any) -> Callable[[Record], None]:
    def change(record: Any) -> None:
        *way, last = path.split(".")
        for key in way:
            record = record[int(key)] if isinstance(record, list) else record[key]
        record[int(last) if isinstance(record, list) else last] = value

    return change


BAD_FORMS: list[tuple[str, Any]] = [
    ("format", "chess"),
    ("version", 2),
    ("version", True),
    ("kind", "poker"),
    ("players", 8),
    ("players", "4"),
    ("options", {"x" * 50: 1}),
    ("options", {"end_score": None}),
    ("preset", {"slug": "a"}),
    ("seats", []),
    ("seats.0.name", "a\nb"),
    ("seats.0.name", "\ud800"),
    ("seats.0.extra", 1),
    ("nonces", ["zz"] * 4),
    ("secret", "ABCD"),
    ("log.3.ply", 9),
    ("log.3.kind", "peek"),
    ("log.3.data", {"pack": ["1X"]}),
    ("log.3.data", {"spy": 1}),
    ("log.3.at", -1),
    ("log.3.at", 10**18),
    ("log.3.seat", 1.0),
    ("result.placings", [1] * 9),
    ("result", "won"),
]


@pytest.mark.parametrize(("path", "value"), BAD_FORMS, ids=[path for path, _ in BAD_FORMS])
def test_a_document_of_the_wrong_form_is_refused_in_one_sentence(game: Record, path: str, value: Any) -> None:
    bad = tampered(game, set_key(path, value))
    with pytest.raises(records.BadRecord, match=r"^[^\n]{5,200}\.$"):
        records.from_bytes(json.dumps(bad).encode())


def test_the_reader_and_another_reader_of_json_schema_agree(game: Record) -> None:
    judge = jsonschema.Draft202012Validator(records.SCHEMA)
    judge.check_schema(records.SCHEMA)
    for path, value in BAD_FORMS:
        bad = tampered(game, set_key(path, value))
        if path not in ("seats", "log.3.ply") and value != 1.0:  # JSON Schema takes 1.0 for a whole number
            assert not judge.is_valid(bad), path
    for key in game:
        assert not judge.is_valid({name: value for name, value in game.items() if name != key})


@pytest.mark.parametrize(
    "raw", [b"", b"[]", b"nul", b"{" * 9_000, b'{"a": NaN}', b'{"a":1,"a":1}', b"\xff", b" " * 4_000_001]
)
def test_what_is_no_record_at_all_is_refused_in_one_sentence(raw: bytes) -> None:
    with pytest.raises(records.BadRecord, match=r"^[^\n]{5,200}\.$"):
        records.from_bytes(raw)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[Format ", "[Forms "),
        ("[Code ", "[Code 7 "),
        ("[Players 4]", "[Players 9]"),
        ("[Players 4]", "[Players {}]"),
        ("[Timer 30]", "[Timer 30"),
        ("[Timer 30]", "[Timer 30]\n[Timer 30]"),
        ("[Timer 30]", "[Timer 1e999]"),
        ("[End ", "[Finish "),
        ("trick 1:", "trick 2:"),
        ("trick 1:", "tricks 1:"),
        ("deal 2.0", "deal 3.0"),
        ("pass: ", "pass: 0=QS "),
        ("pass: ", "pass:  "),
        ("pass: ", "skip: 0=QS+1 "),
        ("open ", "open 1.0 "),
        ("deal 1.0 ", "! deal - dealer +0 {[}\ndeal 1.0 "),
        ("deal 1.0 ", "x" * 3_000 + "\ndeal 1.0 "),
        ("deal 1.0 ", "[Timer 30]\ndeal 1.0 "),
    ],
)
def test_a_text_with_a_slip_is_refused_with_the_line(game: Record, old: str, new: str) -> None:
    text = notation.to_text(game)
    assert old in text
    with pytest.raises(records.BadRecord, match=r"^[^\n]{5,250}\.$"):
        notation.from_text(text.replace(old, new, 1))


def test_no_damage_to_a_text_leads_to_a_trace(game: Record) -> None:
    rng = random.Random(1)
    text = notation.to_text(game)
    for _ in range(300):
        at, cut = rng.randrange(len(text)), rng.randrange(6)
        damaged = (
            text[:at] + "".join(rng.choice('"[]{}:=+-9aA\n é') for _ in range(rng.randrange(3))) + text[at + cut :]
        )
        try:
            read = notation.from_text(damaged)
        except records.BadRecord:
            continue
        records.faults(read)


# --- the fold ---------------------------------------------------------------------------------------------------------


def test_the_fold_finds_what_the_rules_or_the_result_do_not_bear_out(game: Record) -> None:
    cases = [
        tampered(game, set_key("result.scores", [0, 0, 0, 0])),
        tampered(game, set_key("result", None)),
        tampered(game, set_key("options.end_score", 300)),
        tampered(game, set_key("options.nothing", 51)),
        tampered(game, set_key("rules_version", 2)),
        tampered(game, set_key("log.6.ask", "1.0.play.9")),
        tampered(game, set_key("log.1.data", {})),
        tampered(game, lambda record: record["log"].pop()),
    ]
    for number, record in enumerate(cases):
        found = records.faults(record)
        assert len(found) == 1, number
        assert "\n" not in found[0]


# --- deals that can be checked ----------------------------------------------------------------------------------------


def swap_cards(record: Record) -> None:
    pack = record["log"][1]["data"]["pack"]
    pack[0], pack[1] = pack[1], pack[0]


def swap_plays(record: Record) -> None:
    plays = [entry for entry in record["log"] if entry["kind"] == "play"]
    plays[0]["data"], plays[9]["data"] = plays[9]["data"], plays[0]["data"]


def drop_entry(record: Record) -> None:
    last = [entry for entry in record["log"] if entry["kind"] == "play"][-1]
    record["log"].remove(last)
    for ply, entry in enumerate(record["log"], 1):
        entry["ply"] = ply


def swap_entries(record: Record) -> None:
    """Two entries of different seats in a row, each with its place in the other's stead."""
    log = record["log"]
    for place, (one, other) in enumerate(itertools.pairwise(log)):
        if one["kind"] == other["kind"] == "play" and one["seat"] != other["seat"]:
            log[place], log[place + 1] = {**other, "ply": one["ply"]}, {**one, "ply": other["ply"]}
            return


def bids(record: Record) -> list[int]:
    return [place for place, entry in enumerate(record["log"]) if entry["kind"] == "bid"]


def numbered(record: Record) -> None:
    for ply, entry in enumerate(record["log"], 1):
        entry["ply"] = ply


def swap_bids(record: Record) -> None:
    log, place = record["log"], bids(record)[0]
    log[place], log[place + 1] = log[place + 1], log[place]
    numbered(record)


def drop_bid(record: Record) -> None:
    record["log"].pop(bids(record)[3])
    numbered(record)


def double_bid(record: Record) -> None:
    place = bids(record)[2]
    record["log"].insert(place, copy.deepcopy(record["log"][place]))
    numbered(record)


#: The same for bids.
TAMPERED_BIDS: dict[str, tuple[Callable[[Record], None], str]] = {
    "bids out of turn": (swap_bids, "wrong_log"),
    "a bid left out": (drop_bid, "wrong_log"),
    "a seat that bids twice": (double_bid, "wrong_log"),
    "a bid of another seat": (lambda record: record["log"][bids(record)[1]].update(seat=0), "wrong_log"),
    "a bid of fourteen": (lambda record: record["log"][bids(record)[1]]["data"].update(bid=14), "wrong_log"),
}

TAMPERING: dict[str, tuple[Callable[[Record], None], str]] = {
    "pack": (swap_cards, "wrong_pack 1 0"),
    "secret": (set_key("secret", "00" * 32), "wrong_commitment"),
    "no secret": (set_key("secret", None), "no_secret"),
    "commitment": (set_key("commitment", "0" * 64), "wrong_commitment"),
    "no commitment": (set_key("commitment", None), "no_commitment"),
    "nonce": (set_key("nonces.1", "00"), "wrong_code"),
    "too few nonces": (set_key("nonces", ["00"]), "wrong_nonces"),
    "nonces in another order": (lambda record: record["nonces"].reverse(), "wrong_code"),
    "code": (set_key("code", "4000-0000-0000-000K"), "wrong_code"),
    "no code": (set_key("code", "4000-0000-0000-000A"), "bad_code"),
    "code of another table": (set_key("players", 5), "wrong_table"),
    "dealer": (
        lambda record: record["log"][0]["data"].update(dealer=(record["log"][0]["data"]["dealer"] + 1) % 4),
        "wrong_dealer",
    ),
    "log": (swap_plays, "wrong_log"),
    "order of the log": (swap_entries, "wrong_log"),
    "entry left out": (drop_entry, "wrong_log"),
    "ply": (set_key("log.8.ply", 4), "wrong_log 9"),
    "a deal left out": (lambda record: record["log"].pop(1), "wrong_pack 1 0"),
}


@pytest.mark.parametrize("name", TAMPERING)
def test_tampering_is_found_and_named(game: Record, name: str) -> None:
    change, fault = TAMPERING[name]
    found = verify.check_record(tampered(game, change), checks())
    assert any(one.startswith(fault) for one in found), found
    assert all("\n" not in verify.sentence(one) for one in found)


@pytest.mark.parametrize("name", TAMPERED_BIDS)
def test_bids_that_cannot_be_are_found_without_the_rules(spades: Record, name: str) -> None:
    change, fault = TAMPERED_BIDS[name]
    found = verify.check_record(tampered(spades, change), checks())
    assert any(one.startswith(fault) for one in found), found


@pytest.mark.parametrize("blind", [0, 1, 2, 3])
def test_games_with_blind_bids_exchanges_and_other_first_leads_pass_the_checker(blind: int) -> None:
    options = {"target": 500, "floor": "no", "blind_nil": "yes", "first_lead": ["dealer_left", "club_two"][blind % 2]}
    record = played("spades", 4, options, seed=40 + blind, most_deals=6)
    assert any(entry["kind"] == "blind" for entry in record["log"])
    assert verify.check_record(record, checks()) == []
    places = [n for n, entry in enumerate(record["log"]) if entry["kind"] in ("blind", "exchange")]
    for place in places:
        changed = tampered(record, lambda changed, place=place: changed["log"].pop(place))  # type: ignore[misc]
        numbered(changed)
        assert any(one.startswith("wrong_log") for one in verify.check_record(changed, checks())), place


def test_the_command_catches_every_tampering(game: Record, spades: Record, tmp_path: Path) -> None:
    """From a file, as everybody uses it, and by the rules as well."""
    cases = [(game, name, *TAMPERING[name]) for name in TAMPERING]
    cases += [(spades, name, *TAMPERED_BIDS[name]) for name in TAMPERED_BIDS]
    for record, name, change, _ in cases:
        file = tmp_path / "record.json"
        file.write_bytes(json.dumps(tampered(record, change)).encode())
        out = io.StringIO()
        with pytest.raises(SystemExit) as end:
            call_command("verify_deal", str(file), stdout=out, stderr=out)
        assert end.value.code in (1, 2), name
        assert "OK" not in out.getvalue(), name


def test_the_checker_runs_from_its_one_file_without_the_site(game: Record, tmp_path: Path) -> None:
    alone = tmp_path / "verify.py"
    alone.write_text(build.source(build.files_of_the_kinds()))

    def run(content: bytes) -> tuple[int, str, str]:
        file = tmp_path / "record.json"
        file.write_bytes(content)
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(alone), str(file)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    count = len(verify.packs_of(game["log"]))
    assert run(records.to_bytes(game)) == (
        0,
        f"OK: {count} packs follow from the secret that was committed to, and the nonces.\n",
        "",
    )
    status, out, err = run(records.to_bytes(tampered(game, swap_cards)))
    assert (status, err) == (1, "")
    assert out.startswith("WRONG: a pack does not follow from the code: deal, attempt 1 0.\n")
    assert run(b"{}") == (2, "", "It is not an exported game of version 1.\n")
    beside = subprocess.run(
        [sys.executable, "-S", "-m", "games.verify", "-"],
        cwd=PROJECT,
        input=records.to_bytes(game),
        capture_output=True,
        check=False,
    )
    assert (beside.returncode, beside.stderr) == (0, b"")


@pytest.mark.parametrize("arguments", [[], ["a", "b"], ["no such file"]])
def test_the_checker_says_how_it_is_used(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert verify.main(arguments, checks()) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)


def test_no_damage_to_a_document_leads_the_checker_to_a_trace(game: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(2)
    strange: list[Any] = [None, True, -1, 99, 1.5, "", "QS", "é", [], ["QS"], {}, {"card": "QS"}, [[]]]
    for _ in range(300):
        record: Any = copy.deepcopy(game)
        at: Any = record
        while isinstance(at, dict | list) and at:
            holder, key = at, rng.choice(list(at) if isinstance(at, dict) else range(len(at)))
            at = at[key]
            if rng.random() < 0.3:
                break
        holder[key] = rng.choice(strange)
        with contextlib.suppress(verify.Unreadable):
            verify.answer(verify.from_bytes(json.dumps(record).encode()), checks())
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfe{")))
    assert verify.main(["-"], checks()) == 2


@pytest.mark.parametrize("number", range(24))
def test_the_checker_alone_finds_in_a_log_whatever_the_rules_of_the_site_find(number: int) -> None:
    kind, players, options = GAMES[number % len(GAMES)]
    record = generated(number // 2) if number % 2 else played(kind, players, options, seed=number)
    rng = random.Random(number)
    for way in WAYS * 2:
        changed = tampered_with(record, way, rng)
        if changed is None:
            continue
        alone = verify.check_record(changed, checks())
        if way in NEVER and record["result"] is not None:
            assert alone, way.__name__
        if not alone:  # it is another game that may have been: the site's own rules say so, too
            found = [fault for fault in records.faults(changed) if not fault.startswith("No table has these options")]
            assert found == [], way.__name__


def test_the_checker_says_so_if_it_does_not_know_the_rules_of_a_game(game: Record) -> None:
    assert verify.check_record(tampered(game, set_key("rules_version", 2)), checks()) == ["other_rules"]


def alone(tmp_path: Path, content: bytes) -> tuple[int, list[str]]:
    """What the one file says of a file, in a folder where nothing else of the project is: status and lines."""
    script, file = tmp_path / "verify.py", tmp_path / "games"
    script.write_text(build.source(build.files_of_the_kinds()))
    file.write_bytes(content)
    order = [sys.executable, "-I", "-S", str(script), str(file)]
    done = subprocess.run(order, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    return done.returncode, (done.stdout + done.stderr).splitlines()


def test_the_checker_alone_reads_texts_and_files_with_many_games(game: Record, spades: Record, tmp_path: Path) -> None:
    texts = [notation.to_text(record).encode() for record in (game, spades)]
    files = [records.to_bytes(record) for record in (game, spades)]
    for content in (
        *texts,
        texts[0].replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + texts[1],
        json.dumps(game, indent=2).encode(),
    ):
        status, lines = alone(tmp_path, content)
        assert (status, [line[:4] for line in lines]) == (0, ["OK: "]), lines
    for content in (b"".join(files), b"\n".join(texts)):
        status, lines = alone(tmp_path, content)
        assert (status, [line[:12] for line in lines]) == (0, ["Game 1: OK: ", "Game 2: OK: "])
    bad = records.to_bytes(tampered(game, swap_cards))
    status, lines = alone(tmp_path, files[1] + bad)
    assert (status, {line.split(": ")[1] for line in lines if line.startswith("Game 2")}) == (1, {"WRONG"})
    assert lines[0].startswith("Game 1: OK")


@pytest.mark.parametrize("number", range(len(GAMES)))
def test_the_checker_alone_finds_the_same_in_a_text_as_in_its_json(number: int) -> None:
    kind, players, options = GAMES[number]
    record = played(kind, players, options, seed=number + 50, humans=range(number % (players + 1)))
    rng = random.Random(number)
    cases = [record, *(case for way in WAYS if (case := tampered_with(record, way, rng)) is not None)]
    cases += [tampered(record, change) for change in (set_key("secret", "00" * 32), set_key("commitment", "0" * 64))]
    looked_at = 0
    for case in cases:
        try:
            text = notation.to_text(case)
        except records.BadRecord:  # it names questions that its entries do not answer: no text can say that
            continue
        looked_at += 1
        assert verify.check_record(verify.from_bytes(text.encode()), checks()) == verify.check_record(case, checks())
    assert looked_at > 8


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"\n\n", b"[1, 2]", b"{", b"{}", b"\xff\xfe", b"[Format ", b"[" * 50_000, b'{"a":' * 50_000),
        b'[Format "moonshot-game" 1]\n' * 2 + b"[Kind",
        b"bid: " + b"0=3+1 " * 50_000,
        b'{"format":"moonshot-game","version":1,"version":1}',
    ],
)
def test_what_is_no_game_is_told_by_the_checker_in_a_sentence(tmp_path: Path, content: bytes) -> None:
    status, lines = alone(tmp_path, content)
    assert status == 2
    assert all(line.endswith(".") for line in lines)
    assert lines


def test_no_damage_to_a_text_leads_the_checker_to_a_trace(game: Record) -> None:
    rng, text = random.Random(5), notation.to_text(game)
    for _ in range(400):
        at = rng.randrange(len(text))
        broken = (
            text[:at]
            + rng.choice(["", " ", "[", '"', "=", "9", "\u3000", "{", "\n", "-"])
            + text[at + rng.randrange(3) :]
        )
        with contextlib.suppress(verify.Unreadable):
            verify.answer(verify.from_bytes(broken.encode()), checks())

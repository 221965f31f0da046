"""Recorded games that somebody brings along: opened from a file or a text of either form, exported again to the byte,
kept for him alone and for some time; whatever is no such game is refused in one sentence, in the reader's language.
"""

from __future__ import annotations

import io
import json
import re
import time
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone, translation

from accounts.models import User
from accounts.signals import closing, merging
from games import models
from games.histories import opened_records, record_files, records
from games.histories.records import notation
from games.histories.records.schema import ENTRY_KINDS
from games.histories.tasks import forget_records
from tests import factories
from tests.games.finished import played
from tests.games.histories.test_records import GAMES

pytestmark = pytest.mark.usefixtures("transactional_db", "no_limit")

PAGE = "/record/"
#: Games that between them have every kind of entry, by seeds that were looked for.
SORTS = [*((*game, 7 + number) for number, game in enumerate(GAMES)), (*GAMES[0], 29)]


def made(number: int) -> records.Record:
    """One of SORTS, or behind them a game without a result."""
    if number == len(SORTS):
        return played(seed=3, most_deals=2)
    kind, players, options, seed = SORTS[number]
    return played(kind, players, options, seed=seed, humans=range(1, players))


@pytest.fixture(scope="module")
def record() -> records.Record:
    return played("hearts", 4, {"end_score": 40}, seed=11)


def upload(client: Client, content: bytes, **fields: Any) -> Any:
    return client.post(PAGE, {"file": SimpleUploadedFile("game", content), **fields})


def paste(client: Client, text: str, **fields: Any) -> Any:
    return client.post(PAGE, {"text": text, **fields})


def faults(answer: Any) -> list[str]:
    assert answer.status_code == 400, answer.status_code
    return re.findall(r'<p class="fault" role="alert">(.*?)</p>', answer.content.decode(), re.S)


# --- there and back ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(len(SORTS) + 1))
def test_what_was_exported_is_opened_and_exported_again_to_the_byte(number: int) -> None:
    """All kinds, 2 to 7 players; games with stand-ins, answers of the clock, outages, claims and without a result."""
    game = made(number)
    raw, text = records.to_bytes(game), notation.to_text(game).encode()
    client = Client()
    for answer in (
        upload(client, raw),
        upload(client, text),
        paste(client, raw.decode()),
        paste(client, text.decode().replace("\n", "\r\n")),
        upload(client, json.dumps(game, indent=2).encode()),
    ):
        assert answer.status_code == 302
        address = answer["Location"]
        assert client.get(f"{address}record.json").content == raw
        assert client.get(f"{address}record.txt").content == text
    assert models.OpenedRecord.objects.count() == 1, "the same game is kept once"
    assert models.Game.objects.count() == models.Player.objects.count() == 0


def test_entries_of_every_kind_are_among_those_that_go_there_and_back() -> None:
    logs = [made(number)["log"] for number in range(len(SORTS) + 1)]
    kinds = {entry["kind"] for log in logs for entry in log}
    assert kinds == set(ENTRY_KINDS)
    assert {entry["cause"] for log in logs for entry in log} == {"dealer", "player", "cpu", "timeout"}


def test_an_opened_game_is_a_replay_with_all_hands_and_its_own_files(record: records.Record) -> None:
    client = Client()
    address = upload(client, records.to_bytes(record))["Location"]
    text = client.get(address).content.decode()
    found = re.search(r'<script id="replay" type="application/json">(.*?)</script>', text, re.S)
    assert found is not None
    replay = json.loads(found[1])
    assert (replay["seat"], len(replay["steps"]), replay["result"]) == (None, len(record["log"]), record["result"])
    assert replay["files"] == {"json": f"{address}record.json", "text": f"{address}record.txt"}
    assert "You have opened this record yourself" in text


def test_one_of_many_games_is_opened_by_its_number(record: records.Record) -> None:
    other, third = played("spades", 4, {"target": 100}, seed=4), played(seed=3, most_deals=1)
    games = [record, other, third]
    lines = b"".join(map(records.to_bytes, games))
    texts = "% all my games\n\n" + "\n".join(map(notation.to_text, games))
    client = Client()
    for content in (lines, texts.encode(), b"\xef\xbb\xbf" + lines):
        assert faults(upload(client, content)) == ["There are 3 games in it: say which of them, by its number."]
        assert faults(upload(client, content, number="4")) == ["There is no game of that number in it: they are 3."]
        for number, game in enumerate(games, 1):
            address = upload(client, content, number=str(number))["Location"]
            assert client.get(f"{address}record.json").content == records.to_bytes(game)
    bad = texts.replace("[Timer 30]", "[Timer thirty]")
    at = [number for number, line in enumerate(bad.split("\n"), 1) if line == "[Timer thirty]"]
    for number, line in enumerate(at, 1):
        assert faults(paste(client, bad, number=str(number)))[0].startswith(f"Line {line}: ")


def test_a_long_file_is_never_held_as_a_whole(record: records.Record) -> None:
    line, held = records.to_bytes(record), []

    def lines() -> Any:
        for _ in range(200):
            held.append(1)
            yield line

    assert record_files.one_of(lines(), 150) == record
    assert len(held) == 200
    with pytest.raises(records.BadRecord, match="too large"):
        record_files.one_of((b"[Timer 30]\n" for _ in range(1_000_000)), None)


# --- what is no recorded game -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "file is empty"),
        (b"\n% nothing\n", "There is no game in it."),
        (b"{}", "document has no format."),
        (b"[1, 2]", "Line 1: a tag is [Name value] and stands before the deals."),
        (b"Dear Sir", "Line 1: it is neither a tag, nor answers, nor a deal."),
        (b"\xff\xfe", "It is no text in UTF-8."),
        (b'{"a": NaN}', "It is no JSON in UTF-8, or has a key twice."),
        (b"{" * 50_000, "It is no JSON in UTF-8, or has a key twice."),
        (b"[Format " + b"9" * 5_000 + b"]", "Line 1: it has more than 2000 characters."),
    ],
)
def test_what_is_no_game_is_told_in_a_sentence(content: bytes, said: str) -> None:
    client = Client()
    (found,) = faults(upload(client, content))
    assert said in found
    assert not User.objects.exists(), "nobody is made a guest for that"


def test_a_game_that_the_rules_or_its_result_do_not_bear_out_is_refused(record: records.Record) -> None:
    client = Client()

    def changed(path: str, value: Any) -> bytes:
        bad: Any = json.loads(json.dumps(record))
        *way, last = path.split(".")
        at = bad
        for key in way:
            at = at[int(key)] if isinstance(at, list) else at[key]
        at[int(last) if isinstance(at, list) else last] = value
        return json.dumps(bad).encode()

    play = next(entry["ply"] for entry in record["log"] if entry["kind"] == "play")
    cases = {
        "The log leads to the result": changed("result.scores", [0, 0, 0, 0]),
        "The log stops before the game is over.": changed("log", record["log"][:-1]),
        f"The rules refuse entry {play}: ": changed(f"log.{play - 1}.data.card", record["log"][-1]["data"].get("card")),
        "No table has these options: ": changed("options.end_score", 7),
        "It was played by version 2 of the rules.": changed("rules_version", 2),
        "log 4.cause has a value that is not known.": changed("log.3.cause", "ghost"),
        "document has the key": changed("extra", "<script>"),
        "Entry 3 of the log has the ply 9.": changed("log.2.ply", 9),
    }
    for said, content in cases.items():
        (found,) = faults(upload(client, content))
        assert said in found, (said, found)
        assert "<script>" not in found
    assert models.OpenedRecord.objects.count() == 0


def test_what_is_opened_can_be_had_in_both_forms_and_all_else_is_refused() -> None:
    """Documents that the schema allows, and that say more than a game does."""
    games = (played("hearts", 6, {"skip_right": "one_each", "end_score": 40}, seed=seed) for seed in range(20))
    record = next(game for game in games if any(entry["kind"] == "stand_in" for entry in game["log"]))
    entries = {entry["kind"]: entry["ply"] - 1 for entry in reversed(record["log"])}

    def changed(kind: str, **values: Any) -> bytes:
        log: list[Any] = [*record["log"]]
        log[entries[kind]] = log[entries[kind]] | values
        return json.dumps(record | {"log": log}).encode()

    said = record["log"][entries["play"]]["data"]
    refused = {
        "a question that nobody answers": changed("stand_in", ask="1.0.pass.0"),
        "a stand-in of nobody": changed("stand_in", seat=None),
        "a stand-in of a seat that is not there": changed("stand_in", seat=6),
        "a deal of somebody": changed("deal", seat=0),
        "more than a play says": changed("play", data={**said, "cards": ["2C"]}),
        "more than the opening says": changed("open", data={"dealer": record["log"][0]["data"]["dealer"], "bid": 3}),
        "forks that are none": json.dumps(record | {"forks": []}).encode(),
        "the end of a line in a name": json.dumps(
            record | {"seats": [{"name": "Hana\n", "cpu": None}, *record["seats"][1:]]}
        ).encode(),
        "the end of a line in a nonce": json.dumps(record | {"nonces": ["\n", *record["nonces"][1:]]}).encode(),
        "the end of a line in the code": json.dumps(record | {"code": record["code"] + "\n"}).encode(),
    }
    client = Client()
    for what, content in refused.items():
        assert len(faults(upload(client, content))) == 1, what
    assert models.OpenedRecord.objects.count() == 0
    answer = upload(client, changed("deal", at=0))  # clocks may be set
    assert [client.get(f"{answer['Location']}record.{form}").status_code for form in ("json", "txt")] == [200, 200]


@pytest.mark.parametrize(
    "content", [b"{}\n" * 3_000_000, b" " * 9_000_000, b"\n" * 9_000_000], ids=["games", "one", "none"]
)
def test_a_file_of_nothing_is_not_looked_through_to_its_end(content: bytes) -> None:
    began = time.process_time()
    with pytest.raises(records.BadRecord):
        record_files.one_of(record_files.lines_of(io.BytesIO(content)), None)
    assert time.process_time() - began < 8


def test_the_sentence_is_in_the_language_of_the_reader() -> None:
    bad = records.BadRecord("Line %(line)s: %(what)s.", line=3, what=records.BadRecord("a bid is a number"))
    assert opened_records.sentence(bad) == str(bad) == "Line 3: a bid is a number."
    with translation.override("ja"):
        spoken = opened_records.sentence(bad)
    assert "3" in spoken


def test_nothing_at_all_and_a_number_that_is_none_are_told_too(record: records.Record) -> None:
    client = Client()
    assert faults(client.post(PAGE, {})) == ["Choose a file, or put in the text of a recorded game."]
    assert len(faults(upload(client, records.to_bytes(record), number="x"))) == 1
    assert len(faults(upload(client, records.to_bytes(record), number="0"))) == 1


def test_what_is_too_large_is_turned_away_with_a_sentence(settings: Any) -> None:
    client = Client(enforce_csrf_checks=True)
    answer = client.post(PAGE, b"x", content_type="text/plain", headers={"content-length": "99000000"})
    assert answer.status_code == 413
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000
    answer = client.post(PAGE, {"text": "x" * 2_000})
    assert answer.status_code == 413
    assert "That is too large" in answer.content.decode()


def test_a_form_of_another_site_opens_nothing(record: records.Record) -> None:
    client = Client(enforce_csrf_checks=True)
    assert upload(client, records.to_bytes(record)).status_code == 403
    assert models.OpenedRecord.objects.count() == 0


# --- whose it is, and for how long ------------------------------------------------------------------------------------


def test_an_opened_game_is_for_its_reader_alone(record: records.Record) -> None:
    mine, other = Client(), Client()
    other.force_login(factories.user())
    address = upload(mine, records.to_bytes(record))["Location"]
    for path in ("", "record.json", "record.txt"):
        assert mine.get(f"{address}{path}").status_code == 200
        assert other.get(f"{address}{path}").status_code == 404
        assert Client().get(f"{address}{path}").status_code == 404
    assert address in mine.get(PAGE).content.decode()
    assert address not in other.get(PAGE).content.decode()
    assert [row["opened"] for row in _history_rows(mine)] == []


def _history_rows(client: Client) -> list[dict[str, str]]:
    text = client.get("/history/").content.decode()
    return [{"opened": found} for found in re.findall(r'href="(/game/\d+/replay/)"', text)]


def test_the_latest_twenty_are_kept_for_thirty_days(record: records.Record, monkeypatch: pytest.MonkeyPatch) -> None:
    user = factories.user()
    monkeypatch.setattr(opened_records, "MOST_KEPT", 3)
    kept = [opened_records.keep(user, {**record, "timer_s": number}) for number in range(5)]
    assert [row.pk for row in opened_records.list_of(user)] == [row.pk for row in kept[:1:-1]]
    old = timezone.now() - opened_records.KEPT_FOR - timedelta(minutes=1)
    models.OpenedRecord.objects.filter(pk=kept[2].pk).update(created_at=old)
    assert opened_records.kept_by(user, kept[2].code) is None
    assert len(opened_records.list_of(user)) == 2
    forget_records()
    assert set(models.OpenedRecord.objects.values_list("pk", flat=True)) == {kept[3].pk, kept[4].pk}


def test_a_guests_records_go_with_him_to_his_account_and_are_gone_when_it_is_closed(record: records.Record) -> None:
    guest, member = factories.user(), factories.user(is_guest=False)
    opened_records.keep(guest, record)
    merging.send(User, guest=guest, member=member)
    assert len(opened_records.list_of(member)) == 1
    closing.send(User, user=member)
    assert models.OpenedRecord.objects.count() == 0


def test_nobody_opens_records_without_end(record: records.Record, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("games.histories.record_views.OPENED_A_MINUTE", 3)
    client = Client(REMOTE_ADDR="203.0.113.77")
    answers = [upload(client, b"{}") for _ in range(5)]
    assert 400 in [answer.status_code for answer in answers]
    assert answers[-1].status_code == 429
    assert "games were begun" not in answers[-1].content.decode()  # that is another limit

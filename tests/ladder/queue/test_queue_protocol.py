"""Messages of the queue: what is no message is refused, and what is one is as its schema says."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ladder
from ladder.queue import protocol as queue_protocol
from ladder.queue.protocol import CODES, INCOMING, Accept, Invite, Join, Malformed, Message, parse
from ladder.queue.selectors import CheckNow, InviteNow, LadderNow, OwnNow, TicketNow
from ladder.queue.tickets import Bar

IN, OUT = queue_protocol.schemas_in(), queue_protocol.schemas_out()
AT = datetime(2026, 4, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ('{"type":"join","ladder":"hearts","cpu":true}', Join(ladder="hearts", cpu=True)),
        ('{"type":"invite","ladder":"spades","name":"ゆき"}', Invite(ladder="spades", name="ゆき")),
        ('{"type":"accept","by":17}', Accept(by=17)),
        *((json.dumps({"type": kind}), INCOMING[kind]()) for kind in sorted(IN) if IN[kind]["required"] == ["type"]),
    ],
)
def test_a_message_is_read(frame: str, message: Message) -> None:
    assert parse(frame) == message
    jsonschema.validate(json.loads(frame), IN[message.type])


@pytest.mark.parametrize(
    "frame",
    [
        *("", "x", "[]", "null", "{}", '{"type":null}', '{"type":["ping"]}', '{"type":"queue"}', "[" * 400),
        *('{"type":"ping","x":1}', '{"type":"ping","type":"ping"}', '{"type":"join"}', '{"type":"join","cpu":true}'),
        *('{"type":"join","ladder":"a b","cpu":true}', '{"type":"join","ladder":"hearts","cpu":1}'),
        *('{"type":"accept","by":true}', '{"type":"accept","by":0}', '{"type":"accept","by":1e3}'),
        *('{"type":"accept","by":NaN}', '{"type":"accept","by":9223372036854775808}', '{"type":"consent","cpu":null}'),
        *('{"type":"invite","ladder":"spades","name":""}', '{"type":"invite","ladder":"spades","name":"a\\u0000"}'),
        '{"type":"invite","ladder":"spades","name":"%s"}' % ("x" * 81),
        '{"type":"ping"}' + " " * 600,
    ],
)
def test_what_is_no_message_is_malformed(frame: str) -> None:
    with pytest.raises(Malformed):
        parse(frame)


@given(st.text(max_size=700) | st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists).map(str))
def test_any_text_is_a_message_or_malformed(text: str) -> None:
    with suppress(Malformed):
        parse(text)


def test_everything_that_is_sent_is_as_its_schema_says() -> None:
    ladders = (LadderNow("hearts", True, 3, 8, 40), LadderNow("spades", False, 0, 0, None))
    ticket = TicketNow("hearts", "hearts", AT - timedelta(seconds=50), True, None)
    paired = TicketNow("spades", "spades", AT + timedelta(seconds=1), False, "ゆき")
    invite = InviteNow(4, "Hana", "spades", AT)
    bars = (None, Bar("sign_up"), Bar("too_few_games", games=1), Bar("locked", until=AT), Bar("running", game=7))
    check = CheckNow("hearts", AT, 1, 3, True, False)
    messages: list[Any] = [
        *(queue_protocol.queue(ladders, OwnNow(bar, held, None, (invite,), invite), AT)
          for bar in bars for held in (ticket, paired, None)),
        queue_protocol.queue((), OwnNow(None), AT),
        queue_protocol.check(check, AT),
        queue_protocol.seated(3),
        queue_protocol.pong(AT),
        queue_protocol.refused("join", "locked", until=AT),
        queue_protocol.refused("join", "running", game=3),
        queue_protocol.refused("join", "too_few_games", games=2),
        *(queue_protocol.refused("invite", code) for code in CODES),
    ]  # fmt: skip
    for message in messages:
        jsonschema.validate(message, OUT[message["type"]])
    assert {message["type"] for message in messages} == set(OUT)


def test_a_ticket_tells_how_wide_its_window_is_and_when_it_opens() -> None:
    told = TicketNow("hearts", "hearts", AT - timedelta(seconds=50), True, None).to_json(AT)
    assert (told["waited"], told["window"], told["growth"], told["opens_in"], told["cpu_in"]) == (50, 350, 5, 70, 0)
    assert TicketNow("spades", "spades", AT - timedelta(seconds=130), False, None).to_json(AT)["window"] is None


def test_a_refusal_tells_only_what_belongs_to_it() -> None:
    assert queue_protocol.refused("join", "too_few_games", games=2) == {
        "type": "refused",
        "about": "join",
        "code": "too_few_games",
        "games": 2,
        "needed": 3,
    }


def test_every_message_is_described_with_its_keys_and_no_other() -> None:
    readme = (Path(ladder.__file__).parent / "README.md").read_text()
    out, incoming = readme.split("#### What the server sends")[1].split("#### What a client sends")

    def rows(text: str) -> dict[str, set[str]]:
        found = re.findall(
            r"^\| ((?:`\w+`(?:, )?)+) \|([^|]*)\|[^|]*\|$", text.split("\n## ", maxsplit=1)[0], re.MULTILINE
        )
        return {name: set(re.findall(r"`(\w+)`", keys)) for names, keys in found for name in re.findall(r"\w+", names)}

    assert rows(incoming) == {name: set(form["required"]) - {"type"} for name, form in IN.items()}
    described = rows(out.split("\n`queue`:")[0])
    assert set(described) == set(OUT)
    for name, keys in described.items():
        assert set(OUT[name]["required"]) - {"type"} - keys <= {"code"}, name
        assert keys - {"about", "code"} <= set(OUT[name]["properties"]), name


def test_the_page_has_a_sentence_for_every_code() -> None:
    source = (Path(ladder.__file__).parent / "static/ladder/js/words.js").read_text()
    said = set(re.findall(r"^  (\w+): \(\) => gettext", source, re.MULTILINE))
    said |= set(re.findall(r'case "(\w+)"', source))
    assert said == set(CODES)

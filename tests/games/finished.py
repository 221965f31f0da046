"""Finished games for tests: played at random from a sealed code, as a record and as rows of the database."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from accounts.models import User
from games import models
from games.codes import deals
from games.histories import records
from games.kinds import rules_for
from games.log import endings, positions
from games.log.positions import Entry, Holder, Table
from games.rules import RULES_VERSION, Action
from games.rules.state import plain
from tests.games.rules.play import answer_at_random

BEGAN = datetime(2026, 4, 1, 9, 0, tzinfo=UTC)


def played(
    kind: str = "hearts",
    players: int = 4,
    options: dict[str, Any] | None = None,
    *,
    seed: int = 1,
    humans: Sequence[int] = (0, 1),
    most_deals: int = 99,
) -> records.Record:
    """A whole game at random, with answers of people, CPUs and the clock; void after so many deals."""
    rng = random.Random(seed)
    rules = rules_for(kind, players, options or {})
    secret = rng.randbytes(32)
    nonces = [rng.randbytes(8) if seat in humans else b"" for seat in range(players)]
    code = deals.sealed_code(rules, secret, nonces)
    holders = [Holder(seat + 1, "", "") if seat in humans else Holder(None, "normal", "") for seat in range(players)]
    table = Table(7, rules, 30, tuple(holders), code.text)
    entries: list[Entry] = []
    position = positions.start(table)
    at = BEGAN

    def add(entry_kind: str, seat: int | None, ask: str, data: dict[str, Any], cause: str) -> None:
        nonlocal position, at
        at += timedelta(milliseconds=rng.randrange(12_000))
        entries.append(Entry(len(entries) + 1, seat, entry_kind, ask, data, cause, None, at))
        position = positions.advance(table, position, entries[-1])

    opened = {"dealer": deals.first_dealer(code.seed, players), "nonces": [nonce.hex() for nonce in nonces]}
    add("open", None, "", opened, "dealer")
    while not position.is_over:
        state = position.state
        due = rules.due(state)
        if due.dealer:
            deal, attempt, _ = rules.next_deal(state)
            if deal > most_deals:
                add("void", None, "", {"reason": "vote"}, "dealer")
                continue
            pack = deals.shuffle(code.seed, deal, attempt, rules.deck)
            add("deal", None, "", {"pack": list(pack)}, "dealer")
            continue
        if rng.random() < 0.004:
            seat = rng.choice(humans or (0,))
            add("back" if seat in position.stand_ins else "stand_in", seat, "", {}, "timeout")
            continue
        if rng.random() < 0.001:
            add("outage", None, "", {"seconds": 7.125}, "dealer")
        seat = rng.choice(due.seats)
        action = answer_at_random(rules, state, seat, rng)
        if action.kind == "finish" and rng.random() < 0.5:
            action = rng.choice([other for other in rules.legal_actions(state, seat) if other.kind == "play"])
        cause = "cpu" if seat not in humans or seat in position.stand_ins else rng.choice(["player"] * 9 + ["timeout"])
        add(action.kind, seat, rules.ask_id(state, seat) or "", _said(action), cause)
    result = rules.result(position.state)
    return records.build(
        table=table,
        entries=entries,
        names=[f'Player "{seat}" \\ {"あ" * seat}' if seat in humans else f"CPU {seat}" for seat in range(players)],
        rules_version=RULES_VERSION,
        preset=("hearts-short", 2) if kind == "hearts" else None,
        commitment=deals.commitment(secret),
        secret=secret,
        result=None if position.void or result is None else plain(result),
    )


def _said(action: Action) -> dict[str, Any]:
    return {key: value for key, value in action.to_json().items() if key not in ("kind", "seat")}


def stored(record: records.Record, users: Sequence[User | None], **fields: Any) -> models.Game:
    """The same game as rows; `users` has one for each seat that is no CPU's, None elsewhere."""
    entries = records.entries_of(record)
    position = records.fold(record)
    code = deals.read_code(record["code"]).text
    status = models.Game.Status.VOID if position.void else models.Game.Status.FINISHED
    values = {
        "kind": record["kind"],
        "players": record["players"],
        "options": record["options"],
        "rules_version": record["rules_version"],
        "timer_s": record["timer_s"],
        "status": status,
        "ply": position.ply,
        "result": record["result"],
        "code": code,
        "commitment": record["commitment"] or "",
        "created_at": entries[0].created_at,
    }
    game = models.Game.objects.create(**{**values, **fields})
    secret = None if record["secret"] is None else bytes.fromhex(record["secret"])
    models.GameSecret.objects.create(game=game, code=code, secret=secret)
    models.Player.objects.bulk_create(
        models.Player(game=game, seat=seat, user=user, cpu_level="" if user else "normal")
        for seat, user in enumerate(users)
    )
    hidden = {"commitment": record["commitment"] or "", "nonces": record["nonces"]}
    models.Action.objects.bulk_create(
        models.Action(
            game=game,
            ply=entry.ply,
            seat=entry.seat,
            kind=entry.kind,
            ask=entry.ask,
            data=entry.data | (hidden if entry.kind == "open" else {}),
            cause=entry.cause,
            created_at=entry.created_at,
        )
        for entry in entries
    )
    if status != models.Game.Status.PLAYING:
        endings.note_end(game, entries[-1].created_at)
    return game

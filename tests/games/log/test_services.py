"""The one door for writes: what is stored, what is acknowledged, what is refused, and what follows at once."""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import IntegrityError

from games import models
from games.codes import deals
from games.hooks import game_finished, game_voided
from games.log import live, services, store
from games.log.positions import Position
from games.log.refusals import Rejected
from games.rules import Action, Refused
from games.rules.state import plain
from tests import factories
from tests.games.live_site import Clock, in_phase, is_over, new_id, orm, play, play_until, queued

pytestmark = pytest.mark.usefixtures("site")


async def submit(
    game_id: int, seat: int, action: Action, ask: str, name: str | None = None, cause: str = "player"
) -> int:
    receipt = await services.submit_action(
        game_id=game_id, seat=seat, ask=ask, action=action, cause=cause, client_id=name
    )
    return receipt.ply


async def rejected(game_id: int, seat: int, action: Action, ask: str, name: str | None = None, **more: Any) -> str:
    """The code that the site refuses with; the log is looked at to be as long as before."""
    before = len(await orm(factories.log_of, game_id))
    with pytest.raises(Rejected) as found:
        await submit(game_id, seat, action, ask, name, **more)
    assert len(await orm(factories.log_of, game_id)) == before
    return found.value.code


async def secret_of(game_id: int) -> models.GameSecret:
    found: models.GameSecret = await orm(models.GameSecret.objects.get, game_id=game_id)
    return found


async def passing(game_id: int) -> tuple[Position, Action, str]:
    """Where a fresh game of Hearts stands, the pass of seat 0, and its question."""
    table, position = await live.refresh(game_id)
    return position, factories.answer(table, position, 0), position.asks[0].id


@pytest.fixture
def finished() -> Iterator[list[models.Game]]:
    """The games whose end was told."""
    told: list[models.Game] = []

    def note(sender: object, game: models.Game, **_: object) -> None:
        told.append(game)

    game_finished.connect(note)
    yield told
    game_finished.disconnect(note)


# --- opening ----------------------------------------------------------------------------------------------------------


async def test_a_game_is_dealt_as_it_is_opened_and_its_columns_say_what_its_log_says() -> None:
    game = await orm(factories.game, 2, 2, timer_s=30)
    row, position = await orm(lambda: game.row), await orm(factories.position_of, game.id)
    assert await orm(factories.kinds_of, game.id) == ["open", "deal"]
    assert position.state.phase == "pass"
    assert (row.ply, row.status, row.deadline_at) == (2, "playing", position.deadline_at)
    assert row.asks == store.asks_json(position)
    assert set(row.asks) == set("0123")


@pytest.mark.parametrize("humans", [1, 2, 4])
async def test_n16_every_pack_is_the_published_shuffle_of_a_code_that_nobody_can_guess(humans: int) -> None:
    games = [await orm(factories.game, humans, 4 - humans) for _ in range(3)]
    secrets = [await secret_of(game.id) for game in games]
    assert len({secret.code for secret in secrets}) == 3
    for game, secret in zip(games, secrets, strict=True):
        opened, dealt = await orm(factories.log_of, game.id)
        seed = deals.read_code(secret.code).seed
        assert tuple(dealt.data["pack"]) == deals.shuffle(seed, 1, 0)
        assert opened.data["dealer"] == deals.first_dealer(seed, 4)


async def test_the_code_shows_while_one_human_plays_and_is_sealed_where_several_do() -> None:
    solo, several = await orm(factories.game, 1, 3), await orm(factories.game, 2, 2)
    row = await orm(lambda: solo.row)
    secret = await secret_of(solo.id)
    assert (row.code, row.commitment, secret.secret) == (secret.code, "", None)
    row = await orm(lambda: several.row)
    secret = await secret_of(several.id)
    opened = (await orm(factories.log_of, several.id))[0]
    assert row.code == ""
    assert len(bytes(secret.secret or b"")) == deals.SECRET_BYTES
    assert row.commitment == opened.data["commitment"] == hashlib.sha256(secret.secret or b"").hexdigest()
    assert opened.data["nonces"] == ["00" * 16, "01" * 16, "", ""], "what the two browsers gave"


async def test_the_same_code_deals_the_same_cards() -> None:
    code = "4000-0000-0000-000K"
    games = [await orm(factories.game, 1, 3, code=code) for _ in range(2)]
    packs = [(await orm(factories.log_of, game.id))[1].data["pack"] for game in games]
    assert packs[0] == packs[1]
    assert packs[0][:3] == ["8C", "3S", "KD"]


async def test_a_code_of_another_table_and_bad_options_open_nothing() -> None:
    with pytest.raises(deals.BadCode) as bad:
        await orm(factories.game, 1, 3, kind="spades", code="4000-0000-0000-000K")
    assert bad.value.code == "other_table"
    with pytest.raises(Refused) as refused:
        await orm(factories.game, 1, 3, options={"end_score": 5})
    assert refused.value.code == "bad_value"
    with pytest.raises(Refused):
        await orm(factories.game, 1, 1, kind="spades")
    assert await orm(models.Game.objects.count) == 0


async def test_r18_one_user_cannot_hold_two_seats_of_a_game() -> None:
    user = await orm(factories.user)
    with pytest.raises(IntegrityError):
        await orm(services.open_game, kind="hearts", seats=[user, user, "normal", "normal"])
    assert await orm(models.Game.objects.count) == 0


async def test_cpus_that_are_asked_first_are_woken_when_the_game_opens() -> None:
    game = await orm(factories.game, 1, 3)
    for _ in range(300):
        if len(queued("turns")) == 3:
            break
        await asyncio.sleep(0.01)
    assert sorted(queued("turns")) == [("games.cpu_turn", [game.id, seat, "1.0.pass.0"], {}) for seat in (1, 2, 3)]


# --- one answer -------------------------------------------------------------------------------------------------------


async def test_an_answer_is_stored_with_all_that_was_said_and_the_columns_follow() -> None:
    game = await orm(factories.game, 4, timer_s=60)
    _, action, ask = await passing(game.id)
    assert await submit(game.id, 0, action, ask, "mine") == 3
    entry = (await orm(factories.log_of, game.id))[-1]
    assert (entry.ply, entry.seat, entry.kind, entry.ask, entry.cause, entry.client_id) == (
        3,
        0,
        "pass",
        ask,
        "player",
        "mine",
    )
    assert entry.data == {"cards": list(action.cards)}
    row, position = await orm(lambda: game.row), await orm(factories.position_of, game.id)
    assert (row.ply, row.asks, row.deadline_at) == (3, store.asks_json(position), position.deadline_at)
    assert (await live.position_of(game.id))[1] == position


async def test_an_answer_that_the_rules_refuse_writes_nothing() -> None:
    game = await orm(factories.game, 4)
    position, _, ask = await passing(game.id)
    theirs = Action("pass", 0, cards=position.state.hands[1][:3])
    with pytest.raises(Refused) as refused:
        await submit(game.id, 0, theirs, ask, "mine")
    assert refused.value.code == "not_in_hand"
    assert len(await orm(factories.log_of, game.id)) == 2
    # A name that was refused is not spent.
    assert await submit(game.id, 0, (await passing(game.id))[1], ask, "mine") == 3


async def test_n15_an_answer_to_another_question_is_stale() -> None:
    game = await orm(factories.game, 4)
    _, action, _ = await passing(game.id)
    assert await rejected(game.id, 0, action, "1.1.pass.0") == "stale"
    assert await rejected(game.id, 0, action, "") == "stale"
    position = await play_until(game.id, in_phase("play"))
    (seat,) = position.asks
    (table, _) = await live.refresh(game.id)
    card = factories.answer(table, position, seat)
    assert await rejected(game.id, seat, card, "1.0.play.2") == "stale"
    assert await rejected(game.id, (seat + 1) % 4, card, position.asks[seat].id) == "stale"


async def test_r20_a_click_that_comes_after_the_game_has_moved_on_is_stale() -> None:
    game = await orm(factories.game, 4)
    position = await play_until(game.id, in_phase("play"))
    (seat,) = position.asks
    ask = position.asks[seat].id
    await play(game.id, seat)
    assert await rejected(game.id, seat, Action("play", seat, card=position.state.hands[seat][-1]), ask) == "stale"


@pytest.mark.parametrize("seat", [-1, 4, 99])
async def test_a_seat_that_the_table_does_not_have_is_never_asked(seat: int) -> None:
    game = await orm(factories.game, 4)
    assert await rejected(game.id, seat, Action("play", seat, card="2C"), "1.0.pass.0") == "stale"


async def test_there_is_no_such_game() -> None:
    with pytest.raises(live.NoSuchGame):
        await submit(10**9, 0, Action("play", 0, card="2C"), "1.0.play.1")


async def test_n12_a_repeat_is_acknowledged_again_with_the_same_ply_and_not_played_twice() -> None:
    game = await orm(factories.game, 4)
    _, action, ask = await passing(game.id)
    first = await submit(game.id, 0, action, ask, "mine")
    assert await submit(game.id, 0, action, ask, "mine") == first
    position = await play_until(game.id, lambda position: len(position.state.tricks) == 2)
    assert await submit(game.id, 0, action, ask, "mine") == first
    # A process that has just started knows nothing but the log.
    live.forget_all()
    assert await submit(game.id, 0, action, ask, "mine") == first
    assert [entry.ply for entry in await orm(factories.log_of, game.id)] == list(range(1, position.ply + 1))


async def test_a_repeat_without_a_name_is_stale() -> None:
    game = await orm(factories.game, 4)
    _, action, ask = await passing(game.id)
    await submit(game.id, 0, action, ask)
    assert await rejected(game.id, 0, action, ask) == "stale"


async def test_a_name_that_was_used_for_another_answer_is_refused() -> None:
    game = await orm(factories.game, 4)
    position, action, ask = await passing(game.id)
    await submit(game.id, 0, action, ask, "mine")
    other = Action("pass", 0, cards=tuple(card for card in position.state.hands[0] if card not in action.cards)[:3])
    assert await rejected(game.id, 0, other, ask, "mine") == "id_reused"
    # The same for a question that is open now.
    position = await play_until(game.id, lambda position: 0 in position.asks and position.state.phase == "play")
    card = factories.answer((await live.refresh(game.id))[0], position, 0)
    assert await rejected(game.id, 0, card, position.asks[0].id, "mine") == "id_reused"
    # Names are a seat's own.
    assert await submit(game.id, 0, card, position.asks[0].id, "fresh") > 2
    await play_until(game.id, lambda position: 0 not in position.asks)
    await play(game.id, client_id="mine")


async def test_the_same_answer_to_another_question_is_another_answer() -> None:
    game = await orm(factories.game, 4, kind="spades")
    position = await play_until(game.id, lambda position: 0 in position.asks)
    assert await submit(game.id, 0, Action("bid", 0, bid=2), position.asks[0].id, "mine") == position.ply + 1
    position = await play_until(
        game.id, lambda position: position.state.deal == 2 and 0 in position.asks and position.state.phase == "bid"
    )
    assert await rejected(game.id, 0, Action("bid", 0, bid=2), position.asks[0].id, "mine") == "id_reused"


# --- what follows at once ---------------------------------------------------------------------------------------------


async def test_the_next_deal_follows_its_last_card_in_the_same_breath() -> None:
    game = await orm(factories.game, 4)
    position = await play_until(
        game.id, lambda position: len(position.state.tricks) == 12 and len(position.state.trick) == 3
    )
    receipt = await play(game.id)
    last, dealt = (await orm(factories.log_of, game.id))[-2:]
    assert (last.kind, last.ply, receipt.ply) == ("play", position.ply + 1, position.ply + 1)
    assert (dealt.kind, dealt.ply, dealt.cause, dealt.created_at) == ("deal", last.ply + 1, "dealer", last.created_at)
    secret = await secret_of(game.id)
    assert tuple(dealt.data["pack"]) == deals.shuffle(deals.read_code(secret.code).seed, 2, 0)
    position = (await live.position_of(game.id))[1]
    assert (position.state.deal, position.state.phase) == (2, "pass")


async def test_a_deal_that_is_called_off_is_dealt_again_at_once_from_its_second_pack() -> None:
    game = await orm(factories.game, 4, options={"skip_right": "one_each"})
    _, _, ask = await passing(game.id)
    await submit(game.id, 0, Action("skip", 0), ask)
    dealt = (await orm(factories.log_of, game.id))[-1]
    secret = await secret_of(game.id)
    assert tuple(dealt.data["pack"]) == deals.shuffle(deals.read_code(secret.code).seed, 1, 1)
    assert (await live.position_of(game.id))[1].asks[0].id == "1.1.pass.0"
    assert await rejected(game.id, 1, Action("skip", 1), ask) == "stale"


async def test_a_cpu_whose_turn_comes_is_woken_once() -> None:
    game = await orm(factories.game, 2, 2)
    await play(game.id, 0)
    for _ in range(300):
        if len(queued("turns")) >= 2:
            break
        await asyncio.sleep(0.01)
    # The answer of seat 0 asks nobody anew: the two were woken when the game opened.
    assert sorted(args[1] for _, args, _ in queued("turns")) == [2, 3]


@pytest.mark.parametrize("kind", ["hearts", "spades"])
async def test_a_whole_game_stores_its_result_once_and_every_column_follows_from_its_log(
    kind: str, finished: list[models.Game]
) -> None:
    options = factories.SHORT if kind == "hearts" else {"target": 100, "blind_nil": "yes"}
    game = await orm(factories.game, 4, kind=kind, options=options, timer_s=30)
    rng = random.Random(f"whole {kind}")
    while True:
        _, position = await live.refresh(game.id)
        if is_over(position):
            break
        if rng.random() < 0.05:
            row = await orm(lambda: game.row)
            assert await orm(factories.position_of, game.id) == position
            assert (row.ply, row.asks, row.deadline_at, row.status, row.result, row.code) == (
                position.ply,
                store.asks_json(position),
                position.deadline_at,
                "playing",
                None,
                "",
            )
        await play(game.id, rng=rng, client_id=new_id())
    position = await orm(factories.position_of, game.id)
    table = await orm(factories.table_of, game.id)
    row = await orm(lambda: game.row)
    assert position == (await live.position_of(game.id))[1]
    assert (row.status, row.ply, row.asks, row.deadline_at) == ("finished", position.ply, {}, None)
    assert row.result == plain(table.rules.result(position.state))
    assert [told.pk for told in finished] == [game.id]


async def test_the_secret_and_the_code_come_out_at_the_end_and_prove_every_deal() -> None:
    game = await orm(factories.game, 4, options=factories.SHORT)
    await play_until(game.id, is_over, rng=random.Random(2))
    row, log = await orm(lambda: game.row), await orm(factories.log_of, game.id)
    secret = await secret_of(game.id)
    table = await orm(factories.table_of, game.id)
    assert row.code == secret.code
    packs, dealt = {}, 0
    for entry in log:
        if entry.kind == "deal":
            dealt += 1
            packs[dealt, 0] = entry.data["pack"]
    faults = deals.check_game(
        table.rules,
        code=row.code,
        dealer=log[0].data["dealer"],
        packs=packs,
        secret=bytes(secret.secret or b""),
        commitment_shown=log[0].data["commitment"],
        nonces=[bytes.fromhex(nonce) for nonce in log[0].data["nonces"]],
    )
    assert faults == []


async def last_card(game: factories.Seated) -> tuple[Position, int, Action]:
    """A short game with one card left to play, which ends it; its seat and action."""
    while True:
        table, position = await live.refresh(game.id)
        if len(position.state.tricks) == 12 and len(position.state.trick) == 3:
            seat = factories.asked_seat(position)
            action = factories.answer(table, position, seat)
            if table.rules.apply(position.state, action).phase == "over":
                return position, seat, action
        await play(game.id)


async def test_the_last_answer_of_a_game_keeps_every_promise_of_an_answer(finished: list[models.Game]) -> None:
    game = await orm(factories.game, 4, options=factories.SHORT, code=factories.ONE_DEAL)
    position, seat, action = await last_card(game)
    ask = position.asks[seat].id
    ply = await submit(game.id, seat, action, ask, "last")
    assert await submit(game.id, seat, action, ask, "last") == ply
    assert await rejected(game.id, seat, action, ask, "another") == "stale"
    assert [told.pk for told in finished] == [game.id]


async def test_a_used_name_ends_no_game() -> None:
    # Whatever seat has the last card: each has used the name before.
    game = await orm(factories.game, 4, options=factories.SHORT, code=factories.ONE_DEAL)
    for seat in range(4):
        await play(game.id, seat, client_id="taken")
    position, seat, action = await last_card(game)
    assert await rejected(game.id, seat, action, position.asks[seat].id, "taken") == "id_reused"
    assert (await orm(lambda: game.row)).status == "playing"
    await submit(game.id, seat, action, position.asks[seat].id, "fresh")
    assert (await orm(lambda: game.row)).status == "finished"


async def test_a_listener_that_fails_undoes_the_end_and_poisons_nothing() -> None:
    game = await orm(factories.game, 4, options=factories.SHORT, code=factories.ONE_DEAL)
    position, seat, action = await last_card(game)
    ask = position.asks[seat].id

    def fail(sender: object, **_: object) -> None:
        raise RuntimeError("ladder")

    game_finished.connect(fail)
    try:
        with pytest.raises(RuntimeError):
            await submit(game.id, seat, action, ask, "last")
    finally:
        game_finished.disconnect(fail)
    assert (await live.position_of(game.id))[1] == position
    row = await orm(lambda: game.row)
    assert (row.status, row.ply, row.result, row.code) == ("playing", position.ply, None, "")
    assert await submit(game.id, seat, action, ask, "last") == position.ply + 1


async def test_nothing_is_accepted_once_the_game_is_over() -> None:
    game = await orm(factories.game, 4, options=factories.SHORT, code=factories.ONE_DEAL)
    position = await play_until(game.id, is_over)
    assert await rejected(game.id, 0, Action("play", 0, card="2C"), "1.0.play.1") == "stale"
    for note in (
        services.stand_in(game_id=game.id, seat=0),
        services.back(game_id=game.id, seat=0, client_id="b"),
    ):
        with pytest.raises(Rejected) as found:
            await note
        assert found.value.code == "stale"
    assert (await orm(lambda: game.row)).ply == position.ply


# --- seats that change hands ------------------------------------------------------------------------------------------


async def test_a_stand_in_plays_until_the_owner_is_back() -> None:
    game = await orm(factories.game, 4, timer_s=30)
    _, action, ask = await passing(game.id)
    await services.stand_in(game_id=game.id, seat=0)
    await services.stand_in(game_id=game.id, seat=0)
    assert await orm(factories.kinds_of, game.id) == ["open", "deal", "stand_in"]
    assert await rejected(game.id, 0, action, ask, "mine") == "stood_in"
    receipt = await services.back(game_id=game.id, seat=0, client_id="here")
    assert receipt.ply == 4
    assert await services.back(game_id=game.id, seat=0, client_id="here") == receipt
    assert await services.back(game_id=game.id, seat=0, client_id="again") == receipt
    assert await submit(game.id, 0, action, ask, "mine") == 5
    entries = (await orm(factories.log_of, game.id))[2:4]
    assert [(entry.kind, entry.seat, entry.cause, entry.client_id) for entry in entries] == [
        ("stand_in", 0, "timeout", None),
        ("back", 0, "player", "here"),
    ]


async def test_r14_a_cpu_steps_down_the_moment_the_owner_is_back() -> None:
    game = await orm(factories.game, 4, timer_s=30)
    _, action, ask = await passing(game.id)
    await services.stand_in(game_id=game.id, seat=0)
    await services.back(game_id=game.id, seat=0, client_id="here")
    # A worker that thought about the turn meanwhile comes too late.
    assert await rejected(game.id, 0, action, ask, cause="cpu") == "stale"
    assert await rejected(game.id, 0, action, ask, cause="timeout") == "stale"
    assert await submit(game.id, 0, action, ask, "mine") == 5


async def test_r13_whoever_was_away_comes_back_to_the_hand_as_it_was_played_on() -> None:
    game = await orm(factories.game, 4)
    before = (await live.refresh(game.id))[1].state.hands[0]
    await services.stand_in(game_id=game.id, seat=0)
    position = await play_until(game.id, lambda position: len(position.state.tricks) == 1)
    await services.back(game_id=game.id, seat=0, client_id="here")
    position = await orm(factories.position_of, game.id)
    played = {entry.data["card"] for entry in await orm(factories.log_of, game.id) if entry.kind == "play"}
    known = set(before) - set(position.state.given[0] or ()) | set(position.state.given[3] or ())
    assert set(position.state.hands[0]) == known - played
    assert len(position.state.hands[0]) == 12


async def test_no_answer_counts_as_timed_out_while_a_stand_in_has_the_seat(clock: Clock) -> None:
    game = await orm(factories.game, 4, timer_s=30)
    _, action, ask = await passing(game.id)
    await services.stand_in(game_id=game.id, seat=0)
    clock.forward(600)
    assert await rejected(game.id, 0, action, ask, cause="timeout") == "stale"
    assert await submit(game.id, 0, action, ask, cause="cpu") == 4


@pytest.mark.parametrize(("late", "code"), [(59.0, "stale"), (60.9, "stale"), (61.1, None)])
async def test_an_answer_counts_as_timed_out_only_after_time_and_grace(
    clock: Clock, late: float, code: str | None
) -> None:
    game = await orm(factories.game, 4, timer_s=30)
    _, action, ask = await passing(game.id)
    clock.forward(late)
    if code is None:
        assert await submit(game.id, 0, action, ask, cause="timeout") == 3
    else:
        assert await rejected(game.id, 0, action, ask, cause="timeout") == code


async def test_a_player_who_answers_late_is_heard_as_long_as_nobody_answered_for_him(clock: Clock) -> None:
    game = await orm(factories.game, 4, timer_s=30)
    _, action, ask = await passing(game.id)
    clock.forward(1_000)
    assert await submit(game.id, 0, action, ask, "late") == 3


# --- the end without a result -----------------------------------------------------------------------------------------


async def test_a_void_game_has_no_result_and_asks_nobody_and_moves_sent_after_it_are_stale() -> None:
    told: list[int] = []
    game_voided.connect(lambda game, **_: told.append(game.pk), weak=False, dispatch_uid="test")
    try:
        game = await orm(factories.game, 4, timer_s=30)
        _, action, ask = await passing(game.id)
        receipt = await services.void_game(game_id=game.id, reason="admin")
        assert told == [game.id]
    finally:
        game_voided.disconnect(dispatch_uid="test")
    row = await orm(lambda: game.row)
    assert (row.status, row.result, row.asks, row.deadline_at, row.ply) == ("void", None, {}, None, receipt.ply)
    assert row.code  # nothing more is dealt from it
    log = await orm(factories.log_of, game.id)
    assert (log[-1].kind, log[-1].seat, log[-1].cause, log[-1].data) == ("void", None, "dealer", {"reason": "admin"})
    assert await rejected(game.id, 0, action, ask) == "stale"
    with pytest.raises(Rejected, match="stale"):
        await services.void_game(game_id=game.id, reason="vote")
    with pytest.raises(Rejected, match="stale"):
        await services.stand_in(game_id=game.id, seat=1)
    assert await orm(factories.log_of, game.id) == log


async def test_of_a_move_and_a_void_at_once_both_are_stored_or_the_move_is_stale() -> None:
    for _ in range(10):
        game = await orm(factories.game, 4)
        _, action, ask = await passing(game.id)
        move = services.submit_action(game_id=game.id, seat=0, ask=ask, action=action, cause="player")
        outcomes = await asyncio.gather(
            move, services.void_game(game_id=game.id, reason="admin"), return_exceptions=True
        )
        kinds = await orm(factories.kinds_of, game.id)
        assert kinds[-1] == "void"
        assert kinds.count("pass") == (0 if isinstance(outcomes[0], Rejected) else 1)
        assert isinstance(outcomes[1], services.Receipt)


# --- after the end ----------------------------------------------------------------------------------------------------


async def test_a_rematch_asked_twice_is_one_game_at_the_same_table_with_new_cards() -> None:
    game = await orm(
        factories.game, 1, 3, options=factories.SHORT, code=factories.ONE_DEAL, timer_s=30, level="beginner"
    )
    await play_until(game.id, is_over)
    found = await asyncio.gather(*[services.rematch(game_id=game.id, seat=0) for _ in range(3)])
    found.append(await services.rematch(game_id=game.id, seat=0))
    assert len({following for _, following in found}) == 1
    assert await orm(models.Game.objects.count) == 2
    old, new = await orm(lambda: game.row), await orm(lambda: models.Game.objects.get(pk=found[0][1]))
    assert old.rematch_id == new.pk
    assert (new.kind, new.players, new.options, new.timer_s, new.status) == ("hearts", 4, old.options, 30, "playing")
    assert new.code != old.code
    levels = await orm(
        lambda: list(models.Player.objects.filter(game=new).order_by("seat").values_list("cpu_level", flat=True))
    )
    assert levels == ["", "beginner", "beginner", "beginner"]
    assert (await orm(factories.table_of, new.pk)).holders == (await orm(factories.table_of, game.id)).holders


async def test_a_rematch_waits_for_the_end_and_for_the_other_people() -> None:
    solo, several = (
        await orm(factories.game, 1, 3),
        await orm(factories.game, 2, 2, options=factories.SHORT, code=factories.ONE_DEAL),
    )
    await play_until(several.id, is_over)
    for game in (solo, several):
        with pytest.raises(Rejected) as found:
            await services.rematch(game_id=game.id, seat=0)
        assert found.value.code == "no_rematch"
    assert await orm(models.Game.objects.count) == 2


async def test_r13_a_game_is_won_once_and_its_seats_stay_finished(finished: list[models.Game]) -> None:
    game = await orm(factories.game, 1, 3, options=factories.SHORT, code=factories.ONE_DEAL)
    await play_until(game.id, is_over)
    result = (await orm(lambda: game.row)).result
    live.forget_all()
    position = (await live.refresh(game.id))[1]
    assert is_over(position)
    assert await rejected(game.id, 0, Action("play", 0, card="2C"), "1.0.play.1") == "stale"
    assert (await orm(lambda: game.row)).result == result
    assert len(finished) == 1

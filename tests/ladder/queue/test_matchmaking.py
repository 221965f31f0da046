"""From the queue to a table: who may, who meets whom, what becomes of those who do not answer."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts import members
from accounts.models import User
from games.log import services as games_services
from games.models import Block, Game, Heartbeat, Outage, Player
from ladder.models import Invite, Ladder, QueueLock, RankedGame, ReadyCheck, Ticket, Wait
from ladder.queue import matchmaking, tickets
from ladder.queue.tickets import Declined
from ladder.rating.services import group_of
from tests import factories
from tests.ladder.queue.queueing import (
    asked,
    join,
    name,
    overdue,
    pair_up,
    rated,
    say_ready,
    season,
    seasoned,
    seat,
    silent,
    waited,
    waiting,
)

pytestmark = pytest.mark.django_db


def refusal(act: Any, **arguments: Any) -> Declined:
    with pytest.raises(Declined) as caught:
        act(**arguments)
    return caught.value


def block(user: User, other: User) -> None:
    Block.objects.create(user=user, other=other, kind="block")


def seats_of(game: Game) -> list[int | None]:
    return list(Player.objects.filter(game=game).order_by("seat").values_list("user", flat=True))


# --- the ladders ------------------------------------------------------------------------------------------------------


def test_a_new_site_has_a_ladder_for_hearts_and_one_for_spades() -> None:
    shipped = Ladder.objects.filter(slug__in=("hearts", "spades")).select_related("preset_version__preset")
    assert {ladder.slug: (ladder.kind, ladder.players, ladder.timer_s, ladder.is_open) for ladder in shipped} == {
        "hearts": ("hearts", 4, 30, True),
        "spades": ("spades", 4, 30, True),
    }
    assert all(ladder.preset_version.ranked_players == 4 for ladder in shipped)


# --- who may queue ----------------------------------------------------------------------------------------------------


def test_guests_and_those_with_fewer_than_three_finished_games_do_not_queue() -> None:
    guest, fresh, closed = season(factories.user()), factories.user(is_guest=False), season(factories.user())
    User.objects.filter(pk=closed.pk).update(is_guest=False, closed_at=timezone.now(), is_active=False)
    assert refusal(join_hearts, user=guest).code == "sign_up"
    assert refusal(join_hearts, user=closed).code == "sign_up"
    season(fresh, 2)
    missing = refusal(join_hearts, user=fresh)
    assert (missing.code, missing.details) == ("too_few_games", {"games": 2})
    running = factories.game(1, 3)
    Player.objects.filter(game=running.id, user__isnull=False).update(user=fresh)
    assert refusal(join_hearts, user=fresh).code == "too_few_games", "an unfinished one does not count"
    season(fresh, 1)
    join_hearts(fresh)


def join_hearts(user: User) -> None:
    join(user)


def test_a_lock_refuses_and_says_until_when() -> None:
    (user,) = seasoned(1)
    until = timezone.now() + timedelta(minutes=10)
    QueueLock.objects.create(user=user, until=until)
    refused = refusal(join_hearts, user=user)
    assert (refused.code, refused.details) == ("locked", {"until": until})
    QueueLock.objects.update(until=timezone.now())
    join(user)


def test_a_lock_that_comes_while_somebody_waits_takes_the_ticket() -> None:
    (user,) = seasoned(1)
    join(user)
    QueueLock.objects.create(user=user, until=timezone.now() + timedelta(minutes=10))
    matchmaking.tick()
    assert waiting() == []


def test_a_ladder_that_is_closed_or_unknown_takes_nobody() -> None:
    users = seasoned(2)
    with pytest.raises(Declined) as caught:
        join(users[0], ladder="none")
    assert caught.value.code == "unknown_ladder"
    join(users[0])
    Ladder.objects.filter(slug="hearts").update(is_open=False)
    with pytest.raises(Declined) as caught:
        join(users[1])
    assert caught.value.code == "closed"
    matchmaking.tick()
    assert waiting() == []


@pytest.mark.parametrize("status", [Game.Status.OPEN, Game.Status.PLAYING])
def test_one_running_ranked_game_over_all_ladders(status: Game.Status) -> None:
    users = seasoned()
    game = seat(*users)
    Game.objects.filter(pk=game.pk).update(status=status)
    for ladder in ("hearts", "spades"):
        with pytest.raises(Declined) as caught:
            join(users[0], ladder=ladder)
        assert (caught.value.code, caught.value.details) == ("running", {"game": game.pk})
    Game.objects.filter(pk=game.pk).update(status=Game.Status.FINISHED)
    join(users[0], ladder="spades")


# --- one ticket -------------------------------------------------------------------------------------------------------


def test_m01_a_double_tap_and_a_second_tab_have_one_ticket_and_nobody_meets_himself() -> None:
    (user,) = seasoned(1)
    join(user, user, user, cpu=True)
    waited(600, user)
    joined_at = Ticket.objects.get().joined_at
    join(user)
    matchmaking.tick()
    assert waiting() == [user.pk]
    assert Ticket.objects.get().joined_at == joined_at, "the second tab does not lose the place"
    assert asked() == set()


def test_m01_a_search_in_another_ladder_is_refused_while_one_runs() -> None:
    (user,) = seasoned(1)
    join(user)
    with pytest.raises(Declined) as caught:
        join(user, ladder="spades")
    assert caught.value.code == "waiting"
    tickets.leave(user.pk)
    join(user, ladder="spades")


def test_m01_a_dangling_search_is_over_and_its_place_is_not_taken_up_again() -> None:
    users = seasoned()
    join(*users)
    waited(60, *users)
    silent(16, users[0])
    matchmaking.tick()
    assert waiting() == [user.pk for user in users[1:]]
    silent(16, users[1])
    join(users[1])  # before any tick has found it
    assert (timezone.now() - Ticket.objects.get(user=users[1]).joined_at).total_seconds() < 10


def test_somebody_who_was_silent_for_some_seconds_keeps_his_place_but_is_not_asked() -> None:
    users = seasoned()
    join(*users)
    silent(10, users[2])
    matchmaking.tick()
    assert len(waiting()) == 4
    assert asked() == set()
    assert tickets.note_seen([users[2].pk])
    matchmaking.tick()
    assert asked() == {user.pk for user in users}


def test_an_outage_of_the_site_costs_nobody_the_place() -> None:
    users = seasoned()
    join(*users)
    silent(60, *users)
    web = Heartbeat.objects.create(name="web", seen_at=timezone.now() - timedelta(seconds=30))
    matchmaking.tick()
    assert len(waiting()) == 4
    web.seen_at = timezone.now()
    web.save()
    back_at = timezone.now() - timedelta(seconds=30)
    sweep = Heartbeat.objects.create(name="sweep", seen_at=timezone.now(), web_seen_at=back_at)
    matchmaking.tick()
    assert len(waiting()) == 4, "the web is back, and the sweep does not know yet"
    sweep.delete()
    outage = Outage.objects.create(
        from_at=timezone.now() - timedelta(minutes=2), to_at=timezone.now() - timedelta(seconds=5), part="web"
    )
    matchmaking.tick()
    assert len(waiting()) == 4
    outage.to_at -= timedelta(seconds=30)
    outage.save()
    matchmaking.tick()
    assert waiting() == []


# --- who meets whom ---------------------------------------------------------------------------------------------------


def test_windows_grow_until_they_meet() -> None:
    users = seasoned()
    for user, rating in zip(users, (1400, 1450, 1500, 1650), strict=True):
        rated(user, rating)
    join(*users)
    matchmaking.tick()
    assert asked() == set()
    waited(29, *users)
    matchmaking.tick()
    assert asked() == set()
    waited(31, *users)
    matchmaking.tick()
    assert asked() == {user.pk for user in users}


def test_the_scale_of_tests_divides_every_duration(settings: Any) -> None:
    settings.TIME_SCALE = 10
    users = seasoned()
    rated(users[0], 1900)
    join(*users)
    waited(3, *users)
    matchmaking.tick()
    assert asked() == set()
    waited(6.5, *users)
    matchmaking.tick()
    assert len(asked()) == 4
    assert ReadyCheck.objects.get().until - timezone.now() <= timedelta(seconds=1.5)
    tickets.note_seen([users[0].pk])
    silent(3.5, *users[1:])  # lines and processes need some time even so
    matchmaking.tick()
    assert waiting() == [users[0].pk]


def test_blocked_users_are_never_asked_to_one_table() -> None:
    users = seasoned(5)
    block(users[3], users[0])
    join(*users[:4])
    waited(600, *users[:4])
    matchmaking.tick()
    assert asked() == set()
    join(users[4])
    waited(600, *users)
    matchmaking.tick()
    assert len(asked()) == 4
    assert not {users[0].pk, users[3].pk} <= asked()


def test_a_block_that_comes_during_the_ready_check_is_kept_and_nobody_loses_the_place() -> None:
    users = seasoned()
    join(*users)
    matchmaking.tick()
    say_ready(*users[:3])
    block(users[1], users[2])
    assert say_ready(users[3]) is None
    assert not RankedGame.objects.exists()
    assert len(waiting()) == 4
    matchmaking.tick()
    assert asked() == set()


def test_ladders_do_not_mix() -> None:
    users = seasoned(5)
    join(*users[:3])
    join(*users[3:], ladder="spades")
    matchmaking.tick()
    assert asked() == set()


# --- the ready check and the table ------------------------------------------------------------------------------------


@pytest.mark.parametrize("ladder", ["hearts", "spades"])
def test_four_who_are_ready_sit_at_a_table_of_the_ladder(ladder: str) -> None:
    users = seasoned()
    game = seat(*users, ladder=ladder)
    row = Ladder.objects.get(slug=ladder)
    assert sorted(filter(None, seats_of(game))) == [user.pk for user in users]
    assert (game.kind, game.timer_s, game.may_watch, game.is_private) == (ladder, 30, True, False)
    assert game.preset_version_id == row.preset_version_id
    assert game.commitment, "its cards are sealed"
    ranked = RankedGame.objects.get()
    assert (ranked.game_id, ranked.ladder_id, ranked.humans) == (game.pk, row.pk, group_of(user.pk for user in users))
    assert (waiting(), ReadyCheck.objects.count(), Wait.objects.count()) == ([], 0, 4)
    matchmaking.tick()
    assert RankedGame.objects.count() == 1


def test_seats_are_drawn_by_lot() -> None:
    users = seasoned()
    orders = set()
    for _ in range(6):
        game = seat(*users)
        orders.add(tuple(seats_of(game)))
        Game.objects.filter(pk=game.pk).update(status=Game.Status.FINISHED)
    assert len(orders) > 1


def test_a_game_is_played_by_the_version_that_the_ladder_has_now() -> None:
    ladder = Ladder.objects.get(slug="hearts")
    version = ladder.preset_version.preset.versions.create(number=9, options={"end_score": 60}, ranked_players=4)
    Ladder.objects.filter(pk=ladder.pk).update(preset_version=version)
    game = seat(*seasoned())
    assert game.preset_version_id == version.pk
    assert game.options["end_score"] == 60


def test_whoever_does_not_answer_loses_the_ticket_and_the_others_keep_their_place() -> None:
    users = seasoned()
    join(*users)
    waited(40, *users)
    places = dict(Ticket.objects.values_list("user", "joined_at"))
    matchmaking.tick()
    say_ready(*users[:2])
    matchmaking.expire()
    assert len(asked()) == 4, "there is time left"
    overdue()
    matchmaking.expire()
    assert set(waiting()) == {user.pk for user in users[:2]}
    assert dict(Ticket.objects.values_list("user", "joined_at")) == {user.pk: places[user.pk] for user in users[:2]}
    assert not Ticket.objects.filter(is_ready=True).exists()
    assert not ReadyCheck.objects.exists()


def test_whoever_declines_or_leaves_loses_the_ticket_and_the_others_are_matched_anew_from_their_place() -> None:
    for let_go in (matchmaking.decline, tickets.leave):
        users = seasoned(5)
        join(*users[:4])
        waited(40, *users)
        matchmaking.tick()
        say_ready(users[1])
        let_go(users[0].pk)
        assert waiting() == [user.pk for user in users[1:4]]
        join(users[4])
        matchmaking.tick()
        assert asked() == {user.pk for user in users[1:]}
        game = say_ready(*users[1:])
        assert game is not None
        Game.objects.filter(pk=game.pk).update(status=Game.Status.FINISHED)


def test_there_is_nothing_to_say_to_no_ready_check() -> None:
    (user,) = seasoned(1)
    for act in (matchmaking.ready, matchmaking.decline):
        assert refusal(act, user_id=user.pk).code == "no_check"
        join(user)
        assert refusal(act, user_id=user.pk).code == "no_check"
        tickets.leave(user.pk)
    assert not tickets.leave(user.pk)


def test_an_outage_during_the_ready_check_costs_nobody_the_ticket() -> None:
    users = seasoned()
    join(*users)
    matchmaking.tick()
    say_ready(users[0])
    overdue()
    Heartbeat.objects.create(name="web", seen_at=timezone.now() - timedelta(seconds=8))
    matchmaking.expire()
    assert len(waiting()) == 4
    assert asked() == set()


def test_if_the_table_cannot_be_made_nobody_loses_anything_and_it_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    users = seasoned()
    join(*users)
    matchmaking.tick()
    with monkeypatch.context() as broken:
        broken.setattr(matchmaking, "enter", lambda **_more: 1 / 0)
        assert say_ready(*users) is None
        assert len(asked()) == 4
        matchmaking.tick()
        assert len(asked()) == 4
    assert not Game.objects.filter(status=Game.Status.PLAYING).exists(), "the half-made game is gone"
    assert "nobody is seated yet" in caplog.text
    matchmaking.tick()
    assert RankedGame.objects.count() == 1
    assert waiting() == []


def test_somebody_killed_between_the_last_answer_and_the_seating_is_made_up_for() -> None:
    users = seasoned()
    join(*users)
    matchmaking.tick()
    Ticket.objects.update(is_ready=True)  # stored, and then the process was gone
    matchmaking.tick()
    assert RankedGame.objects.count() == 1


def test_what_was_true_when_they_were_matched_is_looked_at_again() -> None:
    def deactivate(user: User) -> None:
        User.objects.filter(pk=user.pk).update(is_active=False)

    def lock(user: User) -> None:
        QueueLock.objects.create(user=user, until=timezone.now() + timedelta(minutes=5))

    def sit_elsewhere(user: User) -> None:
        seats = [user, *seasoned(3)]
        game = games_services.open_game(kind="hearts", seats=seats)
        RankedGame.objects.create(game=game, ladder=Ladder.objects.get(slug="spades"), humans="")

    for spoil in (deactivate, lock, sit_elsewhere, lambda user: silent(20, user)):
        users = seasoned()
        join(*users)
        matchmaking.tick()
        say_ready(*users[1:])
        Ticket.objects.filter(user=users[0]).update(is_ready=True)
        spoil(users[0])
        before = RankedGame.objects.count()
        assert matchmaking.seat(ReadyCheck.objects.get().pk) is None
        assert RankedGame.objects.count() == before
        assert waiting() == [user.pk for user in users[1:]]
        assert asked() == set()
        Ticket.objects.all().delete()


# --- a CPU in the fourth seat -----------------------------------------------------------------------------------------


def test_three_who_all_agree_may_start_with_a_cpu_after_45_seconds() -> None:
    users = seasoned(3)
    join(*users, cpu=True)
    waited(46, *users)
    tickets.consent(user_id=users[1].pk, takes_cpu=False)
    matchmaking.tick()
    assert asked() == set()
    tickets.consent(user_id=users[1].pk, takes_cpu=True)
    matchmaking.tick()
    assert len(asked()) == 3
    assert refusal(tickets.consent, user_id=users[0].pk, takes_cpu=False).code == "checking"
    game = say_ready(*users)
    assert game is not None
    assert list(Player.objects.filter(game=game, user=None).values_list("cpu_level", flat=True)) == ["normal"]
    assert RankedGame.objects.get().humans == group_of(user.pk for user in users)


def test_there_is_no_cpu_in_ranked_spades() -> None:
    users = seasoned(3)
    join(*users, ladder="spades", cpu=True)
    waited(600, *users)
    matchmaking.tick()
    assert asked() == set()


def test_consent_is_for_those_who_wait() -> None:
    (user,) = seasoned(1)
    assert refusal(tickets.consent, user_id=user.pk, takes_cpu=True).code == "not_waiting"


# --- partners ---------------------------------------------------------------------------------------------------------


def test_two_who_queue_together_sit_across_from_each_other() -> None:
    for _ in range(4):
        users = seasoned()
        pair_up(users[0], users[1])
        join(*users[2:], ladder="spades")
        matchmaking.tick()
        game = say_ready(*users)
        assert game is not None
        seats = seats_of(game)
        assert abs(seats.index(users[0].pk) - seats.index(users[1].pk)) == 2


def test_two_pairs_play_each_other() -> None:
    users = seasoned()
    pair_up(users[0], users[1])
    pair_up(users[2], users[3])
    matchmaking.tick()
    game = say_ready(*users)
    assert game is not None
    seats = seats_of(game)
    assert {frozenset(seats[0::2]), frozenset(seats[1::2])} == {
        frozenset(user.pk for user in side) for side in (users[:2], users[2:])
    }


@pytest.mark.parametrize(("rating", "may"), [(1900, True), (1900.01, False), (1100, True), (1099.99, False)])
def test_partners_are_at_most_400_apart(rating: float, may: bool) -> None:
    first, second = seasoned(2)
    rated(second, rating, "spades")
    if may:
        pair_up(first, second)
        assert waiting() == sorted((first.pk, second.pk))
    else:
        assert refusal(pair_up, first=first, second=second).code == "too_far_apart"


def test_there_are_no_pairs_in_hearts() -> None:
    first, second = seasoned(2)
    assert refusal(pair_up, first=first, second=second, ladder="hearts").code == "no_pairs"


def test_nobody_is_partnered_who_may_not_queue_or_is_blocked_or_does_not_want_to() -> None:
    first, second, third = seasoned(3)
    for user in (first, second, third):
        name(user)
    fresh = factories.user(is_guest=False)
    name(fresh)

    def invite(user: User, other: str) -> None:
        tickets.invite(user_id=user.pk, ladder="spades", name=other)

    assert refusal(invite, user=fresh, other=first.display_name).code == "too_few_games"
    assert refusal(invite, user=first, other=first.display_name).code == "yourself"
    assert refusal(invite, user=first, other="nobody at all").code == "not_found"
    assert refusal(invite, user=first, other="").code == "not_found"
    block(second, first)
    assert refusal(invite, user=first, other=second.display_name).code == "not_found", "as if there were nobody"
    invite(first, fresh.display_name)
    assert refusal(tickets.accept, user_id=fresh.pk, inviter_id=first.pk).code == "too_few_games"
    assert refusal(tickets.accept, user_id=third.pk, inviter_id=first.pk).code == "no_invite"
    invite(first, third.display_name)
    tickets.refuse(user_id=third.pk, inviter_id=first.pk)
    assert refusal(tickets.accept, user_id=third.pk, inviter_id=first.pk).code == "no_invite"
    assert refusal(invite, user=first, other=third.display_name).code == "declined"
    assert Ticket.objects.count() == 0


def test_an_invitation_runs_out_and_can_be_taken_back() -> None:
    first, second = seasoned(2)
    name(second)
    tickets.invite(user_id=first.pk, ladder="spades", name=second.display_name)
    tickets.uninvite(first.pk)
    assert not Invite.objects.exists()
    tickets.invite(user_id=first.pk, ladder="spades", name=second.display_name)
    Invite.objects.update(until=timezone.now() - timedelta(seconds=1))
    assert refusal(tickets.accept, user_id=second.pk, inviter_id=first.pk).code == "no_invite"
    matchmaking.tick()
    assert not Invite.objects.exists()


def test_an_inviter_who_may_not_queue_any_more_pairs_nobody() -> None:
    first, second = seasoned(2)
    name(second)
    tickets.invite(user_id=first.pk, ladder="spades", name=second.display_name)
    QueueLock.objects.create(user=first, until=timezone.now() + timedelta(minutes=5))
    assert refusal(tickets.accept, user_id=second.pk, inviter_id=first.pk).code == "partner_cannot"


def test_whoever_waits_alone_begins_anew_as_a_pair_and_who_is_left_goes_on_alone() -> None:
    first, second = seasoned(2)
    join(second, ladder="spades")
    waited(50, second)
    pair_up(first, second)
    assert all((timezone.now() - ticket.joined_at).total_seconds() < 10 for ticket in Ticket.objects.all())
    joined_at = Ticket.objects.get(user=first).joined_at
    tickets.leave(second.pk)
    left = Ticket.objects.get()
    assert (left.user_id, left.partner_id, left.joined_at) == (first.pk, None, joined_at)


def test_a_pair_is_only_asked_together() -> None:
    users = seasoned(5)
    pair_up(users[0], users[1])
    join(*users[2:], ladder="spades")
    silent(10, users[1])
    matchmaking.tick()
    assert asked() == set()
    waited(600, *users)
    tickets.note_seen([users[1].pk])
    matchmaking.tick()
    assert {users[0].pk, users[1].pk} <= asked()


def test_partners_who_fall_out_go_on_alone() -> None:
    users = seasoned()
    pair_up(users[0], users[1])
    block(users[0], users[1])
    join(*users[2:], ladder="spades")
    waited(600, *users)
    matchmaking.tick()
    assert asked() == set()
    assert not Ticket.objects.filter(partner__isnull=False).exists()
    assert len(waiting()) == 4


# --- accounts ---------------------------------------------------------------------------------------------------------


def test_closing_or_locking_an_account_takes_its_ticket() -> None:
    users = seasoned()
    join(*users)
    matchmaking.tick()
    members.close_account(user=users[0])
    assert waiting() == [user.pk for user in users[1:]]
    assert asked() == set()
    User.objects.filter(pk=users[1].pk).update(is_active=False)
    matchmaking.tick()
    assert waiting() == [user.pk for user in users[2:]]

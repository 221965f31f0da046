"""Parties: who may sit where, when, and with whom; what is agreed to; who goes and what becomes of it."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from accounts.models import User
from config.celery import app
from games import models
from games.log.selectors import table_of
from games.parties import games as party_games
from games.parties import seating
from games.parties import selectors as party_selectors
from games.parties import services as parties
from games.parties import tasks as party_tasks
from games.parties import words as party_words
from games.parties.services import PartyRefused, Settings
from games.rules import Refused
from tests import factories

pytestmark = pytest.mark.usefixtures("transactional_db")

RACES = 20


def version(slug: str = "hearts-standard") -> models.PresetVersion:
    found = models.PresetVersion.objects.filter(preset__slug=slug).latest("number")
    assert isinstance(found, models.PresetVersion)
    return found


def party(sitting: int = 1, slug: str = "hearts-standard", **settings: Any) -> tuple[models.Party, list[User]]:
    """A party and those who sit at it, the host first."""
    users = [factories.user() for _ in range(sitting)]
    made = parties.open_party(host=users[0], version=version(slug))
    if settings:
        change(made, users[0], **settings)
    for user in users[1:]:
        parties.sit(party_id=made.pk, user=user)
    return now(made), users


def now(made: models.Party) -> models.Party:
    """The party as stored."""
    return models.Party.objects.select_related("preset_version__preset").get(pk=made.pk)


def change(made: models.Party, host: User, **settings: Any) -> None:
    made = now(made)
    known = parties.settings_of(made)
    values = {name: getattr(known, name) for name in Settings.__dataclass_fields__} | settings
    parties.change(party_id=made.pk, host=host, seen=known.mark, settings=Settings(**values))


def start(made: models.Party, host: User, **more: Any) -> models.Game:
    return party_games.start(party_id=made.pk, host=host, revision=now(made).revision, **more)


def agree(made: models.Party, user: User, **more: Any) -> models.Game | None:
    return party_games.agree(party_id=made.pk, user=user, revision=now(made).revision, **more)


def finish(game: models.Game) -> None:
    """The game is over, however."""
    models.Game.objects.filter(pk=game.pk).update(status="finished")


def seats(made: models.Party) -> dict[int, int]:
    """Seat of each user."""
    return {member.user_id: member.seat for member in party_selectors.sitting_at(now(made)) if member.seat is not None}


def refused(act: Callable[..., Any], *args: Any, **more: Any) -> str:
    with pytest.raises(PartyRefused) as caught:
        act(*args, **more)
    return caught.value.code


def unseen(user: User, seconds: float) -> None:
    models.PartyMember.objects.filter(user=user).update(seen_at=timezone.now() - timedelta(seconds=seconds))


# --- sitting down -----------------------------------------------------------------------------------------------------


def test_a_party_is_made_from_a_preset_with_its_host_on_the_first_seat() -> None:
    made, (host,) = party(1, "hearts-stadium")
    assert made.options == version("hearts-stadium").options
    assert (made.host, seats(made), made.is_listed) == (host, {host.pk: 0}, False)
    assert models.Game.objects.count() == 0


def test_a_preset_for_one_number_is_played_by_that_number_until_the_host_says_otherwise() -> None:
    made, users = party(4, "hearts-short")
    assert made.players == 4
    other = factories.user()
    assert refused(parties.sit, party_id=made.pk, user=other) == "full"
    change(made, users[0], players=None)
    assert parties.sit(party_id=made.pk, user=other) == 4


def test_sitting_down_twice_is_one_seat() -> None:
    made, users = party(2)
    assert [parties.sit(party_id=made.pk, user=users[1]) for _ in range(2)] == [1, 1]
    assert len(seats(made)) == 2


def test_a_full_party_says_so() -> None:
    made, _ = party(4, "spades-standard")
    assert refused(parties.sit, party_id=made.pk, user=factories.user()) == "full"
    crowd, _ = party(7)
    assert refused(parties.sit, party_id=crowd.pk, user=factories.user()) == "full"


def test_a_seat_can_be_chosen_and_changed_for_an_empty_one_only() -> None:
    made, (host, other) = party(2, "spades-standard")
    assert parties.sit(party_id=made.pk, user=other, seat=2) == 2
    assert refused(parties.sit, party_id=made.pk, user=other, seat=0) == "seat_taken"
    assert refused(parties.sit, party_id=made.pk, user=other, seat=4) == "seat_taken"
    assert parties.sit(party_id=made.pk, user=host, seat=1) == 1
    assert seats(made) == {host.pk: 1, other.pk: 2}


def test_once_the_game_runs_nobody_sits_down_moves_or_is_sent_away() -> None:
    made, (host, other) = party(2)
    start(made, host)
    assert refused(parties.sit, party_id=made.pk, user=factories.user()) == "running"
    assert refused(parties.sit, party_id=made.pk, user=other, seat=3) == "running"
    assert refused(parties.shuffle, party_id=made.pk, host=host) == "running"
    member = models.PartyMember.objects.get(user=other)
    assert refused(parties.send_away, party_id=made.pk, host=host, member_id=member.pk) == "running"
    assert parties.sit(party_id=made.pk, user=other) == 1  # he sits there already


def test_whoever_was_sent_away_cannot_come_back() -> None:
    made, (host, other, third) = party(3)
    member = models.PartyMember.objects.get(user=other)
    assert refused(parties.send_away, party_id=made.pk, host=third, member_id=member.pk) == "not_host"
    parties.send_away(party_id=made.pk, host=host, member_id=member.pk)
    assert refused(parties.sit, party_id=made.pk, user=other) == "sent_away"
    assert refused(agree, made, other) == "not_sitting"
    assert set(seats(made)) == {host.pk, third.pk}
    own = models.PartyMember.objects.get(user=host)
    assert refused(parties.send_away, party_id=made.pk, host=host, member_id=own.pk) == "not_sitting"


def test_whom_the_host_has_blocked_cannot_sit_and_whom_he_has_muted_can() -> None:
    made, (host,) = party(1)
    blocked, muted = factories.user(), factories.user()
    models.Block.objects.create(user=host, other=blocked, kind="block")
    models.Block.objects.create(user=host, other=muted, kind="mute")
    assert refused(parties.sit, party_id=made.pk, user=blocked) == "blocked"
    assert parties.sit(party_id=made.pk, user=muted) == 1


def test_one_user_is_the_host_of_a_few_open_parties_only() -> None:
    host = factories.user()
    for _ in range(parties.MOST_OPEN):
        parties.open_party(host=host, version=version())
    assert refused(parties.open_party, host=host, version=version()) == "too_many"


def in_threads(*calls: Callable[[], Any]) -> list[Any]:
    """What each call returns, or the code it is refused with; all start at once, on connections of their own."""
    found: list[Any] = [None] * len(calls)
    gate = threading.Barrier(len(calls))

    def enter(index: int, call: Callable[[], Any]) -> None:
        try:
            gate.wait(10)
            found[index] = call()
        except PartyRefused as refusal:
            found[index] = refusal.code
        finally:
            connection.close()

    threads = [threading.Thread(target=enter, args=pair) for pair in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def sit_at_once(made: models.Party, users: list[User], seat: int | None = None) -> list[Any]:
    """What each is told who sits down at the same moment."""
    return in_threads(*[partial(parties.sit, party_id=made.pk, user=user, seat=seat) for user in users])


def test_of_two_who_want_the_last_seat_one_gets_it_in_twenty_races() -> None:
    for _ in range(RACES):
        made, _ = party(3, "spades-standard")
        rivals = [factories.user(), factories.user()]
        found = sit_at_once(made, rivals)
        assert sorted(map(str, found)) == ["3", "full"]
        assert sorted(seats(made).values()) == [0, 1, 2, 3]
        assert seats(made)[rivals[found.index(3)].pk] == 3


def test_of_two_who_want_the_same_empty_seat_one_gets_it_in_twenty_races() -> None:
    made, (_, *rivals) = party(3, "spades-standard")
    for _ in range(RACES):
        wanted = next(seat for seat in range(4) if seat not in seats(made).values())
        found = sit_at_once(made, rivals, wanted)
        assert sorted(map(str, found)) == [str(wanted), "seat_taken"]
        assert seats(made)[rivals[found.index(wanted)].pk] == wanted
        assert len(set(seats(made).values())) == 3


def test_two_tabs_that_sit_down_at_once_are_one_seat_in_twenty_races() -> None:
    for _ in range(RACES):
        made, _ = party(1)
        user = factories.user()
        found = sit_at_once(made, [user] * 3)
        assert found == [1, 1, 1]
        assert models.PartyMember.objects.filter(party=made, user=user).count() == 1


def test_the_database_itself_has_one_seat_for_one_user_and_one_running_game_for_a_party() -> None:
    made, (host, other) = party(2)
    with pytest.raises(IntegrityError), transaction.atomic():
        models.PartyMember.objects.filter(user=other).update(seat=0)
    with pytest.raises(IntegrityError), transaction.atomic():
        models.PartyMember.objects.create(party=made, user=other, seat=3)
    with pytest.raises(IntegrityError), transaction.atomic():
        models.PartyMember.objects.filter(user=other).update(seat=7)
    game = start(made, host)
    with pytest.raises(IntegrityError), transaction.atomic():
        models.Game.objects.create(kind="hearts", players=4, options={}, rules_version=1, party_id=game.party_id)


# --- how many play ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "sitting", "fixed", "players"),
    [
        ("hearts", 1, None, 4),
        ("hearts", 2, None, 4),
        ("hearts", 3, None, 3),
        ("hearts", 5, None, 5),
        ("hearts", 7, None, 7),
        ("hearts", 1, 2, 2),
        ("hearts", 2, 6, 6),
        ("spades", 1, None, 4),
        ("spades", 3, None, 4),
        ("spades", 4, None, 4),
    ],
)
def test_as_many_play_as_sit_and_few_are_filled_up(kind: str, sitting: int, fixed: int | None, players: int) -> None:
    assert seating.players_for(kind, sitting, fixed) == players


@pytest.mark.parametrize("sitting", [1, 2, 3, 4, 5])
def test_the_game_has_those_who_sit_in_their_seats_and_cpus_in_the_others(sitting: int) -> None:
    made, users = party(sitting, cpu_level="beginner")
    game = start(made, users[0])
    rows = models.Player.objects.filter(game=game).order_by("seat")
    assert game.players == max(4 if sitting < 3 else sitting, 3)
    assert [row.user_id for row in rows][:sitting] == [user.pk for user in users]
    assert {row.cpu_level for row in rows[sitting:]} <= {"beginner"}


@pytest.mark.parametrize("sitting", [6, 7])
def test_six_and_seven_are_confirmed_by_the_host(sitting: int) -> None:
    made, users = party(sitting)
    assert refused(start, made, users[0]) == "confirm"
    assert start(made, users[0], confirmed=True).players == sitting


def test_two_play_alone_only_where_the_host_chose_so() -> None:
    made, users = party(2, players=2)
    assert start(made, users[0]).players == 2


def test_a_number_that_is_fixed_bounds_who_can_sit_and_is_filled_with_cpus() -> None:
    made, users = party(3, players=5)
    assert start(made, users[0]).players == 5
    crowd, many = party(5)
    assert refused(change, crowd, many[0], players=4) == "too_few_seats"


def test_options_that_do_not_go_with_the_number_are_refused() -> None:
    made, (host,) = party(1, options={"jack_of_diamonds": "minus_ten"})
    with pytest.raises(Refused) as caught:
        change(made, host, players=2)
    assert caught.value.code == "bad_combination"


def test_seats_close_up_when_the_table_becomes_smaller() -> None:
    made, users = party(5)
    parties.leave(party_id=made.pk, user=users[1])
    assert seats(made) == {users[0].pk: 0, users[2].pk: 1, users[3].pk: 2, users[4].pk: 3}
    assert start(made, users[0]).players == 4


def test_shuffling_keeps_everybody_on_a_seat_of_the_table() -> None:
    made, users = party(3, "spades-standard")
    for number in range(20):
        parties.shuffle(party_id=made.pk, host=users[0], rng=random.Random(number))
        assert set(seats(made)) == {user.pk for user in users}
        assert set(seats(made).values()) <= {0, 1, 2, 3}
    assert refused(parties.shuffle, party_id=made.pk, host=users[1]) == "not_host"


# --- settings ---------------------------------------------------------------------------------------------------------


def test_what_the_host_saw_is_what_he_changes_and_starts() -> None:
    made, (host, other) = party(2)
    old, seen = now(made).revision, parties.settings_of(made).mark
    change(made, host, timer_s=30)
    settings = Settings(timer_s=60)
    assert refused(parties.change, party_id=made.pk, host=host, seen=seen, settings=settings) == "changed"
    assert refused(party_games.start, party_id=made.pk, host=host, revision=old) == "changed"
    assert refused(change, made, other, timer_s=60) == "not_host"
    assert now(made).timer_s == 30


def test_settings_are_frozen_while_the_game_runs() -> None:
    made, (host,) = party(1, options={"end_score": 60}, timer_s=30)
    game = start(made, host)
    assert refused(change, made, host, options={"end_score": 70}) == "running"
    assert (game.options["end_score"], game.timer_s) == (60, 30)


def test_a_preset_that_leaves_little_open_keeps_the_rest() -> None:
    made, (host,) = party(1, "hearts-stadium")
    change(made, host, options={**made.options, "end_score": 70, "moon": "off"})
    assert refused(change, made, host, options={**made.options, "end_score": 75}) == "bad_settings"
    assert refused(change, made, host, options={**made.options, "jack_of_diamonds": "minus_ten"}) == "bad_settings"
    assert now(made).options["end_score"] == 70


@pytest.mark.parametrize("settings", [{"timer_s": 45}, {"cpu_level": "superb"}])
def test_a_setting_that_does_not_exist_is_refused(settings: dict[str, Any]) -> None:
    made, (host,) = party(1)
    assert refused(change, made, host, **settings) == "bad_settings"


def test_a_game_of_a_party_is_sealed_and_as_private_as_the_party() -> None:
    made, (host,) = party(1)
    game = start(made, host)
    assert (game.code, len(game.commitment), game.is_private, game.may_watch) == ("", 64, True, True)
    table = table_of(game)
    assert [table.is_open_to(code, is_over=False) for code in (made.code, "", "AAAAAA")] == [True, False, False]
    assert not table.is_open_to(made.code, is_over=True)
    listed, (other,) = party(1, is_listed=True, may_watch=False)
    game = start(listed, other)
    assert (game.code, game.is_private, game.may_watch) == ("", False, False)


# --- games one after the other ----------------------------------------------------------------------------------------


def test_starting_twice_is_one_game() -> None:
    made, (host, other) = party(2)
    assert refused(start, made, other) == "not_host"
    found = in_threads(*[lambda: start(made, host).pk] * 3)
    assert len(set(found)) == 1
    assert models.Game.objects.count() == 1


def test_a_rematch_begins_when_everyone_who_sits_has_agreed() -> None:
    made, (host, one, two) = party(3)
    assert refused(agree, made, host) == "first_game"
    first = start(made, host)
    finish(first)
    assert refused(start, made, host) == "not_first_game"
    assert agree(made, host) is None
    assert agree(made, one) is None
    assert agree(made, one, agreed=False) is None
    assert agree(made, two) is None
    second = agree(made, one)
    assert second is not None
    first.refresh_from_db()
    assert (first.rematch, second.party, second.status) == (second, now(made), "open")
    again = agree(made, two)  # his other tab
    assert again == second


def test_a_rematch_takes_a_new_agreement_each_time() -> None:
    made, users = party(2)
    finish(start(made, users[0]))
    assert agree(made, users[0]) is None
    second = agree(made, users[1])
    assert second is not None
    finish(second)
    assert agree(made, users[1]) is None


@pytest.mark.parametrize("what", ["settings", "sit", "leave", "move", "shuffle", "send away"])
def test_whatever_changes_the_next_game_asks_everyone_anew(what: str) -> None:
    made, (host, one, two) = party(3)
    finish(start(made, host))
    for user in (host, one):
        assert agree(made, user) is None
    old = now(made).revision
    if what == "settings":
        change(made, host, options={"moon": "off"})
    elif what == "sit":
        parties.sit(party_id=made.pk, user=factories.user())
    elif what == "leave":
        parties.leave(party_id=made.pk, user=two)
    elif what == "move":
        change(made, host, players=5)
        for user in (host, one):
            agree(made, user)
        parties.sit(party_id=made.pk, user=two, seat=4)
    elif what == "shuffle":
        parties.shuffle(party_id=made.pk, host=host)
    else:
        member = models.PartyMember.objects.get(user=two)
        parties.send_away(party_id=made.pk, host=host, member_id=member.pk)
    assert refused(party_games.agree, party_id=made.pk, user=one, revision=old) == "changed"
    assert not any(sitting.is_ready for sitting in party_selectors.state_of(made).members)
    assert models.Game.objects.count() == 1


def test_everyone_sees_what_has_changed_before_agreeing() -> None:
    made, (host, _) = party(2)
    finish(start(made, host))
    assert party_words.changes_of(party_selectors.state_of(made)) == []
    change(made, host, options={"moon": "off", "end_score": 50}, timer_s=60, is_listed=True, may_watch=False)
    changes = party_words.changes_of(party_selectors.state_of(made))
    assert [(change.before, change.chip.label) for change in changes] == [
        ("Moon +26", "No moon"),
        ("To 100", "To 50"),
        ("No limit", "60 s"),
        ("Anyone may watch", "Nobody may watch"),
        ("By the link only", "On the front page"),
    ]


# --- going away -------------------------------------------------------------------------------------------------------


def test_a_host_who_leaves_hands_over_to_whoever_sits_longest() -> None:
    made, (host, one, two) = party(3)
    parties.leave(party_id=made.pk, user=host)
    assert now(made).host == one
    parties.sit(party_id=made.pk, user=host)
    parties.leave(party_id=made.pk, user=one)
    assert now(made).host == two
    assert refused(start, made, host) == "not_host"


def test_whoever_sits_down_while_the_party_changes_hands_gets_a_seat_in_twenty_races() -> None:
    for _ in range(RACES):
        made, (host, other) = party(2)
        newcomer = factories.user()
        found = in_threads(
            partial(parties.leave, party_id=made.pk, user=host), partial(parties.sit, party_id=made.pk, user=newcomer)
        )
        assert found[0] is None
        assert now(made).host == other
        assert seats(made) == {other.pk: 1, newcomer.pk: found[1]}


def test_the_last_one_who_leaves_closes_the_party() -> None:
    made, users = party(2)
    for user in users:
        parties.leave(party_id=made.pk, user=user)
    assert now(made).is_closed
    assert refused(parties.sit, party_id=made.pk, user=users[0]) == "closed"


def test_leaving_during_a_game_leaves_the_game_as_it_is() -> None:
    made, (host, other) = party(2)
    game = start(made, host)
    parties.leave(party_id=made.pk, user=host)
    assert now(made).host == other
    assert models.Player.objects.get(game=game, seat=0).user == host
    parties.leave(party_id=made.pk, user=other)
    game.refresh_from_db()
    assert (now(made).is_closed, game.status) == (True, "open")


def test_whoever_is_away_for_long_loses_the_seat_where_somebody_waits() -> None:
    made, (host, other, third) = party(3)
    unseen(host, party_tasks.UNSEEN_S + 1)
    unseen(other, party_tasks.UNSEEN_S - 20)
    party_tasks.sweep_parties()
    assert set(seats(made)) == {other.pk, third.pk}
    assert now(made).host == other


def test_seats_are_kept_while_nobody_waits_for_them() -> None:
    made, users = party(3)
    for user in users:
        unseen(user, party_tasks.UNSEEN_S + 60)
    party_tasks.sweep_parties()
    assert len(seats(made)) == 3


def test_nobody_loses_a_seat_while_a_game_runs_or_right_after_it() -> None:
    made, users = party(3)
    game = start(made, users[0])
    for user in users[1:]:
        unseen(user, 3_600)
    party_tasks.sweep_parties()
    assert len(seats(made)) == 3
    finish(game)  # all have been at the table until now
    models.Player.objects.filter(game=game).exclude(user=None).update(seen_at=timezone.now())
    party_tasks.sweep_parties()
    assert len(seats(made)) == 3


def test_nobody_loses_a_seat_for_a_time_in_which_the_site_was_away() -> None:
    made, users = party(3)
    unseen(users[2], 3_600)
    at = timezone.now()
    outage = models.Outage.objects.create(from_at=at - timedelta(hours=1), to_at=at, part="web")
    party_tasks.sweep_parties()
    assert len(seats(made)) == 3
    outage.delete()
    beat = models.Heartbeat.objects.create(name="web", seen_at=at - timedelta(minutes=1))
    party_tasks.sweep_parties()
    assert len(seats(made)) == 3
    beat.delete()
    party_tasks.sweep_parties()
    assert len(seats(made)) == 2


def idle(made: models.Party, users: list[User], seconds: float) -> None:
    models.Party.objects.filter(pk=made.pk).update(touched_at=timezone.now() - timedelta(seconds=seconds))
    models.Game.objects.filter(party=made).update(moved_at=timezone.now() - timedelta(seconds=seconds))
    models.Player.objects.filter(game__party=made).update(seen_at=timezone.now() - timedelta(seconds=seconds))
    for user in users:
        unseen(user, seconds)


def test_c08_a_party_is_idle_since_somebody_was_last_there_or_did_something() -> None:
    made, users = party(2)
    idle(made, users, party_tasks.IDLE_S - 60)
    party_tasks.sweep_parties()
    assert not now(made).is_closed
    idle(made, users, party_tasks.IDLE_S + 60)
    unseen(users[1], 0)
    party_tasks.sweep_parties()
    assert not now(made).is_closed
    assert set(seats(made)) == {users[1].pk}
    idle(made, users[1:], party_tasks.IDLE_S + 60)
    party_tasks.sweep_parties()
    assert now(made).is_closed


def test_c08_a_party_whose_game_runs_for_hours_is_not_closed() -> None:
    made, users = party(2)
    start(made, users[0])
    idle(made, users, 10 * party_tasks.IDLE_S)
    party_tasks.sweep_parties()
    assert not now(made).is_closed
    assert len(seats(made)) == 2


def test_the_sweep_of_parties_is_on_the_clock_and_its_missed_runs_do_not_pile_up() -> None:
    entry = app.conf.beat_schedule["sweep_parties"]
    assert entry["task"] == party_tasks.sweep_parties.name
    assert entry["options"]["expires"] <= entry["schedule"].run_every.total_seconds()
    assert app.conf.task_routes[entry["task"]] == {"queue": "clock"}


def test_c09_looking_at_a_party_and_sweeping_touch_nothing() -> None:
    made, users = party(2)
    idle(made, users, party_tasks.IDLE_S - 60)
    before = models.Party.objects.values().get(pk=made.pk), list(models.PartyMember.objects.values())
    party_selectors.state_of(made)
    party_selectors.listed_states()
    party_tasks.sweep_parties()
    after = models.Party.objects.values().get(pk=made.pk), list(models.PartyMember.objects.values())
    assert after == before


# --- what is shown ----------------------------------------------------------------------------------------------------


def test_two_of_the_same_name_are_told_apart() -> None:
    host = factories.user()
    made = parties.open_party(host=host, version=version())
    for _ in range(2):
        twin = factories.user()
        User.objects.filter(pk=twin.pk).update(display_name=host.display_name.upper())
        parties.sit(party_id=made.pk, user=twin)
    names = [sitting.name for sitting in party_selectors.state_of(made).members]
    assert names == [host.display_name, f"{host.display_name.upper()} (2)", f"{host.display_name.upper()} (3)"]


def test_the_list_has_parties_that_are_listed_and_alive_with_free_seats_first() -> None:
    hidden, _ = party(1)
    full, _ = party(4, "spades-standard", is_listed=True)
    forsaken, (gone,) = party(1, is_listed=True)
    unseen(gone, party_selectors.FORSAKEN_S + 10)
    running, (host,) = party(1, is_listed=True)
    start(running, host)
    free, _ = party(1, is_listed=True)
    found = [state.code for state in party_selectors.listed_states()]
    assert found == [free.code, full.code, running.code]
    assert hidden.code not in found
    assert forsaken.code not in found
    rows = party_words.listed_parties(party_selectors.listed_states())
    assert [row.free for row in rows] == [6, 0, 0]
    assert [chip.icon for chip in rows[0].facts] == ["players", "timer", "end-score", "moon"]

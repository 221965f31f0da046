"""A site as people have used it for some months, made by the site's own pages, services and tasks.

`make` fills an empty, migrated database. It is called by `tests.upgrade.make_dump`, which stops the clock and replaces
chance before Django is loaded; so the same code makes the same rows.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeVar

from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from django.contrib.auth.models import Group
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.utils import timezone

from accounts import members
from accounts.models import User
from games import models
from games.daily import services as dailies
from games.daily.tasks import settle_dailies
from games.histories import forks, opened_records, records
from games.log import live, openings, services, store
from games.log.positions import Position, is_cpu
from games.mistakes import services as reviews
from games.mistakes import tasks as review_tasks
from games.parties import games as party_games
from games.parties import services as parties
from games.people import services as people
from games.presets import services as preset_store
from games.statistics import services as deal_statistics
from games.tables import tasks, votes
from ladder import tasks as ladder_tasks
from ladder.models import Ladder, Ticket
from ladder.queue import matchmaking, tickets
from ladder.rating import services as ladder_services
from tests import factories
from tests.accounts.people import Visitor
from tests.games.finished import played, stored
from tests.ladder.finished import SHORT, finish
from tests.upgrade.stopped import Clock

T = TypeVar("T")
Until = Callable[[Position], bool]

NAMES = (
    "Aki",
    "Bruno",
    "Chiyo",
    "Dora",
    "Emil",
    "Fumi",
    "Greta",
    "月見うさぎ",
    "Ines",
    "Jun",
    "Kiku",
    "Lars",
    "Mona",
    "Nils",
)
#: Games at random, by seeds that were looked for: a moon whose scoring is chosen, and bids before the cards are seen.
SELDOM: tuple[tuple[str, int, dict[str, Any], int], ...] = (
    ("hearts", 4, {"end_score": 30, "moon": "choose", "skip_right": "one_each"}, 5),
    ("spades", 4, {"target": 150, "blind_nil": "yes"}, 1),
)
#: Ranked games of one group on one day: (month, day, games). The season ends with September.
BUSY_DAYS = ((9, 27, 8), (9, 28, 7), (9, 29, 7), (11, 24, 8), (11, 25, 4))
TASTES: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("hearts", 2, {"end_score": 40}),
    ("hearts", 3, {"end_score": 30, "surplus": "kitty", "jack_of_diamonds": "minus_ten"}),
    ("hearts", 4, {"end_score": 30, "moon": "choose", "skip_right": "one_each"}),
    ("hearts", 5, {"end_score": 30, "passing": "always_left", "hearts_broken_by": "queen", "score_sign": "minus"}),
    ("hearts", 6, {"end_score": 30}),
    ("hearts", 7, {"end_score": 30}),
    ("spades", 4, {"target": 150, "blind_nil": "yes"}),
    ("spades", 4, {"target": 150}),
)


class Making:
    """What the acts of the people share."""

    def __init__(self, clock: Clock, runner: asyncio.Runner) -> None:
        self.clock, self.runner = clock, runner
        self.rng = random.Random(2026)
        self.visitors: dict[str, Visitor] = {}
        self.said: dict[str, Any] = {"games": {}, "parties": {}, "sessions": {}, "accounts": {}}

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    def user(self, name: str) -> User:
        found = self.visitors[name].user
        assert found is not None
        return found

    def users(self, *names: str) -> list[User]:
        return [self.user(name) for name in names]

    # --- games --------------------------------------------------------------------------------------------------------

    def play(self, game: int | models.Game, until: Until = lambda at: False, *, but: int | None = None) -> int:
        """Plays a game until something is so, or to its end: CPUs as workers do, people anything legal.

        `but`: a seat that does not answer.
        """
        game_id = game if isinstance(game, int) else int(game.pk)
        self.run(self._play(game_id, until, but))
        return game_id

    async def _play(self, game_id: int, until: Until, but: int | None) -> None:
        while True:
            table, position = await live.refresh(game_id)
            if position.is_over or until(position):
                return
            self.clock.forward(self.rng.choice((0.5, 1, 2, 3, 5)))
            seat = self.rng.choice(sorted(set(position.asks) - {but}))
            if is_cpu(table, position, seat):
                # What an expert answers depends on the machine, so it is played for as if its tasks had been lost.
                is_expert = table.holders[seat].cpu_level == "expert"
                await tasks._cpu_turn(game_id, seat, position.asks[seat].id, is_expert)
            else:
                await self.answer(game_id, seat)

    async def answer(self, game_id: int, seat: int) -> None:
        """A player gives any legal answer."""
        table, position = await live.refresh(game_id)
        await services.submit_action(
            game_id=game_id,
            seat=seat,
            ask=position.asks[seat].id,
            action=factories.random_answer(table, position, seat, self.rng),
            cause="player",
            client_id=f"act-{position.ply}",
        )

    def open(self, *seats: User | str, kind: str = "hearts", **more: Any) -> models.Game:
        """A game whose cards are dealt."""
        game = services.open_game(kind=kind, seats=seats, **more)
        factories.deal(game.pk)
        return models.Game.objects.get(pk=game.pk)

    def deal(self, game: models.Game) -> int:
        factories.deal(game.pk)
        return int(game.pk)

    def expire(self, game_id: int, seat: int) -> None:
        """A player lets his time run out."""
        position = self.run(live.refresh(game_id))[1]
        self.clock.forward(65)
        self.run(tasks._expire_turn(game_id, seat, position.asks[seat].id))

    def sweep(self) -> None:
        """Everybody at a table and the web are there, and the sweep runs."""
        seen = models.Player.objects.filter(game__status__in=("open", "playing"), user__isnull=False)
        seen.update(seen_at=timezone.now())
        self.run(store.beat("web", timezone.now()))
        self.run(tasks._sweep())

    # --- ranked games -------------------------------------------------------------------------------------------------

    def queue(self, *users: User, ladder: str = "hearts", pair: bool = False) -> models.Game:
        """From the queue to a table, whose cards are dealt."""
        if pair:
            tickets.invite(user_id=users[0].pk, ladder=ladder, name=users[1].display_name)
            tickets.accept(user_id=users[1].pk, inviter_id=users[0].pk)
        for user in users[2:] if pair else users:
            tickets.join(user_id=user.pk, ladder=ladder)
        self.wait_for(125, *users)  # then any rating will do
        matchmaking.tick()
        games = [matchmaking.ready(user.pk) for user in users]
        game = next(game for game in games if game is not None)
        self.deal(game)
        return game

    def wait_for(self, seconds: int, *users: User) -> None:
        """Some have waited in the queue for so long, with their pages open."""
        since = timezone.now() - timedelta(seconds=seconds)
        Ticket.objects.filter(user__in=users).update(joined_at=since)

    def season(self, *users: User) -> None:
        """Who has not finished enough games to queue does so."""
        for user in users:
            while (bar := tickets.bar_of(user)) is not None:
                assert bar.code == "too_few_games", (user, bar)
                self.play(self.open(user, "normal", "normal", "normal", options=SHORT["hearts"]))

    def rated(self, game_id: int) -> int:
        self.clock.forward(1)
        ladder_tasks.rate_game(game_id)
        return game_id

    def short_ranked(self, users: list[User], kind: str = "hearts", **more: Any) -> int:
        """A ranked game of a deal or two, rated."""
        game = services.open_game(kind=kind, seats=users, options=SHORT[kind], timer_s=30, may_watch=True)
        ladder_services.enter(game=game, ladder=Ladder.objects.get(slug=kind))
        self.deal(game)
        self.clock.forward(240)
        finish(game, more.get("cause", lambda deal, seat: "player"), self.rng)
        return self.rated(int(game.pk))


def make(clock: Clock) -> dict[str, Any]:
    """Fills the database. Returns what a test has to know of it."""
    with asyncio.Runner() as runner:
        made = Making(clock, runner)
        for scene in (
            _people,
            _first_games,
            _absent_players,
            _codes_and_forks,
            _presets,
            _ranked,
            _dailies,
            _parties,
            _after_games,
            _leavers,
            _running,
            _running_with_a_limit,
            _queue,
            _before_the_cards,
        ):
            scene(made)
        # As if the sweep had run all the time.
        models.Heartbeat.objects.update(seen_at=clock.now(), web_seen_at=clock.now())
        made.sweep()
        runner.run(store.close_pool())
    with connection.cursor() as cursor:  # a move is stored with the time of Postgres, which nobody can stop
        cursor.execute(
            "update games_game g set moved_at = (select max(created_at) from games_action where game_id = g.id) "
            "where status = 'playing'"
        )
    made.said["at"] = clock.now().isoformat()
    made.said["sessions"] = {
        name: {"key": visitor.session_key, "user": found.pk}
        for name, visitor in made.visitors.items()
        if (found := visitor.user) is not None
    }
    return made.said


# --- people -----------------------------------------------------------------------------------------------------------


def _people(made: Making) -> None:
    for number, name in enumerate(NAMES):
        made.clock.forward(3_600)
        visitor = made.visitors[name] = Visitor("ja" if name in ("Chiyo", "月見うさぎ") else "en")
        if number % 7 == 0:
            visitor.play()  # whose guest becomes the member
        assert visitor.sign_up(name, f"player{number}@example.org").status_code == 302
    for name in ("guest", "another guest"):
        made.visitors[name] = Visitor()
        made.visitors[name].play("spades")
    visitor = Visitor()
    visitor.play()
    visitor.log_in("player1@example.org")  # what the guest has goes to the account
    made.visitors["Bruno's phone"] = visitor

    leaver = Visitor()
    leaver.sign_up("Zoe")
    leaver.log_out()
    closed = Visitor()
    closed.sign_up("Yves")
    assert closed.user is not None
    made.play(made.open(closed.user, made.user("Aki"), "normal", "normal", options=SHORT["hearts"]))
    members.close_account(user=closed.user)

    admin = made.visitors["admin"] = Visitor()
    assert admin.sign_up("Ottilie").status_code == 302
    User.objects.filter(pk=made.user("admin").pk).update(is_staff=True, is_superuser=True)
    helper = made.user("Jun")
    helper.groups.add(Group.objects.get(name="Support"))
    User.objects.filter(pk=helper.pk).update(is_staff=True)

    members.keep_table_settings(user=made.user("Aki"), given={"deck": "four", "sound": False, "speed": 2})
    members.rename(user=made.user("Ines"), name="Inés")
    TOTP.activate(made.user("Greta"), "JBSWY3DPEHPK3PXP")
    RecoveryCodes.activate(made.user("Greta"))
    made.said["accounts"] = {"login": "player0@example.org", "name": "Aki"}


# --- games that are over ----------------------------------------------------------------------------------------------


def _first_games(made: Making) -> None:
    """Every table there is, by people and CPUs of every level; three finished games for whoever wants to queue."""
    made.clock.go_to(9, 20)
    names = NAMES[:8]
    for number, (kind, players, options) in enumerate(TASTES):
        some = made.users(*(names[(number * 3 + seat) % 8] for seat in range(min(players, 3))))
        cpus = [("beginner", "normal", "expert")[(number + seat) % 3] for seat in range(players - len(some))]
        made.play(made.open(*some, *cpus, kind=kind, options=options, timer_s=(0, 30, 60)[number % 3], may_watch=True))
    for kind, players, options, seed in SELDOM:
        stored(played(kind, players, options, seed=seed), [*made.users("Aki", "Bruno"), None, None])
    for number in range(3):
        for four in (names[:4], names[4:8]):
            kind = "spades" if number == 1 else "hearts"
            made.play(made.open(*made.users(*four), kind=kind, options=SHORT[kind]))
    deal_statistics.count(600)  # all of them, however long it takes


def _absent_players(made: Making) -> None:
    """Turns that were missed, stand-ins, time that was given back, games without a result."""
    made.clock.go_to(9, 22)
    users = made.users("Aki", "Bruno", "Dora")
    game = made.play(
        made.open(*users, "normal", options=SHORT["hearts"], timer_s=30, may_watch=True),
        lambda at: at.ply >= 8 and 0 in at.asks,
    )
    made.sweep()
    made.clock.forward(45)
    made.sweep()  # which finds that nobody was there for so long
    made.clock.forward(1)
    made.sweep()
    for _ in range(2):
        made.play(game, lambda at: 1 in at.asks)
        made.expire(game, 1)
    made.play(game, lambda at: len(at.state.tricks) >= 6)
    made.run(services.back(game_id=game, seat=1, client_id="back"))
    made.play(game)

    game = made.play(made.open(*users, "normal", options={"moon": "choose"}), lambda at: at.ply >= 70)
    for seat in range(3):
        made.run(votes.vote(game_id=game, seat=seat, about="void", target=None, on=True))
    game = made.play(
        made.open(made.user("Emil"), made.user("Fumi"), "normal", "normal", kind="spades"), lambda at: at.ply >= 30
    )
    services.close_game(game_id=game, reason="admin", by=made.user("admin"), note="Two browsers, one person.")
    left = made.play(made.open(*users, "normal", options=SHORT["hearts"], timer_s=60), lambda at: at.ply >= 20)
    made.run(services.leave(game_id=left, seat=2, client_id="leave"))
    made.play(left)


def _codes_and_forks(made: Making) -> None:
    """The same cards again, the same table again, on from a moment of a game, a game of a guest."""
    made.clock.go_to(9, 23)
    user, other = made.users("Aki", "Greta")
    first = made.open(user, "normal", "normal", "normal", code=factories.ONE_DEAL, options=factories.SHORT)
    made.play(first)
    made.play(made.open(other, "beginner", "normal", "normal", code=factories.ONE_DEAL, options=factories.SHORT))
    again = made.run(services.rematch(game_id=first.pk, seat=0))[1]
    made.play(again)
    fork = forks.play_on(user=user, origin=models.Game.objects.get(pk=again), ply=30, seat=2, level="normal", timer_s=0)
    made.play(fork.pk)
    onward = forks.play_on(
        user=other, origin=models.Game.objects.get(pk=fork.pk), ply=40, seat=1, level="beginner", timer_s=0
    )
    made.play(onward.pk, lambda at: at.ply >= 50)
    made.said["games"]["forked"] = onward.pk
    guest = made.user("guest")
    made.play(made.open(guest, "normal", "normal", "normal", kind="spades", options=SHORT["spades"]))
    made.play(made.open(guest, *made.users("Jun"), "normal", options=SHORT["hearts"], is_private=True))


# --- presets and ranked games -----------------------------------------------------------------------------------------


def _presets(made: Making) -> None:
    """An administrator changes a preset, has the ladder use the new version, and makes a preset of his own."""
    made.clock.go_to(9, 25)
    admin = made.user("admin")
    draft = preset_store.draft_of(models.RulePreset.objects.get(slug="hearts-standard"))
    edited = replace(draft, options={"end_score": 50}, note="To 50.", note_ja="50点まで")
    preset_store.store_all([edited], by=admin)
    preset_store.store_all([replace(edited, ranked_players=4)], by=admin)
    version = models.PresetVersion.objects.get(preset__slug="hearts-standard", number=2)
    ladder_services.move_ladder(ladder=Ladder.objects.get(slug="hearts"), version=version, by=admin)
    own = replace(
        edited,
        slug="hearts-club-night",
        name="Club night",
        name_ja="クラブの夜",
        ranked_players=None,
        options={"end_score": 30, "tie_for_first": "shared"},
        choices={"end_score": (30, 40)},
        order=50,
    )
    preset_store.store_all([own, replace(own, slug="hearts-off", name="Off", name_ja="", is_active=False)], by=admin)


def _ranked(made: Making) -> None:
    """Seasons of ranked games: from the queue and short ones, with leavers, and one that was taken back."""
    four, others = made.users(*NAMES[:4]), made.users(*NAMES[4:8])
    for month, day, games in BUSY_DAYS:
        made.clock.go_to(month, day)
        if (month, day) == (9, 28):
            made.rated(made.play(made.queue(*four)))
            made.rated(made.play(made.queue(*others, ladder="spades", pair=True)))
        if (month, day) == (9, 29):
            leaver = made.play(made.queue(*others), lambda at: at.ply >= 30)
            seat = models.Player.objects.get(game=leaver, user=others[0]).seat
            made.run(services.leave(game_id=leaver, seat=seat, client_id="leave"))
            made.rated(made.play(leaver))
        for number in range(games):
            made.short_ranked(four, "spades" if day in (27, 25) and number % 4 == 3 else "hearts")
        made.short_ranked(others)
    made.clock.go_to(11, 26)
    voided = made.short_ranked(four)
    ladder_services.void_game(voided)
    made.short_ranked(four, cause=lambda deal, seat: "timeout" if seat == 3 else "player")

    absent = made.queue(*made.users("Aki", "Bruno", "Emil", "Fumi"))
    seat = models.Player.objects.get(game=absent, user=made.user("Fumi")).seat
    for _ in range(2):
        made.play(absent, lambda at: set(at.asks) == {seat}, but=seat)
        made.expire(absent.pk, seat)
    assert models.Game.objects.get(pk=absent.pk).status == "void"
    deal_statistics.count(600)  # all of them, however long it takes


# --- daily deals ------------------------------------------------------------------------------------------------------


def _dailies(made: Making) -> None:
    """A day that is over, whose cards are shown, and one that is not, with a game that runs."""
    made.clock.go_to(11, 28)
    settle_dailies()
    for kind in ("hearts", "spades"):
        daily = models.DailyDeal.objects.get(kind=kind, day=dailies.today())
        for name in ("Aki", "Chiyo", "guest"):
            made.play(dailies.begin(user=made.user(name), daily=daily))
    late = made.play(
        dailies.begin(user=made.user("Dora"), daily=models.DailyDeal.objects.get(kind="hearts", day=dailies.today())),
        lambda at: at.ply >= 40,
    )
    made.clock.go_to(11, 29, 20)  # the 30th in Tokyo
    settle_dailies()
    made.play(late)
    settle_dailies()
    daily = models.DailyDeal.objects.get(kind="hearts", day=dailies.today())
    made.play(dailies.begin(user=made.user("Aki"), daily=daily))
    running = made.play(dailies.begin(user=made.user("Bruno"), daily=daily), lambda at: at.ply >= 30)
    made.said["games"]["daily"] = running


# --- parties ----------------------------------------------------------------------------------------------------------


def _version(slug: str) -> models.PresetVersion:
    return models.PresetVersion.objects.filter(preset__slug=slug).latest("number")


def _party(made: Making, slug: str, *names: str, **more: Any) -> models.Party:
    users = made.users(*names)
    party = parties.open_party(host=users[0], version=_version(slug), **more)
    for user in users[1:]:
        parties.sit(party_id=party.pk, user=user)
    return party


def _change(party: models.Party, **more: Any) -> None:
    party = models.Party.objects.select_related("preset_version__preset", "host").get(pk=party.pk)
    known = parties.settings_of(party)
    parties.change(party_id=party.pk, host=party.host, seen=known.mark, settings=replace(known, **more))


def _start(made: Making, party: models.Party, **more: Any) -> int:
    party.refresh_from_db()
    return made.deal(party_games.start(party_id=party.pk, host=party.host, revision=party.revision, **more))


def _agree(made: Making, party: models.Party, *names: str) -> models.Game | None:
    party.refresh_from_db()
    agreed = [party_games.agree(party_id=party.pk, user=user, revision=party.revision) for user in made.users(*names)]
    return agreed[-1]


def _parties(made: Making) -> None:
    """Parties that wait, play, have played and will again; listed ones and private ones; one that is closed."""
    made.clock.go_to(11, 30, 2)
    said = made.said["parties"]
    waiting = _party(made, "hearts-club-night", "Aki", "Bruno", "another guest", is_listed=True)
    said["waiting"] = waiting.pk

    six = _party(made, "hearts-stadium", "Dora", "Emil", "Fumi", "Greta", "Ines", timer_s=60)
    _change(six, options={**six.options, "end_score": 40}, players=6, cpu_level="beginner")
    made.play(_start(made, six, confirmed=True))
    second = _agree(made, six, "Dora", "Emil", "Fumi", "Greta", "Ines")
    assert second is not None
    made.play(made.deal(second), lambda at: at.ply >= 30)
    said["playing"] = six.pk

    spades = _party(made, "spades-short", "Emil", "Fumi", is_listed=True)
    made.play(_start(made, spades))
    parties.sit(party_id=spades.pk, user=made.user("guest"))
    member = models.PartyMember.objects.get(party=spades, user=made.user("guest"))
    parties.send_away(party_id=spades.pk, host=made.user("Emil"), member_id=member.pk)
    _agree(made, spades, "Fumi")
    said["agreeing"] = spades.pk

    # Three in a game that is promised, but not dealt: one of them has given his share.
    opening = _party(made, "hearts-club-night", "Chiyo", "Dora", "Jun")
    parties.shuffle(party_id=opening.pk, host=made.user("Chiyo"), rng=made.rng)
    said["opening"] = opening.pk

    gone = _party(made, "spades-blind-nil", "Greta")
    parties.leave(party_id=gone.pk, user=made.user("Greta"))


# --- what people do beside playing ------------------------------------------------------------------------------------


def _after_games(made: Making) -> None:
    """Mistakes that were looked for, people who do not want to hear each other, reports, a record from elsewhere."""
    made.clock.go_to(11, 30, 3)
    aki, bruno, dora = made.users("Aki", "Bruno", "Dora")
    ended = models.Game.objects.filter(status="finished", player__user=aki, is_ranked=False).order_by("pk")
    for number, game in enumerate((ended[0], ended[1])):
        player = models.Player.objects.get(game=game, user=aki)
        review = reviews.ask(user=aki, player=player)
        if number == 0:
            review_tasks.review(review.pk)
    people.set_block(user=aki, other=made.user("Ines"), kind="block")
    people.set_block(user=dora, other=bruno, kind="mute")
    with_bruno = models.Game.objects.filter(player__user=bruno).filter(player__user=aki, status="finished")
    for reason, game in zip(("stalling", "other"), with_bruno.order_by("pk")[:2], strict=True):
        people.report(reporter=aki, reported=bruno, reason=reason, text="He takes a minute for each card.", game=game)
    models.Report.objects.filter(reason="other").update(
        handled_at=timezone.now(), handled_by=made.user("admin"), note="Talked to."
    )
    models.Mute.objects.create(user=made.user("Emil"), until_at=timezone.now() + timedelta(days=7), reason="Pesters.")
    models.Mute.objects.create(user=bruno, reason="For good.")
    content = records.to_bytes(played("hearts", 5, {"end_score": 30}, seed=4))
    file = SimpleUploadedFile("game.json", content)
    page = made.visitors["Aki"]
    token = page.client.cookies["csrftoken"].value
    answer = page.client.post("/record/", {"file": file, "csrfmiddlewaretoken": token})
    assert answer.status_code == 302
    made.said["record"] = answer["Location"]
    assert len(opened_records.list_of(aki)) == 1


# --- games that run ---------------------------------------------------------------------------------------------------


def _leavers(made: Making) -> None:
    """Somebody leaves twice, and may not queue for a while. Others play enough to queue."""
    made.clock.go_to(11, 30, 4)
    made.season(*made.users("Chiyo", "Dora", "Greta", "月見うさぎ", "Aki", "Bruno", "Jun", "Emil"))
    made.season(*made.users("Fumi", "Ines", "Kiku", "Lars", "Mona"))
    for _ in range(3):
        four = made.users("Kiku", "Lars", "Mona", "Nils")
        made.short_ranked(four, "spades", cause=lambda deal, seat: "timeout" if seat == 3 else "player")


def _at(phase: str, deal: int = 1) -> Until:
    return lambda position: position.state.phase == phase and position.state.deal >= deal


def _after(ply: int) -> Until:
    return lambda position: position.ply > ply


def _running(made: Making) -> None:
    """Games in each phase, with a limit and without, of one person and of several, with stand-ins, before the cards."""
    games = made.said["games"]
    aki, bruno, chiyo, dora, emil, fumi, greta, usagi, _, jun = made.users(*NAMES[:10])
    guest = made.user("guest")
    short = {"end_score": 30, "tie_for_first": "shared"}
    games["nothing done"] = made.open(guest, "normal", "beginner", "normal", options=short).pk
    games["passing"] = made.open(aki, bruno, "normal", "normal", options=short, may_watch=True).pk
    made.run(made.answer(games["passing"], 0))
    games["with an expert"] = made.play(
        made.open(chiyo, "expert", "normal", "normal", options=short), lambda at: at.ply > 25
    )
    games["seven"] = made.play(
        made.open(dora, emil, *["normal"] * 5, options={**short, "moon": "choose"}), _at("play", 2)
    )
    games["two"] = made.play(made.open(usagi, "normal", options={"end_score": 40}), _at("play"))
    games["bidding"] = made.open(fumi, guest, "normal", "normal", kind="spades", options=SHORT["spades"]).pk
    games["blind"] = made.play(
        made.open(greta, "normal", "normal", "normal", kind="spades", options={"blind_nil": "yes", "target": 250}),
        _at("play"),
    )
    games["voting"] = made.play(made.open(aki, dora, jun, "normal", options=short), lambda at: at.ply >= 20)
    made.run(votes.vote(game_id=games["voting"], seat=1, about="void", target=None, on=True))


def _running_with_a_limit(made: Making) -> None:
    """Nobody's time is up yet when the dump is taken."""
    games = made.said["games"]
    aki, bruno, chiyo, dora, emil, _, greta, usagi, ines, jun = made.users(*NAMES[:10])
    waits = made.open(emil, ines, "normal", "normal", kind="spades", options=SHORT["spades"], timer_s=30)
    games["stand-in"] = made.play(waits, _at("play"))
    for _ in range(2):
        made.play(waits, lambda at: 1 in at.asks)
        made.expire(waits.pk, 1)
    made.play(waits, lambda at: len(at.state.tricks) >= 4)
    games["timed"] = made.play(
        made.open(jun, usagi, ines, "normal", options={"end_score": 30}, timer_s=60), lambda at: at.ply >= 12
    )
    games["ranked"] = made.play(made.queue(chiyo, dora, greta, usagi), lambda at: at.ply >= 40)
    games["ranked spades"] = made.play(made.queue(aki, bruno, jun, emil, ladder="spades"), lambda at: at.ply >= 40)
    for game in models.Game.objects.filter(status="playing", timer_s__gt=0).order_by("pk"):
        made.play(game, _after(game.ply))


def _queue(made: Making) -> None:
    """Somebody waits, two are asked whether they are there, one asks another to be his partner."""
    fumi, ines, kiku, lars, mona = made.users("Fumi", "Ines", "Kiku", "Lars", "Mona")
    for user in (kiku, lars, mona):
        tickets.join(user_id=user.pk, ladder="hearts", takes_cpu=True)
    made.wait_for(55, kiku, lars, mona)  # then a CPU may have the fourth seat
    matchmaking.tick()
    matchmaking.ready(kiku.pk)
    tickets.join(user_id=fumi.pk, ladder="spades")
    tickets.invite(user_id=ines.pk, ladder="spades", name="Nils")


def _before_the_cards(made: Making) -> None:
    """Sealed games that are promised, but not dealt: with one share given, and with none."""
    games = made.said["games"]
    party = models.Party.objects.get(pk=made.said["parties"]["opening"])
    opened = party_games.start(party_id=party.pk, host=party.host, revision=party.revision)
    openings.add_nonce(game_id=opened.pk, seat=0, nonce="0a" * 16)
    games["opening"] = opened.pk
    games["opening, nobody came"] = services.open_game(
        kind="spades",
        seats=[*made.users("Fumi", "Ines"), "normal", "normal"],
        options=SHORT["spades"],
        timer_s=30,
    ).pk

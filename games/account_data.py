"""What the games app answers when an account gains a guest's games, is exported, or is closed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from asgiref.sync import async_to_sync
from django.db import transaction
from django.db.models import Q
from django.dispatch import receiver

from accounts.models import User
from accounts.signals import closing, exporting, merging
from games.daily import services as dailies
from games.daily.models import DailyTry
from games.histories.models import OpenedRecord
from games.kinds import rules_for
from games.log import wakeups
from games.log.models import RUNNING, Action, Game, Player
from games.log.positions import Entry, Holder, Table, fold
from games.mistakes.models import Review
from games.parties.models import Party, PartyMember
from games.people.models import Block, Report
from games.rules import view

#: Games of an export that are looked up at a time.
CHUNK = 20


@receiver(merging)
def take_over(guest: User, member: User, **_kwargs: Any) -> int:
    """A guest's seats, parties and blocks go to the account. Returns how many running games have both at the table:
    there the guest's seat stays with the guest, whom nobody can be any more.
    """
    both = Player.objects.filter(user=member).values("game")
    moved = list(Player.objects.filter(user=guest).exclude(game__in=both).values_list("game", flat=True))
    Player.objects.filter(user=guest, game__in=moved).update(user=member)
    sits = PartyMember.objects.filter(user=member).values("party")
    PartyMember.objects.filter(user=guest).exclude(party__in=sits).update(user=member)
    PartyMember.objects.filter(user=guest).delete()
    Party.objects.filter(host=guest).update(host=member)
    _take_over_blocks(guest, member)
    OpenedRecord.objects.filter(user=guest).update(user=member)
    Report.objects.filter(reporter=guest).exclude(_reported_alike(member)).update(reporter=member)
    Report.objects.filter(reported=guest).update(reported=member)
    dailies.hand_over(guest=guest, member=member)
    for game in moved:
        _tell(game)
    return Player.objects.filter(user=guest, game__status__in=RUNNING).count()


def _tell(game_id: int) -> None:
    """Processes that know the table read it afresh: somebody else has a seat there, or another name."""
    transaction.on_commit(lambda: async_to_sync(wakeups.seated)(game_id), robust=True)


def _take_over_blocks(guest: User, member: User) -> None:
    known = Block.objects.filter(user=member).values("other")
    Block.objects.filter(user=guest).exclude(other__in=known).exclude(other=member).update(user=member)
    known_by = Block.objects.filter(other=member).values("user")
    Block.objects.filter(other=guest).exclude(user__in=known_by).exclude(user=member).update(other=member)
    Block.objects.filter(Q(user=guest) | Q(other=guest)).delete()


def _reported_alike(member: User) -> Q:
    """Complaints that would be a second one by the member about the same player of a game."""
    alike = Q(pk__in=[])
    for reported, game in Report.objects.filter(reporter=member).values_list("reported", "game"):
        alike |= Q(reported=reported, game=game)
    return alike


@receiver(closing)
def let_go(user: User, **_kwargs: Any) -> None:
    """Blocks and complaints' words are personal; seats stay, under the name of somebody who has left."""
    Block.objects.filter(Q(user=user) | Q(other=user)).delete()
    Report.objects.filter(reporter=user).update(text="")
    OpenedRecord.objects.filter(user=user).delete()
    PartyMember.objects.filter(user=user).delete()
    Party.objects.filter(host=user).update(is_closed=True)
    for game in Player.objects.filter(user=user, game__status__in=RUNNING).values_list("game", flat=True):
        _tell(game)


# --- export -----------------------------------------------------------------------------------------------------------


@receiver(exporting)
def export_games(user: User, **_kwargs: Any) -> tuple[str, Any]:
    """Every game with its log: whole where its cards may be told, else as far as the user's seat may know it."""
    return "games", (_game(player.game, player.seat) | _mistakes(player) for player in _seats(user))


def _seats(user: User) -> Iterator[Player]:
    """All seats of a user, the first game first; a few at a time, since somebody may have played for years."""
    after = 0
    while chunk := list(
        Player.objects.filter(user=user, game_id__gt=after).select_related("game").order_by("game_id")[:CHUNK]
    ):
        yield from chunk
        after = chunk[-1].game_id


@receiver(exporting)
def export_dailies(user: User, **_kwargs: Any) -> tuple[str, Any]:
    """Tries at daily deals."""
    tries = DailyTry.objects.filter(user=user).select_related("daily").order_by("pk")
    return "daily", [
        {
            "day": row.daily.day.isoformat(),
            "kind": row.daily.kind,
            "game": row.game_id,
            "began_at": row.began_at.isoformat(),
            "ended_at": row.ended_at and row.ended_at.isoformat(),
            "place": row.place,
            "score": row.score,
            "deals": row.deals,
        }
        for row in tries
    ]


@receiver(exporting)
def export_people(user: User, **_kwargs: Any) -> tuple[str, Any]:
    """Parties, blocks and complaints of a user."""
    return "people", {
        "parties": [
            {"code": member.party.code, "joined_at": member.joined_at.isoformat()}
            for member in PartyMember.objects.filter(user=user).select_related("party").order_by("pk")
        ],
        "blocks": [
            {"kind": block.kind, "name": str(block.other), "since": block.created_at.isoformat()}
            for block in Block.objects.filter(user=user).select_related("other").order_by("pk")
        ],
        "opened_records": [
            {"code": record.code, "at": record.created_at.isoformat()}
            for record in OpenedRecord.objects.filter(user=user).defer("content").order_by("pk")
        ],
        "reports": [
            {
                "about": str(report.reported),
                "game": report.game_id,
                "reason": report.reason,
                "text": report.text,
                "at": report.created_at.isoformat(),
            }
            for report in Report.objects.filter(reporter=user).select_related("reported").order_by("pk")
        ],
    }


def _game(game: Game, seat: int) -> dict[str, Any]:
    entries = [
        Entry(row.ply, row.seat, row.kind, row.ask, row.data, row.cause, row.client_id, row.created_at)
        for row in Action.objects.filter(game=game).order_by("ply")
    ]
    is_open = game.status in (Game.Status.FINISHED, Game.Status.VOID) and not game.is_sealed
    holders = Player.objects.filter(game=game).select_related("user").order_by("seat")
    found: dict[str, Any] = {
        "game": game.pk,
        "kind": game.kind,
        "seat": seat,
        "players": [str(holder.user) if holder.user else f"CPU ({holder.cpu_level})" for holder in holders],
        "options": game.options,
        "began_at": game.created_at.isoformat(),
        "status": game.status,
        "code": game.code or None,
        **({} if game.forked_from_id is None else {"played_on_from": game.forked_from_id}),
        "result": game.result,
    }
    if not is_open:
        found["hand"] = _hand(game, seat, entries)
    found["log"] = [
        {
            "ply": entry.ply,
            "seat": entry.seat,
            "kind": entry.kind,
            **{key: _flat(value) for key, value in (entry.data if is_open else _known(entry, seat)).items()},
            "cause": entry.cause,
            "at": entry.created_at.isoformat(),
        }
        for entry in entries
    ]
    return found


def _mistakes(player: Player) -> dict[str, Any]:
    """What was found of the player's mistakes, where he had them looked for."""
    review = Review.objects.filter(player=player, status=Review.Status.DONE).first()
    return {} if review is None else {"mistakes": review.mistakes}


def _known(entry: Entry, seat: int) -> dict[str, Any]:
    """What an entry of a running game says to one seat: cards on the table are for all, choices for who made them."""
    if entry.kind == "play" or (entry.seat == seat and entry.seat is not None):
        return entry.data
    return {}


def _hand(game: Game, seat: int, entries: list[Entry]) -> list[str]:
    rules = rules_for(game.kind, game.players, game.options)
    nobody = tuple(Holder(None, "normal", "") for _ in range(game.players))
    position = fold(Table(game.pk, rules, game.timer_s, nobody, ""), entries)
    return list(view(rules, position.state, seat).hand or ())


def _flat(value: Any) -> Any:
    """Lists of cards in one line."""
    return " ".join(map(str, value)) if isinstance(value, list) else value

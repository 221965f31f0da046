"""Every read about parties: who sits and is there, what is played, who has agreed; and the list of open parties."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils import timezone

from games.kinds import KINDS, options_for
from games.log.models import Game, Player
from games.log.names import distinct
from games.parties import protocol, seating
from games.parties.models import Party, PartyMember

#: Somebody who was not heard of for so long is away, in seconds. Browsers ping every 15.
AWAY_S = 40
#: A party at which nobody was heard of for so long is not offered to strangers, in seconds.
FORSAKEN_S = 120
MOST_LISTED = 30


# --- rows -------------------------------------------------------------------------------------------------------------


def sitting_at(party: Party) -> list[PartyMember]:
    """Those who sit at a party, by seat."""
    rows = PartyMember.objects.filter(party=party, seat__isnull=False).select_related("user")
    return list(rows.order_by("seat"))


def latest_game(party: Party) -> Game | None:
    """The game that runs at a party, or the last one that did."""
    return Game.objects.filter(party=party).order_by("-pk").first()


def party_by_code(code: str) -> Party | None:
    """The party with a code, closed ones too."""
    return Party.objects.select_related("preset_version__preset", "host").filter(code=code).first()


def last_seen(members: Sequence[PartyMember], game: Game | None) -> dict[int, datetime]:
    """When each user was last heard of, at the party or at the table of its latest game."""
    return _last_seen(members, [] if game is None else Player.objects.filter(game=game, user__isnull=False))


def _last_seen(members: Sequence[PartyMember], players: Iterable[Player]) -> dict[int, datetime]:
    at_table = {player.user_id: player.seen_at for player in players if player.seen_at is not None}
    return {member.user_id: max(member.seen_at, at_table.get(member.user_id, member.seen_at)) for member in members}


def is_same_table(party: Party, members: Sequence[PartyMember], game: Game) -> bool:
    """Whether the next game would be played by the same users in the same seats, by the same rules, as this one."""
    players = list(Player.objects.filter(game=game).order_by("seat"))
    seated = {member.seat: member.user_id for member in members}
    return (
        seating.players_for(party.kind, len(members), party.players) == game.players
        and [seated.get(player.seat) for player in players] == [player.user_id for player in players]
        and {player.cpu_level for player in players} <= {"", party.cpu_level}
        and options_for(party.kind, party.options).to_json() == game.options
        and (party.timer_s, party.may_watch, not party.is_listed) == (game.timer_s, game.may_watch, game.is_private)
    )


def agreement_of(game: Game) -> dict[str, Any]:
    """Which seats of a party's finished game have agreed to the next one, out of how many people.

    `changed`: the next game is not the same table once more, so it is agreed to at the party's page.
    """
    party = Party.objects.select_related("preset_version__preset").get(games=game)
    members = sitting_at(party)
    ready = {member.user_id for member in members if member.ready_for == party.revision}
    players = Player.objects.filter(game=game, user_id__in=ready).order_by("seat")
    changed = party.is_closed or not is_same_table(party, members, game)
    return {"seats": [player.seat for player in players], "of": len(members), "changed": changed}


def agreement_at_table(game: Game) -> dict[str, Any] | None:
    """What the page of a table knows of the party that it belongs to."""
    party = Party.objects.filter(games=game).first()
    if party is None:
        return None
    url = reverse("party", args=[party.code])
    if game.is_running:
        return {"url": url, "seats": [], "of": 0, "changed": False}
    return {"url": url, **agreement_of(game)}


# --- one party --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sitting:
    """Somebody at a seat."""

    member_id: int
    user_id: int
    name: str
    is_host: bool
    is_here: bool
    is_ready: bool


@dataclass(frozen=True, slots=True)
class PartyState:
    """A party as everybody may see it; the same for all who look."""

    party_id: int
    code: str
    kind: str
    preset: str
    options: Mapping[str, str | int]
    players: int  # who will play if it began now
    fixed: int | None
    capacity: int
    timer_s: int
    cpu_level: str
    may_watch: bool
    is_listed: bool
    revision: int
    status: protocol.Status
    game_id: int | None
    seats: tuple[Sitting | None, ...]
    sent_away: frozenset[int]  # users; nobody is told

    @property
    def members(self) -> list[Sitting]:
        """Those who sit, by seat."""
        return [sitting for sitting in self.seats if sitting is not None]

    def of(self, user_id: int | None) -> Sitting | None:
        """Where a user sits."""
        return next((sitting for sitting in self.members if sitting.user_id == user_id), None)

    def to_json(self) -> protocol.State:
        """What a socket tells of it: codes, so that every reader has his own language. No ids of users."""
        seats: list[protocol.Sitting | None] = [
            None
            if sitting is None
            else {
                "name": sitting.name,
                "host": sitting.is_host,
                "here": sitting.is_here,
                "ready": sitting.is_ready,
            }
            for sitting in self.seats
        ]
        return {
            "code": self.code,
            "kind": self.kind,
            "preset": self.preset,
            "options": dict(self.options),
            "players": self.players,
            "fixed": self.fixed,
            "capacity": self.capacity,
            "timer": self.timer_s,
            "cpu_level": self.cpu_level,
            "may_watch": self.may_watch,
            "listed": self.is_listed,
            "revision": self.revision,
            "status": self.status,
            "game": self.game_id,
            "seats": seats,
        }


def states_of(party_ids: Iterable[int]) -> dict[int, PartyState]:
    """The states of some parties, in four queries however many they are."""
    parties = list(Party.objects.filter(pk__in=party_ids).select_related("preset_version__preset"))
    members: dict[int, list[PartyMember]] = {party.pk: [] for party in parties}
    for member in PartyMember.objects.filter(party__in=parties).select_related("user").order_by("joined_at", "pk"):
        members[member.party_id].append(member)
    latest = Game.objects.filter(party__in=parties).order_by("party_id", "-pk").distinct("party_id")
    games = {game.party_id: game for game in latest}
    players: dict[int, list[Player]] = {game.pk: [] for game in games.values()}
    for player in Player.objects.filter(game__in=players, user__isnull=False):
        players[player.game_id].append(player)
    found = {}
    for party in parties:
        game = games.get(party.pk)
        found[party.pk] = _state(party, members[party.pk], game, players[game.pk] if game else [])
    return found


def state_of(party: Party) -> PartyState:
    """The state of one party."""
    return states_of([party.pk])[party.pk]


def _state(party: Party, members: list[PartyMember], game: Game | None, players: list[Player]) -> PartyState:
    here_since = timezone.now() - timedelta(seconds=AWAY_S / settings.TIME_SCALE)
    sitting = [member for member in members if member.seat is not None]
    seen = _last_seen(sitting, players)
    names = distinct([member.user.display_name or member.user.username for member in sitting])
    number = seating.players_for(party.kind, len(sitting), party.players)
    seats: list[Sitting | None] = [None] * number
    for member, name in zip(sitting, names, strict=True):
        seats[int(member.seat or 0)] = Sitting(
            member.pk,
            member.user_id,
            name,
            member.user_id == party.host_id,
            seen[member.user_id] > here_since,
            member.ready_for == party.revision,
        )
    return PartyState(
        party_id=party.pk,
        code=party.code,
        kind=party.kind,
        preset=party.preset_version.preset.slug,
        options=party.options,
        players=number,
        fixed=party.players,
        capacity=seating.capacity(party.kind, party.players),
        timer_s=party.timer_s,
        cpu_level=party.cpu_level,
        may_watch=party.may_watch,
        is_listed=party.is_listed,
        revision=party.revision,
        status=_status(party, game),
        game_id=None if game is None else game.pk,
        seats=tuple(seats),
        sent_away=frozenset(member.user_id for member in members if member.seat is None),
    )


def _status(party: Party, game: Game | None) -> protocol.Status:
    if party.is_closed:
        return "closed"
    if game is None:
        return "first"
    return "playing" if game.is_running else "between"


def plays(state: PartyState, user_id: int) -> bool:
    """Whether a user has a seat in the party's latest game."""
    return state.game_id is not None and Player.objects.filter(game_id=state.game_id, user_id=user_id).exists()


@dataclass(frozen=True, slots=True)
class Place:
    """A seat as the page shows it."""

    seat: int
    number: int  # as people count
    sitting: Sitting | None


def sides_of(state: PartyState) -> list[list[Place]]:
    """The seats by side: partners together, or everybody in one list where each seat scores for itself."""
    places = [Place(seat, seat + 1, sitting) for seat, sitting in enumerate(state.seats)]
    if not KINDS[state.kind].is_partnership:
        return [places]
    sides: dict[int, list[Place]] = {}
    for place in places:
        sides.setdefault(KINDS[state.kind].side(place.seat), []).append(place)
    return list(sides.values())


# --- lists ------------------------------------------------------------------------------------------------------------


def listed_states() -> list[PartyState]:
    """The parties that anybody may join or watch: those with a free seat first, then the latest."""
    since = timezone.now() - timedelta(seconds=FORSAKEN_S / settings.TIME_SCALE)
    rows = Party.objects.filter(is_closed=False, is_listed=True).order_by("-touched_at")
    recent = list(rows.values_list("pk", flat=True)[: 4 * MOST_LISTED])
    states = states_of(recent)
    seen = PartyMember.objects.filter(party_id__in=recent, seat__isnull=False, seen_at__gt=since)
    waiting = set(seen.values_list("party_id", flat=True))  # somebody was there a moment ago
    alive = [states[pk] for pk in recent if pk in states and (pk in waiting or _is_there(states[pk]))]
    alive.sort(key=lambda state: (state.status == "playing", len(state.members) >= state.capacity))
    return alive[:MOST_LISTED]


def _is_there(state: PartyState) -> bool:
    """Whether somebody is there, be it at the table of a running game."""
    return any(sitting.is_here for sitting in state.members)

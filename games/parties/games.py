"""The games of a party: the first one when the host says so, each later one when everybody has agreed to it."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.dispatch import receiver

from accounts.models import User
from games.hooks import Following, game_finished, game_voided, rematch_asked, table_shown
from games.log import services, wakeups
from games.log.models import Game, Player
from games.log.refusals import Rejected
from games.parties import seating
from games.parties.models import Party, PartyMember
from games.parties.selectors import agreement_at_table, is_same_table, latest_game, sitting_at
from games.parties.services import LARGE, PartyRefused, check_host, held, member_of, tell, touch


def start(*, party_id: int, host: User, revision: int, confirmed: bool = False) -> Game:
    """The host begins the first game; CPUs take the empty seats. Asked twice, it is one game.

    `confirmed`: that six or seven are meant to play. Raises PartyRefused, Refused; TooMany for games without end.
    """
    services.check_may_open(host)
    with held(party_id) as party:
        check_host(party, host)
        game = latest_game(party)
        if game is not None and game.is_running:
            return game
        if game is not None:
            raise PartyRefused("not_first_game")
        if revision != party.revision:
            raise PartyRefused("changed")
        members = sitting_at(party)
        large = seating.players_for(party.kind, len(members), party.players) >= LARGE
        if large and not confirmed:
            raise PartyRefused("confirm")
        return _open_game(party, members, None)


def agree(*, party_id: int, user: User, revision: int, agreed: bool = True) -> Game | None:
    """Somebody who sits agrees to one more game as of a revision, or takes it back. The game, once all have agreed.

    Raises PartyRefused, Refused.
    """
    with held(party_id) as party:
        member = member_of(party, user)
        game = latest_game(party)
        if game is None:
            raise PartyRefused("first_game")
        if game.is_running:
            return game
        if revision != party.revision:
            raise PartyRefused("changed")
        return _agree(party, member, game, agreed)


@receiver(rematch_asked)
def rematch(game_id: int, seat: int, **_more: object) -> Following | None:
    """A seat's wish for a rematch at the table of a party: the game that follows, if there is. None: no party's game.

    Raises Rejected where there is none, or where the party has changed since: then it is agreed to at the party.
    """
    asked = Game.objects.filter(pk=game_id).only("party_id").first()
    if asked is None or asked.party_id is None:
        return None
    try:
        with held(asked.party_id) as party:
            game = Game.objects.get(pk=game_id)
            if game.rematch_id is not None:
                return Following(int(game.rematch_id))
            if game.is_running:
                raise Rejected("no_rematch")
            player = Player.objects.filter(game=game, seat=seat, user__isnull=False).select_related("user").first()
            member = player and PartyMember.objects.filter(party=party, user=player.user, seat__isnull=False).first()
            if not member or not is_same_table(party, sitting_at(party), game):
                raise Rejected("party_changed")
            following = _agree(party, member, game, True)
            return Following(None if following is None else int(following.pk))
    except PartyRefused:
        raise Rejected("no_rematch") from None


def _agree(party: Party, member: PartyMember, game: Game, agreed: bool) -> Game | None:
    member.ready_for = party.revision if agreed else 0
    member.save(update_fields=("ready_for",))
    members = sitting_at(party)
    touch(party)
    if all(other.ready_for == party.revision for other in members):
        return _open_game(party, members, game)
    tell(party)
    return None


def _open_game(party: Party, members: list[PartyMember], previous: Game | None) -> Game:
    players = seating.players_for(party.kind, len(members), party.players)
    seats: list[User | str] = [party.cpu_level] * players
    for member in members:
        seats[int(member.seat or 0)] = member.user
    game = services.open_game(
        kind=party.kind,
        seats=seats,
        options=party.options,
        timer_s=party.timer_s,
        preset_version=party.preset_version,
        rematch_of=previous,
        party_id=party.pk,
        may_watch=party.may_watch,
        is_private=not party.is_listed,
    )
    party.revision += 1  # what was agreed to is used up
    party.save(update_fields=("revision",))
    touch(party)
    tell(party)
    if previous is not None:
        following = game.pk
        transaction.on_commit(lambda: wakeups.rematch_soon(previous.pk, following), robust=True)
    return game


@receiver((game_finished, game_voided))
def _game_is_over(sender: object, game: Game, **kwargs: object) -> None:
    """Whoever looks at the party hears that its game is over."""
    party_id = game.party_id
    if party_id is not None:
        transaction.on_commit(lambda: wakeups.party_soon(party_id, listed=True), robust=True)


@receiver(table_shown)
def _tell_table(sender: object, game: Game, **_more: object) -> dict[str, Any]:
    """What the page of a table knows of the party that its game belongs to."""
    return {"party": agreement_at_table(game)}

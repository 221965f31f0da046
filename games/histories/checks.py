"""Whether what is stored of a game follows from its log, and what does not, written anew: the log is the truth."""

from __future__ import annotations

from django.db import transaction

from games import verify
from games.codes import deals
from games.histories import records, selectors
from games.log import endings, store
from games.log.models import RUNNING, Action, Game, GameSecret, Player
from games.log.positions import Position, Table, fold
from games.log.selectors import entries_of, table_of
from games.rules import RULES_VERSION
from games.rules.state import plain


def faults_of(game: Game) -> list[str]:
    """What of a stored game does not follow from its log and its code: sentences; empty if all is well.

    Of a running game nothing is said that is not public.
    """
    return _faults_of_a_running(game) if game.is_running else _faults_of_an_ended(game)


def _faults_of_an_ended(game: Game) -> list[str]:
    count = Action.objects.filter(game=game).count()
    if game.ply != count:
        return [f"its ply is {game.ply}, but its log has {count} entries"]
    record = selectors.whole_record(game)
    void = record["log"][-1]["kind"] == "void"
    if void != (game.status == Game.Status.VOID):
        return [f"its status is {game.status}, but its log says otherwise"]
    others, dealer_code = verify.others_of(record)
    from_code = deals.check_game(
        records.table_of(record).rules,
        code=record["code"] or GameSecret.objects.get(game=game).code,
        dealer=record["log"][0]["data"]["dealer"],
        packs=verify.packs_of(record["log"]),
        secret=None if record["secret"] is None else bytes.fromhex(record["secret"]),
        commitment_shown=None if game.is_sealed else record["commitment"],  # its secret is with the daily deal
        nonces=[bytes.fromhex(nonce) for nonce in record["nonces"]],
        others=others,
        dealer_code=dealer_code,
    )
    ended_at = Action.objects.values_list("created_at", flat=True).get(game=game, ply=game.ply)
    players = list(Player.objects.filter(game=game).order_by("seat"))
    return [
        *records.faults(record),
        *from_code,
        *_faults_of_its_secrets(game),
        *endings.faults_of(game, ended_at, players),
    ]


def _faults_of_its_secrets(game: Game) -> list[str]:
    """What stands twice, at the game and beside it: its code and the commitment to its secret."""
    found = []
    code = endings.code_to_show(game)
    if game.code != code:
        found.append(
            "it shows a game code that has to stay hidden"
            if not code
            else "it shows another code than it was dealt from"
        )
    promised = Action.objects.values_list("data", flat=True).get(game=game, ply=1).get("commitment")
    if promised is not None and promised != game.commitment:
        found.append("its log does not begin with the commitment that stands at the game")
    return found


def _faults_of_a_running(game: Game) -> list[str]:
    """The log may have grown since the row was read, so only what it had then counts."""
    entries = entries_of(game)
    if len(entries) < game.ply:
        return [f"its ply is {game.ply}, but its log has {len(entries)} entries"]
    position = fold(table_of(game), entries[: game.ply])
    if position.is_over:
        return ["it is not marked as over, but its log says so"]
    asked = {str(seat): asked.id for seat, asked in position.asks.items()}
    if asked != {seat: ask for seat, (ask, _due) in game.asks.items()}:
        return ["it asks other questions than its log"]
    if game.code and not endings.code_while_running(game):
        return ["it shows a game code that has to stay hidden"]
    if Player.objects.filter(game=game, ended_at__isnull=False, game__status__in=RUNNING).exists():
        return ["its seats say that it is over"]
    return []


def repair(game_id: int) -> bool:
    """Writes anew what is derived from the log of a game; False if the rules of today cannot follow it.

    Nothing can be mended in a log, nor in what it was dealt from. The game code is shown where it may be, and nowhere
    else.
    """
    with transaction.atomic():
        game = Game.objects.select_for_update(no_key=True).get(pk=game_id)
        if game.rules_version != RULES_VERSION:
            return False
        entries = entries_of(game)
        table = table_of(game)
        try:
            position = fold(table, entries)
        except Exception:  # whatever is in a log, the check has said what it found
            return False
        _derive(game, table, position)
        game.save(update_fields=("ply", "asks", "deadline_at", "status", "result", "code"))
        if position.is_over:
            endings.note_end(game, entries[-1].created_at)
        else:
            endings.forget_end(game)
    return True


def _derive(game: Game, table: Table, position: Position) -> None:
    if position.is_open:  # nothing is derived yet, and no cards are there
        game.code = ""
        return
    game.ply, game.asks, game.deadline_at = position.ply, store.asks_json(position), position.deadline_at
    if not position.is_over:
        game.status, game.result, game.code = Game.Status.PLAYING, None, endings.code_while_running(game)
        return
    game.asks, game.deadline_at = {}, None
    game.status = Game.Status.VOID if position.void else Game.Status.FINISHED
    game.result = None if position.void else plain(table.rules.result(position.state))
    game.code = endings.code_to_show(game)

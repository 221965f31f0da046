"""The referee: `python -m games.rules` reads one JSON object a line and answers each with one line.

The requests are described in `README.md` beside this file. A line that cannot be done is answered with a code and
changes nothing.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from games.codes import deals
from games.kinds import rules_for
from games.rules import RULES_VERSION, Action, Refused, Rules, State, story, view
from games.rules.lines import bounded_lines, strict_json
from games.rules.refusals import MOST_ECHOED, echoed
from games.rules.state import plain

LONGEST_LINE = 65_536  # bytes
MOST_GAMES = 1_000
Answer = dict[str, Any]


class BadRequest(Exception):
    """A line that is no request.

    `code`: bad_json, line_too_long, bad_request, unknown_op, no_game, too_many_games, bad_code.
    """

    def __init__(self, code: str, **details: object) -> None:
        super().__init__(code)
        self.code = code
        self.details = details


@dataclass
class Game:
    """A game that the referee keeps."""

    rules: Rules
    code: deals.GameCode
    state: State


class Referee:
    """Games by name, and what may be asked of them."""

    def __init__(self) -> None:
        self.games: dict[str, Game] = {}

    def answer(self, line: bytes) -> Answer:
        """The answer to one line; never raises for what the line holds."""
        echo: Answer = {}
        try:
            request = _parse(line)
            if "id" in request:
                echo = {"id": request["id"]}
            return {"ok": True, **echo, **self._do(request)}
        except Refused as refused:
            return {"ok": False, **echo, **refused.to_json()}
        except BadRequest as bad:
            return {"ok": False, **echo, "code": bad.code, **bad.details}

    def _do(self, request: dict[str, Any]) -> Answer:
        op = request.get("op")
        if not isinstance(op, str) or op not in OPS:
            raise BadRequest("unknown_op", field="op", known=sorted(OPS))
        do, required, optional = OPS[op]
        for key in required:
            if key not in request:
                raise BadRequest("bad_request", field=key)
        for key in request:
            if key not in required and key not in optional and key not in ("op", "id", "game"):
                raise BadRequest("bad_request", field=echoed(key))
        name = request.get("game", "main")
        if not isinstance(name, str) or len(name) > MOST_ECHOED:
            raise BadRequest("bad_request", field="game")
        return do(self, request, name)

    def _game(self, name: str) -> Game:
        if name not in self.games:
            raise BadRequest("no_game", field="game")
        return self.games[name]

    def _own_seat(self, game: Game, request: dict[str, Any]) -> int:
        seat = self._seat(game, request)
        assert seat is not None
        return seat

    def _seat(self, game: Game, request: dict[str, Any], key: str = "seat", *, spectator: bool = False) -> int | None:
        seat = request.get(key)
        if seat is None and spectator:
            return None
        if type(seat) is not int:
            raise BadRequest("bad_request", field=key)
        if not 0 <= seat < game.rules.players:
            raise Refused("no_such_seat")
        return int(seat)

    def open(self, request: dict[str, Any], name: str) -> Answer:
        if request.get("options", {}) is None:
            raise Refused("bad_type", field="options")
        rules = rules_for(request["kind"], request["players"], request.get("options"))
        if name not in self.games and len(self.games) >= MOST_GAMES:
            raise BadRequest("too_many_games", most=MOST_GAMES)
        code = _code(rules, request["code"]) if "code" in request else deals.new_code(rules)
        dealer = request.get("dealer", deals.first_dealer(code.seed, rules.players))
        if type(dealer) is not int:
            raise BadRequest("bad_request", field="dealer")
        state = rules.apply(rules.start(), Action("open", dealer=dealer))
        self.games[name] = Game(rules, code, state)
        opened = {"code": code.text, "deck": list(rules.deck), "hand_size": rules.hand_size, "version": RULES_VERSION}
        return {**opened, "options": rules.options.to_json(), **_where(self.games[name])}

    def apply(self, request: dict[str, Any], name: str) -> Answer:
        game = self._game(name)
        viewer = self._seat(game, request, "events", spectator=True)
        action = _action(game, request["action"])
        before = game.state
        game.state = game.rules.apply(before, action)
        answer: Answer = _where(game)
        if action.kind == "deal":
            answer["pack"] = list(action.pack)
        if len(game.state.sheet) > len(before.sheet):
            answer["score"] = plain(game.state.sheet[-1])
        if "events" in request:
            events = story(game.rules, before, action, game.state, viewer)
            answer["events"] = [event.to_json() for event in events]
        return answer

    def legal(self, request: dict[str, Any], name: str) -> Answer:
        game = self._game(name)
        seat = self._own_seat(game, request)
        actions = game.rules.legal_actions(game.state, seat)
        return {"actions": [action.to_json() for action in actions], "barred": game.rules.barred(game.state, seat)}

    def check(self, request: dict[str, Any], name: str) -> Answer:
        game = self._game(name)
        game.rules.check(game.state, _action(game, request["action"]))
        return {}

    def default(self, request: dict[str, Any], name: str) -> Answer:
        game = self._game(name)
        seat = self._own_seat(game, request)
        return {"action": game.rules.default_action(game.state, seat).to_json()}

    def view(self, request: dict[str, Any], name: str) -> Answer:
        game = self._game(name)
        return {"view": view(game.rules, game.state, self._seat(game, request, spectator=True)).to_json()}

    def state(self, request: dict[str, Any], name: str) -> Answer:
        return {"state": self._game(name).state.to_json()}

    def due(self, request: dict[str, Any], name: str) -> Answer:
        return _where(self._game(name))

    def result(self, request: dict[str, Any], name: str) -> Answer:
        game = self._game(name)
        return {"result": plain(game.rules.result(game.state))}

    def close(self, request: dict[str, Any], name: str) -> Answer:
        self._game(name)
        del self.games[name]
        return {}


#: op: method, required keys, optional keys (beside op, id and game).
OPS: dict[str, tuple[Callable[[Referee, dict[str, Any], str], Answer], tuple[str, ...], tuple[str, ...]]] = {
    "open": (Referee.open, ("kind", "players"), ("options", "code", "dealer")),
    "apply": (Referee.apply, ("action",), ("events",)),
    "legal": (Referee.legal, ("seat",), ()),
    "check": (Referee.check, ("action",), ()),
    "default": (Referee.default, ("seat",), ()),
    "view": (Referee.view, (), ("seat",)),
    "state": (Referee.state, (), ()),
    "due": (Referee.due, (), ()),
    "result": (Referee.result, (), ()),
    "close": (Referee.close, (), ()),
}


def _where(game: Game) -> Answer:
    """Where a game stands: who has to act, and the public numbers."""
    rules, state = game.rules, game.state
    due = rules.due(state)
    answer: Answer = {"ply": state.ply, "phase": due.phase, "seats": list(due.seats)}
    answer["asks"] = {str(seat): rules.ask_id(state, seat) for seat in due.seats}
    deal, attempt, dealer = rules.next_deal(state) if due.phase == "deal" else (state.deal, state.attempt, state.dealer)
    answer |= {"deal": deal, "attempt": attempt, "dealer": dealer, "direction": rules.direction(deal)}
    answer |= {"broken": state.broken, "scores": list(state.scores), "bags": list(state.bags)}
    return answer


def _code(rules: Rules, text: object) -> deals.GameCode:
    if not isinstance(text, str):
        raise BadRequest("bad_request", field="code")
    try:
        code = deals.read_code(text)
    except deals.BadCode as bad:
        raise BadRequest("bad_code", field="code", why=bad.code) from None
    if not code.fits(rules):
        raise BadRequest("bad_code", field="code", why="other_table")
    return code


def _action(game: Game, data: object) -> Action:
    """An action as sent. A deal without a pack gets the one of the game code."""
    if isinstance(data, dict) and data.get("kind") == "deal" and "pack" not in data:
        deal, attempt, _ = game.rules.next_deal(game.state)
        data = {**data, "pack": deals.shuffle(game.code.seed, deal, attempt, game.rules.deck)}
    return Action.from_json(data)


def _parse(line: bytes) -> dict[str, Any]:
    if len(line) > LONGEST_LINE:
        raise BadRequest("line_too_long", most=LONGEST_LINE)
    try:
        request = strict_json(line.decode())
    except (ValueError, RecursionError):
        raise BadRequest("bad_json") from None
    if not isinstance(request, dict):
        raise BadRequest("bad_request", field="")
    if type(request.get("id", "")) not in (str, int) or len(str(request.get("id", ""))) > MOST_ECHOED:
        raise BadRequest("bad_request", field="id")
    return request


def main() -> int:
    """Answers every line that is not blank, until the input ends."""
    if sys.stdin is None or sys.stdout is None:  # closed before the start
        return 1
    referee = Referee()
    try:
        for line in bounded_lines(sys.stdin.buffer, LONGEST_LINE):
            if line.strip(b" \t\r") or len(line) > LONGEST_LINE:
                sys.stdout.write(json.dumps(referee.answer(line), ensure_ascii=True) + "\n")
                sys.stdout.flush()
    except (OSError, KeyboardInterrupt):  # nobody reads any more, or nothing can be written
        with suppress(OSError):  # else Python complains at its end of what it cannot flush
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

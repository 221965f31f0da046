"""Random and mutated lines for the referee, from a seed: is every line answered, and does a refused one change nothing?

`Fuzzer` makes the lines and learns from the answers, so that games advance between the mutations; `drive` asks and
checks. Run as a program it talks to the real process through pipes; `tests/games/rules/test_referee.py` drives the same
lines in-process. Run: python -m tests.bench.referee_fuzz [lines=100000] [seed]
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from games.codes import deals
from games.kinds import KINDS, options_for, rules_for
from games.programs.referee import LONGEST_LINE, MOST_GAMES, OPS
from games.rules import CODES, DECK, Refused, Rules
from tests.games.rules.play import samples

Json = dict[str, Any]
Ask = Callable[[bytes], Json]

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 10.0  # for one answer
FULL_EVERY = 50  # lines between two comparisons of whole states
CROWD_AT, CROWD = 1_500, MOST_GAMES + 50  # from this line on so many more games are opened, then closed
GAMES = ("main", "north", "südwest")

#: Codes of lines that are no requests; all others are refusals of the rules.
REFEREE_CODES = ("bad_code", "bad_json", "bad_request", "line_too_long", "no_game", "too_many_games", "unknown_op")

HUGE = ("9" * 300, "-" + "9" * 300, "1" * 5000, "1e999", "-1e999", "1e-999", "4.0", "-0", "0.5", "18446744073709551616")
ODD_TEXTS = (*"\0 ♥ß\u202e\U0001f0a1", "", "ＱＳ", "qs", "10H", "QS ", "é" * 70, "\ud800", "\udfff\ud800")
ODD_VALUES = (*ODD_TEXTS, None, True, False, 0, -1, 3, 7, 10**20, 1.5, "QS", [], {}, [[]], ["QS"], {"kind": "deal"})
ODD_KEYS = ("seat", "extra", "cards", "pack", "id", "game", "code", *ODD_TEXTS)


class Fault(Exception):
    """The referee broke a promise."""


class Fuzzer:
    """Makes lines, one after the other; `learn` tells it what came of the last one."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.game = GAMES[0]  # the one that the last line was meant for
        self.where: dict[str, Json] = {}  # open games: kind, players, deck and the last answer about phase and seats
        self.actions: dict[str, list[Json]] = {}  # answers to the question that is due, as the referee listed them
        self.barred: dict[str, list[str]] = {}  # and cards that may not be played
        self.scored = self.ended = 0  # deals and games
        self._number = 0

    def line(self) -> bytes:
        """The next line: not blank, one line, and the same for the same seed and the same answers."""
        rng = self.rng
        self.game = rng.choice(GAMES)
        self._number += 1
        drawn = rng.random()
        if CROWD_AT <= self._number < CROWD_AT + CROWD:
            line = _text(self._open() | {"game": f"crowd {self._number}"}).encode()
        elif CROWD_AT + CROWD <= self._number < CROWD_AT + 2 * CROWD:
            line = _text({"op": "close", "game": f"crowd {self._number - CROWD}"}).encode()
        elif drawn < 0.45:
            line = _text(self._advance()).encode()
        elif drawn < 0.55:
            line = _text(self._question()).encode()
        else:
            # A mutation may take the code out of an `open`; the cards would then not come from the seed.
            line = self._mutated()
            while _draws_a_code(line):
                line = self._mutated()
        line = line.replace(b"\n", b" ")
        return line if line.strip() else b"?"

    def learn(self, line: bytes, answer: Json) -> None:
        """Takes note of an answer. Raises Fault where an accepted line did something else than it should."""
        if not answer["ok"]:
            return
        request = json.loads(line)
        name, op = request.get("game", "main"), request["op"]
        if op == "open":
            self.where[name] = answer | {key: request[key] for key in ("kind", "players")}
            self._forget_question(name)
        elif op == "close":
            del self.where[name]
            self._forget_question(name)
        elif op == "apply":
            if answer["ply"] != self.where[name]["ply"] + 1:
                raise Fault("an accepted action is not the next ply")
            self.where[name] |= answer
            self.scored += "score" in answer
            self.ended += answer["phase"] == "over"
            self._forget_question(name)
        elif op == "due" and answer["ply"] != self.where[name]["ply"]:
            raise Fault("the game moved without an accepted action")
        elif op == "legal":
            if answer["actions"]:
                self.actions[name], self.barred[name] = answer["actions"], list(answer["barred"])
        elif op == "default":
            self.actions[name] = [answer["action"]]

    def _forget_question(self, name: str) -> None:
        self.actions.pop(name, None)
        self.barred.pop(name, None)

    # --- valid requests -----------------------------------------------------------------------------------------------

    def _request(self, op: str, **keys: object) -> Json:
        request: Json = {"op": op, **keys}
        if self.game != "main" or self.rng.random() < 0.2:
            request["game"] = self.game
        if self.rng.random() < 0.1:
            request["id"] = self.rng.choice(["a", "", 7, -1, "♠", 10**60])
        return request

    def _advance(self) -> Json:
        """What brings the game on."""
        rng = self.rng
        where = self.where.get(self.game)
        if where is None or where["phase"] == "over" or rng.random() < 0.002:
            return self._open()
        if where["phase"] == "deal":
            action: Json = {"kind": "deal"}
            if rng.random() < 0.3:
                action["pack"] = rng.sample(where["deck"], len(where["deck"]))
            return self._request("apply", action=action)
        if self.game in self.actions:
            keys = {"events": rng.choice([None, *range(where["players"])])} if rng.random() < 0.1 else {}
            return self._request("apply", action=rng.choice(self.actions[self.game]), **keys)
        op = "legal" if rng.random() < 0.9 else "default"
        return self._request(op, seat=rng.choice(where["seats"]))

    def _open(self) -> Json:
        rng, rules = self.rng, self._table()
        code = deals.sealed_code(rules, rng.randbytes(32), [b""] * rules.players).text
        options = rules.options.differences()
        request = self._request("open", kind=rules.kind, players=rules.players, options=options, code=code)
        if rng.random() < 0.3:
            request["dealer"] = rng.randrange(rules.players)
        return request

    def _table(self) -> Rules:
        """A kind, a number of players and options that go together. Short games, so that some end."""
        rng = self.rng
        while True:
            kind = rng.choice(list(KINDS))
            declared = KINDS[kind].options.declared()
            chosen: Json = {option.name: rng.choice(samples(option)) for option in declared if rng.random() < 0.3}
            chosen |= {"end_score": 20} if kind == "hearts" else {"target": 100}
            try:
                return rules_for(kind, rng.choice(KINDS[kind].options.PLAYERS), options_for(kind, chosen))
            except Refused:
                continue

    def _question(self) -> Json:
        """A request that changes nothing."""
        rng = self.rng
        op = rng.choice(("legal", "check", "default", "view", "state", "due", "result"))
        if op == "check":
            return self._request(op, action=self._some_action())
        if op in ("legal", "default"):
            return self._request(op, seat=rng.randrange(7))
        if op == "view" and rng.random() < 0.8:
            return self._request(op, seat=rng.choice([None, *range(7)]))
        return self._request(op)

    def _some_action(self) -> Json:
        """An action of any kind in the right form, mostly for another phase, seat or hand."""
        rng = self.rng
        kind = rng.choice(("open", "deal", "skip", "pass", "blind", "bid", "exchange", "play", "moon", "finish"))
        action: Json = {"kind": kind}
        if kind == "open":
            return action | {"dealer": rng.randrange(-1, 8)}
        if kind == "deal":
            return action | ({"pack": rng.sample(DECK, rng.choice((28, 51, 52)))} if rng.random() < 0.5 else {})
        action["seat"] = rng.randrange(-1, 8)
        if kind in ("pass", "exchange", "finish"):
            action["cards"] = rng.choices(DECK, k=rng.choice((0, 1, 2, 3, 3, 13)))
        elif kind == "play":
            action["card"] = rng.choice(DECK)
        elif kind == "bid":
            action["bid"] = rng.randrange(-1, 15)
        elif kind == "blind":
            action["blind"] = rng.random() < 0.5
        elif kind == "moon":
            action["choice"] = rng.choice(("add", "subtract"))
        return action

    # --- mutations ----------------------------------------------------------------------------------------------------

    def _mutated(self) -> bytes:
        rng = self.rng
        request = self._advance() if rng.random() < 0.7 else self._question()
        return rng.choice(MUTATIONS)(self, request)

    def _spots(self, value: Any, spots: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
        """Every place in a request: a container and the key or index in it."""
        for key in value if isinstance(value, dict) else range(len(value)):
            spots.append((value, key))
            if isinstance(value[key], dict | list):
                self._spots(value[key], spots)
        return spots

    def _replaced(self, request: Json, value: object) -> Json:
        copy: Json = json.loads(json.dumps(request))
        container, key = self.rng.choice(self._spots(copy, []))
        container[key] = value
        return copy

    def random_bytes(self, request: Json) -> bytes:
        return self.rng.randbytes(self.rng.choice((1, 2, 10, 100, 1000)))

    def truncated(self, request: Json) -> bytes:
        line = _text(request).encode()
        return line[: self.rng.randrange(1, len(line))]

    def flipped(self, request: Json) -> bytes:
        line = bytearray(_text(request).encode())
        for _ in range(self.rng.choice((1, 1, 3))):
            line[self.rng.randrange(len(line))] = self.rng.randrange(256)
        return bytes(line)

    def other_value(self, request: Json) -> bytes:
        return _text(self._replaced(request, self.rng.choice(ODD_VALUES))).encode()

    def moved_value(self, request: Json) -> bytes:
        """A value of the request where another one belongs."""
        container, key = self.rng.choice(self._spots(request, []))
        return _text(self._replaced(request, container[key])).encode()

    def other_key(self, request: Json) -> bytes:
        copy: Json = json.loads(json.dumps(request))
        holders = [copy, *(c[k] for c, k in self._spots(copy, []) if isinstance(c[k], dict))]
        self.rng.choice(holders)[self.rng.choice(ODD_KEYS)] = self.rng.choice(ODD_VALUES)
        return _text(copy).encode()

    def without_key(self, request: Json) -> bytes:
        copy: Json = json.loads(json.dumps(request))
        holder, key = self.rng.choice([(c, k) for c, k in self._spots(copy, []) if isinstance(c, dict)])
        del holder[key]
        return _text(copy).encode()

    def long_text(self, request: Json) -> bytes:
        longest = self.rng.choice((65, 65, 201, 1_000, LONGEST_LINE - 20, LONGEST_LINE + 1, 3 * LONGEST_LINE))
        return _text(self._replaced(request, self.rng.choice("xQ ♥") * longest)).encode()[: 4 * LONGEST_LINE]

    def deep(self, request: Json) -> bytes:
        depth = self.rng.choice((5, 100, 900, 5_000, 30_000))
        opened, closed = self.rng.choice((("[", "]"), ('{"action":', "}")))
        inside = opened * depth + "0" + closed * depth
        if self.rng.random() < 0.3:
            return inside.encode()
        return _text(self._replaced(request, "DEEP")).replace('"DEEP"', inside).encode()

    def huge_number(self, request: Json) -> bytes:
        return _text(self._replaced(request, "HUGE")).replace('"HUGE"', self.rng.choice(HUGE)).encode()

    def constant(self, request: Json) -> bytes:
        name = self.rng.choice(("NaN", "Infinity", "-Infinity", "undefined", "nul", "True"))
        return _text(self._replaced(request, "NAME")).replace('"NAME"', name).encode()

    def key_twice(self, request: Json) -> bytes:
        key = self.rng.choice(list(request))
        return f"{{{json.dumps(key)}:{_text(self.rng.choice((request[key], None)))},{_text(request)[1:]}".encode()

    def odd_text(self, request: Json) -> bytes:
        return _text(self._replaced(request, self.rng.choice(ODD_TEXTS))).encode("utf-8", "surrogatepass")

    def raw_unicode(self, request: Json) -> bytes:
        """Characters as they are, not escaped; surrogates that way are no UTF-8."""
        text = json.dumps(self._replaced(request, self.rng.choice(ODD_TEXTS)), ensure_ascii=False)
        return text.encode("utf-8", "surrogatepass")

    def other_encoding(self, request: Json) -> bytes:
        return _text(request).encode(self.rng.choice(("utf-16", "utf-16-le", "utf-8-sig", "utf-32")))

    def wrong_seat(self, request: Json) -> bytes:
        copy: Json = json.loads(json.dumps(request))
        holder = copy["action"] if isinstance(copy.get("action"), dict) else copy
        holder["seat"] = self.rng.randrange(-2, 9)
        return _text(copy).encode()

    def wrong_card(self, request: Json) -> bytes:
        copy: Json = json.loads(json.dumps(request))
        cards = [(c, k) for c, k in self._spots(copy, []) if c[k] in DECK]
        if not cards:
            return _text(self._request("apply", action=self._some_action())).encode()
        holder, key = self.rng.choice(cards)
        holder[key] = self.rng.choice((*DECK, "1S", "QX", "10H", "qs", "XX"))
        return _text(copy).encode()

    def other_phase(self, request: Json) -> bytes:
        return _text(self._request(self.rng.choice(("apply", "check")), action=self._some_action())).encode()

    def near_miss(self, request: Json) -> bytes:
        """The right phase, and often the right seat, but an answer that the rules refuse."""
        rng, where = self.rng, self.where.get(self.game)
        if where is None or not where["seats"]:
            return _text(self._request("apply", action={"kind": "deal", "pack": rng.sample(DECK, 52)})).encode()
        kind = where["phase"] if rng.random() < 0.8 else rng.choice(("finish", "skip"))
        action: Json = {"kind": kind, "seat": rng.choice(where["seats"]) if rng.random() < 0.8 else rng.randrange(4)}
        known = [action["cards"] for action in self.actions.get(self.game, []) if action.get("cards")]
        cards = rng.choice(known) if known else rng.sample(DECK, 3)
        if kind in ("pass", "exchange", "finish"):
            action["cards"] = rng.choice((cards[:-1], [*cards, cards[0]], [*cards[:-1], cards[0]]))
        elif kind == "play":
            action["card"] = rng.choice(self.barred.get(self.game) or DECK)
        elif kind == "bid":
            action["bid"] = rng.choice((-1, 14, 10**30))
        elif kind != "skip":
            action["blind" if kind == "blind" else "choice"] = "off"
        return _text(self._request(rng.choice(("apply", "check")), action=action)).encode()

    def odd_options(self, request: Json) -> bytes:
        """A game opened with options, players or a code that do not go together."""
        rng, opened = self.rng, self._open()
        own = KINDS[opened["kind"]].options.declared()
        both = [option for kind in KINDS.values() for option in kind.options.declared()]
        for option in rng.sample(own if rng.random() < 0.7 else both, 3):
            opened["options"][option.name] = rng.choice((*samples(option), *samples(option), "off", 301, -1, None))
        if rng.random() < 0.2:
            opened |= rng.choice(({"kind": "Hearts"}, {"players": 8}, {"kind": "spades", "options": {}}, {"dealer": 7}))
        elif rng.random() < 0.2:
            opened["code"] = "".join(rng.choices(deals.ALPHABET, k=16))
        return _text(opened).encode()

    def other_op(self, request: Json) -> bytes:
        return _text(request | {"op": self.rng.choice((*OPS, "OPEN", "__init__", "_do", "games", ""))}).encode()

    def two_at_once(self, request: Json) -> bytes:
        return (_text(request) + self.rng.choice((" ", "", ",", "\r", "\0")) + _text(request)).encode()

    def spaced(self, request: Json) -> bytes:
        """Still a request: blanks do not matter."""
        return b" \t\r" + json.dumps(request, indent=1, ensure_ascii=False).encode().replace(b"\n", b"\r") + b" \r"

    def no_object(self, request: Json) -> bytes:
        return _text(self.rng.choice(ODD_VALUES)).encode()


MUTATIONS: tuple[Callable[[Fuzzer, Json], bytes], ...] = (
    Fuzzer.random_bytes,
    Fuzzer.truncated,
    Fuzzer.flipped,
    Fuzzer.other_value,
    Fuzzer.other_value,
    Fuzzer.moved_value,
    Fuzzer.other_key,
    Fuzzer.without_key,
    Fuzzer.long_text,
    Fuzzer.deep,
    Fuzzer.huge_number,
    Fuzzer.constant,
    Fuzzer.key_twice,
    Fuzzer.odd_text,
    Fuzzer.raw_unicode,
    Fuzzer.other_encoding,
    Fuzzer.wrong_seat,
    Fuzzer.wrong_seat,
    Fuzzer.wrong_card,
    Fuzzer.wrong_card,
    Fuzzer.other_phase,
    Fuzzer.near_miss,
    Fuzzer.near_miss,
    Fuzzer.near_miss,
    Fuzzer.near_miss,
    Fuzzer.odd_options,
    Fuzzer.other_op,
    Fuzzer.two_at_once,
    Fuzzer.spaced,
    Fuzzer.no_object,
)


def _text(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _draws_a_code(line: bytes) -> bool:
    """Whether the referee might open a game with a code of its own."""
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(request, dict) and request.get("op") == "open" and request.get("code") is None


# --- asking and checking ----------------------------------------------------------------------------------------------


def drive(fuzzer: Fuzzer, lines: int, ask: Ask, look: Callable[[bool], object]) -> Counter[str]:
    """Asks so many lines; returns how many were refused with each code, and under "accepted" the others.

    `look(True)` tells of the whole states, `look(False)` at least of the game that the line was meant for; a refused
    line must not change what it tells. Raises Fault, with the line.
    """
    codes: Counter[str] = Counter()
    line = b""
    try:
        for number in range(lines):
            whole = number % FULL_EVERY == 0
            line = fuzzer.line()
            before = look(whole)
            answer = ask(line)
            check_form(answer)
            fuzzer.learn(line, answer)
            codes["accepted" if answer["ok"] else answer["code"]] += 1
            if not answer["ok"] and look(whole) != before:
                raise Fault("a refused line changed the state")
    except Fault as fault:
        shown = line if len(line) <= 400 else line[:400] + b" (and more)"
        raise Fault(f"{fault}; after {sum(codes.values())} lines, at: {shown!r}") from None
    return codes


def check_form(answer: object) -> None:
    """Raises Fault unless this is an answer: accepted, or refused with one of the codes there are."""
    if not isinstance(answer, dict) or type(answer.get("ok")) is not bool:
        raise Fault(f"not an answer: {str(answer)[:200]}")
    if not answer["ok"] and answer.get("code") not in (*CODES, *REFEREE_CODES):
        raise Fault(f"refused with no known code: {answer.get('code')!r}")


class Process:
    """The referee in a process of its own. A line that is not answered in time ends it, and is a Fault."""

    def __init__(self, timeout_s: float = TIMEOUT_S) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._process = subprocess.Popen(
            [sys.executable, "-m", "games.rules"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
        )
        self._timeout_s = timeout_s
        self._deadline: float | None = None
        self._late = False
        self._closed = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while not self._closed.wait(0.2):
            if self._deadline is not None and time.monotonic() > self._deadline:
                self._late = True
                self._process.kill()
                return

    def ask_raw(self, line: bytes) -> bytes:
        """The answer to one line, as it came, without its end."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._deadline = time.monotonic() + self._timeout_s
        try:
            self._process.stdin.write(line + b"\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = b""
        self._deadline = None
        if not answer.endswith(b"\n"):
            raise Fault("no answer in time" if self._late else f"no answer; on stderr: {self.errors()[-2000:]!r}")
        return answer[:-1]

    def ask(self, line: bytes) -> Json:
        """The answer to one line, read."""
        raw = self.ask_raw(line)
        try:
            answer: Json = json.loads(raw.decode("ascii"), parse_constant=_no_constant)
        except ValueError:
            raise Fault(f"the answer is not JSON: {raw[:200]!r}") from None
        return answer

    def errors(self) -> bytes:
        """What has been written to stderr."""
        self._errors.seek(0)
        return self._errors.read()

    def close(self) -> None:
        """Ends the input. Raises Fault unless the process ends well, with nothing left to say."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._deadline = time.monotonic() + self._timeout_s
            self._process.stdin.close()
            rest = self._process.stdout.read()
            status = self._process.wait(self._timeout_s)
            errors = self.errors()
        finally:
            self.kill()
        if (rest, status, errors) != (b"", 0, b""):
            raise Fault(f"at the end: status {status}, stdout {rest[:200]!r}, stderr {errors[-2000:]!r}")

    def kill(self) -> None:
        self._closed.set()
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._errors):
            assert pipe is not None
            pipe.close()


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


class Looker:
    """What a process tells of its games, asked as seldom as possible."""

    def __init__(self, fuzzer: Fuzzer, ask: Ask) -> None:
        self.fuzzer, self.ask = fuzzer, ask
        self.asked = 0

    def __call__(self, whole: bool) -> object:
        if whole:
            return [self._asked("state", name) for name in GAMES]
        return self._asked("due", self.fuzzer.game)

    def _asked(self, op: str, name: str) -> Json:
        # The id shows that this is the answer to this line, not one left over from another.
        self.asked += 1
        mark = f"look {self.asked}"
        answer = self.ask(_text({"op": op, "game": name, "id": mark}).encode())
        if answer.pop("id", None) != mark:
            raise Fault("answers and lines are out of step")
        return answer


def main(arguments: list[str]) -> int:
    """Runs the lines through the process and prints what came of them; 1 if a promise was broken."""
    numbers = [int(argument.removeprefix("lines=").removeprefix("seed=")) for argument in arguments]
    lines, seed = [*numbers, 100_000, 1][:2] if len(numbers) != 1 else (numbers[0], 1)
    fuzzer, process = Fuzzer(seed), Process()
    looker = Looker(fuzzer, process.ask)
    start = time.perf_counter()
    try:
        codes = drive(fuzzer, lines, process.ask, looker)
        process.close()
    except Fault as fault:
        process.kill()
        print(f"FAULT (seed {seed}): {fault}")
        return 1
    print(f"{lines} lines from seed {seed}, and {looker.asked} in between to look at the states")
    print(f"{fuzzer.scored} deals scored, {fuzzer.ended} games over")
    print(f"{codes.pop('accepted')} accepted, {codes.total()} refused and none of them changed a state:")
    for code, count in sorted(codes.items(), key=lambda item: (-item[1], item[0])):
        print(f"{count:8}  {code}")
    print(f"never given: {' '.join(sorted({*CODES, *REFEREE_CODES} - {*codes})) or 'none'}")
    print(f"{time.perf_counter() - start:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What the compiled search of the expert players is built from: cards as bits, chance, and how functions are compiled.

A card is a place, 16 × suit + strength: ♣ from 0, ♦ from 16, ♥ from 32, ♠ from 48, the two first. A set of cards is a
64-bit whole number with one bit for each place, so a suit is a lane of 16 bits. Signed numbers do, since place 60 is
the highest.

Functions are compiled with the types written beside them when their module is loaded, and kept on disk in a folder
named after the sources, so that a change of any of them never meets machine code of another. Where no folder can be
written they are compiled anew in each process. The k-th card of a set takes one instruction (pdep, of BMI2) where the
target has it, and a loop elsewhere; both give the same card.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import shutil
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir
from numba.core import codegen
from numba.extending import intrinsic

from games.rules.cards import DECK, STRENGTH, SUITS

config: Any = numba.config  # its settings are set by name when it is loaded
jit: Any = numba.njit
host_features: Callable[[], str] = codegen.get_host_cpu_features

F = TypeVar("F", bound=Callable[..., Any])

LANE = 16
#: The thirteen cards of clubs; shifted by lanes, those of any suit.
SUIT = 0x1FFF
#: Times the bits of clubs: the same cards of every suit.
EVERY_SUIT = 0x0001_0001_0001_0001
ALL = SUIT * EVERY_SUIT

CLUBS, DIAMONDS, HEARTS, SPADES = range(4)

#: Place of a card, and the card at a place.
PLACE: dict[str, int] = {card: LANE * SUITS.index(card[1]) + STRENGTH[card] for card in DECK}
CARD: dict[int, str] = {place: card for card, place in PLACE.items()}


def bits_of(cards: Iterable[str]) -> int:
    """The set of these cards."""
    return sum(1 << PLACE[card] for card in cards)


def cards_of(bits: int) -> tuple[str, ...]:
    """The cards of a set, in deck order."""
    return tuple(card for place, card in CARD.items() if bits >> place & 1)


# --- compiling ------------------------------------------------------------------------------------------------------


def _bases(package: Path) -> list[Path]:
    """Where the folder may be, the best first."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return [Path(chosen)]
    bases = [package / "__pycache__"]
    with suppress(RuntimeError):  # nobody's home is known
        bases.append(Path.home() / ".cache/moonshot")
    return bases


def _cache_folder() -> Path | None:
    """A folder of our own that can be written, named after the sources that get compiled; None if there is none."""
    package = Path(__file__).parent
    sources = hashlib.sha256()
    # All: constants of one end up in what is compiled of another.
    for path in sorted([*package.glob("*.py"), *package.parent.glob("kinds/*/cpu/*.py")]):
        sources.update(path.read_bytes())
    name = f"kernels-{sources.hexdigest()[:16]}"
    found: Path | None = None
    for base in _bases(package):
        folder = base / name
        try:
            folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            if found is not None and not any(folder.iterdir()):
                with suppress(OSError):  # what whoever installed it has compiled
                    shutil.copytree(found, folder, dirs_exist_ok=True)
            return folder
        found = folder
    return None


#: Where compiled functions are kept.
FOLDER = _cache_folder()
#: Whether compiled functions are kept on disk.
CACHED = FOLDER is not None
if FOLDER is not None:
    config.CACHE_DIR = str(FOLDER)


def _forget(function: Callable[..., Any]) -> bool:
    """Takes what was kept of a function off the disk, since it is damaged; whether it is gone and may be kept anew."""
    kept = [] if FOLDER is None else list(FOLDER.rglob(f"*.{function.__name__}-{function.__code__.co_firstlineno}.*"))
    try:
        for path in kept:
            path.unlink()
    except OSError:
        return False
    return bool(kept)


def compiled(*signature: str, inline: bool = False, lean: bool = False) -> Callable[[F], F]:
    """A decorator that compiles a function for this signature, and keeps the result on disk if it can.

    A `lean` function makes no arrays, nor does what it calls. It counts no references, which is several times faster
    where small functions pass arrays on.
    """

    def decorate(function: F) -> F:
        options = {"nogil": True, "error_model": "numpy", "forceinline": inline, "_nrt": not lean}
        try:
            return cast(F, jit(list(signature), cache=CACHED, **options)(function))
        except (EOFError, OSError, ValueError, IndexError, KeyError, AttributeError, pickle.UnpicklingError):
            return cast(F, jit(list(signature), cache=_forget(function), **options)(function))

    return decorate


# --- bits -----------------------------------------------------------------------------------------------------------


def _has_pdep() -> bool:
    """Whether the processor that numba compiles for has BMI2."""
    asked: str | None = config.CPU_FEATURES
    if asked is None and config.CPU_NAME != "generic":
        asked = host_features()
    return "+bmi2" in (asked or "")


HAS_PDEP = _has_pdep()


def _unary(name: str) -> Callable[[int], int]:
    """An instruction of one 64-bit number, for use in compiled functions only."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if name == "ctpop":
            return builder.ctpop(args[0])
        return getattr(builder, name)(args[0], ir.Constant(ir.IntType(1), 1))  # 1: never asked of an empty set

    def typed(typing: Any, bits: Any) -> Any:
        return numba.int64(numba.int64), generate

    return cast(Callable[[int], int], intrinsic(typed))


#: How many cards a set has; the lowest place of a set that is not empty.
count = _unary("ctpop")
lowest = _unary("cttz")
_leading = _unary("ctlz")


def _deposit(typing: Any, source: Any, mask: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        function = builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", fnty=ir.FunctionType(word, [word, word]))
        return builder.call(function, args)

    return numba.int64(numba.int64, numba.int64), generate


_pdep = cast(Callable[[int, int], int], intrinsic(_deposit))


@compiled("int64(int64)", inline=True, lean=True)
def highest(bits: int) -> int:
    """The highest place of a set that is not empty."""
    return 63 - _leading(bits)


@compiled("int64(int64, int64)", inline=True, lean=True)
def kth_bit_by_loop(bits: int, k: int) -> int:
    """Card `k` of a set, counted from the lowest as 0, as a set of its own."""
    while k > 0:
        bits &= bits - 1
        k -= 1
    return bits & -bits


if HAS_PDEP:

    @compiled("int64(int64, int64)", inline=True, lean=True)
    def kth_bit(bits: int, k: int) -> int:
        """Card `k` of a set, counted from the lowest as 0, as a set of its own."""
        return _pdep(1 << k, bits)

else:
    kth_bit = kth_bit_by_loop


@compiled("int64(int64, int64)", inline=True, lean=True)
def kth(bits: int, k: int) -> int:
    """The place of card `k` of a set, counted from the lowest as 0."""
    return lowest(kth_bit(bits, k))


# --- chance ---------------------------------------------------------------------------------------------------------

#: A generator is an array of one number, which is never 0.
Generator = np.ndarray[Any, np.dtype[np.uint64]]


def generator(seed: int) -> Generator:
    """A generator; different seeds give different streams."""
    mixed = int.from_bytes(hashlib.sha256(str(seed).encode()).digest()[:8], "little")
    return np.array([mixed or 1], dtype=np.uint64)


@compiled("uint64(uint64[::1])", inline=True, lean=True)
def draw_wide(rng: Generator) -> np.uint64:
    """64 random bits."""
    x = rng[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    rng[0] = x
    return np.uint64(x * np.uint64(0x2545F4914F6CDD1D))


@compiled("int64(uint64[::1])", inline=True, lean=True)
def draw(rng: Generator) -> int:
    """32 random bits."""
    return int(draw_wide(rng) >> np.uint64(32))


@compiled("int64(uint64[::1], int64)", inline=True, lean=True)
def below(rng: Generator, n: int) -> int:
    """A random whole number from 0 to n - 1."""
    return (draw(rng) * n) >> 32


@compiled("float64(uint64[::1])", inline=True, lean=True)
def chance(rng: Generator) -> float:
    """A random number of at least 0 and less than 1."""
    return draw(rng) * (1.0 / 4294967296.0)


@compiled("int64(uint64[::1], int64)", inline=True, lean=True)
def any_of(rng: Generator, bits: int) -> int:
    """The place of a random card of a set that is not empty."""
    return kth(bits, below(rng, count(bits)))

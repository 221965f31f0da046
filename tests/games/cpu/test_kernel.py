"""The primitives of the compiled search against plain Python."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from games.cpu import kernel
from games.cpu.kernel import ALL, CARD, PLACE, any_of, below, bits_of, cards_of, chance, count, draw, generator
from games.rules.cards import DECK

ROOT = Path(__file__).resolve().parents[3]

#: Prints what a process gets for fixed draws, and whether it uses pdep and keeps what it compiled.
PROBE = """
from games.cpu import kernel
rng = kernel.generator(5)
places = [kernel.any_of(rng, kernel.ALL) for _ in range(200)]
print(kernel.HAS_PDEP, kernel.CACHED, places)
"""


@kernel.compiled("int64(int64)")
def counted(bits: int) -> int:
    return count(bits)


@kernel.compiled("int64(int64)")
def lowest_of(bits: int) -> int:
    return kernel.lowest(bits)


def sets(number: int = 500) -> list[int]:
    rng = random.Random(3)
    return [bits_of(rng.sample(DECK, rng.randint(1, 52))) for _ in range(number)]


def test_cards_and_places_are_the_same_thing() -> None:
    assert bits_of(DECK) == ALL
    assert cards_of(ALL) == DECK
    assert [CARD[PLACE[card]] for card in DECK] == list(DECK)


def test_bits_are_counted_and_found() -> None:
    for bits in sets():
        places = [place for place in range(64) if bits >> place & 1]
        assert counted(bits) == len(places)
        assert (lowest_of(bits), kernel.highest(bits)) == (places[0], places[-1])
        for k, place in enumerate(places):
            assert kernel.kth(bits, k) == place
            assert kernel.kth_bit(bits, k) == kernel.kth_bit_by_loop(bits, k) == 1 << place


def test_chance_is_even_and_the_same_for_a_seed() -> None:
    rng, again = generator(1), generator(1)
    drawn = [below(rng, 10) for _ in range(20_000)]
    assert drawn == [below(again, 10) for _ in range(20_000)]
    assert all(1800 < drawn.count(number) < 2200 for number in range(10))
    assert 0.48 < sum(chance(rng) for _ in range(10_000)) / 10_000 < 0.52
    assert draw(generator(1)) != draw(generator(2))
    bits = bits_of(("2C", "QS", "AH"))
    assert {CARD[any_of(rng, bits)] for _ in range(200)} == {"2C", "QS", "AH"}


def probed(**environment: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROBE],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    return done.stdout.split(maxsplit=2)


def test_without_the_fast_instruction_and_without_a_cache_the_results_are_the_same(tmp_path: Path) -> None:
    plain = probed(NUMBA_CPU_NAME="generic", NUMBA_CACHE_DIR=str(tmp_path))
    blocked = tmp_path / "a file"
    blocked.write_text("in the way")
    uncached = probed(NUMBA_CACHE_DIR=str(blocked))
    assert plain[:2] == ["False", "True"]
    assert uncached[:2] == [str(kernel.HAS_PDEP), "False"]
    assert plain[2] == uncached[2]


def test_what_was_compiled_is_kept_on_disk() -> None:
    assert kernel.FOLDER is not None
    assert any(kernel.FOLDER.rglob("*.nbi"))


def test_what_is_damaged_on_disk_is_compiled_again_and_kept(tmp_path: Path) -> None:
    """As after a full disk or a loss of power: files cut short, empty, of something else, or gone."""
    whole = probed(NUMBA_CACHE_DIR=str(tmp_path))
    indexes, codes = sorted(tmp_path.rglob("*.nbi")), sorted(tmp_path.rglob("*.nbc"))
    assert len(indexes) > 6
    for number, path in enumerate(indexes):
        if number % 3 < 2:
            path.write_bytes((b"", b"something else")[number % 3])
    for number, path in enumerate(codes):
        if number % 2:
            path.write_bytes(path.read_bytes()[:50])
        else:
            path.unlink()
    assert probed(NUMBA_CACHE_DIR=str(tmp_path)) == whole
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")}
    assert probed(NUMBA_CACHE_DIR=str(tmp_path)) == whole
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")} == kept


def test_what_was_compiled_at_install_serves_a_user_who_may_not_write_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package, home = tmp_path / "package", tmp_path / "home"
    package.mkdir()
    (package / "kernel.py").write_text("")
    monkeypatch.setattr(kernel, "__file__", str(package / "kernel.py"))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("HOME", str(home))
    installed = kernel._cache_folder()
    assert installed is not None
    assert installed.is_relative_to(package)
    (installed / "a.nbi").write_text("compiled")
    monkeypatch.setattr("os.access", lambda path, mode: not Path(path).is_relative_to(package))
    own = kernel._cache_folder()
    assert own is not None
    assert own.is_relative_to(home)
    assert (own / "a.nbi").read_text() == "compiled"


def test_a_user_without_a_home_compiles_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", nobody)
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    assert kernel._bases(tmp_path) == [tmp_path / "__pycache__"]


def test_what_the_experts_have_loaded_is_no_work_for_the_collector_of_garbage() -> None:
    program = """
import gc
from games.kinds import cpu
cpu.warm()
print(gc.get_freeze_count() > 100_000, len(gc.get_objects()) < 1_000)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=300, check=True
    )
    assert done.stdout.split() == ["True", "True"]

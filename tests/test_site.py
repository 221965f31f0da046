"""What holds for the project as a whole: directions of imports, lock files, no trace of one person's machine."""

import ast
import fnmatch
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from games.kinds import KINDS

PROJECT = Path(__file__).resolve().parent.parent
RUNTIME_LOCK = PROJECT / "config/requirements.lock"
DEV_LOCK = PROJECT / "config/requirements-dev.lock"
NODE_LOCK = PROJECT / "config/requirements-node.lock"
LOCKS = ["runtime", "dev", "node"]

# What these may import beyond the standard library. The entry with the longest name that fits a module counts.
TYPES = ("pydantic", "pydantic_core", "typing_extensions")
COMPILED = ("numba", "llvmlite", "numpy")
PURE = {
    "games.rules": ("games.rules",),
    "games.cpu": ("games.cpu", "games.rules", *COMPILED),
    "games.rulebook": ("games.rulebook", "games.rules", "django.utils.translation"),
    "games.kinds": ("games.kinds", "games.cpu", "games.rules", *COMPILED),
    "games.kinds.traits": ("typing_extensions",),
    "games.kinds.words": ("games.kinds", "games.rules", "django.utils.translation"),
    "games.kinds.rulebook": ("games.kinds", "games.rulebook", "games.rules"),
    **{
        f"games.kinds.{kind}.rulebook": ("games.kinds", "games.rulebook", "games.rules", "django.utils.translation")
        for kind in KINDS
    },
    "games.kinds.kind": ("games.kinds", "games.verify.kind", "games.cpu", "games.rules"),
    "games.kinds.faults": ("games.kinds", "games.verify", "games.rules"),
    "games.kinds.checks": ("games.kinds", "games.verify"),
    **{f"games.kinds.{kind}.check": ("games.verify",) for kind in KINDS},
    "games.verify": ("games.verify",),
    "games.codes.deals": ("games.verify", "games.kinds", "games.rules"),
    "games.guides": (
        "games.guides",
        "games.kinds",
        "games.rulebook",
        "games.rules",
        "games.verify",
        "django.utils.translation",
    ),
    "games.programs": ("games.codes.deals", "games.cpu", "games.kinds", "games.rules"),
    "games.histories.records": (
        *("games.histories.records", "games.kinds", "games.log.positions", "games.rules"),
        *("games.shapes", *TYPES),
    ),
    "games.histories.replays": (
        *("games.log.positions", "games.rules", "games.shapes", "games.tables.told"),
        *TYPES,
    ),
    "games.log.positions": ("games.rules",),
    "games.log.names": (),
    "games.log.refusals": (),
    "games.daily.days": (),
    "games.statistics.chances": (),
    "games.statistics.tallies": ("games.log.positions", "games.rules"),
    "games.tables.phrases": ("games.rules",),
    "games.shapes": ("games.rules.lines", *TYPES),
    "games.tables.told": ("games.kinds", "games.rules", "games.shapes", *TYPES),
    "games.tables.protocol": (
        *("games.rules", "games.log.positions", "games.log.refusals"),
        *("games.shapes", "games.tables.phrases", "games.tables.told", *TYPES),
    ),
    "games.parties.protocol": ("games.cpu", "games.shapes", "games.tables.told", *TYPES),
    "ladder.rating.formula": (),
    "ladder.rating.leaving": (),
    "ladder.rating.standing": ("ladder.rating.formula",),
    "ladder.queue.windows": (),
    "ladder.shipped": (),
}

# In pieces, so that this file itself is clean.
REGISTRIES = ("pypi" + r"\.org", "python" + "hosted", "node" + r"js\.org", "yarn" + r"pkg\.com", "debian" + r"\.org")
PERSONAL_PATH = r"(?<![\w./~-])/(?:home|root|work|Users)/\w"


def files_of_the_project() -> Iterator[Path]:
    """Every file but those that .gitignore names."""
    lines = (PROJECT / ".gitignore").read_text().splitlines()
    ignored = re.compile("|".join(fnmatch.translate(line.rstrip("/")) for line in [".git", *lines] if line))
    for folder, names, files in os.walk(PROJECT):
        names[:] = [name for name in names if not ignored.match(name)]
        yield from (Path(folder, name) for name in files if not ignored.match(name))


def test_import_contracts_hold() -> None:
    code = "from importlinter.cli import lint_imports_command as run; run()"
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(PROJECT).with_suffix("").parts).removesuffix(".__init__")


def imports_of(path: Path) -> Iterator[str]:
    """Absolute names of what a module imports anywhere in its text."""
    package = module_name(path).split(".") if path.name == "__init__.py" else module_name(path).split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = (
                [*package[: len(package) - node.level + 1], *filter(None, [node.module])]
                if node.level
                else [node.module]
            )
            # `from games import deals` may name a module: each full name is judged.
            yield from (".".join([*map(str, base), alias.name]) for alias in node.names)


def is_within(name: str, parent: str) -> bool:
    return name == parent or name.startswith(f"{parent}.")


def pure_candidates() -> Iterator[Path]:
    yield from PROJECT.glob("games/**/*.py")
    yield from PROJECT.glob("ladder/**/*.py")


def test_pure_modules_import_the_standard_library_and_what_is_listed() -> None:
    strangers = []
    for path in pure_candidates():
        entries = [entry for entry in PURE if is_within(module_name(path), entry)]
        for name in imports_of(path) if entries else ():
            allowed = PURE[max(entries, key=len)]
            if name.split(".")[0] not in sys.stdlib_module_names and not any(
                is_within(name, parent) for parent in allowed
            ):
                strangers.append(f"{module_name(path)} imports {name}")
    assert strangers == []


def test_migrations_import_nothing_of_the_product() -> None:
    """What they do is for ever the same, whatever becomes of the code: a migration holds what it needs itself."""
    found = sorted(PROJECT.glob("[a-z]*/**/migrations/*.py"))
    assert len(found) > 20
    allowed = sys.stdlib_module_names - {"importlib"} | {"django", "psycopg"}
    strangers = [
        f"{module_name(path)} imports {name}"
        for path in found
        for name in imports_of(path)
        if name.split(".")[0] not in allowed
    ]
    assert strangers == []


def test_every_pure_module_exists() -> None:
    modules = {module_name(path) for path in pure_candidates()}
    assert set(PURE) <= modules


def test_no_file_holds_a_registry_or_a_personal_path() -> None:
    pattern = re.compile("|".join([*REGISTRIES, PERSONAL_PATH]))
    found = []
    for path in files_of_the_project():
        for number, line in enumerate(path.read_text(errors="ignore").splitlines(), 1):
            if match := pattern.search(line):
                found.append(f"{path.relative_to(PROJECT)}:{number}: {match[0]}")
    assert found == []


def pins_of(lock: Path) -> dict[str, list[Requirement]]:
    """Requirements by canonical name; several where they differ by platform."""
    pins: dict[str, list[Requirement]] = {}
    for line in lock.read_text().splitlines():
        if line and not line.startswith((" ", "#")):
            requirement = Requirement(line.removesuffix("\\"))
            pins.setdefault(canonicalize_name(requirement.name), []).append(requirement)
    return pins


def named_dependencies(lists: str) -> list[Requirement]:
    document = tomllib.loads((PROJECT / "pyproject.toml").read_text())
    known = {"runtime": document["project"]["dependencies"], **document["dependency-groups"]}
    return [Requirement(text) for name in lists.split() for text in known[name]]


@pytest.mark.parametrize(
    ("lock", "lists"), [(RUNTIME_LOCK, "runtime"), (DEV_LOCK, "runtime dev"), (NODE_LOCK, "node")], ids=LOCKS
)
def test_locks_pin_every_dependency_within_its_range(lock: Path, lists: str) -> None:
    pins = pins_of(lock)
    for named in named_dependencies(lists):
        pinned = pins.get(canonicalize_name(named.name), [])
        assert pinned, f"{named.name} is not in {lock.name}: run `make lock`"
        for requirement in pinned:
            (exact,) = requirement.specifier
            assert exact.operator == "=="
            assert exact.version in named.specifier, f"{requirement} does not fit {named}: run `make lock`"


@pytest.mark.parametrize("lock", [RUNTIME_LOCK, DEV_LOCK, NODE_LOCK], ids=LOCKS)
def test_locks_hold_pins_and_hashes_only(lock: Path) -> None:
    text = lock.read_text()
    lines = [line.strip() for line in text.splitlines() if not line.strip().startswith("#")]
    kinds = re.compile(r"[a-z0-9-]+==\S+( ; .+)? \\|--hash=sha256:[0-9a-f]{64}( \\)?")
    assert [line for line in lines if not kinds.fullmatch(line)] == []
    assert text.count("==") <= text.count("--hash=sha256:")


def test_the_dev_lock_contains_the_runtime_lock() -> None:
    dev = pins_of(DEV_LOCK)
    assert {name: pins for name, pins in pins_of(RUNTIME_LOCK).items() if dev.get(name) != pins} == {}


def test_every_variable_of_the_settings_is_documented() -> None:
    names = set(
        re.findall(r'(?:environ\.get|_flag|_list|_number)\("(\w+)"', (PROJECT / "config/settings.py").read_text())
    )
    assert names == set(re.findall(r"^\| `([A-Z_]+)` \|", (PROJECT / "config/README.md").read_text(), re.MULTILINE))
    assert names == set(re.findall(r"^#([A-Z_]+)=", (PROJECT / ".env.example").read_text(), re.MULTILINE))

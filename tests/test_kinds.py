"""A game lives in its folder: nothing outside of `games/kinds/` knows it by name."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from games.kinds import KINDS

PROJECT = Path(__file__).resolve().parent.parent
PACKAGES = ("accounts", "config", "games", "ladder")
#: Folders of what only one game has, and of the history of the database.
OWN = ("games/kinds", "games/static/games/kinds", "migrations")
#: What names a kind as data, by the path of the file.
DATA = {
    "ladder/shipped.py": "the list of ladders that the site is shipped with",
}
#: A suit may have the name of a game, where cards are put into words.
SUITS = re.compile(r'gettext\("(?:clubs|diamonds|hearts|spades)"\)')


def sources(*suffixes: str) -> list[Path]:
    """The files outside of the folders of games."""
    folders = [*(PROJECT / package for package in PACKAGES), PROJECT / "templates"]
    found = [path for folder in folders for path in sorted(folder.rglob("*")) if path.suffix in suffixes]
    return [path for path in found if not is_known(path)]


def is_known(path: Path) -> bool:
    name = path.relative_to(PROJECT).as_posix()
    return name in DATA or any(f"{folder}/" in name for folder in OWN)


def names_in_python(source: str) -> list[int]:
    """The lines with a text that is the name of a kind, or what it is called: compared, looked up, a key, an argument,
    whatever it is for; and those that import from its folder."""
    words = [word for kind in KINDS.values() for word in (kind.name, kind.label)]
    folders = tuple(f"games.kinds.{name}." for name in KINDS)
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and node.value in words:
            found.append(node.lineno)
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}." for alias in node.names]
            found += [node.lineno for name in names if name.startswith(folders)]
        elif isinstance(node, ast.Import):
            found += [node.lineno for alias in node.names if f"{alias.name}.".startswith(folders)]
    return found


def names_in_text(source: str) -> list[int]:
    """The lines in which a template, a script or a style has the name of a kind, or what it is called."""
    words = "|".join(re.escape(word) for kind in KINDS.values() for word in (kind.name, kind.label))
    named = re.compile(rf"(?<![A-Za-z])(?:{words})(?![A-Za-z])")
    bare = SUITS.sub("", source)
    return [bare.count("\n", 0, found.start()) + 1 for found in named.finditer(bare)]


def test_no_file_outside_the_kinds_compares_the_name_of_a_kind() -> None:
    wrong = [
        f"{path.relative_to(PROJECT)}:{line}" for path in sources(".py") for line in names_in_python(path.read_text())
    ]
    assert wrong == []


def test_no_template_script_or_style_outside_the_kinds_names_a_kind() -> None:
    files = sources(".html", ".txt", ".js", ".css")
    assert {path.suffix for path in files} >= {".html", ".js", ".css"}
    wrong = [f"{path.relative_to(PROJECT)}:{line}" for path in files for line in names_in_text(path.read_text())]
    assert wrong == []


@pytest.mark.parametrize("name", [*DATA])
def test_a_file_that_may_name_a_kind_is_there_and_does(name: str) -> None:
    source = (PROJECT / name).read_text()
    assert names_in_python(source) if name.endswith(".py") else names_in_text(source)


@pytest.mark.parametrize(
    "source",
    [
        'if kind == "hearts": pass',
        'kind in ("spades", other)',
        'words = {"spades": 1}',
        'match kind:\n    case "hearts":\n        pass',
        'TABLE["hearts"]',
        'f(kind="spades")',
        'kind.label == "Spades"',
        "from games.kinds.spades import SPADES",
        "from games.kinds import hearts",
        "import games.kinds.hearts.rules",
    ],
)
def test_a_name_is_found_in_python(source: str) -> None:
    assert names_in_python(source)


@pytest.mark.parametrize(
    "source",
    [
        '{% if kind == "spades" %}',
        '{% translate "Continue Hearts" %}',
        'boot.kind === "hearts"',
        "const WORDS = { spades: 1 };",
        "count.hearts(won)",
        '[data-kind="spades"] { }',
        ".kind-hearts { }",
    ],
)
def test_a_name_is_found_in_other_files(source: str) -> None:
    assert names_in_text(source)


def test_the_names_of_suits_are_no_names_of_games() -> None:
    assert names_in_text('H: () => gettext("hearts"),') == []

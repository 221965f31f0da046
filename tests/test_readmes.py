"""What the README files say is so: files, modules, targets, commands and links that they name exist, examples run.

Commands are found in blocks of code and in spans that begin with the name of a program. Of those that take long, or run
until they are stopped (`make`, the benches), it is tested that they exist and know the options that stand behind them.
"""

from __future__ import annotations

import importlib
import io
import pkgutil
import random
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command, get_commands, load_command_class
from django.test import Client
from django.urls import get_resolver

from config.celery import app as celery
from games import models
from games.histories import records
from games.log import services
from tests import factories
from tests.games.finished import played
from tests.ladder.finished import SHORT, finish, ranked
from tests.test_site import files_of_the_project

PROJECT = Path(__file__).resolve().parent.parent
#: Folders of the site's code, and of what is known about it.
TOP = ("accounts", "config", "games", "ladder", "templates", "tests", ".github")
DOCUMENTS = [path for folder in (PROJECT, PROJECT / ".github") for path in sorted(folder.glob("*.md"))]
DOCUMENTS += [path for top in TOP if top != ".github" for path in sorted((PROJECT / top).rglob("*.md"))]
FILES = list(files_of_the_project())
EACH_DOCUMENT = pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(PROJECT).as_posix())

#: Files that are named and lie in no checkout: made by a start of the site, by a reader, or served by the site.
MADE = re.compile(r"(\./)?\.data(/.*)?|\.venv(/.*)?|\.env|/?verify\.py|[\w-]+\.jsonl?|(record|games?)\.txt|FILE|FOLDER")
SUFFIXES = r"py|js|css|html|md|npy|po|mo|toml|lock|yml|yaml|gz|sql|txt|example"
PROGRAMS = ("make", "python", ".venv/bin/python", "manage.py", "curl")


# --- reading ----------------------------------------------------------------------------------------------------------


def blocks_of(text: str) -> Iterator[tuple[str, str]]:
    """Language and content of each block of code; one that is indented has the language ""."""
    yield from re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    for block in re.findall(r"(?:\A|\n)\n((?:    .*\n)+)", text):
        yield "", re.sub("^    ", "", block, flags=re.MULTILINE)


def prose_of(text: str) -> str:
    """The text without blocks of code."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"^    .*$", "", text, flags=re.MULTILINE)


def spans_of(text: str) -> list[str]:
    """What stands between backquotes in a text, broken lines put together."""
    return [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", prose_of(text))]


def commands_of(text: str) -> Iterator[list[str]]:
    """Every command, as words. What a block explains behind three spaces or a sign # is no part of it."""
    lines = [span for span in spans_of(text) if " " in span]
    for _, block in blocks_of(text):
        lines += block.replace("\\\n", " ").splitlines()
    for line in lines:
        plain = re.split(r"\s{3,}|\s#\s|\s[|>]\s", line.strip())[0].strip("()")
        plain = re.sub(r"\[[^\]]*\]", lambda optional: optional[0][1:-1], plain)
        for part in re.split(r"\s&&\s", plain):
            if part.split(" ")[0] in PROGRAMS:
                yield shlex.split(part)


@dataclass(frozen=True)
class Said:
    """A command that a document has."""

    document: str
    words: tuple[str, ...]


SAID = sorted(
    {
        Said(path.relative_to(PROJECT).as_posix(), tuple(words))
        for path in DOCUMENTS
        for words in commands_of(path.read_text("utf-8"))
    },
    key=lambda said: (said.document, said.words),
)


def is_of_the_site(said: Said) -> bool:
    """Whether it is one of Django's commands that asks for nothing and ends by itself."""
    words = said.words[1:]
    if said.words[0] == "make":
        words = tuple(shlex.split(word.removeprefix("ARGS="))[0] for word in words[1:]) if words[0] == "manage" else ()
    return bool(words) and words[0] not in ("createsuperuser", "play", "shell")


def of_program(*names: str, chosen: Callable[[Said], bool] = bool) -> Any:
    """A test for each command of these programs."""
    return pytest.mark.parametrize(
        "said",
        [said for said in SAID if said.words[0] in names and chosen(said)],
        ids=lambda said: f"{said.document}: {' '.join(said.words)}",
    )


# --- what is named exists ---------------------------------------------------------------------------------------------


def is_there(name: str, document: Path) -> bool:
    """Whether a file or folder is there: as seen from the project or the document, or by its name alone below it.

    Pages in .github/ are about the whole project.
    """
    around = PROJECT if document.parent.name == ".github" else document.parent
    if MADE.fullmatch(name):
        return True
    if "*" in name or "<" in name:
        pattern = re.sub(r"<\w+>", "*", name).rstrip("/")
        return any(PROJECT.glob(pattern)) or any(document.parent.glob(pattern))
    if (PROJECT / name).exists() or (document.parent / name).exists():
        return True
    return "/" not in name.rstrip("/") and any(
        name.rstrip("/") in file.relative_to(around).parts for file in FILES if file.is_relative_to(around)
    )


def addresses() -> set[str]:
    """The fixed end of every address of the site, such as `send-away/`."""

    def walk(patterns: Any) -> Iterator[str]:
        for pattern in patterns:
            yield str(pattern.pattern)
            yield from walk(getattr(pattern, "url_patterns", ()))

    return {f"{part}/" for route in walk(get_resolver().url_patterns) for part in route.split("/") if part}


@EACH_DOCUMENT
def test_every_file_and_folder_that_is_named_exists(path: Path) -> None:
    known = addresses()
    missing = []
    for span in spans_of(path.read_text("utf-8")):
        is_file = re.fullmatch(rf"[\w./*<>-]+\.({SUFFIXES})", span) and not span.startswith("/")
        is_folder = re.fullmatch(r"[\w.*<>-][\w./*<>-]*/", span) and span not in known
        if (is_file or is_folder) and not is_there(span, path):
            missing.append(span)
    assert missing == []


@EACH_DOCUMENT
def test_every_name_with_dots_is_a_module_something_in_one_or_a_task(path: Path) -> None:
    celery.loader.import_default_modules()
    unknown = []
    for span in spans_of(path.read_text("utf-8")):
        if not re.fullmatch(r"(accounts|config|games|ladder|tests)(\.\w+)+(\(\))?", span) or span.endswith(
            (".x", ".py")
        ):
            continue
        name = span.removesuffix("()")
        try:
            pkgutil.resolve_name(name)
        except (ImportError, AttributeError):
            if name not in celery.tasks and not is_there(name, path):
                unknown.append(name)
    assert unknown == []


@EACH_DOCUMENT
def test_every_link_leads_to_a_file_and_to_a_heading(path: Path) -> None:
    dead = []
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", prose_of(path.read_text("utf-8")))):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        is_dead = not file.exists() or not file.is_relative_to(PROJECT)
        if is_dead or (anchor and anchor not in anchors_of(file)):
            dead.append(target)
    assert dead == []


def anchors_of(path: Path) -> set[str]:
    """The anchors of a document's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```$", "", path.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    titles = [re.sub(r"[`*]", "", title) for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE)]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_document_is_a_readme_or_known_to_github() -> None:
    names = {path.name for path in DOCUMENTS}
    assert names <= {"README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"}


# --- commands ---------------------------------------------------------------------------------------------------------


@of_program("make")
def test_every_target_and_variable_of_make_exists(said: Said) -> None:
    makefile = (PROJECT / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z][a-z-]*):", makefile, re.MULTILINE))
    variables = set(re.findall(r"^([A-Z_]+) [:?]?=", makefile, re.MULTILINE)) | {"ARGS", "PORT", "UPGRADE", "CHROMIUM"}
    for word in said.words[1:]:
        name, is_variable, value = word.partition("=")
        if not is_variable:
            assert name in targets
            continue
        assert name in variables, f"make knows no {name}"
        if name == "ARGS" and said.words[1] == "manage":
            hold_to_the_command(shlex.split(value))


@of_program("python", ".venv/bin/python", "manage.py")
def test_every_module_and_option_of_python_exists(said: Said) -> None:
    words = list(said.words)
    if words[0] == "manage.py":
        hold_to_the_command(words[1:])
        return
    words = words[1:]
    if words[:2] == ["-m", "cProfile"]:  # which takes another module behind its own options
        words = words[words.index("-m", 2) :]
    if words[0] == "manage.py":
        hold_to_the_command(words[1:])
        return
    if words[0] != "-m":
        assert is_there(words[0], PROJECT / said.document)
        return
    module, arguments = words[1], words[2:]
    found = importlib.util.find_spec(module)
    assert found is not None, f"there is no module {module}"
    if module.split(".")[0] in TOP:
        file = f"{module}.__main__" if found.submodule_search_locations else module
        hold_to_the_program(file, arguments)
    elif module == "pytest":
        for test in [word for word in arguments if word.startswith("tests/")]:
            hold_to_the_test(test, arguments[arguments.index("-k") + 1] if "-k" in arguments else "")


def hold_to_the_program(module: str, arguments: list[str]) -> None:
    """Every option has to stand in the text of the module, or in that of the one which it runs."""
    text = text_of(module)
    for called in re.findall(r'run_module\("([\w.]+)"', text):
        text += text_of(called)
    assert [word for word in arguments if word.startswith("--") and f'"{word}"' not in text] == []


def text_of(module: str) -> str:
    found = importlib.util.find_spec(module)
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).read_text()


def hold_to_the_command(words: list[str]) -> None:
    """The command has to exist and to take what stands behind it."""
    app = get_commands()[words[0]]
    command = load_command_class(app, words[0]) if isinstance(app, str) else app
    arguments = ["1" if word in ("ID", "N") else word for word in words[1:] if word != "…"]
    command.create_parser("manage.py", words[0]).parse_args(arguments)


def hold_to_the_test(name: str, word: str) -> None:
    file, _, test = name.partition("::")
    assert (PROJECT / file).exists()
    if test or word:
        assert re.search(rf"def {test}\(" if test else rf"def test_\w*{word}", (PROJECT / file).read_text())


# --- examples ---------------------------------------------------------------------------------------------------------


EXAMPLES = [
    (path.relative_to(PROJECT).as_posix(), block)
    for path in DOCUMENTS
    for language, block in blocks_of(path.read_text("utf-8"))
    if language == "python"
]


@pytest.mark.parametrize(("document", "example"), EXAMPLES, ids=[document for document, _ in EXAMPLES])
def test_every_example_in_python_runs(
    document: str, example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_record(tmp_path).rename(tmp_path / "game.json")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    with redirect_stdout(io.StringIO()):
        exec(compile(example, document, "exec"), names)


def test_the_example_of_a_cpu_player_gets_a_card_or_a_pass() -> None:
    (example,) = [block for document, block in EXAMPLES if document == "games/cpu/README.md"]
    names: dict[str, Any] = {}
    exec(compile(example, "games/cpu/README.md", "exec"), names)
    assert names["action"].kind == "pass"
    assert len(names["action"].cards) == 3


def a_record(folder: Path) -> Path:
    """A file with a finished game."""
    file = folder / "record.json"
    file.write_bytes(records.to_bytes(played()))
    return file


def test_the_programs_of_the_check_do_what_their_readme_says(tmp_path: Path) -> None:
    file = a_record(tmp_path)
    alone = tmp_path / "verify.py"
    built = subprocess.run(
        [sys.executable, "-m", "games.verify.build"], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    alone.write_text(built.stdout)
    for command in ([str(alone), str(file)], ["-m", "games.verify", str(file)]):
        done = subprocess.run([sys.executable, *command], cwd=PROJECT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.startswith("OK")


@pytest.mark.django_db
@of_program("curl")
def test_the_read_api_answers_every_example(said: Said) -> None:
    game = ranked([factories.user(is_guest=False) for _ in range(4)])
    (address,) = [word for word in said.words[1:] if word.startswith("http")]
    path = re.sub(r"/games/\d+", f"/games/{game.pk}", address.partition("//")[2].partition("/")[2])
    answer = Client().get(f"/{path}")
    assert answer.status_code == 200, answer.content


@pytest.mark.django_db
@of_program("make", "manage.py", chosen=is_of_the_site)
def test_every_command_of_the_site_runs(said: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = list(said.words[1:])
    if said.words[0] == "make":
        words = shlex.split(words[1].removeprefix("ARGS="))
    game = finished_game()
    monkeypatch.chdir(tmp_path)
    presets = io.StringIO()
    call_command("presets", "export", stdout=presets)
    (tmp_path / "presets.json").write_text(presets.getvalue())
    a_record(tmp_path).rename(tmp_path / "game.json")
    given = {"ID": str(game.pk), "17": str(game.pk), "N": "5", "…": None}
    given["FILE"] = "presets.json" if words[:2] == ["presets", "import"] else "game.json"
    if words[:2] == ["check_histories", "--after"]:
        given["16"] = str(game.pk - 1)
    if "--state" in words:
        given["FILE"] = "state.json"
    if words[0] == "export_game":
        given["FILE"] = "exported.json"
    arguments = [each for word in words[1:] if (each := given.get(word, word)) is not None]
    status: Any = 0
    try:
        call_command(words[0], *arguments, stdout=io.StringIO(), stderr=io.StringIO())
    except SystemExit as end:
        status = end.code
    assert not status


def finished_game() -> models.Game:
    """A finished game that everybody may see."""
    seats: list[Any] = [factories.user(), "normal", "normal", "normal"]
    game = services.open_game(kind="hearts", seats=seats, options=SHORT["hearts"])
    factories.deal(game.pk)
    finish(game, lambda deal, seat: "player", random.Random(3))
    return models.Game.objects.get(pk=game.pk)

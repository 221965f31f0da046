"""Puts the one file together that checks games anywhere: `verify.py`, which needs Python and nothing else.

    python -m games.verify.build > verify.py

It is the modules of this folder, each without its imports from the others, in the order in which they need each other,
then those of the kinds, then the command. Nothing is imported for that but this module: what counts are the sources.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
PACKAGE = "games.verify"
KINDS = FOLDER.parent / "kinds"
#: Where the order begins: what this module needs comes before it, and it needs all but what the kinds alone use.
LAST = "command"
BASE = "Check"  # of a kind's class
WIDTH = 120

HEAD = '''\
"""Whether the deals of an exported game are what they have to be. One file, standard library only.

    python verify.py record.json

prints one line and ends with status 0 if every deal follows from the secret that was committed to (or, in a game
without one, from its game code); with 1 and a line for each fault if not; with 2 if the file cannot be read. The file
is JSON or the text notation, and may have many games: then there is a line for each. It needs neither the site nor the
rest of its source, of which it is made: the modules that are named below, one after another.

It also goes through the log: every pass, bid and card is one that the rules of the table allow there, with the hands
that packs and passes gave, and the scores that are counted lead to the result of the game.
"""
'''

FOOT = """\
CHECKS: Checks = {
%s}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], CHECKS))
"""


class Unfit(ValueError):
    """A module cannot be part of the one file; the message names it and says why."""


@dataclass
class Part:
    """A module without its imports. `needs`: the modules of the package that it imports from."""

    name: str
    about: str
    body: str
    modules: set[str] = field(default_factory=set)  # of the standard library, imported as they are
    names: dict[str, set[str]] = field(default_factory=dict)  # of the standard library, by module
    needs: list[str] = field(default_factory=list)
    defined: list[str] = field(default_factory=list)
    classes: list[str] = field(default_factory=list)  # those that extend BASE


def files_of_the_kinds() -> dict[str, Path]:
    """The check of every kind in `games/kinds/`, by the kind's name."""
    return {file.parent.name: file for file in sorted(KINDS.glob("*/check.py"))}


def source(kinds: Mapping[str, Path]) -> str:
    """The text of the one file. `kinds`: by name the file with the class of each. Raises Unfit."""
    checks = {name: part_of(file, f"games/kinds/{name}/{file.name}") for name, file in kinds.items()}
    for part in checks.values():
        if len(part.classes) != 1:
            raise Unfit(f"{part.name} must have one class that extends {BASE}, but has {len(part.classes)}.")
    parts = [*modules([LAST, *(need for part in checks.values() for need in part.needs)])]
    parts[-1:-1] = checks.values()  # the command stays the last
    _refuse_doubles(parts)
    listed = "".join(f'    "{name}": {part.classes[0]},\n' for name, part in checks.items())
    return "\n".join([HEAD, _imports(parts), *map(_section, parts), FOOT % listed])


def modules(names: list[str]) -> list[Part]:
    """The modules of this folder with these names and all that they need, each after those it needs."""
    found: dict[str, Part] = {}

    def visit(name: str) -> None:
        if name in found:
            return
        part = part_of(FOLDER / f"{name}.py", f"games/verify/{name}.py")
        for need in part.needs:
            visit(need)
        found[name] = part

    for name in names:
        visit(name)
    return sorted(found.values(), key=lambda part: part.name.endswith(f"/{LAST}.py"))


def part_of(file: Path, name: str) -> Part:
    """A module as a part of the file. Raises Unfit."""
    text = file.read_text(encoding="utf-8")
    tree = ast.parse(text)
    lines = text.splitlines()
    part = Part(name, about=ast.get_docstring(tree) or "", body="")
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    dropped = [*imports, *(tree.body[:1] if part.about else [])]
    for node in tree.body:
        if isinstance(node, ast.Import):
            part.modules |= {_plain(alias, name) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            _note_names(part, node)
        else:
            part.defined += _defined(node)
        if isinstance(node, ast.ClassDef) and BASE in [base.id for base in node.bases if isinstance(base, ast.Name)]:
            part.classes.append(node.name)
    if sum(isinstance(inner, ast.Import | ast.ImportFrom) for inner in ast.walk(tree)) > len(imports):
        raise Unfit(f"{name} imports inside a function or a condition.")
    gone = {line for node in dropped for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    part.body = "\n".join(line for number, line in enumerate(lines, 1) if number not in gone).strip("\n")
    return part


def _plain(alias: ast.alias, name: str) -> str:
    if alias.asname is not None or not _is_standard(alias.name):
        raise Unfit(f"{name} imports {alias.name}; modules of the standard library can be, under their own name.")
    return alias.name


def _note_names(part: Part, node: ast.ImportFrom) -> None:
    module = node.module or ""
    if any(alias.asname is not None for alias in node.names):
        raise Unfit(f"{part.name} imports from {module} under another name.")
    if module.startswith(f"{PACKAGE}.") and node.level == 0:
        part.needs.append(module.removeprefix(f"{PACKAGE}."))
    elif _is_standard(module) and node.level == 0:
        part.names.setdefault(module, set()).update(alias.name for alias in node.names)
    else:
        raise Unfit(f"{part.name} imports from {module or 'its folder'}, which the one file does not have.")


def _is_standard(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names


def _defined(node: ast.stmt) -> Iterator[str]:
    """The names that a statement of a module gives to something."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name))


def _refuse_doubles(parts: list[Part]) -> None:
    """Raises Unfit where two modules give a name to two things: in one file the second would hide the first."""
    first = {"CHECKS": "the end of the file"}
    for part in parts:
        for name in part.defined:
            if first.setdefault(name, part.name) != part.name:
                raise Unfit(f"{first[name]} and {part.name} both define {name}.")


def _imports(parts: list[Part]) -> str:
    """What the parts import from the standard library, in the order in which the project sorts imports."""
    names: dict[str, set[str]] = {}
    for part in parts:
        for module, some in part.names.items():
            names.setdefault(module, set()).update(some)
    future = names.pop("__future__", set())
    lines = [f"from __future__ import {', '.join(sorted(future))}", ""] if future else []
    lines += [f"import {module}" for module in sorted(set().union({"sys"}, *(part.modules for part in parts)))]
    lines += [f"from {module} import {', '.join(sorted(some, key=_rank))}" for module, some in sorted(names.items())]
    return "\n".join(lines) + "\n"


def _rank(name: str) -> tuple[int, str]:
    """Constants first, then classes, then functions."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name


def _section(part: Part) -> str:
    """A module under a line with its name and, as a comment, what it says of itself."""
    about = [f"# {line}".rstrip() for line in part.about.splitlines()]
    gap = [""] * (2 if part.body.startswith(("def ", "class ", "@")) else 1)
    return "\n".join([f"# --- {part.name} ".ljust(WIDTH, "-"), "#", *about, *gap, part.body, "", ""])


def main() -> int:
    """Prints the file."""
    sys.stdout.write(source(files_of_the_kinds()))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The Japanese texts: what is marked for translation, the catalogues under config/locale, and their compiled form.

    python -m config.catalogues update    brings the catalogues up to the sources; translate what it names after that
    python -m config.catalogues compile   what Django reads, written where it is missing or old
    python -m config.catalogues check     every fault, one a line

It takes the place of `makemessages` and `compilemessages`, which need the gettext programs. English needs no catalogue:
the texts in the sources are English.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from pathlib import Path
from tokenize import TokenError

from babel.messages import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import PoFileError, generate_po, read_po
from django.utils.translation.template import templatize

PROJECT = Path(__file__).resolve().parent.parent
FOLDER = PROJECT / "config/locale/ja/LC_MESSAGES"
DOMAINS = ("django", "djangojs")

HEADER = """\
# The terms are in config/locale/README.md. `make texts` writes this file again: comments that start with "# " stay.
msgid ""
msgstr ""
"Language: ja\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: nplurals=1; plural=0;\\n"

"""

FUNCTIONS = ("gettext", "ngettext", "pgettext", "npgettext")
LAZY = {f"{name}_lazy": DEFAULT_KEYWORDS[name] for name in FUNCTIONS}
KEYWORDS = {
    "python": {"_": None, "gettext_noop": None, "pgettext_noop": DEFAULT_KEYWORDS["pgettext"]}
    | LAZY
    | {name: DEFAULT_KEYWORDS[name] for name in FUNCTIONS},
    "javascript": {name: DEFAULT_KEYWORDS[name] for name in FUNCTIONS},
}

PLACEHOLDER = re.compile(r"%\(\w+\)[a-z]|%[a-z%]")


class CatalogueError(Exception):
    """The catalogues cannot be read, made or written. The message is one line for the person at the terminal."""


def sources(domain: str) -> Iterator[Path]:
    """The files with texts of a domain, in a fixed order: every package of the site but the tests, and templates."""
    packages = sorted(init.parent for init in PROJECT.glob("*/__init__.py") if init.parent.name != "tests")
    if domain == "djangojs":
        for package in packages:
            yield from sorted((package / "static").rglob("*.js"))
        return
    for package in packages:
        yield from sorted(path for path in package.rglob("*.py") if "migrations" not in path.parts)
    for folder in (*[package / "templates" for package in packages], PROJECT / "templates"):
        yield from sorted(path for path in folder.rglob("*") if path.suffix in (".html", ".txt"))


def extracted(domain: str) -> Catalog:
    """Every text of a domain that the sources mark for translation, without Japanese."""
    catalog = Catalog()
    for path in sources(domain):
        name = path.relative_to(PROJECT).as_posix()
        try:
            for line, text, comments, context in _texts(path):
                catalog.add(text, locations=[(name, line)], auto_comments=comments, context=context)
        except (SyntaxError, TokenError, ValueError) as error:
            raise CatalogueError(f"{name}: {error}") from error
    return catalog


def _texts(path: Path) -> Iterable[tuple[int, str | tuple[str, ...], list[str], str | None]]:
    text, language = path.read_text("utf-8"), "python"
    if path.suffix == ".js":
        language = "javascript"
    elif path.suffix != ".py":
        # Within brackets the tokenizer does not mind that a page is indented otherwise than Python.
        text = f"({templatize(text, origin=str(path))}\n)"
    options = {"jsx": False, "parse_template_string": True}
    return extract(language, BytesIO(text.encode()), KEYWORDS[language], ("Translators:",), options)


def stored(domain: str) -> Catalog:
    """The catalogue as its file has it; empty if there is none."""
    path = FOLDER / f"{domain}.po"
    if not path.exists():
        return Catalog(locale="ja")
    try:
        with path.open("rb") as file:
            return read_po(file, locale="ja", abort_invalid=True)
    except (PoFileError, ValueError) as error:
        raise CatalogueError(f"{path.name}: {error}") from error


def merged(domain: str) -> tuple[Catalog, list[str]]:
    """The catalogue as `update` writes it: texts of the sources, Japanese of the file. And the texts that it drops."""
    catalog = stored(domain)
    catalog.update(extracted(domain), no_fuzzy_matching=True)
    return catalog, [_name(message) for message in catalog.obsolete.values()]


def po_text(catalog: Catalog) -> str:
    """A catalogue as text. It names files but no lines, so that it changes only where a text does."""
    return HEADER + "".join(generate_po(catalog, ignore_obsolete=True, include_lineno=False, omit_header=True, width=0))


def update() -> list[str]:
    """Writes the catalogues anew. Returns what there is to tell: counts, and every text that needs Japanese."""
    told = []
    for domain in DOMAINS:
        catalog, dropped = merged(domain)
        _write(FOLDER / f"{domain}.po", po_text(catalog).encode())
        open_texts = [_name(message) for message in _messages(catalog) if not _is_translated(message)]
        told.append(f"{domain}.po: {len(_messages(catalog))} texts, {len(dropped)} dropped, {len(open_texts)} open")
        told += [f"{domain}.po: no Japanese for {text}" for text in open_texts]
    return told


def compile_all() -> list[Path]:
    """Writes the files that Django reads, where the catalogue is newer. Returns those that were written."""
    written = []
    for domain in DOMAINS:
        po, mo = FOLDER / f"{domain}.po", FOLDER / f"{domain}.mo"
        if not po.exists():
            raise CatalogueError(f"{po.name} is missing: run `make texts`.")
        if mo.exists() and mo.stat().st_mtime_ns > po.stat().st_mtime_ns:
            continue
        buffer = BytesIO()
        write_mo(buffer, stored(domain))
        _write(mo, buffer.getvalue())
        written.append(mo)
    return written


def faults() -> list[str]:
    """Everything that is wrong with the catalogues, one line each; empty if they are complete."""
    found = []
    for domain in DOMAINS:
        path = FOLDER / f"{domain}.po"
        catalog = stored(domain)
        found += [f"{domain}.po: obsolete: {_name(message)}" for message in catalog.obsolete.values()]
        for message in _messages(catalog):
            found += [f"{domain}.po: {fault}: {_name(message)}" for fault in _faults_of(message)]
        if not path.exists() or path.read_text("utf-8") != po_text(merged(domain)[0]):
            found.append(f"{domain}.po is not what the sources say: run `make texts`")
    return found


def _faults_of(message: Message) -> Iterator[str]:
    if not _is_translated(message):
        yield "no Japanese"
        return
    if message.fuzzy:
        yield "fuzzy"
    english = message.id if isinstance(message.id, str) else message.id[-1]
    for japanese in _strings(message):
        if set(PLACEHOLDER.findall(japanese)) != set(PLACEHOLDER.findall(english)):
            yield "other placeholders"


def _messages(catalog: Catalog) -> list[Message]:
    return [message for message in catalog if message.id]  # the header has an empty id


def _strings(message: Message) -> tuple[str, ...]:
    if isinstance(message.string, str):
        return (message.string,)
    return tuple(message.string or ("",))


def _is_translated(message: Message) -> bool:
    return all(_strings(message))


def _name(message: Message) -> str:
    text = message.id if isinstance(message.id, str) else message.id[0]
    return f'"{text}"'


def _write(path: Path, content: bytes) -> None:
    """All or nothing: another process may read or write the same file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    Path(name).chmod(0o644)  # mkstemp keeps its files from other accounts
    Path(name).replace(path)


def _compile() -> list[str]:
    return [f"Compiled {path.name}" for path in compile_all()]


COMMANDS: dict[str, Callable[[], list[str]]] = {"update": update, "compile": _compile, "check": faults}


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0] not in COMMANDS:
        sys.stderr.write(f"usage: python -m config.catalogues {'|'.join(COMMANDS)}\n")
        return 2
    try:
        lines = COMMANDS[arguments[0]]()
    except CatalogueError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except OSError as error:
        sys.stderr.write(f"{error.filename}: {error.strerror}\n")
        return 1
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 1 if arguments[0] == "check" and lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What a page of the rulebook is made of: sections of blocks, in the reader's language, without any markup.

One template shows every page; a test reads the same blocks and compares them with what the engine does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Plain text. A `quiet` one is an aside."""

    shape: ClassVar[str] = "paragraph"
    text: str
    quiet: bool = False

    def texts(self) -> Iterator[str]:
        yield self.text


@dataclass(frozen=True, slots=True)
class Items:
    """A list; `ordered` where one thing comes after the other."""

    shape: ClassVar[str] = "items"
    items: tuple[str, ...]
    ordered: bool = False

    def texts(self) -> Iterator[str]:
        yield from self.items


@dataclass(frozen=True, slots=True)
class Table:
    """A table whose first column names its rows. `name` is for whoever looks for it; `caption` is shown."""

    shape: ClassVar[str] = "table"
    name: str
    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    figures: int = 0  # the first column of figures; 0 where there are none

    def texts(self) -> Iterator[str]:
        yield self.caption
        yield from self.head
        for row in self.rows:
            yield from row


@dataclass(frozen=True, slots=True)
class Example:
    """A worked example: what is given, what the engine made of it, and what that means."""

    shape: ClassVar[str] = "example"
    name: str
    title: str
    given: str
    table: Table
    meaning: str

    def texts(self) -> Iterator[str]:
        yield from (self.title, self.given, self.meaning)
        yield from self.table.texts()


@dataclass(frozen=True, slots=True)
class Terms:
    """Words and what they mean."""

    shape: ClassVar[str] = "terms"
    terms: tuple[tuple[str, str], ...]

    def texts(self) -> Iterator[str]:
        for term in self.terms:
            yield from term


@dataclass(frozen=True, slots=True)
class Keys:
    """Keys of the keyboard and what they do."""

    shape: ClassVar[str] = "keys"
    keys: tuple[tuple[tuple[str, ...], str], ...]

    def texts(self) -> Iterator[str]:
        for _, does in self.keys:
            yield does


@dataclass(frozen=True, slots=True)
class Questions:
    """Questions with their answers; search engines are told of them in the same words."""

    shape: ClassVar[str] = "questions"
    questions: tuple[tuple[str, str], ...]

    def texts(self) -> Iterator[str]:
        for question in self.questions:
            yield from question


@dataclass(frozen=True, slots=True)
class Download:
    """A link to a file of the site. `to` is the name of its address."""

    shape: ClassVar[str] = "download"
    to: str
    text: str

    def texts(self) -> Iterator[str]:
        yield self.text


@dataclass(frozen=True, slots=True)
class LocalRule:
    """One option at this table: its value, the default, and what else there is."""

    name: str
    label: str
    effect: str
    value: str
    default: str
    others: tuple[str, ...]
    about: str
    differs: bool
    inert: bool  # does nothing at these numbers of players


@dataclass(frozen=True, slots=True)
class LocalRules:
    """The table of every option of the kind."""

    shape: ClassVar[str] = "local_rules"
    rules: tuple[LocalRule, ...]

    def texts(self) -> Iterator[str]:
        for rule in self.rules:
            yield from (rule.label, rule.effect, rule.value, rule.default, *rule.others, rule.about)


Block = Paragraph | Items | Table | Example | Terms | Keys | Questions | Download | LocalRules


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page with a heading; `id` is its address within the page."""

    id: str
    title: str
    blocks: tuple[Block, ...]

    def texts(self) -> Iterator[str]:
        yield self.title
        for block in self.blocks:
            yield from block.texts()


@dataclass(frozen=True, slots=True)
class Page:
    """A page. `facts` are what its sentences and tables were drawn from, for tests and programs."""

    title: str
    description: str  # one or two sentences, for search engines and lists
    lead: str
    sections: tuple[Section, ...]
    facts: dict[str, object] = field(default_factory=dict)

    def texts(self) -> Iterator[str]:
        """Everything the page says, in order."""
        yield from (self.title, self.description, self.lead)
        for section in self.sections:
            yield from section.texts()

    def section(self, id: str) -> Section:  # noqa: A002 - the word of the page itself
        """A section by its id."""
        return next(section for section in self.sections if section.id == id)

    def table(self, name: str) -> Table:
        """A table by its name, those of examples included."""
        for block in self.blocks():
            found = block.table if isinstance(block, Example) else block
            if isinstance(found, Table) and found.name == name:
                return found
        raise KeyError(name)

    def blocks(self) -> Iterator[Block]:
        """All blocks, in order."""
        for section in self.sections:
            yield from section.blocks

    def questions(self) -> tuple[tuple[str, str], ...]:
        """All questions of the page."""
        return tuple(q for block in self.blocks() if isinstance(block, Questions) for q in block.questions)

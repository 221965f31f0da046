"""Texts: the Japanese catalogues are complete, every code has a sentence, and no page mixes the languages."""

from __future__ import annotations

import ast
import inspect
import json
import re
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
from babel.messages import Message
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse
from django.utils import translation

from config import catalogues
from games.cpu import LEVELS
from games.guides.pages import guides
from games.kinds import KINDS, options_for
from games.kinds.preset import Preset
from games.kinds.rulebook import rules_page, sentences_of
from games.kinds.words import level_name
from games.log import refusals
from games.presets import services as preset_store
from games.presets.selectors import chips
from games.presets.shipped import shipped_presets
from games.rules import refusals as rules_refusals
from games.rules.state import PHASES, REASONS
from games.tables import phrases
from ladder import after_migrate

PROJECT = Path(__file__).resolve().parent.parent
RULES = PROJECT / "games/rules"
STATIC = PROJECT / "games/static/games"

#: Names of keys and things that Japanese writes as English does.
NAMES = {"CPU", "Moonshot", "English", "OK", "JSON", "SHA", "https", "verify", "py"}
NAMES |= {"Esc", "Enter", "Space", "Shift", "Page", "Up", "Down", "Home", "End"}
NAMES |= {"KMX", "PD"}  # an example of a party's code
NAMES |= {"UTF", "MB"}
NAMES |= {"Players", "Start", "Places", "Scores", "open", "skip", "blind", "yes", "no", "null"}  # of the notation
NAMES |= {"ASCII", "GF", "HMAC", "Python"}
WORD = re.compile(r"[A-Za-z]{2,}")
JAPANESE = re.compile(r"[぀-ヿ一-鿿]")

PYTHON_FUNCTIONS = set(catalogues.KEYWORDS["python"])
JS_CALL = re.compile(r"\bn?p?gettext\(")
JS_LITERAL = re.compile(r'\s*"((?:[^"\\\n]|\\.)*)"\s*([,)])')


def messages(domain: str) -> list[Message]:
    return [message for message in catalogues.stored(domain) if message.id]


def first_id(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def japanese_of(message: Message) -> str:
    return message.string if isinstance(message.string, str) else (message.string or ("",))[0]


def english_in(text: str) -> list[str]:
    bare = re.sub(r"<[^>]*>", "", catalogues.PLACEHOLDER.sub("", text))
    return [word for word in WORD.findall(bare) if word not in NAMES]


def files(domain: str, suffix: str) -> list[Path]:
    found = [path for path in catalogues.sources(domain) if path.suffix == suffix]
    assert found, f"no {suffix} files: has a folder moved?"
    return found


def place(path: Path, text: str, at: int) -> str:
    line = text.count("\n", 0, at) + 1
    return f"{path.relative_to(PROJECT)}:{line}"


# --- the catalogues ---------------------------------------------------------------------------------------------------


def test_the_catalogues_are_complete_and_as_the_sources_say() -> None:
    """No text is missing, fuzzy or obsolete, no placeholder differs, and `make texts` would change nothing."""
    assert catalogues.faults() == []


@pytest.mark.parametrize("domain", catalogues.DOMAINS)
def test_translations_are_japanese(domain: str) -> None:
    english = [japanese_of(message) for message in messages(domain) if english_in(japanese_of(message))]
    assert english == []
    copied = [message.id for message in messages(domain) if WORD.search(first_id(message)) == japanese_of(message)]
    assert copied == []


def test_cards_and_suits_are_named_in_japanese() -> None:
    by_id = {first_id(message): japanese_of(message) for message in messages("djangojs")}
    assert [by_id[suit] for suit in ("clubs", "diamonds", "hearts", "spades")] == [
        "クラブ",
        "ダイヤ",
        "ハート",
        "スペード",
    ]
    courts = {"jack": "ジャック", "queen": "クイーン", "king": "キング", "ace": "エース"}
    assert {name: by_id[name] for name in courts} == courts
    numbers = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    assert [by_id[name] for name in numbers] == [str(number) for number in range(2, 11)]
    assert by_id["%(rank)s of %(suit)s"] == "%(suit)sの%(rank)s"


def test_options_and_presets_are_shown_in_japanese() -> None:
    """Texts that are marked in one place and translated in another arrive there."""
    with translation.override("ja"):
        for preset in shipped_presets():
            shown = [translation.gettext(preset.name), translation.gettext(preset.note)]
            for chip in chips(preset.kind, dict(preset.options)):
                shown += [chip.label, chip.title]
            assert [text for text in shown if english_in(text) or not JAPANESE.search(text)] == []
        for kind in KINDS:
            for option in options_for(kind, {}).declared():
                shown = [translation.gettext(text) for text in (option.label, option.effect, option.about, option.fits)]
                assert [text for text in shown if english_in(text) or not JAPANESE.search(text)] == []


# --- how texts are written in the sources -----------------------------------------------------------------------------


def calls_in(tree: ast.AST) -> Iterator[tuple[ast.Call, list[ast.expr]]]:
    """Calls of a translation function, each with its arguments that are texts."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (name := function_of(node)):
            count = 1 + name.startswith("n") + ("pgettext" in name)
            yield node, node.args[:count]


def function_of(node: ast.AST) -> str:
    """The name of the translation function that is called here, or an empty string."""
    if not isinstance(node, ast.Call):
        return ""
    name = getattr(node.func, "id", None) or getattr(node.func, "attr", "")
    return name if name in PYTHON_FUNCTIONS else ""


def test_texts_in_python_are_single_literals_and_all_are_extracted() -> None:
    extracted = list(catalogues.extracted("django"))
    known = {text for m in extracted for text in ((m.id,) if isinstance(m.id, str) else m.id)}
    known |= {m.context for m in extracted if m.context}
    wrong = []
    for path in files("django", ".py"):
        tree = ast.parse(path.read_text())
        for call, texts in calls_in(tree):
            where = f"{path.relative_to(PROJECT)}:{call.lineno}"
            # A name is fine: the text was marked where it was written, and is translated here.
            wrong += [where for text in texts if isinstance(text, ast.JoinedStr | ast.BinOp | ast.Call)]
            wrong += [f"{where} is not extracted" for text in texts if is_unknown(text, known)]
        for node in ast.walk(tree):
            parts = [node.left, node.right] if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) else []
            parts += [value.value for value in getattr(node, "values", []) if isinstance(value, ast.FormattedValue)]
            wrong += [f"{path.relative_to(PROJECT)}:{part.lineno}" for part in parts if function_of(part)]
    assert wrong == []


def is_unknown(text: ast.expr, known: set[str]) -> bool:
    return isinstance(text, ast.Constant) and text.value not in known


def test_texts_in_javascript_are_single_literals_and_all_are_extracted() -> None:
    known = {text for m in catalogues.extracted("djangojs") for text in ((m.id,) if isinstance(m.id, str) else m.id)}
    wrong = []
    for path in files("djangojs", ".js"):
        source = path.read_text()
        for call in JS_CALL.finditer(source):
            where = place(path, source, call.start())
            texts, at = [], call.end()
            while argument := JS_LITERAL.match(source, at):
                texts.append(json.loads(f'"{argument[1]}"'))
                at = argument.end()
            is_plural, before, after = call[0].startswith("n"), source[: call.start()].rstrip(), source[at:].lstrip()
            if len(texts) != 1 + is_plural + ("pgettext" in call[0]):
                wrong.append(f"{where} has other arguments than literals")
            elif before.endswith(("+", "${")) or (not is_plural and after.startswith("+")):
                wrong.append(f"{where} is part of a longer sentence")
            wrong += [f"{where} is not extracted" for text in texts if text not in known]
    assert wrong == []


def test_no_text_in_javascript_is_left_unmarked() -> None:
    shown = re.compile(
        r"""(?:\b(?:text|title|label|placeholder|alt)|"aria-label"|textContent)\s*[:=]\s*["'`]([^"'`]*)"""
    )
    wrong = []
    for path in files("djangojs", ".js"):
        source = path.read_text()
        wrong += [f"{place(path, source, m.start())}: {m[1]}" for m in shown.finditer(source) if WORD.search(m[1])]
    assert wrong == []


def test_no_text_in_templates_is_left_unmarked() -> None:
    wrong = []
    for path in files("django", ".html"):
        # Tags and variables go first, since they may stand inside of attributes; marked blocks go with what they hold.
        source = re.sub(r"{% blocktranslate.*?{% endblocktranslate %}", "", path.read_text(), flags=re.DOTALL)
        source = re.sub(r"{% block \w*class %}[^{]*|{#.*?#}|{%.*?%}|{{.*?}}", "", source, flags=re.DOTALL)
        wrong += [f"{path.relative_to(PROJECT)}: {text}" for text in Shown.of(source) if english_in(text)]
    assert wrong == []


# --- codes and their sentences ----------------------------------------------------------------------------------------


def keys_of(file: str, table: str) -> set[str]:
    """The keys of an object in a JavaScript module."""
    (path,) = STATIC.glob(f"*/{file}")
    source = path.read_text()
    found = re.search(rf"^(?:export )?const {table} = {{\n(.*?)^}};", source, re.MULTILINE | re.DOTALL)
    assert found, f"{file} has no table {table}"
    return set(re.findall(r"^  (\w+)(?=[:(])", found[1], re.MULTILINE))


def literals_in(path: Path, function: str, argument: int) -> set[str]:
    """The texts that a function is given as this argument anywhere in a file."""
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    given = [call.args[argument] for call in calls if isinstance(call.func, ast.Name) and call.func.id == function]
    return {text.value for text in given if isinstance(text, ast.Constant) and isinstance(text.value, str)}


def test_every_refusal_has_a_sentence() -> None:
    """Of every game, or of the one game whose rules refuse that; none has two."""
    shared = keys_of("text.js", "REFUSALS")
    own = [code for kind in KINDS.values() for code in kind.words.refusals(kind.options())]
    assert shared | {*own} == {*rules_refusals.CODES, *refusals.CODES}
    assert not shared & {*own}


def test_every_event_has_a_sentence() -> None:
    told_by_the_site = {"stand_in", "back", "outage", "void"}
    assert keys_of("story.js", "SENTENCES") == literals_in(RULES / "view.py", "Event", 0) | told_by_the_site


def test_every_phase_has_a_prompt() -> None:
    asking = set(PHASES) - {"open", "deal", "over"}
    assert keys_of("prompt.js", "ASKED") == asking
    assert keys_of("prompt.js", "WAITING") == asking


def test_every_line_of_a_score_and_every_end_has_words() -> None:
    for kind in KINDS.values():
        lines = literals_in(Path(inspect.getfile(kind.rules)), "Line", 1)
        nils = {"nil", "failed_nil", "blind_nil", "failed_blind_nil"} if kind.words.nil else set()
        assert set(kind.words.lines) == lines | nils
    assert keys_of("sheet.js", "REASONS") == set(REASONS)


def test_every_direction_of_the_pass_has_words() -> None:
    assert keys_of("text.js", "DIRECTIONS") == {"left", "right", "across", "opponent", "hold"}


def test_every_level_of_computer_players_has_a_name_on_pages_and_in_scripts() -> None:
    assert keys_of("text.js", "LEVELS") == {*LEVELS}
    assert all(level_name(level) != level for level in LEVELS)


# --- pages ------------------------------------------------------------------------------------------------------------


class Shown(HTMLParser):
    """What a page shows or says, in text and in attributes; without scripts, and parts in a language of their own."""

    VOID = frozenset({"br", "hr", "img", "input", "link", "meta", "path", "circle", "rect", "use", "source"})
    SPOKEN = ("aria-label", "title", "alt", "placeholder")

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.hidden: list[str] = []  # open elements, from the first one that is not looked at

    @classmethod
    def of(cls, page: str) -> list[str]:
        parser = cls()
        parser.feed(page)
        parser.close()
        return [text for text in map(str.strip, parser.texts) if text]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        foreign = "lang" in found and tag != "html"
        if (self.hidden or foreign or tag in ("script", "style", "code", "kbd")) and tag not in self.VOID:
            self.hidden.append(tag)
        if self.hidden:
            return
        self.texts += [found[name] for name in self.SPOKEN if name in found]
        if found.get("name") == "description":
            self.texts.append(found["content"])

    def handle_endtag(self, tag: str) -> None:
        if self.hidden and self.hidden[-1] == tag:
            self.hidden.pop()

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.texts.append(data)


def page(client: Client, address: str, language: str, status: int = 200) -> str:
    response = client.get(address, headers={"accept-language": language})
    assert response.status_code == status
    return response.content.decode()


def start(client: Client, kind: str, language: str) -> str:
    preset_store.sync_shipped()  # tests of other folders delete them
    after_migrate.sync_shipped()
    response = client.post(reverse("play", args=[kind]), headers={"accept-language": language})
    assert response.status_code == 302
    return response["location"]


def rulebook_addresses(language: str) -> list[str]:
    """Every page of the rulebook that does not hang on what the database holds, and one that does."""
    return [f"/{language}/rules/", *(f"/{language}/guide/{name}/" for name in guides())]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", KINDS)
def test_pages_in_japanese_hold_no_english(client: Client, kind: str) -> None:
    table = start(client, kind, "ja")
    pages = [page(client, "/", "ja"), page(client, table, "ja"), page(client, "/nowhere/", "ja", 404)]
    pages += [page(client, address, "ja") for address in rulebook_addresses("ja")]
    with translation.override("ja"):
        pages += [render_to_string("403.html"), render_to_string("500.html")]
    for text in [text for content in pages for text in Shown.of(content)]:
        assert english_in(text) == [], text
    boot = re.search(r'<script id="boot"[^>]*>(.*?)</script>', pages[1])
    assert boot
    told = json.loads(boot[1])
    shown = [*told["names"], *[text for chip in told["chips"] for text in chip.values()]]
    assert [text for text in shown if english_in(text)] == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", KINDS)
def test_pages_in_english_hold_no_japanese(client: Client, kind: str) -> None:
    table = start(client, kind, "en")
    pages = [page(client, "/", "en"), page(client, table, "en"), page(client, "/nowhere/", "en", 404)]
    for content in [*pages, *(page(client, address, "en") for address in rulebook_addresses("en"))]:
        assert [text for text in Shown.of(content) if JAPANESE.search(text)] == []


@pytest.mark.parametrize("preset", shipped_presets(), ids=lambda preset: preset.slug)
def test_rules_of_every_preset_are_wholly_in_one_language(preset: Preset) -> None:
    for language, stray in (("ja", english_in), ("en", JAPANESE.findall)):
        with translation.override(language):
            found = rules_page(preset.kind, preset.players, preset.options, choices=preset.choices)
            assert [text for text in found.texts() if stray(text)] == []


def test_every_rule_of_the_rulebook_has_its_japanese() -> None:
    with translation.override("ja"):
        for kind, sentences in ((kind, sentences_of(kind)) for kind in KINDS):
            told = [translation.gettext(text) for values in sentences.values() for text in values.values()]
            assert [text for text in told if english_in(text) or not JAPANESE.search(text)] == [], kind


@pytest.mark.django_db
def test_the_language_follows_the_browser_and_then_the_switch(client: Client) -> None:
    assert '<html lang="ja">' in page(client, "/", "ja")
    assert '<html lang="en">' in page(client, "/", "fr")
    client.post(reverse("set_language"), {"language": "en", "next": "/"}, headers={"accept-language": "ja"})
    assert '<html lang="en">' in page(client, "/", "ja")


def test_the_browser_gets_its_texts_in_japanese(client: Client) -> None:
    sent = page(client, reverse("js_catalog"), "ja")
    assert {"対局が終わりました。", "スペード"} <= set(re.findall(r'"([^"\n]*)"', unquote(json_text(sent))))


def json_text(source: str) -> str:
    """JavaScript with its \\u escapes written out."""
    return re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), source)


# --- the tool ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Catalogues of the tool's own, the same as the shipped ones."""
    for domain in catalogues.DOMAINS:
        shutil.copy(catalogues.FOLDER / f"{domain}.po", tmp_path)
    monkeypatch.setattr(catalogues, "FOLDER", tmp_path)
    return tmp_path


def test_compile_writes_only_what_is_out_of_date(copies: Path) -> None:
    assert [path.name for path in catalogues.compile_all()] == ["django.mo", "djangojs.mo"]
    assert catalogues.compile_all() == []
    (copies / "djangojs.po").touch()
    assert [path.name for path in catalogues.compile_all()] == ["djangojs.mo"]


def test_update_keeps_translations_and_drops_what_is_gone(copies: Path) -> None:
    shipped = (copies / "django.po").read_text()
    gone = '\n#: games/gone.py\nmsgid "Gone"\nmsgstr "消えた文"\n\n#~ msgid "Long gone"\n#~ msgstr "古い文"\n'
    (copies / "django.po").write_text(shipped + gone)
    assert any("obsolete" in fault for fault in catalogues.faults())
    assert "2 dropped, 0 open" in catalogues.update()[0]
    assert (copies / "django.po").read_text() == shipped


def test_faults_are_found(copies: Path) -> None:
    file = copies / "django.po"
    shipped = file.read_text()
    for old, new, fault in (
        ('msgstr "ゲスト%(number)s"', 'msgstr "ゲスト"', 'other placeholders: "Guest %(number)s"'),
        ('msgstr "ハーツ"', 'msgstr ""', 'no Japanese: "Hearts"'),
        ('msgid "Hearts"', '#, fuzzy\nmsgid "Hearts"', 'fuzzy: "Hearts"'),
        ('msgid "Hearts"', 'msgid "Heart"', "not what the sources say"),
    ):
        file.write_text(shipped.replace(old, new))
        assert any(fault in found for found in catalogues.faults())


def test_a_new_text_is_named_and_not_guessed(copies: Path) -> None:
    file = copies / "django.po"
    file.write_text(file.read_text().replace('msgid "Breaking hearts"', 'msgid "Breaking heart"'))
    assert 'django.po: no Japanese for "Breaking hearts"' in catalogues.update()
    assert "fuzzy" not in file.read_text()


def test_errors_are_one_line(copies: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert catalogues.main(["extract"]) == 2
    (copies / "django.po").write_text('msgid "Hearts\n')
    assert catalogues.main(["compile"]) == 1
    (copies / "django.po").unlink()
    assert catalogues.main(["compile"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    assert lines[1].startswith("django.po: ")
    assert lines[2] == "django.po is missing: run `make texts`."


def test_what_players_say_shares_no_text_with_the_options() -> None:
    """One English text has one translation, and "No" to a question is another word than "No" of an option."""
    values = {value.label for kind in KINDS for option in options_for(kind, {}).declared() for value in option.values}
    assert not values & {phrase.text for phrase in phrases.PHRASES}
    with translation.override("ja"):
        assert [translation.gettext(text) for text in ("Yes", "No")] == ["はい", "いいえ"]

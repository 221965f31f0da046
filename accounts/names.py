"""Display names: what may be one, and when two look alike.

A name is text in NFKC, of one script (or the usual mixes of Japanese, Chinese and Korean), without anything invisible.
Two names with the same `skeleton` are taken for each other, so only one of them may be had. The skeleton follows the
idea of Unicode's UTS 39 with a table of its own: the letters of the scripts allowed here that look like another, not
all of Unicode's thousands. Scripts that are mostly look-alikes of Latin (Cherokee, Coptic, Lisu …) are not allowed.

Unicode's own list does not do instead: of the 125 pairs here it has 59 (by the package confusable_homoglyphs 3.3). It
takes н, м and т for small capitals, not for the letters that a reader of Latin sees, and of kana it has few. Besides,
the keys that are stored with users follow this table.
"""

from __future__ import annotations

import re
import unicodedata

SHORTEST = 2  # or one kanji
LONGEST = 20
#: More than any name that fits can have before NFKC; longer text is not even looked at.
LONGEST_RAW = 80

#: Scripts by how Unicode's character names begin. Common signs (digits, ー) have none.
SCRIPTS = (
    "LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "GEORGIAN", "HEBREW", "ARABIC", "DEVANAGARI", "BENGALI", "TAMIL", "THAI",
    "HANGUL", "HIRAGANA", "KATAKANA", "CJK", "BOPOMOFO",
)  # fmt: skip
#: What is written together; all else is of one script.
MIXES = (
    frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "CJK", "HANGUL"}),
    frozenset({"LATIN", "CJK", "BOPOMOFO"}),
)
#: Signs without a script that may stand in a name.
COMMON = frozenset(" -_.'・ー々〆ヶヵ〇")
#: Marks that may follow one letter; more are a drawing.
MOST_MARKS = 2

#: What looks like what, as pairs of a character and its double.
_PAIRS = (
    # Cyrillic
    "аa вb еe зz ѕs іi јj кk мm нh оo рp сc тt уy үy хx ԁd һh ԛq ԝw ьb гr пn бb ӏl ԍg ѵv ґr эe ԋh ѡw шw",
    # Greek
    "αa βb γy εe ζz ηn ιi κk μu νv οo ρp σo τt υu χx ωw ϲc ϳj",
    # Armenian
    "օo սu հh ոn զq ցg քp լl յj աw",
    # Latin beyond a to z
    "ɑa ɡg ıi ȷj łl øo đd ħh ŧt ŋn ɩi ʟl ɴn ʀr ʙb ʜh ɪi ɢg ƅb ƽs ʋu ɯw ɛe ɔc əe ǝe ƙk ɓb ɗd ƒf ʏy ꞵb",
    # digits
    "0o 1l il",
    # kana and kanji
    "ロ口 カ力 ニ二 エ工 タ夕 ハ八 ト卜 へヘ べベ ぺペ りリ ー一 ミ三 ノ丿 オ才 チ千 メ乂 ヌ又 ム厶",
    "セ七 ヶケ ヵカ 〇o ヱエ 囗口 未末 土士 曰日",
)
_LOOKS_LIKE = {pair[0]: pair[1] for row in _PAIRS for pair in row.split()}
#: Letters that together look like one.
_TOGETHER = (("rn", "m"), ("vv", "w"), ("cl", "d"))

#: Nobody may have a name that looks like one of these, and of the second lot not even a part of it.
_RESERVED = (
    *("mod", "moderator", "staff", "system", "support", "root", "official", "owner", "help", "server", "anonymous"),
    *("deleted", "null", "none", "me", "you", "everyone", "dealer", "bot", "host"),
    *("スタッフ", "システム", "ディーラー", "匿名"),
)
_RESERVED_PARTS = ("moonshot", "admin", "運営", "公式", "管理人", "管理者", "退会した", "former player")
#: Names that the site gives: to guests and to CPUs.
_RESERVED_STARTS = ("guest", "ゲスト", "cpu", "コンピュータ")


class BadName(Exception):
    """A name that nobody may have; `code` says why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def clean(raw: str) -> str:
    """The name as it is stored. Raises BadName."""
    if len(raw) > LONGEST_RAW:
        raise BadName("too_long")
    name = unicodedata.normalize("NFKC", raw)
    name = re.sub(r" +", " ", name).strip(" ")
    if len(name) > LONGEST:
        raise BadName("too_long")
    if len(name) < SHORTEST and not (name and _script(name) == "CJK"):
        raise BadName("too_short")
    if not all(_may_stand(char) for char in name) or _has_heaps_of_marks(name):
        raise BadName("characters")
    if not any(char.isalpha() for char in name):
        raise BadName("letters")
    scripts = {script for script in map(_script, name) if script}
    if len(scripts) > 1 and not any(scripts <= mix for mix in MIXES):
        raise BadName("mixed")
    if _is_reserved(skeleton(name)):
        raise BadName("reserved")
    return name


def skeleton(name: str) -> str:
    """What a name looks like: equal for names that are easily taken for each other."""
    text = unicodedata.normalize("NFKC", name).casefold()
    text = unicodedata.normalize("NFD", text)
    text = "".join(char for char in text if not "\u0300" <= char <= "\u036f")  # accents, but not the marks of kana
    text = unicodedata.normalize("NFC", text)
    text = "".join(_look(char) for char in text if char.isalnum() or char in _LOOKS_LIKE)
    for letters, one in _TOGETHER:
        text = text.replace(letters, one)
    return text


def _look(char: str) -> str:
    """What a character looks like, step by step: і, i and 1 all look like l."""
    for _ in range(3):
        if char not in _LOOKS_LIKE:
            break
        char = _LOOKS_LIKE[char]
    return char


def _may_stand(char: str) -> bool:
    if char in COMMON:
        return True
    category = unicodedata.category(char)
    if category == "Nd":
        return char.isascii()
    if category in ("Mn", "Mc"):
        return _script(char) is not None or char in "\u3099\u309a" or "\u0300" <= char <= "\u036f"
    return category[0] == "L" and _script(char) is not None


def _script(char: str) -> str | None:
    """The script of a letter; None for a sign that is common to several, or of a script that is not allowed."""
    if char in COMMON:
        return None
    name = unicodedata.name(char, "")
    return next((script for script in SCRIPTS if name.startswith(f"{script} ")), None)


def _has_heaps_of_marks(name: str) -> bool:
    run = 0
    for char in name:
        run = run + 1 if unicodedata.category(char) in ("Mn", "Mc") else 0
        if run > MOST_MARKS:
            return True
    return unicodedata.category(name[0]) in ("Mn", "Mc")


_reserved_keys = frozenset(skeleton(name) for name in _RESERVED)
_reserved_parts = tuple(skeleton(part) for part in _RESERVED_PARTS)
_reserved_starts = tuple(skeleton(start) for start in _RESERVED_STARTS)


def _is_reserved(key: str) -> bool:
    return (
        not key
        or key in _reserved_keys
        or any(part in key for part in _reserved_parts)
        or key.startswith(_reserved_starts)
    )

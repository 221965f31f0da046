"""Display names: what may be one, and which are taken for each other."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounts import names

WELCOME = [
    "Rosalind",
    "さくら",
    "サクラ",
    "桜",
    "雀士ロン",
    "José",
    "Раул",
    "Ωμέγα",
    "李小龍",
    "김철수",
    "สมชาย",
    "गौरव",
    "O'Neill",
    "x-y_z.9",
    "がんばれー",
]


@pytest.mark.parametrize("name", [*WELCOME, "田中 Taro"])
def test_names_of_many_languages_are_welcome(name: str) -> None:
    assert names.clean(name) == name


REFUSED = {
    "too_short": ["", "a", "   a   ", "あ"],
    # The last is a character of which NFKC makes eighteen.
    "too_long": ["x" * 21, "x" * 1_000_000, "ﷺ" * 3],
    "characters": [
        *("ab\u200bcd", "ab\u202ecd", "ab\x00cd", "ab\ncd", "ab🃏", "<script>", "a@b", "٣٤ab", "ᎪᎠᎷ", "ab\ue000"),
        *("a\u0334\u0335\u0336b", "\u0301ab"),
    ],
    "letters": ["2468", "- _ ."],
    "mixed": ["Pаul", "Ρaul", "さくrа", "김さくら"],
    "reserved": [
        *("admin", "Adm1n", "a d m i n", "ＡＤＭＩＮ", "Moonsh0t", "運営チーム", "Guest 1234", "ゲスト7", "CPU 2"),
        "Former player 3",
    ],
}


@pytest.mark.parametrize(("code", "name"), [(code, name) for code, found in REFUSED.items() for name in found])
def test_names_that_deceive_or_hide_are_refused_with_a_reason(code: str, name: str) -> None:
    with pytest.raises(names.BadName) as refused:
        names.clean(name)
    assert refused.value.code == code


ALIKE = [
    *("Paul PAUL", "Paul Ｐａｕｌ", "Ivan lvan", "Ivan 1van", "Bob B0b", "José Jose", "modern modem", "x_y x.y"),
    *("сосо coco", "οχο oxo", "ヘルプ へルプ", "ロン 口ン", "ニコ 二コ", "カイ 力イ", "ﾛﾝ ロン", "ß ss", "ſun sun"),
]


@pytest.mark.parametrize("pair", ALIKE)
def test_names_that_look_alike_are_one(pair: str) -> None:
    one, other = pair.split()
    assert names.skeleton(one) == names.skeleton(other)


@pytest.mark.parametrize(
    ("one", "other"), [("さくら", "サクラ"), ("がんば", "かんば"), ("Anna", "Hanna"), ("桜", "梅")]
)
def test_names_that_differ_to_the_eye_are_two(one: str, other: str) -> None:
    assert names.skeleton(one) != names.skeleton(other)


@given(st.text(max_size=100))
def test_any_text_is_cleaned_or_refused_and_a_clean_name_stays_as_it_is(text: str) -> None:
    try:
        name = names.clean(text)
    except names.BadName:
        return
    assert names.clean(name) == name
    assert 1 <= len(name) <= names.LONGEST
    assert names.skeleton(name)
    assert len(names.skeleton(name)) <= 120


def test_endless_text_costs_nothing() -> None:
    started = time.perf_counter()
    with pytest.raises(names.BadName):
        names.clean("ﷺ" * 5_000_000)
    assert time.perf_counter() - started < 0.1

"""Game codes, the shuffle and verifiable deals, beside an independent reading of their description."""

from __future__ import annotations

import hashlib
import hmac
import random
from itertools import islice

import pytest

from games.codes.deals import (
    ALPHABET,
    BadCode,
    check_game,
    commitment,
    first_dealer,
    new_code,
    new_secret,
    read_code,
    sealed_code,
    shuffle,
    stream,
    tables,
)
from games.kinds import rules_for
from games.rules import DECK

CODE = "4000-0000-0000-000K"
SEED = b"400000000000000"
TABLES = tables()


def other_shuffle(seed: bytes, deal: int, attempt: int, deck: tuple[str, ...]) -> list[str]:
    """The shuffle as the description reads, written another way."""
    data, block, pack = b"", 0, list(deck)
    for last in reversed(range(1, len(pack))):
        while True:
            while len(data) < 4:
                label = f"moonshot-1|pack|{deal}|{attempt}|{block}"
                data += hmac.new(seed, label.encode("ascii"), hashlib.sha256).digest()
                block += 1
            word, data = int(data[:4].hex(), 16), data[4:]
            size = last + 1
            if word // size < 2**32 // size:
                break
        place = word % size
        pack[last], pack[place] = pack[place], pack[last]
    return pack


# --- codes ------------------------------------------------------------------------------------------------------------


def test_the_vectors_of_the_description() -> None:
    code = read_code(CODE)
    assert (code.kind, code.players, code.seed) == ("hearts", 4, SEED)
    assert bytes(islice(stream(SEED, "moonshot-1|pack|1|0"), 8)).hex() == "3d7754d12c794a65"
    assert shuffle(SEED, 1, 0)[:6] == ("8C", "3S", "KD", "7H", "TS", "2S")
    assert first_dealer(SEED, 4) == 2


@pytest.mark.parametrize(
    ("deal", "attempt", "digest"),
    [
        (1, 0, "88e2f1a37b2cb621"),
        (1, 1, "22c6f48cb6401cc4"),
        (2, 0, "d86864c59ad7c7c4"),
        (60, 0, "132c959e57bb920d"),
    ],
)
def test_a_pack_is_the_same_for_ever(deal: int, attempt: int, digest: str) -> None:
    text = " ".join(shuffle(SEED, deal, attempt))
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == digest


@pytest.mark.parametrize("place", range(len(TABLES)))
def test_a_code_names_kind_players_and_pack(place: int) -> None:
    table = TABLES[place]
    rules = rules_for(table.kind, table.players, table.options)
    code = new_code(rules)
    assert code.text[0] == table.character == ALPHABET[place]
    assert code.fits(rules)
    assert read_code(code.text) == code
    others = [rules_for(other.kind, other.players, other.options) for other in TABLES if other != table]
    assert not any(code.fits(other) for other in others)


def test_every_table_that_can_be_played_has_a_code() -> None:
    for players in range(2, 8):
        for surplus in ("remove", "kitty"):
            for three in ("2D", "2C"):
                for six in ("all_twos", "keep_hearts"):
                    options = {"surplus": surplus, "removed_three": three, "removed_six": six}
                    rules = rules_for("hearts", players, options)
                    assert new_code(rules).fits(rules)


def test_a_code_is_sixteen_characters_and_random() -> None:
    rules = rules_for("spades", 4)
    codes = {new_code(rules).text for _ in range(200)}
    assert len(codes) == 200
    assert all(len(code.replace("-", "")) == 16 for code in codes)


@pytest.mark.parametrize(
    "typed", [CODE.lower(), CODE.replace("-", ""), " 4ooo oooo 0000 000k ", "４０００－００００–0000ー000Ｋ"]
)
def test_case_dashes_spaces_and_full_width_letters_do_not_matter(typed: str) -> None:
    assert read_code(typed).text == CODE


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("", "bad_length"),
        ("4000", "bad_length"),
        (CODE + "0", "bad_length"),
        ("4" * 5000, "bad_length"),
        ("4000-0000-0000-000U", "bad_character"),
        ("4000-0000-0000-000ハ", "bad_character"),
        ("4000-0000-0000-000M", "bad_check"),
        ("Z000-0000-0000-000", "bad_length"),
    ],
)
def test_what_is_no_code_gets_a_reason(typed: str, why: str) -> None:
    with pytest.raises(BadCode) as caught:
        read_code(typed)
    assert caught.value.code == why


def test_a_code_of_an_unknown_table_is_named_so() -> None:
    body = "Z" + "0" * 14
    good = [c for c in ALPHABET if _reads(body + c) != "bad_check"]
    assert len(good) == 1
    assert _reads(body + good[0]) == "unknown_table"


def _reads(text: str) -> str:
    try:
        read_code(text)
    except BadCode as bad:
        return bad.code
    return ""


def test_the_check_character_catches_every_wrong_character_and_every_swap() -> None:
    code = new_code(rules_for("hearts", 4)).text.replace("-", "")
    for place, own in enumerate(code):
        for other in ALPHABET:
            if other != own:
                assert _reads(code[:place] + other + code[place + 1 :]) == "bad_check"
        for later in range(place + 1, len(code)):
            if code[later] != own:
                swapped = list(code)
                swapped[place], swapped[later] = swapped[later], swapped[place]
                assert _reads("".join(swapped)) == "bad_check"


# --- shuffle ----------------------------------------------------------------------------------------------------------


def test_a_shuffle_written_from_the_description_gives_the_same_packs() -> None:
    rng = random.Random(1)
    for _ in range(60):
        table = rng.choice(TABLES)
        rules = rules_for(table.kind, table.players, table.options)
        seed, deal, attempt = new_code(rules).seed, rng.randint(1, 60), rng.randint(0, 1)
        assert list(shuffle(seed, deal, attempt, rules.deck)) == other_shuffle(seed, deal, attempt, rules.deck)


def test_deals_attempts_and_codes_give_different_packs_of_the_same_cards() -> None:
    packs = {shuffle(SEED, deal, attempt) for deal in range(1, 40) for attempt in (0, 1)}
    assert len(packs) == 78
    assert all(sorted(pack) == sorted(DECK) for pack in packs)


def test_n16_every_card_is_equally_often_at_every_place() -> None:
    """Chi-square over place and card of 2,000 packs: 51 * 51 degrees of freedom, five standard deviations allowed."""
    counts = {card: [0] * 52 for card in DECK}
    packs = 2_000
    for deal in range(packs):
        for place, card in enumerate(shuffle(SEED, deal, 0)):
            counts[card][place] += 1
    expected = packs / 52
    chi = sum((n - expected) ** 2 / expected for row in counts.values() for n in row)
    freedom = 51 * 51
    assert abs(chi - freedom) < 5 * (2 * freedom) ** 0.5


def test_first_dealers_are_drawn_evenly() -> None:
    counts = [0] * 5
    for n in range(2_000):
        counts[first_dealer(f"{n}".encode(), 5)] += 1
    assert sum((n - 400) ** 2 / 400 for n in counts) < 25


# --- deals that can be checked ----------------------------------------------------------------------------------------


def sealed_game() -> dict[str, object]:
    rules = rules_for("hearts", 4)
    secret, nonces = new_secret(), [b"one", b"", b"three", b"\x00\xff"]
    code = sealed_code(rules, secret, nonces)
    packs = {(deal, 0): shuffle(code.seed, deal, 0) for deal in range(1, 4)}
    dealer = first_dealer(code.seed, 4)
    shown = commitment(secret)
    return {
        "code": code.text,
        "dealer": dealer,
        "packs": packs,
        "secret": secret,
        "commitment_shown": shown,
        "nonces": nonces,
    }


def check(game: dict[str, object]) -> list[str]:
    return check_game(rules_for("hearts", 4), **game)  # type: ignore[arg-type]


def test_an_honest_game_has_no_faults() -> None:
    assert check(sealed_game()) == []


def test_the_commitment_is_the_sha_256_of_the_secret() -> None:
    assert commitment(b"x" * 32) == hashlib.sha256(b"x" * 32).hexdigest()


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"secret": b"y" * 32}, "wrong_commitment"),
        ({"commitment_shown": "0" * 64}, "wrong_commitment"),
        ({"commitment_shown": "é"}, "wrong_commitment"),
        ({"secret": None}, "no_secret"),
        ({"commitment_shown": None}, "no_commitment"),
        ({"packs": {}}, "missing_pack 1 0"),
        ({"packs": {(2, 1): ()}}, "missing_pack 2 0"),
        ({"packs": {(3, 0): ()}}, "missing_pack 2 0"),
        ({"nonces": [b"one", b"", b"thrice", b"\x00\xff"]}, "wrong_code"),
        ({"nonces": [b"", b"one", b"three", b"\x00\xff"]}, "wrong_code"),
        ({"nonces": [b"one"]}, "wrong_nonces"),
        ({"nonces": [b"x" * 33, b"", b"", b""]}, "wrong_nonces"),
        ({"code": CODE}, "wrong_code"),
        ({"code": "nonsense"}, "bad_code"),
        ({"code": new_code(rules_for("spades", 4)).text}, "wrong_table"),
        ({"dealer": 9}, "wrong_dealer"),
    ],
)
def test_a_change_anywhere_is_named(changed: dict[str, object], fault: str) -> None:
    assert fault in check({**sealed_game(), **changed})


def test_a_swapped_card_in_one_pack_is_named_with_its_deal() -> None:
    game = sealed_game()
    packs = dict(game["packs"])  # type: ignore[call-overload]
    pack = list(packs[2, 0])
    pack[0], pack[1] = pack[1], pack[0]
    assert check({**game, "packs": {**packs, (2, 0): pack}}) == ["wrong_pack 2 0"]


def test_every_nonce_alone_changes_the_code() -> None:
    rules, secret = rules_for("spades", 4), new_secret()
    codes = {sealed_code(rules, secret, [b"a" * (seat == n) for seat in range(4)]).text for n in range(5)}
    assert len(codes) == 5

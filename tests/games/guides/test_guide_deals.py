"""The page that explains the deals: its example is what the site computes, its recipe is enough to write it again."""

from __future__ import annotations

import hashlib
import hmac
import re

import pytest
from django.test import Client
from django.urls import reverse

from games import verify
from games.codes import deals
from games.guides import deals as guide_deals
from games.guides.pages import guide
from games.kinds import rules_for
from games.rulebook import words

CODE = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def again(seed: bytes, label: str) -> list[int]:
    """A stream as the page describes it, long enough for a pack."""
    return list(b"".join(hmac.new(seed, f"{label}|{i}".encode(), hashlib.sha256).digest() for i in range(40)))


def draw(stream: list[int], n: int) -> int:
    while True:
        word = int.from_bytes(bytes(stream[:4]), "big")
        del stream[:4]
        if word < 4294967296 // n * n:
            return word % n


def test_a_shuffle_written_from_the_page_alone_deals_the_cards_of_the_example() -> None:
    secret, nonces = guide_deals.SECRET, guide_deals.NONCES
    message = "moonshot-1|nonces|" + "|".join(nonce.hex() for nonce in nonces)
    bits = "".join(f"{byte:08b}" for byte in hmac.new(secret, message.encode(), hashlib.sha256).digest())[:70]
    body = "4" + "".join(CODE[int(bits[i : i + 5], 2)] for i in range(0, 70, 5))
    stream = again(body.encode(), "moonshot-1|pack|1|0")
    pack = [rank + suit for suit in "CDHS" for rank in "23456789TJQKA"]
    for i in range(51, 0, -1):
        j = draw(stream, i + 1)
        pack[i], pack[j] = pack[j], pack[i]
    found = guide_deals.worked()
    assert (found.seed, found.message, found.pack) == (body, message, tuple(pack))
    assert found.dealer == draw(again(body.encode(), "moonshot-1|dealer"), 4)
    assert found.commitment == hashlib.sha256(secret).hexdigest()


def test_the_example_is_what_the_site_would_deal() -> None:
    rules = rules_for("hearts", 4)
    code = deals.sealed_code(rules, guide_deals.SECRET, guide_deals.NONCES)
    found = guide_deals.worked()
    assert (found.code, found.pack) == (code.text, deals.shuffle(code.seed, 1, 0, rules.deck))
    shown = [value for _, value in guide("deals").table("worked").rows]
    assert f"`{code.text}`" in shown
    assert f"`{deals.commitment(guide_deals.SECRET)}`" in shown
    assert words.cards(found.pack[:13]) in shown
    record = {(1, 0): found.pack}
    nonces = list(guide_deals.NONCES)
    faults = deals.check_game(
        rules,
        code=code.text,
        dealer=found.dealer,
        packs=record,
        secret=guide_deals.SECRET,
        commitment_shown=found.commitment,
        nonces=nonces,
    )
    assert faults == []


@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_programs_read_is_the_same_in_every_language(language: str) -> None:
    text = Client().get(f"/{language}/guide/deals/").content.decode()
    codes = re.findall(r'<code translate="no">([^<]+)</code>', text)
    for literal in ("moonshot-1|dealer", "moonshot-1|pack|d|a", "moonshot-1|nonces|", verify.ALPHABET, "label|0"):
        assert literal in codes
    assert "`" not in re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)


@pytest.mark.django_db
def test_the_page_is_linked_from_every_page_of_the_site_and_says_what_is_not_proved() -> None:
    for path in ("/", reverse("rules_index"), "/en/rules/hearts-standard/"):
        assert "/guide/deals/" in Client().get(path).content.decode()
    limits = " ".join(guide("deals").section("limits").texts())
    assert "in league with the player whose share comes last" in limits

"""The end of a ranked game in a browser: its receipt, at once or once the game is rated, on a phone and in Japanese."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.utils import translation
from playwright.sync_api import Browser, Page, expect

from ladder.rating.receipts import Outcome, Receipt, ReceiptRow
from ladder.rating.sentences import notes, sentence
from tests.browser.scenes import SCENES
from tests.browser.stage import Stage

PHONE = {"width": 360, "height": 740}
RATINGS = ["1512", "1562", "1484", "1417?"]
AFTER = ["1521", "1563", "1481", "1410?"]
CHANGES = ["+9.32", "+0.81", "−2.96", "−7.16"]
NAMES = ["Guest 4821", "Kitagawa Momiji", "A name of forty letters, all of them used", "Guest 4824"]


def of(seat: int, kind: str, language: str) -> Receipt:
    with translation.override(language):
        if kind == "spades":
            rows: tuple[ReceiptRow, ...] = (
                ReceiptRow((NAMES[1], NAMES[3]), "0.4286", "1", 40, "0.7071", CHANGES[seat]),
            )
            text = sentence("spades_won_leaver", {})
        else:
            others = [name for other, name in enumerate(NAMES) if other != seat]
            rows = tuple(ReceiptRow((name,), "0.5714", "½", 20, "0.3333", "−0.48") for name in others)
            text = sentence("hearts_placed_leaver", {"place": 1, "humans": 4, "leavers": 1})
        noted = notes(has_left=True, extra=-5, after=1500, cpus=1, code="hearts_left")  # type: ignore[arg-type]
    return Receipt(
        game=7,
        user=seat,
        seat=seat,
        name=NAMES[seat],
        ladder="hearts-ranked",
        reason="result",
        at=datetime(2026, 1, 1, tzinfo=UTC),
        before=RATINGS[seat],
        after=AFTER[seat],
        exact_before=f"{RATINGS[seat].strip('?')}.00",
        exact_after=f"{AFTER[seat].strip('?')}.32",
        change=CHANGES[seat],
        rows=rows,
        extra="−5.00" if seat == 0 else "",
        sentence=text,
        notes=tuple(noted),
        has_left=seat == 0,
        counts=True,
    )


def fragment(kind: str, language: str, status: str = "rated", own: int | None = 0) -> str:
    receipts = tuple(of(seat, kind, language) for seat in range(4)) if status == "rated" else ()
    mine = None if own is None or not receipts else receipts[own]
    others = [receipt for receipt in receipts if receipt is not mine]
    context = {"outcome": Outcome(7, status, receipts), "own": mine, "others": others}
    with translation.override(language):
        return render_to_string("ladder/receipt.html", context)


class Ranked(Stage):
    """A ranked table."""

    def boot(self) -> dict[str, Any]:
        again = {"url": "/#ranked", "label": "To the ranked queue"}
        more = {"names": NAMES, "ratings": RATINGS, "receipt": "/ladder/receipt/7/", "again": again}
        return {**super().boot(), **more}


@contextmanager
def table(browser: Browser, scene: str = "hearts_over", **more: Any) -> Iterator[tuple[Ranked, Page]]:
    made = SCENES[scene]
    stage = Ranked(browser, made.kind, options=made.options, people=range(4), **more)
    try:
        stage.pages["/ladder/receipt/7/"] = fragment(made.kind, stage.language, own=stage.seat)
        yield stage, stage.page
        assert not stage.faults
    finally:
        stage.close()


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("scene", ["hearts_over", "spades_over"])
@pytest.mark.parametrize("viewport", [PHONE, {"width": 1280, "height": 800}], ids=["phone", "desktop"])
def test_the_end_of_a_ranked_game_shows_its_receipt(browser: Browser, scene: str, language: str, viewport: Any) -> None:
    with table(browser, scene, language=language, viewport=viewport) as (stage, page):
        stage.show(SCENES[scene].state())
        overlay = page.locator("#overlay")
        expect(overlay.locator(".receipt-headline")).to_contain_text("1512 → 1521")
        expect(overlay.locator(".receipt-ratings tbody tr")).to_have_count(4)
        expect(overlay.locator("#onward")).to_have_attribute("href", "/#ranked")
        expect(overlay.locator("#rematch")).to_have_count(0)
        expect(overlay.locator(".receipt-sum").first.locator("tbody tr")).to_have_count(4 if "hearts" in scene else 2)
        inside = page.evaluate(
            """() => {
              const card = document.querySelector(".overlay-card");
              return [card.scrollWidth <= card.clientWidth, document.documentElement.scrollWidth <= innerWidth];
            }"""
        )
        assert inside == [True, True], "nothing is cut off at the side"
        overlay.locator("summary").click()
        expect(overlay.locator("details .receipt-sum")).to_have_count(3)
        assert page.evaluate("document.querySelector('.overlay-card').scrollWidth") <= page.evaluate(
            "document.querySelector('.overlay-card').clientWidth"
        )


def test_m07_a_game_that_is_being_rated_says_so_and_its_ratings_are_renewed_once_it_is(browser: Browser) -> None:
    with table(browser) as (stage, page):
        rated = stage.pages["/ladder/receipt/7/"]
        stage.pages["/ladder/receipt/7/"] = fragment("hearts", "en", "pending")
        stage.show(SCENES["hearts_over"].state())
        headline = page.locator("#overlay .receipt-headline")
        expect(headline).to_have_text("The game is being rated…")
        plates = page.locator(".plate-rating")
        assert sorted(plates.all_inner_texts()) == sorted(RATINGS)
        stage.pages["/ladder/receipt/7/"] = rated
        seats = [
            {"before": before, "after": after, "change": change}
            for before, after, change in zip(RATINGS, AFTER, CHANGES, strict=True)
        ]
        stage.say({"type": "rated", "seats": seats})
        expect(headline).to_contain_text("1512 → 1521")
        expect(plates.filter(has_text="1410?")).to_have_count(1)
        assert sorted(plates.all_inner_texts()) == sorted(AFTER)


def test_a_receipt_comes_though_nobody_has_told_the_table(browser: Browser) -> None:
    with table(browser) as (stage, page):
        rated = stage.pages["/ladder/receipt/7/"]
        stage.pages["/ladder/receipt/7/"] = fragment("hearts", "en", "pending")
        stage.show(SCENES["hearts_over"].state())
        expect(page.locator("#overlay .receipt-headline")).to_have_text("The game is being rated…")
        stage.pages["/ladder/receipt/7/"] = rated
        expect(page.locator("#overlay .receipt-headline")).to_contain_text("1512 → 1521")


def test_a_ranked_game_that_is_void_says_so(browser: Browser) -> None:
    with table(browser, "hearts_lead") as (stage, page):
        stage.void = "absent"
        stage.pages["/ladder/receipt/7/"] = fragment("hearts", "en", "void")
        stage.show(SCENES["hearts_lead"].state())
        expect(page.locator("#overlay")).to_contain_text("A player never came to the table.")
        expect(page.locator("#overlay .receipt-headline")).to_have_text("No rating changes.")

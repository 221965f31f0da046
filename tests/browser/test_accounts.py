"""Accounts in the browser: a guest signs up and goes on playing, adds a passkey and a code, and signs in with each."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from playwright.sync_api import Browser, BrowserContext, Page

from tests.site_run import Run, eventually

pytestmark = pytest.mark.slow

PHONE = {"width": 360, "height": 740}
DESK = {"width": 1280, "height": 800}
PASSWORD = "a long walk by the sea"
PATIENCE_MS = 30_000


class Desk:
    """One browser of one person, and what goes wrong in it."""

    def __init__(self, browser: Browser, site: Run, locale: str, viewport: Any) -> None:
        self.site, self.context = site, browser.new_context(viewport=viewport, locale=locale)
        self.context.set_default_timeout(PATIENCE_MS)
        self.page = self.context.new_page()
        self.faults: list[str] = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", lambda message: self.faults.append(message.text) if message.type == "error" else None)

    def go(self, path: str) -> Page:
        self.page.goto(f"http://localhost:{self.site.port}{path}")
        wide = self.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{path} is {wide} px too wide"
        return self.page

    def fill(self, **fields: str) -> None:
        for name, value in fields.items():
            self.page.fill(f"[name={name}]", value)

    def submit(self, button: str = "main .form button[type=submit] >> nth=0") -> None:
        self.page.click(button)

    def play(self, kind: str = "hearts") -> str:
        """Starts a game; its address."""
        self.go("/")
        self.page.click(f"button[formaction$='/play/{kind}/']")
        self.page.wait_for_selector("#table[data-phase]")
        return self.page.url

    def is_seated_at(self, address: str) -> bool:
        self.page.goto(address)
        self.page.wait_for_selector("#table[data-phase]")
        return True

    def log_in(self, email: str) -> None:
        self.go("/account/login/")
        self.fill(login=email, password=PASSWORD)
        self.submit()


@pytest.fixture
def desk(browser: Browser, site: Run) -> Callable[..., Desk]:
    def sit_down(locale: str = "en-US", viewport: Any = DESK) -> Desk:
        return Desk(browser, site, locale, viewport)

    return sit_down


def confirm_address(desk: Desk, email: str) -> None:
    """Follows the link in the mail that the web process has printed."""

    def link() -> str | None:
        mail = desk.site.text.rpartition(f"To: {email}")[2]
        found = re.search(r"https?://localhost\S*?(/account/confirm-email/\S+)", mail)
        return found[1] if found else None

    desk.go(eventually(link))
    desk.page.click("main form button[type=submit]")
    desk.page.wait_for_load_state()


def type_password_again(desk: Desk) -> None:
    if "/reauthenticate/" in desk.page.url:
        desk.fill(password=PASSWORD)
        desk.submit()


def code_for(secret: str) -> str:
    """What an authenticator app shows now."""
    counter = next(iter(yield_hotp_counters_from_time()))
    return str(format_hotp_value(hotp_value(secret, counter)))


def authenticator(context: BrowserContext, page: Page) -> None:
    """A phone that holds passkeys, with the finger on it."""
    cdp = context.new_cdp_session(page)
    cdp.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    cdp.send("WebAuthn.addVirtualAuthenticator", {"options": options})


@pytest.mark.parametrize(("locale", "viewport"), [("en-US", DESK), ("ja-JP", PHONE)])
def test_a_guest_signs_up_and_goes_on_with_his_game_here_and_on_another_device(
    desk: Callable[..., Desk], locale: str, viewport: Any
) -> None:
    here, there = desk(locale, viewport), desk(locale, viewport)
    email = f"rosalind-{locale}@example.org".lower()
    table = here.play()
    here.go("/account/signup/")
    here.fill(display_name=f"Rosalind {locale[:2]}", email=email, password1=PASSWORD)
    here.submit()
    here.page.wait_for_selector(".account-link[href='/account/']")
    assert here.is_seated_at(table)

    own = there.play("spades")
    there.log_in(email)
    there.page.wait_for_selector(".account-link[href='/account/']")
    assert there.is_seated_at(table)
    assert there.is_seated_at(own)
    assert here.is_seated_at(own), "the other device's game has come along"
    assert [*here.faults, *there.faults] == []


def test_signing_out_elsewhere_closes_the_table_that_is_open_there(desk: Callable[..., Desk]) -> None:
    here, there = desk(), desk()
    email = "celia@example.org"
    here.go("/account/signup/")
    here.fill(display_name="Celia", email=email, password1=PASSWORD)
    here.submit()
    table = here.play()
    there.log_in(email)
    closed: list[str] = []
    there.page.on("websocket", lambda socket: socket.on("close", lambda _: closed.append(socket.url)))
    assert there.is_seated_at(table)
    here.go("/account/sessions/")
    assert here.page.locator(".sessions li").count() == 2
    here.submit()
    for _ in range(200):
        there.page.wait_for_timeout(50)
        if closed:
            break
    assert closed
    assert there.go("/account/").url.endswith("/account/login/?next=/account/")
    assert here.is_seated_at(table)


def test_passkeys_and_codes_open_the_account(desk: Callable[..., Desk]) -> None:
    here = desk()
    email = "orlando@example.org"
    authenticator(here.context, here.page)
    here.go("/account/signup/")
    here.fill(display_name="Orlando", email=email, password1=PASSWORD)
    here.submit()
    confirm_address(here, email)

    here.go("/account/2fa/webauthn/add/")
    type_password_again(here)
    here.fill(name="My phone")
    here.page.click("#mfa_webauthn_add")
    here.page.wait_for_url(re.compile(r"/account/2fa/(?!webauthn/add)"))

    here.go("/account/logout/")
    here.submit()
    here.page.wait_for_selector(".account-link[href='/account/login/']")
    here.go("/account/login/")
    here.page.click("#passkey_login")
    here.page.wait_for_selector(".account-link[href='/account/']")

    here.go("/account/2fa/totp/activate/")
    type_password_again(here)
    secret = here.page.input_value("#authenticator_secret")
    here.fill(code=code_for(secret))
    here.submit()
    here.page.wait_for_url(re.compile(r"/account/2fa/(?!totp)"))

    there = desk("ja-JP", PHONE)
    there.log_in(email)
    there.page.wait_for_url("**/account/2fa/authenticate/**")
    assert there.page.locator(".account-link[href='/account/']").count() == 0, "not in without the second factor"
    there.fill(code="000000")
    there.submit()
    assert there.page.locator(".errorlist").count() == 1
    there.fill(code=code_for(secret))
    there.submit()
    there.page.wait_for_selector(".account-link[href='/account/']")
    assert there.faults == []
    assert here.faults == []


def test_settings_of_the_table_follow_to_another_device(desk: Callable[..., Desk]) -> None:
    here, there = desk(), desk()
    email = "phoebe@example.org"
    here.go("/account/signup/")
    here.fill(display_name="Phoebe", email=email, password1=PASSWORD)
    here.submit()
    here.page.wait_for_selector(".account-link[href='/account/']")
    table = here.play()
    with here.page.expect_response("**/table-settings/") as saved:
        here.page.evaluate(
            """() => {
              const control = document.querySelector("[data-setting=fourColours]");
              control.checked = false;
              control.dispatchEvent(new Event("input", { bubbles: true }));
              control.dispatchEvent(new Event("change", { bubbles: true }));
            }"""
        )
    assert saved.value.status == 204
    there.log_in(email)
    there.page.wait_for_selector(".account-link[href='/account/']")
    assert there.is_seated_at(table)
    assert there.page.evaluate("document.documentElement.dataset.colours") == "two"

"""Actions of a person on a page, and the screens of the tests in a browser.

A test of a person's way through several pages is marked with `journey`. It runs on a wide screen in
the light scheme and on a phone in the dark one: both widths and both schemes, for half the cost of
all four combinations. `tests/e2e/test_every_page.py` checks every page in each of its states so. A
state that only a journey reaches is checked by the journey, with `all_is_well`.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize, expect

from tests.installation import PASSWORD
from tests.keyboard import too_far

Scheme = Literal["light", "dark"]


class Screen(NamedTuple):
    """A size of the window, and the scheme of colours that its owner prefers."""

    viewport: ViewportSize
    scheme: Scheme


WIDE: Final[ViewportSize] = {"width": 1280, "height": 900}
PHONE: Final[ViewportSize] = {"width": 390, "height": 844}
SIZES: Final = {"wide": WIDE, "phone": PHONE}
SCREENS: Final = {"wide-light": Screen(WIDE, "light"), "phone-dark": Screen(PHONE, "dark")}
journey: Final = pytest.mark.parametrize("screen", SCREENS.values(), ids=SCREENS)
"""Runs a test on both of these screens. Its `page` or `watched` is opened there."""
COLOURS: Final = ("color-contrast", "link-in-text-block")
"""The rules of axe that depend on the scheme."""
MORE: Final = {"label-content-name-mismatch": {"enabled": True}}
"""A rule that axe leaves out by itself: what is seen of a link or button is part of its name."""


def log_in(page: Page, address: str, name: str, password: str = PASSWORD) -> None:
    """Logs in by the form."""
    send_login(page, address, name, password)
    expect(page.get_by_role("button", name="Log out")).to_be_visible()


def send_login(page: Page, address: str, name: str, password: str) -> None:
    """Fills in the form of the login and sends it."""
    page.goto(address + "/login")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()


def become_operator(page: Page, link: str) -> None:
    """Makes charlie the first operator, through the link that a new platform prints."""
    page.goto(link)
    page.get_by_label("Name").fill("charlie")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Become the operator").click()
    expect(page.get_by_text("Strangers' bots run behind the wall")).to_be_visible()


def write_text(page: Page, text: str) -> None:
    """Replaces the text in the workbench's editor by pasting."""
    expect(page.locator("#code-editor")).to_have_attribute("data-ready", "")
    page.get_by_role("textbox", name="The bot's text").click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(text)


def settle(page: Page) -> None:
    """Waits until every figure of the page is drawn and its replay can be stepped through."""
    for mark in ("[data-figure]", "#replay", "#stage"):
        for found in page.locator(mark).all():
            found.scroll_into_view_if_needed()
            expect(found).to_have_attribute("data-ready", "")


def axe_says(page: Page, *rules: str) -> list[str]:
    """Every rule that axe finds broken, of these or of all, with the place."""
    only = {"runOnly": {"type": "rule", "values": [*rules]}} if rules else {"rules": MORE}
    # Running it again in the same page takes half the time where its script is not loaded anew.
    axe = Axe("") if page.evaluate("'axe' in window") else Axe()
    found = axe.run(page, options={"resultTypes": ["violations"], **only}).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:120]}" for one in found]


def too_wide(page: Page) -> list[str]:
    """The number of pixels by which the page is wider than the window; empty if it is not."""
    more = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    return [f"it is {more} px too wide"] if more > 0 else []


def all_is_well(page: Page) -> None:
    """Asserts that axe finds nothing broken, nothing is wider than the window, and controls are
    near by keyboard."""
    wrong = axe_says(page) + too_wide(page) + too_far(page)
    assert wrong == [], f"{page.url}: {wrong}"

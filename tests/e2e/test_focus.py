"""Where the focus is after a key, a form or the end of a game, and pages in a larger text."""

from __future__ import annotations

from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from tests.browser import too_wide
from tests.e2e.test_pages import serving
from tests.e2e.test_pages_on_the_books import sign_up
from tests.unit.dashboard.cast import OPERATOR
from tests.unit.dashboard.states import CROWDED

pytestmark = pytest.mark.browser

COVERED: Final = """one => {
  const {left, top, width, height} = one.getBoundingClientRect();
  const seen = document.elementFromPoint(left + width / 2, top + height / 2);
  return one.contains(seen) ? "" : `${one.textContent.trim()} below ${seen?.outerHTML}`;
}"""
"""Whether something else is shown in the middle of an element."""


def test_the_heading_of_a_table_covers_neither_the_focus_nor_a_line_that_is_led_to(
    watched: Page,
) -> None:
    watched.set_viewport_size({"width": 1280, "height": 500})
    with serving(CROWDED) as address:
        watched.goto(address + "/leaderboards/bomb")
        watched.locator("#board tbody a").nth(20).focus()
        for _ in range(15):
            watched.keyboard.press("Shift+Tab")
            assert watched.locator(":focus").evaluate(COVERED) == ""
        watched.get_by_role("link", name="b777", exact=True).press("Enter")
        watched.wait_for_url("**#v*")
        assert watched.locator("tr:target td").first.evaluate(COVERED) == ""
        watched.goto("about:blank")


def test_a_refused_form_far_down_has_the_focus_at_the_reason(page: Page, address: str) -> None:
    sign_up(page, address)
    page.goto(address + "/account")
    form = page.locator("form[action='/account/tokens#tokens']")
    form.locator("[name=csrf_token]").evaluate("field => { field.value = 'old'; }")
    page.get_by_label("Name of the token").fill("laptop")
    page.get_by_role("button", name="Make a token").click()
    expect(page.get_by_role("alert")).to_be_focused()
    expect(page.get_by_role("alert")).to_be_in_viewport()


LARGE: Final[dict[str, Any]] = {"fontSizes": {"standard": 32, "fixed": 26}}
WIDE_TABLES: Final = (
    "/", "/leaderboards/bomb?columns=more", "/seasons", "/seasons/7", "/account",
    "/bots/alice/careful", "/matches", "/admin/health", "/admin/queue", "/seasons/7/operate",
)  # fmt: skip


def test_a_page_follows_the_size_of_text_that_its_reader_has_set(watched: Page) -> None:
    watched.context.new_cdp_session(watched).send("Page.setFontSizes", LARGE)
    told = []
    with serving(OPERATOR) as address:
        for path in WIDE_TABLES:
            watched.goto(address + path)
            size = watched.locator("main p").first.evaluate("one => getComputedStyle(one).fontSize")
            assert float(size.removesuffix("px")) > 25, path
            told += [f"{path}: {one}" for one in too_wide(watched)]
        watched.goto("about:blank")
    assert told == []

"""Pages for people who listen to them, read them on paper or without scripts, or only use keys."""

from __future__ import annotations

from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import PHONE, send_login, settle, too_wide
from tests.e2e.test_pages import serving
from tests.unit.dashboard.cast import BOARD, MATCH, SOURCE
from tests.unit.dashboard.states import STATES

pytestmark = pytest.mark.browser

NO_CLIPBOARD: Final = "Object.defineProperty(navigator, 'clipboard', {value: undefined})"


def test_a_link_to_a_match_of_a_season_is_named_by_bots_and_result(watched: Page) -> None:
    with serving(SOURCE) as address:
        watched.goto(address + "/seasons/7")
        name = "house/medium against alice/careful: 25.0 : 75.0"
        expect(watched.get_by_role("link", name=name)).to_have_text(name)
        watched.goto("about:blank")


def test_on_a_phone_the_figures_of_a_board_are_named_for_those_who_listen(watched: Page) -> None:
    watched.set_viewport_size(PHONE)
    with serving(SOURCE) as address:
        watched.goto(address + "/leaderboards/bomb")
        for name in ("Rank 1 (1–2)", "Elo 1642 ± 18"):
            expect(watched.get_by_role("cell", name=name)).to_be_visible()
        watched.goto("about:blank")


def test_an_estimate_that_changes_every_second_is_not_read_out_each_time(watched: Page) -> None:
    with serving(STATES) as address:
        watched.goto(address + "/matches/queued")
        expect(watched.locator(".waiting")).to_have_attribute("aria-live", "off")
        watched.goto("about:blank")


def test_a_refused_form_says_so_in_the_title_and_has_the_focus_in_the_wrong_field(
    watched: Page, address: str
) -> None:
    send_login(watched, address, "alice", "not her password")
    reason = watched.get_by_role("alert")
    expect(reason).to_have_text("The name or the password is wrong")
    expect(watched).to_have_title("Not done: Log in")
    name = watched.get_by_label("Name")
    expect(name).to_be_focused()
    expect(name).to_have_attribute("aria-invalid", "true")
    expect(name).to_have_accessible_description("The name or the password is wrong")


def test_a_refused_form_that_names_no_field_has_the_focus_at_the_reason(
    watched: Page, address: str
) -> None:
    watched.goto(address + "/login")
    watched.evaluate("document.querySelector('main form [name=csrf_token]').value = 'old'")
    watched.get_by_label("Name").fill("alice")
    watched.get_by_label("Password").fill("not her password")
    watched.get_by_role("button", name="Log in").click()
    reason = watched.get_by_role("alert")
    expect(reason).to_be_focused()
    watched.keyboard.press("Tab")
    expect(watched.get_by_label("Name")).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_example_in_a_field_is_as_legible_as_a_hint(watched: Page, scheme: Any) -> None:
    watched.emulate_media(color_scheme=scheme)
    with serving(SOURCE) as address:
        watched.goto(address + "/matches")
        shown = "getComputedStyle(document.querySelector(%r), %r).color"
        example = watched.evaluate(shown % ("[placeholder]", "::placeholder"))
        assert example == watched.evaluate(shown % ("caption", ""))
        watched.goto("about:blank")


SPACED: Final = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("* { letter-spacing: 0.12em !important; word-spacing: 0.16em !important }");
  document.adoptedStyleSheets = [sheet];
}"""
"""Sets a text as wide as WCAG 2 says that a reader may."""


def test_a_bots_page_fits_a_narrow_screen_with_spaced_letters(watched: Page) -> None:
    watched.set_viewport_size({"width": 320, "height": 640})
    with serving(SOURCE) as address:
        watched.goto(address + "/bots/alice/careful")
        watched.evaluate(SPACED)
        assert too_wide(watched) == []
        watched.goto("about:blank")


def test_on_paper_nothing_is_cut_off(watched: Page) -> None:
    with serving(SOURCE) as address:
        watched.goto(f"{address}/matches/{MATCH}")
        settle(watched)
        watched.emulate_media(media="print")
        cut = "one => one.scrollHeight - one.clientHeight"
        assert watched.locator("#transcript").evaluate(cut) <= 0
        watched.goto("about:blank")


def test_without_a_clipboard_a_digest_is_shown_at_full_length_and_copied(watched: Page) -> None:
    watched.context.grant_permissions(["clipboard-read", "clipboard-write"])
    watched.add_init_script(NO_CLIPBOARD)
    watched.set_viewport_size(PHONE)
    assert BOARD.rows_digest
    with serving(SOURCE) as address:
        watched.goto(address + "/leaderboards/bomb")
        button = watched.get_by_label("Copy the digest of the results")
        button.press("Enter")
        expect(button).to_have_text("copied")
        expect(watched.locator(".digest code")).to_have_text(BOARD.rows_digest)
        assert watched.evaluate("getSelection().toString()") == BOARD.rows_digest
        assert too_wide(watched) == []
        expect(button).to_have_text("copy")
        watched.goto("about:blank")


def test_without_scripts_a_page_says_what_it_does_not_do_and_the_way_on(browser: Browser) -> None:
    page = browser.new_page(java_script_enabled=False)
    with serving(STATES) as address:
        for path in ("/seasons/7", "/play/bomb/bots", "/matches/queued"):
            page.goto(address + path)
            again = page.get_by_role("link", name="Load it again")
            expect(again).to_have_attribute("href", path)
        page.goto(address + "/leaderboards/bomb")
        expect(page.locator("figure noscript p")).to_be_visible()
        for dead in (".canvas", "[data-copy]"):
            expect(page.locator(dead).first).to_be_hidden()
        page.goto(address + "/login")
        expect(page.locator("noscript")).to_have_count(0)
    page.close()

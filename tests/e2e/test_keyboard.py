"""Use by keyboard alone: the distance of controls, counted on the page and tried with real keys.

`test_every_page` checks that every main control of every page is near.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser import journey
from tests.e2e.test_pages import serving
from tests.keyboard import is_at, stops, too_far
from tests.unit.dashboard import cast
from tests.unit.dashboard.cast import OPERATOR, SOURCE

pytestmark = pytest.mark.browser

BUSY = (
    "/",
    "/account",
    "/seasons",
    "/admin/leagues/new?game=bomb&kind=adaptive&step=2",
)
"""Pages with lists, long forms, ticks, choices and closed parts."""


@journey
def test_tab_stops_where_stops_are_counted(watched: Page) -> None:
    with serving(OPERATOR) as address:
        for path in BUSY:
            watched.goto(address + path)
            for place in range(min(45, stops(watched))):
                watched.keyboard.press("Tab")
                assert is_at(watched, place), f"{path}: stop {place + 1}"
        watched.goto("about:blank")


def test_a_control_behind_many_links_is_noticed(watched: Page) -> None:
    lines = [cast.line(rank, f"bob/b{rank}", 2000.0 - rank, 9.0, 50) for rank in range(1, 40)]
    many: Any = replace(SOURCE, season_standings=lambda season: cast.board(*lines))
    with serving(many) as address:
        watched.goto(address + "/seasons/7")
        assert too_far(watched) == []
        watched.evaluate("document.querySelector('.sections').remove()")
        assert too_far(watched) != []
        watched.goto("about:blank")


def test_a_button_behind_many_fields_and_the_first_line_of_a_list_are_noticed(
    watched: Page,
) -> None:
    with serving(OPERATOR) as address:
        watched.goto(address + "/admin/leagues/new?game=bomb&kind=adaptive&step=2")
        assert too_far(watched) == []
        watched.evaluate("""() => {
          const more = [...Array(20)].map(() => document.createElement('input'));
          document.querySelector('main form .button').before(...more);
        }""")
        (far,) = too_far(watched)
        assert "Next: summary" in far
        watched.goto(address + "/account")
        watched.evaluate("""() => {
          document.querySelector('.sections').remove();
          document.querySelector('main').insertAdjacentHTML(
            'beforeend', '<ul><li><button>one</button></li><li><button>two</button></li></ul>');
        }""")
        told = " ".join(too_far(watched))
        assert ">one<" in told
        assert ">two<" not in told
        watched.goto("about:blank")


@journey
def test_a_link_to_a_part_of_the_page_leads_the_keyboard_there(watched: Page) -> None:
    with serving(SOURCE) as address:
        watched.goto(address + "/account")
        watched.get_by_role("navigation", name="On this page").get_by_role(
            "link", name="Delete your account"
        ).press("Enter")
        watched.keyboard.press("Tab")
        field = watched.locator("form", has_text="It cannot be undone").get_by_label(
            "Your password"
        )
        expect(field).to_be_focused()
        watched.goto("about:blank")

"""By keyboard alone: every main control of every page is at most 20 tab stops away."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from dashboard.source import Source
from tests.e2e.test_boards import CROWDED
from tests.e2e.test_pages import EVERY_GAME, KNOCKED_OUT, RULES, serving, settled
from tests.unit.dashboard import cast
from tests.unit.dashboard.cast import MATCH, NOBODY, OPERATING, OPERATOR, PAGES, SOURCE

pytestmark = pytest.mark.browser

MOST: Final = 20
FAR: Final = """most => {
  const every = [...document.querySelectorAll(
    'a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]')];
  const stops = every.filter(one => one.tabIndex >= 0 && !one.disabled
    && one.checkVisibility({visibilityProperty: true}));
  const first = new Map();  // of each radio group, one is a stop
  for (const one of [...stops]) {
    if (one.type !== 'radio') continue;
    if (first.has(one.name)) stops.splice(stops.indexOf(one), 1);
    else first.set(one.name, one);
  }
  const near = new Map(stops.map((one, place) => [one, place + 1]));
  for (const link of stops) {
    const to = link.matches('a[href^="#"]') && document.getElementById(link.hash.slice(1));
    if (!to) continue;
    const after = one => to === one || to.contains(one)
      || to.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING;
    const from = stops.findIndex(after);
    for (let far = from; far >= 0 && far < stops.length; far++) {
      near.set(stops[far], Math.min(near.get(stops[far]), near.get(link) + 1 + far - from));
    }
  }
  const main = stops.filter(one => one.closest('main')
    && !one.closest('tr, li, dd, .transcript, .told')
    && one.matches('button, .button, select, input, textarea, summary, nav a:first-child')
    && (!one.form || one === stops.find(other => other.form === one.form)));
  return main.filter(one => near.get(one) > most)
    .map(one => `${near.get(one)}: ${one.outerHTML.slice(0, 90)}`);
}"""
"""Main controls are those outside of lists and tables: buttons, fields, and what opens a part; of a
form its first field, from which one goes on. A link to a part of the same page, such as the one
that skips the menu, is a way to what follows there."""


def too_far(page: Page) -> list[str]:
    """The main controls that are further than 20 stops from the top, with how far."""
    far: list[str] = page.evaluate(FAR, MOST)
    return far


@pytest.mark.parametrize(
    "source, paths",
    [
        (SOURCE, PAGES),
        (OPERATOR, OPERATING),
        (NOBODY, ("/", "/submit", "/join/abcd-2345", "/seasons/7")),
        (KNOCKED_OUT, ("/seasons/7",)),
        (EVERY_GAME, RULES),
        (CROWDED, ("/leaderboards/bomb", "/leaderboards/bomb/pairs?top=60", "/bots/alice/careful")),
    ],
    ids=["alice", "charlie", "nobody", "cup", "games", "crowded"],
)
def test_every_main_control_is_at_most_20_tab_stops_away(
    watched: Page, source: Source, paths: tuple[str, ...]
) -> None:
    told = []
    with serving(source) as address:
        for path in paths:
            watched.goto(address + path)
            if path.startswith(("/submit", f"/matches/{MATCH}", "/play/bomb/")):
                settled(watched)
            told += [f"{path} {line}" for line in too_far(watched)]
        watched.goto("about:blank")
    assert told == []


def test_a_control_behind_many_links_is_noticed(watched: Page) -> None:
    lines = [cast.line(rank, f"bob/b{rank}", 2000.0 - rank, 9.0, 50) for rank in range(1, 40)]
    many: Any = replace(SOURCE, season_standings=lambda season: cast.board(*lines))
    with serving(many) as address:
        watched.goto(address + "/seasons/7")
        assert too_far(watched) == []
        watched.evaluate("document.querySelector('.sections').remove()")
        assert too_far(watched) != []
        watched.goto("about:blank")


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

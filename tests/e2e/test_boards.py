"""A board of a thousand bots and its figures in a real browser: at both widths, light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from matchbox.answers.board_figures import PairLine
from tests.e2e.test_pages import PHONE, axe_says, serving, settled
from tests.unit.dashboard import cast, counted
from tests.unit.dashboard.cast import SOURCE

pytestmark = pytest.mark.browser

SCREEN = {"width": 1280, "height": 900}
MANY = cast.board(
    *(
        cast.line(at, f"{'alice' if at == 777 else 'bob'}/b{at}", 3000.0 - at, 9.0, 50)
        for at in range(1, 1001)
    )
)
SIXTY = counted.FIGURES.model_copy(
    update={
        "bots": [line.bot for line in MANY.lines[:60]],
        "field": 1000,
        "pairs": [
            PairLine(first=one.bot, first_version=2, second=other.bot, second_version=2, bouts=40,
                     deals=20, share=0.6, ci95=(0.55, 0.65))
            for one, other in combinations(MANY.lines[:60], 2)
        ],
    }
)  # fmt: skip
CROWDED = replace(SOURCE, leaderboard=lambda game: MANY, board_figures=lambda game, top: SIXTY)
COUNT = """window.drawings = 0; const old = Plotly.react;
Plotly.react = (...given) => { window.drawings++; return old(...given); }; null"""
PATHS = ("/leaderboards/bomb", "/leaderboards/bomb/pairs?top=60", "/leaderboards/bomb/bouts")


@pytest.fixture(scope="module")
def crowded() -> Iterator[str]:
    """The pages over a board of a thousand bots, of which alice has one."""
    with serving(CROWDED) as address:
        yield address


@pytest.mark.parametrize("size", [SCREEN, PHONE], ids=["screen", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_crowded_board_is_accessible_and_fits(
    watched: Page, crowded: str, size: Any, scheme: Any
) -> None:
    watched.set_viewport_size(size)
    watched.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    for path in PATHS:
        watched.goto(crowded + path)
        settled(watched)
        assert axe_says(watched) == []
        assert watched.evaluate("document.documentElement.scrollWidth") <= size["width"]


def test_the_way_to_ones_own_bot_is_one_press(watched: Page, crowded: str) -> None:
    watched.goto(crowded + "/leaderboards/bomb")
    watched.get_by_role("link", name="b777", exact=True).press("Enter")
    expect(watched.locator("tr.mine")).to_be_in_viewport()
    watched.get_by_label("Bot or author").fill("b99")
    watched.get_by_label("Bot or author").press("Enter")
    expect(watched.locator("#board tbody tr")).to_have_count(11)


def test_more_columns_need_no_script_and_are_remembered(browser: Browser, crowded: str) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(crowded + "/leaderboards/bomb")
        expect(page.get_by_role("columnheader", name="Forfeits")).to_have_count(0)
        page.get_by_role("link", name="More columns").click()
        page.goto(crowded + "/leaderboards/bomb?page=2")
        expect(page.get_by_role("columnheader", name="Forfeits")).to_be_visible()


def test_a_cell_of_the_map_tells_its_count_and_interval(watched: Page, crowded: str) -> None:
    watched.goto(crowded + "/leaderboards/bomb/pairs?top=60")
    settled(watched)
    box = watched.locator(".canvas .nsewdrag").bounding_box()
    assert box is not None
    watched.mouse.move(box["x"] + box["width"] * 0.95, box["y"] + box["height"] * 0.05)
    expect(watched.locator(".hoverlayer")).to_contain_text("40 bouts")
    expect(watched.locator(".hoverlayer")).to_contain_text("95% interval 55.0% to 65.0%")


def test_a_figure_is_not_drawn_again_for_the_same_rows(watched: Page) -> None:
    with serving(SOURCE) as address:
        watched.goto(address + "/leaderboards/bomb")
        settled(watched)
        watched.evaluate(COUNT)
        with watched.expect_response(lambda answer: "seen=" in answer.url):
            pass
        expect(watched.locator(".htmx-request")).to_have_count(0)
        assert watched.evaluate("window.drawings") == 0
        watched.goto("about:blank")


@pytest.mark.parametrize("size", [SCREEN, PHONE], ids=["screen", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_bots_page_and_its_authors_are_accessible_and_fit(
    watched: Page, crowded: str, size: Any, scheme: Any
) -> None:
    watched.set_viewport_size(size)
    watched.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    for path in ("/bots/alice/careful", "/authors/alice", "/matches?bot=alice/careful&result=lost"):
        watched.goto(crowded + path)
        settled(watched)
        assert axe_says(watched) == []
        assert watched.evaluate("document.documentElement.scrollWidth") <= size["width"]

"""A board of a thousand bots and its figures in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser import PHONE, settle
from tests.e2e.test_pages import serving
from tests.unit.dashboard.cast import BOARD, SOURCE, board
from tests.unit.dashboard.states import CROWDED

pytestmark = pytest.mark.browser

COUNT = """window.drawings = 0; const old = Plotly.react;
Plotly.react = (...given) => { window.drawings++; return old(...given); }; null"""


@pytest.fixture(scope="module")
def crowded() -> Iterator[str]:
    """The pages with a board of a thousand bots, of which alice has one."""
    with serving(CROWDED) as address:
        yield address


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
    settle(watched)
    box = watched.locator(".canvas .nsewdrag").bounding_box()
    assert box is not None
    watched.mouse.move(box["x"] + box["width"] * 0.95, box["y"] + box["height"] * 0.05)
    expect(watched.locator(".hoverlayer")).to_contain_text("40 bouts")
    expect(watched.locator(".hoverlayer")).to_contain_text("95% interval 55.0% to 65.0%")


def test_a_figure_is_not_drawn_again_for_the_same_rows(watched: Page) -> None:
    with serving(SOURCE) as address:
        watched.goto(address + "/leaderboards/bomb")
        settle(watched)
        watched.evaluate(COUNT)
        with watched.expect_response(lambda answer: "seen=" in answer.url):
            pass
        expect(watched.locator(".htmx-request")).to_have_count(0)
        assert watched.evaluate("window.drawings") == 0
        watched.goto("about:blank")


def test_a_figure_is_drawn_if_the_board_changes_while_the_drawing_script_is_loaded(
    watched: Page,
) -> None:
    boards, held = [BOARD], list[Route]()
    with serving(replace(SOURCE, leaderboard=lambda game: boards[-1])) as address:
        watched.route("**/plotly-cartesian*", lambda route: held.append(route))
        with watched.expect_request("**/plotly-cartesian*"):
            watched.goto(address + "/leaderboards/bomb")
            watched.locator(".canvas").scroll_into_view_if_needed()
        boards.append(board(*BOARD.lines[:2]))
        expect(watched.locator("#board tbody tr")).to_have_count(2)
        held[0].continue_()
        settle(watched)
        expect(watched.locator(".canvas .ytick")).to_have_count(2)
        watched.goto("about:blank")


def test_a_column_that_comes_leaves_the_order_that_the_reader_chose(watched: Page) -> None:
    trails: dict[int, list[float]] = {}
    with serving(replace(SOURCE, rating_trails=lambda game, versions: trails)) as address:
        watched.goto(address + "/leaderboards/bomb")
        watched.get_by_role("button", name="Matches").click()
        sorts = watched.locator("#board thead [aria-sort]")
        cells = watched.locator("#board td[data-label=Matches]")
        order = cells.all_inner_texts()
        assert order == sorted(order, key=int) != [str(one.matches) for one in BOARD.lines]
        trails.update({line.version_id: [1500.0, 1480.0] for line in BOARD.lines})
        expect(watched.get_by_role("button", name="Elo so far")).to_be_visible()
        expect(sorts).to_have_text("Matches")
        assert cells.all_inner_texts() == order
        watched.goto("about:blank")


def test_a_page_of_something_in_between_takes_no_part_of_a_page_away(page: Page) -> None:
    """Such as the log-in of a network, or of this platform."""
    with serving(SOURCE) as address:
        page.goto(address + "/leaderboards/bomb")
        page.route("**seen=**", lambda route: route.fulfill(body="<p>Hello</p>"), times=1)
        for _ in range(2):
            with page.expect_response(lambda answer: "seen=" in answer.url):
                pass
        expect(page.locator("#standing table")).not_to_have_count(0)
        page.goto("about:blank")


@pytest.mark.parametrize("path", ["/matches", "/bots/alice/careful/opponents", "/inbox"])
def test_five_rows_of_a_long_list_fit_on_a_phone(watched: Page, path: str) -> None:
    watched.set_viewport_size(PHONE)
    with serving(SOURCE) as address:
        watched.goto(address + path)
        rows = watched.locator("table.cards tbody tr")
        heights = rows.evaluate_all("rows => rows.map(row => row.getBoundingClientRect().height)")
    assert heights
    assert max(heights) < PHONE["height"] / 5

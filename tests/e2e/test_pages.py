"""The pages in a real browser, under the real content policy, from a source of plain functions."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Final

import pytest
from playwright.sync_api import Page, Request, Route, expect

from dashboard.source import Source
from matchbox.answers.accounts import Viewer
from matchbox.answers.bots import Bot
from matchbox.answers.courses import Stamp
from matchbox.answers.matches import Match, Queue
from matchbox.answers.standings import Board
from matchbox.errors import NotFound, Unavailable
from tests.browser import COLOURS, PHONE, axe_says, settle
from tests.unit.dashboard import cast, compared, seasons
from tests.unit.dashboard.cast import BOARD, EMPTY, MATCH, NOBODY, OPERATOR, SOURCE, make_app
from tests.web_server import answering

pytestmark = pytest.mark.browser


def serving(source: Source) -> AbstractContextManager[str]:
    """The address of a server of these pages, until the block ends."""
    return answering(make_app(source))


@pytest.fixture(scope="session")
def alices() -> Iterator[str]:
    """The pages as alice sees them."""
    with serving(SOURCE) as address:
        yield address


@pytest.mark.parametrize("name", ["rounds", "hours"])
def test_a_refused_setting_of_a_new_league_is_marked_and_has_the_focus(
    watched: Page, name: str
) -> None:
    typed = f"name=cup&game=bomb&kind=swiss&{name}=0"
    with serving(OPERATOR) as address:
        watched.goto(f"{address}/admin/leagues/new?step=3&{typed}")
        field = watched.locator(f"input[name={name}]")
        expect(field).to_be_focused()
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(watched.locator("[aria-invalid]")).to_have_count(1)


def test_a_live_page_with_a_figure_keeps_to_the_policy_when_it_asks_again(
    watched: Page, alices: str
) -> None:
    watched.goto(alices + "/seasons/7")
    settle(watched)
    with watched.expect_response(lambda response: "/seasons/7?part=live" in response.url):
        pass
    expect(watched.locator(".htmx-request")).to_have_count(0)


def a_board(width: float, *, ahead: str, matches: int) -> Board:
    """Two bots whose intervals are that wide; the first is `ahead`."""
    names = (ahead, "house/scared" if ahead == "alice/careful" else "alice/careful")
    lines = [
        cast.line(rank, name, 1700.0 - 100 * rank, width, matches + rank)
        for rank, name in enumerate(names, 1)
    ]
    return cast.board(*lines)


def stamp_of(standing: Board) -> Stamp:
    """The stamp of a season with this standing."""
    return Stamp(course="running-1", standing=str(standing.rows_digest))


@pytest.mark.parametrize("path", ["/leaderboards/bomb", "/seasons/7"])
def test_a_standing_comes_on_by_itself_and_stays_sorted_as_its_reader_has_it(
    watched: Page, path: str
) -> None:
    told = {"board": a_board(90.0, ahead="alice/careful", matches=20)}
    live = replace(
        SOURCE,
        leaderboard=lambda game: told["board"],
        season_standings=lambda season: told["board"],
        season_stamp=lambda season: stamp_of(told["board"]),
    )
    with serving(live) as address:
        watched.goto(address + path)
        settle(watched)
        heading = watched.get_by_role("columnheader", name="Matches")
        heading.get_by_role("button").press("Enter")
        heading.get_by_role("button").press("Enter")
        rows = watched.locator("#board tbody tr")
        expect(rows.first).to_contain_text("house/scared")
        expect(rows.first).to_contain_text("± 90")
        told["board"] = a_board(30.0, ahead="house/scared", matches=400)
        expect(rows.first).to_contain_text("± 30")
        expect(rows.first).to_contain_text("alice/careful")
        expect(heading).to_have_attribute("aria-sort", "descending")
        expect(heading.get_by_role("button")).to_be_focused()
        canvas = watched.locator("[data-figure]")
        expect(canvas).to_have_attribute("data-ready", "")
        assert canvas.locator(".point").count() == 2
        expect(canvas).to_have_attribute("aria-label", re.compile("^house/scared leads"))
        heading.get_by_role("button").click()
        expect(rows.first).to_contain_text("house/scared")
        watched.goto("about:blank")


def test_a_standing_appears_with_the_first_match(watched: Page) -> None:
    told = {"board": EMPTY.season_standings(7)}
    live = replace(
        SOURCE,
        season_standings=lambda season: told["board"],
        season_stamp=lambda season: stamp_of(told["board"]),
    )
    with serving(live) as address:
        watched.goto(address + "/seasons/7")
        expect(watched.locator("#board")).to_have_count(0)
        told["board"] = a_board(90.0, ahead="alice/careful", matches=1)
        expect(watched.locator("#board tbody tr")).to_have_count(2)
        settle(watched)
        watched.goto("about:blank")


def test_a_comparison_shows_its_share_of_points_as_games_come_in(watched: Page) -> None:
    told = {"row": compared.row(1, games=8, pairs=[1, 0, 2, 0, 1])}
    with serving(replace(SOURCE, comparison=lambda number: told["row"])) as address:
        watched.goto(address + "/comparisons/1")
        found = watched.locator("#found")
        expect(found).to_contain_text("50.0% of the points, ±31.9")
        told["row"] = compared.row(1, games=800, pairs=[100, 0, 200, 0, 100])
        expect(found).to_contain_text("50.0% of the points, ±3.5")
        expect(found).to_contain_text("800 of at most 10,000")
        watched.goto("about:blank")


def test_the_figure_is_drawn_only_when_it_comes_into_view(watched: Page, alices: str) -> None:
    asked: list[str] = []

    def note(request: Request) -> None:
        asked.append(request.url)

    watched.on("request", note)
    watched.goto(alices + "/")
    assert not [url for url in asked if "plotly" in url]
    watched.goto(alices + "/leaderboards/bomb")
    settle(watched)
    assert len([url for url in asked if "plotly" in url]) == 1
    assert watched.locator(".canvas .scatterlayer .point").count() == len(seasons.BOTS)


def test_the_figure_follows_the_page_into_the_dark(watched: Page, alices: str) -> None:
    watched.emulate_media(color_scheme="light")
    watched.goto(alices + "/leaderboards/bomb")
    settle(watched)
    label = watched.locator(".canvas .ytick text").first
    light = label.evaluate("mark => getComputedStyle(mark).fill")
    watched.emulate_media(color_scheme="dark")
    expect(label).not_to_have_css("fill", light)


def test_what_a_phone_hides_has_enough_contrast_in_the_dark_too(watched: Page, alices: str) -> None:
    watched.emulate_media(color_scheme="dark")
    watched.goto(alices + "/leaderboards/bomb")
    settle(watched)
    expect(watched.locator("table.sortable thead")).to_be_visible()
    assert axe_says(watched, *COLOURS) == []


def test_hovering_a_point_tells_the_counts(watched: Page, alices: str) -> None:
    watched.goto(alices + "/leaderboards/bomb")
    settle(watched)
    box = watched.locator(".canvas .point").first.bounding_box()
    assert box is not None
    watched.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    hover = watched.locator(".hoverlayer")
    expect(hover).to_contain_text("412 matches: 206 won, 20 drawn, 186 lost")


def test_a_figure_that_does_not_load_says_so(page: Page, alices: str) -> None:
    page.route("**/plotly-cartesian*", lambda route: route.abort())
    page.goto(alices + "/leaderboards/bomb")
    expect(page.locator(".canvas")).to_contain_text("The table has the same data")


def test_a_figure_appears_once_the_server_is_back(page: Page, alices: str) -> None:
    page.clock.install()
    page.route("**/plotly-cartesian*", lambda route: route.abort())
    page.goto(alices + "/leaderboards/bomb")
    canvas = page.locator(".canvas")
    expect(canvas).to_contain_text("No figure")
    page.unroute("**/plotly-cartesian*")
    page.clock.fast_forward(10_000)
    expect(canvas).to_have_attribute("data-ready", "")
    expect(canvas).not_to_contain_text("No figure")


def test_a_figure_that_cannot_be_drawn_again_is_tried_later(page: Page, alices: str) -> None:
    page.clock.install()
    page.goto(alices + "/leaderboards/bomb")
    settle(page)
    page.evaluate("""() => {
      const draw = Plotly.react;
      Plotly.react = () => { Plotly.react = draw; throw new Error('no room'); };
    }""")
    page.emulate_media(color_scheme="dark")
    canvas = page.locator(".canvas")
    expect(canvas).to_contain_text("No figure: no room")
    page.clock.fast_forward(10_000)
    expect(canvas).to_have_attribute("data-ready", "")
    expect(canvas).not_to_contain_text("No figure")


def test_a_table_is_sorted_by_its_headings(watched: Page, alices: str) -> None:
    watched.goto(alices + "/leaderboards/bomb")
    first = watched.locator("table.sortable tbody tr").first
    expect(first).to_contain_text("careful")
    heading = watched.get_by_role("columnheader", name="Matches")
    heading.get_by_role("button").click()
    expect(first).to_contain_text("tin-drum")
    expect(heading).to_have_attribute("aria-sort", "ascending")
    heading.get_by_role("button").press("Enter")
    expect(first).to_contain_text("scared")
    expect(heading).to_have_attribute("aria-sort", "descending")


def test_the_heading_of_a_table_stays_in_view(watched: Page, alices: str) -> None:
    lines = [cast.line(rank, f"bob/b{rank}", 2000.0 - rank, 9.0, 50) for rank in range(1, 80)]
    with serving(replace(SOURCE, leaderboard=lambda game: cast.board(*lines))) as address:
        watched.goto(address + "/leaderboards/bomb")
        settle(watched)
        watched.get_by_role("link", name="bob/b70").scroll_into_view_if_needed()
        expect(watched.get_by_role("columnheader", name="Elo", exact=True)).to_be_in_viewport()
        watched.goto("about:blank")


def test_the_verdict_appears_by_itself(watched: Page) -> None:
    told = {"bot": cast.bot("alice", "careful")}

    def bot(owner: str, name: str) -> Bot:
        return told["bot"]

    with serving(replace(SOURCE, bot=bot)) as address:
        watched.goto(address + "/bots/alice/careful/versions/4")
        expect(watched.locator("#verdict")).to_contain_text("Being tried out")
        wrong = cast.report("crash", "ValueError: no such card (player.py, line 5)")
        told["bot"] = cast.bot("alice", "careful", versions=[cast.version(4, "refused", wrong)])
        verdict = watched.locator("#verdict")
        expect(verdict).to_contain_text("Refused. Your bot ended with an error.")
        expect(verdict).to_contain_text("ValueError: no such card (player.py, line 5)")
        expect(verdict.locator(".wrong")).to_contain_text("def turn")
        expect(verdict).not_to_have_attribute("hx-get", "")
        watched.goto("about:blank")


def test_the_lead_of_a_bots_page_follows_the_verdict(watched: Page) -> None:
    waits = cast.version(1, "pending", None)
    bots = [cast.bot("alice", "careful", active=None, standing=None, versions=[waits])]
    with serving(replace(SOURCE, bot=lambda owner, name: bots[-1])) as address:
        watched.goto(address + "/bots/alice/careful")
        lead = watched.locator("main .lead")
        expect(lead).to_contain_text("no version plays at present")
        plays = cast.version(1, "active", cast.report("accepted"))
        bots.append(cast.bot("alice", "careful", active=1, standing=None, versions=[plays]))
        expect(lead).to_contain_text("Version 1 plays Bomb")
        expect(watched.locator("#lead")).to_contain_text("CPU time per decision in its try-out")
        expect(watched.locator("#versions[hx-get]")).to_have_count(0)
        watched.goto("about:blank")


def test_what_a_reader_has_unfolded_stays_so_when_the_page_asks_again(watched: Page) -> None:
    told = cast.report("accepted", log="a line that the bot printed")
    bot = cast.bot("alice", "careful", versions=[cast.version(4, "active", told)])
    with serving(replace(SOURCE, bot=lambda owner, name: bot)) as address:
        watched.goto(address + "/bots/alice/careful/versions/4")
        watched.get_by_text("Its output and tracebacks").click()
        for _ in range(2):
            with watched.expect_response(lambda answer: "versions/4" in answer.url):
                pass
        expect(watched.locator(".htmx-request")).to_have_count(0)
        expect(watched.get_by_text("a line that the bot printed")).to_be_visible()
        watched.goto("about:blank")


def test_a_page_in_the_background_asks_for_nothing(watched: Page) -> None:
    bot = cast.bot("alice", "careful")
    with serving(replace(SOURCE, bot=lambda owner, name: bot)) as address:
        watched.goto(address + "/bots/alice/careful/versions/4")
        with watched.expect_response(lambda answer: "versions/4" in answer.url):
            pass
        expect(watched.locator(".htmx-request")).to_have_count(0)
        watched.evaluate(
            "Object.defineProperty(document, 'hidden', { get: () => window.away });"
            " window.away = true"
        )
        asked: list[str] = []
        watched.on("request", lambda request: asked.append(request.url))
        watched.evaluate(
            "let polls = 0; document.addEventListener('htmx:before:request',"
            " () => document.body.dataset.polls = ++polls)"
        )
        expect(watched.locator("body")).to_have_attribute("data-polls", re.compile("[2-9]"))
        assert asked == []
        with watched.expect_response(lambda answer: "versions/4" in answer.url):
            watched.evaluate("window.away = false")
        watched.goto("about:blank")


LATE: Final = "const now = Date.now; Date.now = () => now() + 60000"
"""Lets a minute pass on the page."""


@pytest.mark.parametrize(
    ("status", "why"),
    [
        (0, "The server cannot be reached: this page is of"),
        (503, "The server failed to answer: this page is of"),
        (429, "Too many requests come from you or your network: this page is of"),
    ],
)
def test_a_live_page_that_is_not_renewed_says_so_until_it_is(
    page: Page, alices: str, status: int, why: str
) -> None:
    page.goto(alices + "/bots/alice/careful/versions/4")
    expect(page.locator("#verdict")).to_contain_text("Being tried out")
    page.evaluate(LATE)
    page.route(
        "**/versions/4", lambda route: route.fulfill(status=status) if status else route.abort()
    )
    expect(page.locator("main .away")).to_contain_text(why)
    page.unroute("**/versions/4")
    expect(page.locator(".away")).to_have_count(0)


def test_a_live_page_that_may_not_be_read_any_more_says_why(page: Page) -> None:
    found = [cast.bot("alice", "careful")]

    def bot(owner: str, name: str) -> Bot:
        if not found:
            raise NotFound(f"there is no bot {owner}/{name}")
        return found[0]

    with serving(replace(SOURCE, bot=bot)) as address:
        page.goto(address + "/bots/alice/careful/versions/4")
        expect(page.locator("#verdict")).to_contain_text("Being tried out")
        found.clear()
        expect(page.locator("main")).to_contain_text("There is no bot alice/careful")
        page.goto("about:blank")


COMES_BACK: Final = "dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))"
"""What the way back does to a page that the browser has kept; the browsers of tests keep none."""


def test_the_way_back_after_a_log_out_loads_the_page_again(watched: Page, alices: str) -> None:
    watched.goto(alices + "/inbox")
    watched.evaluate("document.addEventListener('submit', event => event.preventDefault())")
    watched.evaluate("window.kept = true")
    watched.evaluate(COMES_BACK)
    assert not watched.evaluate("document.body.hidden"), "what is loaded again is hidden at once"
    assert watched.evaluate("window.kept")
    watched.get_by_role("button", name="Log out").click()
    with watched.expect_navigation():
        watched.evaluate(COMES_BACK)
    assert not watched.evaluate("window.kept")


def test_the_way_back_after_the_account_is_deleted_loads_the_page_again(
    watched: Page, alices: str
) -> None:
    watched.goto(alices + "/account")
    watched.evaluate("document.addEventListener('submit', event => event.preventDefault())")
    form = watched.locator("form[action^='/account/delete']")
    form.get_by_label("password").fill("a password of alice")
    form.get_by_role("button").click()
    watched.evaluate("window.kept = true")
    with watched.expect_navigation():
        watched.evaluate(COMES_BACK)
    assert not watched.evaluate("window.kept")


def test_a_page_that_is_being_loaded_again_asks_for_nothing(page: Page) -> None:
    answers = iter([cast.waiting("running")])

    def match(name: str) -> Match:
        """Is slower than the page asks."""
        if first := next(answers, None):
            return first
        time.sleep(0.6)
        return cast.match(MATCH)

    def hurry(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace("every 3s", "every 200ms"))

    with serving(replace(SOURCE, match=match)) as address:
        asked: list[bool] = []
        page.on("request", lambda one: asked.append("hx-request" in one.headers))
        page.route("**/matches/*", hurry, times=1)
        page.goto(f"{address}/matches/{MATCH}")
        expect(page.locator("#replay")).to_have_attribute("data-ready", "")
        assert sum(asked) == 1
        page.goto("about:blank")


def test_a_server_that_fails_for_a_moment_takes_nothing_from_the_page(page: Page) -> None:
    broken: list[str] = []

    def queue() -> Queue:
        if broken:
            raise Unavailable("out for a moment")
        return SOURCE.queue()

    with serving(replace(SOURCE, queue=queue)) as address:
        page.goto(address + "/admin")
        broken.append("yes")
        with page.expect_response(lambda answer: answer.status == 503):
            pass
        with page.expect_response(lambda answer: answer.status == 503):
            expect(page.locator("#queue")).to_contain_text("12, the oldest")
        broken.clear()
        with page.expect_response(lambda answer: answer.status == 200):
            pass
        expect(page.locator("#queue")).to_contain_text("12, the oldest")
        page.goto("about:blank")


def test_a_digest_is_copied(watched: Page, alices: str) -> None:
    watched.context.grant_permissions(["clipboard-read", "clipboard-write"])
    watched.clock.install(time=0)
    watched.goto(alices + "/leaderboards/bomb")
    watched.clock.pause_at(60)  # The word stays for two seconds, and a look may come later.
    button = watched.get_by_label("Copy the digest of the results")
    button.click()
    expect(button).to_have_text("copied")
    expect(watched.get_by_role("status").get_by_text("copied")).to_have_count(1)
    assert watched.evaluate("navigator.clipboard.readText()") == BOARD.rows_digest
    watched.clock.run_for(2000)
    expect(button).to_have_text("copy")


def test_the_menu_takes_two_lines_of_a_phone_and_names_break_at_the_slash(watched: Page) -> None:
    watched.set_viewport_size(PHONE)
    lines = [cast.line(1, "fatima-al-fihri/clockwork-orange", 1597.0, 98.0, 6)]
    board = cast.board(*lines)
    with serving(replace(NOBODY, leaderboard=lambda game: board)) as address:
        watched.goto(address + "/")
        menu = watched.get_by_role("navigation", name="Site").bounding_box()
        assert menu is not None
        assert menu["height"] < 90
        name = watched.locator(".leaders .bot a")
        assert name.evaluate("one => one.getClientRects().length") <= 2
        watched.goto(address + "/leaderboards/bomb")
        row = watched.locator("#board tbody tr").bounding_box()
        assert row is not None
        assert row["height"] < 120
        watched.goto("about:blank")


@pytest.mark.parametrize("width", [360, 390])
def test_the_menu_of_an_operator_with_a_long_name_takes_two_lines(
    watched: Page, width: int
) -> None:
    watched.set_viewport_size({"width": width, "height": 844})
    named = Viewer(name="bartholomew-the-third", role="operator", unread=1207)
    with serving(replace(OPERATOR, viewer=lambda: named)) as address:
        watched.goto(address + "/")
        menu = watched.get_by_role("navigation", name="Site").bounding_box()
        assert menu is not None
        assert menu["height"] < 90
        expect(watched.get_by_role("link", name="Submit a bot", exact=True)).to_be_visible()
        watched.goto("about:blank")


def test_on_paper_a_page_has_nothing_to_press_and_is_light(watched: Page, alices: str) -> None:
    watched.emulate_media(media="print", color_scheme="dark")
    watched.goto(alices + "/leaderboards/bomb")
    expect(watched.get_by_role("cell", name="alice/careful").first).to_be_visible()
    for name in (".top", "footer", "[data-copy]"):
        expect(watched.locator(name).first).to_be_hidden()
    expect(watched.locator("h1")).to_have_css("color", "rgb(0, 0, 0)")


@pytest.mark.parametrize("path", ["/leaderboards/bomb", "/leaderboards/bomb/pairs"])
def test_on_paper_a_figure_of_a_dark_page_has_black_letters(
    watched: Page, alices: str, path: str
) -> None:
    watched.emulate_media(media="screen", color_scheme="dark")
    watched.goto(alices + path)
    settle(watched)
    letters = watched.locator(".canvas text").filter(has_text="alice/careful")
    expect(letters).not_to_have_css("fill", "rgb(0, 0, 0)")
    watched.emulate_media(media="print")
    expect(letters).to_have_css("fill", "rgb(0, 0, 0)")


def test_in_a_readers_own_colours_only_the_tab_of_the_page_is_marked(
    watched: Page, alices: str
) -> None:
    watched.emulate_media(forced_colors="active")
    watched.goto(alices + "/leaderboards/bomb")
    looks = (
        "one => [getComputedStyle(one).backgroundColor, getComputedStyle(one).borderBottomColor]"
    )
    here, *others = (tab.evaluate(looks) for tab in watched.locator(".tabs a").all())
    page = watched.evaluate("getComputedStyle(document.body).backgroundColor")
    assert here[0] not in (page, "rgba(0, 0, 0, 0)")
    assert [border for _, border in others] == [page, page]
    watched.goto(f"{alices}/matches/{MATCH}?bout=4&step=3&seat=1")
    marked = watched.locator(".transcript [aria-current] a")
    expect(marked).to_have_css("background-color", here[0])
    expect(marked.locator("span").first).to_have_css("color", "rgb(255, 255, 255)")

"""An operator runs a season of each format through the pages; only the arena is missing."""

from __future__ import annotations

from functools import partial
from typing import Final, NamedTuple

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import select

from matchbox.league.format import CHOICES
from server.db.models import League, Role
from tests.books import Books, play_out, really_learned, really_play, really_played
from tests.browser import all_is_well, become_operator, journey, settle
from tests.builders import shipped

pytestmark = pytest.mark.browser

AUTHORS = ("alice", "bob", "dora", "emil", "frida")


class Format(NamedTuple):
    """A season's game, the bot of which every author has a variant, the values of the form, and the
    content of the season's page."""

    game: str
    bot: str
    settings: dict[str, str]
    headings: tuple[str, ...]


ALL_MEET: Final = ("Standing", "Who beats whom", "Rounds")
FORMATS: Final = {
    "round-robin": Format("thegame", "legal", {}, ("Standing", "Rounds")),
    "swiss": Format(
        "creatures",
        "stilllearning",
        {"Rounds of a Swiss season": "2", "Learning between rounds": "fresh"},
        ALL_MEET,
    ),
    "adaptive": Format("bomb", "medium", {"Ends after matches": "60"}, ALL_MEET),
    "knock-out": Format(
        "bomb",
        "medium",
        {"Bots of a group": "3", "Going on from a group": "1"},
        ("Knock-out",),
    ),
}


def make_league(page: Page, address: str, game: str, kind: str, settings: dict[str, str]) -> None:
    """Makes a league of the game with this format, in the form's three steps."""
    page.goto(address + "/leagues")
    page.get_by_role("link", name="Make a league").click()
    page.get_by_label("Name").fill("cup")
    page.get_by_label("Game").select_option(game)
    page.locator(f"input[value={kind}]").check()
    page.get_by_role("button", name="Next: settings").click()
    page.get_by_label("Deals of a match").fill("1")
    if kind != "continuous":
        page.get_by_text("More settings, which few leagues need").click()
    for label, text in settings.items():
        field = page.get_by_label(label)
        if field.evaluate("it => it.tagName") == "SELECT":
            field.select_option(text)
        else:
            field.fill(text)
    page.get_by_role("button", name="Next: summary").click()
    page.get_by_role("button", name="Make the league").click()
    expect(page.get_by_role("heading", name="cup", exact=True)).to_be_visible()


@pytest.fixture
def books(books: Books) -> Books:
    """A platform on which only the tests' leagues play: the ranked queues of the games' own leagues
    are paused."""
    with books.write() as session:
        for league in session.scalars(select(League)):
            league.paused = True
    return books


@journey
@pytest.mark.parametrize("kind", CHOICES["kind"])
def test_an_operator_runs_a_season_of_each_format(
    watched: Page, books: Books, address: str, kind: str
) -> None:
    form = FORMATS[kind]
    become_operator(watched, f"{address}/first/{books.operator_link()}")
    for name in AUTHORS:
        text = shipped(form.game, form.bot) + f"\n# {name}\n".encode()
        books.bot(books.person(name, Role.AUTHOR), "careful", text, game=form.game)
    entry = {"At the freeze": "every active bot"}
    make_league(watched, address, form.game, kind, entry | form.settings)
    watched.get_by_role("button", name="Make the season").click()
    state = watched.locator("#state")
    expect(state).to_contain_text("open")
    watched.get_by_text("Freeze …").click()
    watched.get_by_role("button", name="Freeze it for good").click()
    expect(state).to_contain_text("bots; nothing is played yet")
    watched.get_by_text("Start …").click()
    watched.get_by_role("button", name="Start it now").click()
    expect(state).to_contain_text("under way")
    watched.get_by_role("button", name="Pause").click()
    expect(state).to_contain_text("paused")
    watched.get_by_role("button", name="Resume").click()
    expect(state).to_contain_text("under way")
    play_out(
        books,
        lambda jobs: map(partial(really_played, books), jobs),
        partial(really_learned, books),
    )
    # The page follows the season by itself.
    expect(state).to_contain_text("finished")
    expect(state).to_contain_text("matches played")
    expect(watched.get_by_text("Cancel …")).to_have_count(0)
    for heading in form.headings:
        expect(watched.get_by_role("heading", name=heading, exact=True)).to_be_visible()
    if kind == "knock-out":
        expect(watched.locator(".bracket .won").first).to_be_visible()
        expect(state).to_contain_text("champion", ignore_case=True)
    all_is_well(watched)
    season = watched.url
    watched.locator(".fixtures .score").first.click()
    expect(watched.locator("#replay")).to_have_attribute("data-ready", "")
    all_is_well(watched)
    void_it(watched, decided=kind == "knock-out")
    watched.goto(season)
    expect(watched.locator(".fixtures .tag", has_text="void")).to_have_count(
        0 if kind == "knock-out" else 1
    )


def void_it(page: Page, *, decided: bool) -> None:
    """Makes the match of this page void; or, if it has `decided` a tie, reads the reason why that
    is impossible."""
    page.goto(page.url.partition("?")[0] + "/operate")
    if decided:
        expect(page.locator("main")).to_contain_text("it can no longer be made void")
        expect(page.get_by_role("link", name="disqualify it")).to_be_visible()
        return
    expect(page.locator("main")).to_contain_text("it cannot be played again")
    page.get_by_label("What the platform did wrong").fill("the arena had no disk")
    page.get_by_role("button", name="Make it void").click()
    expect(page.locator("main")).to_contain_text("Void: the arena had no disk")
    all_is_well(page)


@journey
def test_an_operator_makes_a_league_that_never_ends(
    watched: Page, books: Books, address: str
) -> None:
    become_operator(watched, f"{address}/first/{books.operator_link()}")
    make_league(watched, address, "bomb", "continuous", {})
    expect(watched.locator("main")).to_contain_text("Continuously, by every active bot of the game")
    really_play(books, 2)
    watched.get_by_role("link", name="the leaderboard").click()
    expect(watched.locator("#board tbody tr")).to_have_count(2)
    expect(watched.locator("main")).to_contain_text("in the league cup")
    settle(watched)
    all_is_well(watched)


def test_the_form_shows_what_the_question_of_an_adaptive_season_needs(
    watched: Page, books: Books, address: str
) -> None:
    become_operator(watched, f"{address}/first/{books.operator_link()}")
    watched.goto(f"{address}/admin/leagues/new?name=cup&game=bomb&kind=adaptive&step=2")
    size, care = watched.get_by_label("Size of the top"), watched.get_by_label("Care")
    expect(size).to_be_hidden()
    expect(care).to_be_visible()
    watched.get_by_label("Question").select_option("top")
    expect(size).to_be_visible()
    size.fill("3")
    watched.get_by_label("Question").select_option("champion")
    expect(size).to_be_hidden()
    watched.get_by_text("More settings, which few leagues need").click()
    moving = watched.get_by_label("Rising and sinking")
    expect(moving).to_be_hidden()
    watched.locator("[name=divisions]").select_option("2")
    expect(moving).to_be_visible()
    watched.locator("[name=divisions]").select_option("1")
    expect(moving).to_be_hidden()
    expect(care).to_be_hidden()
    watched.get_by_role("button", name="Next: summary").click()
    expect(watched.get_by_role("button", name="Make the league")).to_be_visible()

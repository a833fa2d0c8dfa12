"""An operator runs a season of each format through the pages; only the arena is missing."""

from __future__ import annotations

from typing import Final

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from sqlalchemy import select

from matchbox.match.wire import PlayMatch
from server.db.models import League, Role
from server.services import accounts
from server.services.tick import tick
from tests.books import Books, really_played
from tests.builders import shipped

pytestmark = pytest.mark.browser

PASSWORD = "correct horse battery"
SIZES: Final = {"wide": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 844}}
AUTHORS = ("alice", "bob", "dora", "emil", "frida")


def become_operator(page: Page, books: Books, address: str) -> None:
    """Makes charlie the first operator, through the link that a new platform prints."""
    with books.write() as session:
        secret = accounts.first_operator_link(session, now=books.clock())
    page.goto(f"{address}/first/{secret}")
    page.get_by_label("Name").fill("charlie")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Become the operator").click()
    expect(page.get_by_text("Strangers' bots run behind the wall")).to_be_visible()


def make_league(page: Page, address: str, kind: str, settings: dict[str, str]) -> None:
    """Makes a league of bomb with this format, in the form's three steps."""
    page.goto(address + "/leagues")
    page.get_by_role("link", name="Make a league").click()
    page.get_by_label("Name").fill("cup")
    page.get_by_label("Game").select_option("Bomb")
    page.locator(f"input[value={kind}]").check()
    page.get_by_role("button", name="Next: settings").click()
    page.get_by_label("Deals of a match").fill("1")
    page.get_by_text("More, which few leagues need").click()
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
    """Books where no league plays but those of the tests: the ranked queues of the games' own
    leagues rest."""
    with books.write() as session:
        for league in session.scalars(select(League)):
            league.paused = True
    return books


def play_out(books: Books) -> None:
    """Plays until the platform sends no more matches."""
    for _ in range(100):
        tick(books.context)
        jobs = [job for job in books.postman.take() if isinstance(job, PlayMatch)]
        if not jobs:
            return
        for job in jobs:
            books.record(really_played(books, job))
        books.clock.pass_by(seconds=30)
    raise AssertionError("the season does not end")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("kind", "settings", "headings"),
    [
        ("round-robin", {}, ["Standing", "Who beats whom", "Rounds"]),
        ("swiss", {"Rounds of a Swiss season": "3"}, ["Standing", "Who beats whom", "Rounds"]),
        ("adaptive", {"Ends after matches": "60"}, ["Standing", "Who beats whom", "Rounds"]),
        ("knock-out", {"Bots of a group": "3", "Going on from a group": "1"}, ["Knock-out"]),
    ],
    ids=["round robin", "swiss", "adaptive", "knock-out"],
)
def test_an_operator_runs_a_season_of_each_format(
    watched: Page,
    books: Books,
    address: str,
    size: str,
    kind: str,
    settings: dict[str, str],
    headings: list[str],
) -> None:
    watched.set_viewport_size(SIZES[size])  # type: ignore[arg-type]
    become_operator(watched, books, address)
    for name in AUTHORS:
        text = shipped("bomb", "medium").decode() + f"\n# {name}\n"
        books.bot(books.person(name, Role.AUTHOR), "careful", text.encode())
    make_league(watched, address, kind, {"At the freeze": "every active bot", **settings})
    watched.get_by_role("button", name="Make the season").click()
    state = watched.locator("#state")
    expect(state).to_contain_text("open")
    watched.get_by_role("button", name="Freeze").click()
    expect(state).to_contain_text("7 bots; nothing is played yet")
    watched.get_by_role("button", name="Start").click()
    expect(state).to_contain_text("being played")
    watched.get_by_role("button", name="Pause").click()
    expect(state).to_contain_text("paused")
    watched.get_by_role("button", name="Resume").click()
    expect(state).to_contain_text("being played")
    play_out(books)
    # The page follows the season by itself.
    expect(state).to_contain_text("finished")
    expect(state).to_contain_text("matches played")
    watched.reload()
    for heading in headings:
        expect(watched.get_by_role("heading", name=heading, exact=True)).to_be_visible()
    if kind == "knock-out":
        expect(watched.locator(".bracket .won").first).to_be_visible()
        expect(state).to_contain_text("champion", ignore_case=True)
    wide = watched.evaluate("document.documentElement.scrollWidth")
    assert wide <= SIZES[size]["width"]
    for scheme in ("light", "dark"):
        watched.emulate_media(color_scheme=scheme)
        found = Axe().run(watched).response["violations"]
        assert [f"{one['id']}: {one['nodes'][0]['html'][:120]}" for one in found] == []
    watched.locator(".fixtures .score").first.click()
    expect(watched.locator("#replay")).to_have_attribute("data-ready", "")


def test_the_form_shows_what_the_question_of_an_adaptive_season_needs(
    watched: Page, books: Books, address: str
) -> None:
    become_operator(watched, books, address)
    watched.goto(f"{address}/admin/leagues/new?name=cup&game=bomb&kind=adaptive&step=2")
    size, care = watched.get_by_label("Size of the top"), watched.get_by_label("Care")
    expect(size).to_be_hidden()
    expect(care).to_be_visible()
    watched.get_by_label("Question").select_option("top")
    expect(size).to_be_visible()
    size.fill("3")
    watched.get_by_label("Question").select_option("champion")
    expect(size).to_be_hidden()
    expect(care).to_be_hidden()
    watched.get_by_role("button", name="Next: summary").click()
    expect(watched.get_by_role("button", name="Make the league")).to_be_visible()

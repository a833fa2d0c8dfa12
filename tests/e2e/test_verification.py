"""A match is verified from its page in a real browser, with a real database and a real record."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest
from playwright.sync_api import Browser, Page, expect

from matchbox.match.wire import Verify
from server.db.models import Role
from tests.books import Books, open_books, season_of
from tests.browser import Screen, all_is_well, journey
from tests.e2e.test_play import sign_up
from tests.unit.server.test_match_verifications import book, play_one, verified

pytestmark = pytest.mark.browser


@pytest.fixture
def books(empty_database: Path, tmp_path: Path) -> Iterator[Books]:
    """A platform where two bots play a season."""
    url = f"sqlite:///{shutil.copy(empty_database, tmp_path / 'books.db')}"
    books = open_books(url, data=str(tmp_path), requests_per_minute=1_000_000)
    books.wall()
    books.league()
    bots = [books.bot(books.person(name), "simple") for name in ("alice", "bob")]
    season_of(books, books.person("charlie", Role.OPERATOR), bots)
    yield books
    books.context.close()


@pytest.fixture
def match(books: Books) -> str:
    """A match that was really played."""
    return play_one(books)


@pytest.fixture
def go(books: Books) -> Iterator[Event]:
    """An arena that waits for a signal, and then verifies."""
    go, over = Event(), Event()

    def arena() -> None:
        while not over.wait(0.02):
            if go.is_set():
                for job in books.sent(Verify):
                    book(books, verified(books, job))

    thread = Thread(target=arena, daemon=True)
    thread.start()
    yield go
    over.set()
    thread.join()


@journey
def test_a_match_is_verified_by_a_click(
    browser: Browser, screen: Screen, address: str, match: str, go: Event
) -> None:
    context = browser.new_context(
        viewport=screen.viewport, color_scheme=screen.scheme, base_url=address
    )
    page: Page = context.new_page()
    trouble: list[str] = []
    page.on("console", lambda message: trouble.append(message.text))
    sign_up(page, "dora")
    page.goto(f"/matches/{match}")
    page.get_by_role("button", name="Verify").click()
    part = page.locator("#verification")
    expect(part).to_contain_text("An arena plays this match again")
    expect(part.get_by_role("button")).to_have_count(0)
    all_is_well(page)
    go.set()
    expect(part).to_contain_text("the record is the same, byte for byte")
    expect(part.get_by_role("button", name="Verify again")).to_be_visible()
    all_is_well(page)
    part.get_by_role("button", name="Verify again").click()
    expect(part).to_contain_text("the record is the same, byte for byte")
    assert trouble == []
    stranger = browser.new_context(base_url=address)
    seen = stranger.new_page()
    seen.goto(f"/matches/{match}")
    expect(seen.locator("#verification")).to_contain_text("the record is the same, byte for byte")
    expect(seen.locator("#verification").get_by_role("button")).to_have_count(0)
    stranger.close()
    context.close()

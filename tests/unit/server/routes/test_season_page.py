"""The page of a running season polls for its changes."""

from __future__ import annotations

import re

from sqlalchemy import event

from server.db.models import Season, SeasonState, User
from tests.books import Books, played, two_divisions
from tests.unit.server.routes.conftest import Caller, open_season, start_season


def test_a_page_without_news_costs_a_few_statements_and_one_with_news_gets_it(
    books: Books, nobody: Caller, charlie: User, alice: User, bob: User
) -> None:
    season = open_season(books, charlie, alice, bob)
    start_season(books, charlie, season)
    page = nobody.client.get(f"/seasons/{season}").text
    (address,) = re.findall(rf'hx-get="(/seasons/{season}[^"]*)"', page)
    address = address.replace("&amp;", "&")
    asked: list[str] = []
    with books.read() as session:
        engine = session.get_bind()
    event.listen(engine, "before_cursor_execute", lambda *given: asked.append(given[2]))
    assert nobody.client.get(address).status_code == 204
    assert 0 < len([text for text in asked if text.startswith("SELECT")]) <= 4, asked
    for job in books.dispatch():
        books.record(played(job))
    news = nobody.client.get(address)
    assert news.status_code == 200
    assert 'id="state"' in news.text
    assert "<html" not in news.text


def test_one_round_that_follows_is_told_as_one(
    books: Books, nobody: Caller, charlie: User, alice: User, bob: User
) -> None:
    season = open_season(books, charlie, alice, bob)
    start_season(books, charlie, season)
    page = nobody.client.get(f"/seasons/{season}").text
    assert "Then comes 1 round whose pairings are known." in page


def test_a_season_links_its_archive_once_it_can_be_exported(
    books: Books, nobody: Caller, charlie: User
) -> None:
    upper = two_divisions(books, charlie)
    address = f"/api/v1/seasons/{upper}/archive"
    for number, linked in ((upper, False), (upper + 1, True)):
        with books.write() as session:
            season = session.get_one(Season, number)
            season.state, season.finished_at = SeasonState.FINISHED, books.clock()
        assert (address in nobody.client.get(f"/seasons/{upper}").text) == linked
        with nobody.get(address.removeprefix("/api/v1")) as answer:
            assert (answer.status_code == 200) == linked

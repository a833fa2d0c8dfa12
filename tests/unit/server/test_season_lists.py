"""A list of seasons shows one page, and reads and counts only that page's seasons."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.orm import Session

from matchbox.answers.leagues import SeasonLine
from matchbox.errors import BadOption
from server import queries
from server.db.models import League, User
from server.services import leagues
from tests.books import GAME, Books, season_of
from tests.plans import explained
from tests.seasons import unplayed


@pytest.fixture
def league(books: Books) -> League:
    """The league of the game."""
    return books.league(paused=True)


@pytest.fixture
def other(books: Books, charlie: User) -> League:
    """Another league of it."""
    with books.write() as session:
        asked: dict[str, Any] = {"name": "other", "game": GAME, "settings": books.settings}
        return leagues.create(session, charlie, **asked, now=books.clock())


def numbers(lines: list[SeasonLine]) -> list[int]:
    """Returns the numbers of these seasons."""
    return [one.id for one in lines]


@contextmanager
def counting(session: Session) -> Iterator[list[set[int]]]:
    """Yields a list that collects the season numbers of every statement that counts matches."""
    values: list[set[int]] = []

    def note(asked: Any, cursor: Any, text: str, given: Any, context: Any, many: bool) -> None:
        if '"match"' in text:
            values.append({one for one in given if isinstance(one, int)})

    connection = session.connection()
    event.listen(connection, "before_cursor_execute", note)
    try:
        yield values
    finally:
        event.remove(connection, "before_cursor_execute", note)


def test_pages_follow_each_other_from_the_newest_to_the_oldest(
    books: Books, league: League
) -> None:
    made = unplayed(books, league, 7)
    seen: list[int] = []
    cursor: str | None = None
    with books.read() as session:
        for length in (3, 3, 1):
            page = queries.seasons(session, cursor=cursor, limit=3)
            assert len(page.items) == length
            seen += numbers(page.items)
            cursor = page.next
        assert cursor is None
        assert seen == made[::-1]
        for wrong in ({"cursor": "a"}, {"limit": 0}, {"limit": 201}):
            with pytest.raises(BadOption):
                queries.seasons(session, **wrong)


def test_the_list_is_narrowed_to_a_league_and_to_seasons_that_are_not_over(
    books: Books, league: League, other: League
) -> None:
    old, live = unplayed(books, league, 2), unplayed(books, league, 1, "running")
    more = unplayed(books, other, 2)
    (opened,) = unplayed(books, other, 1, "open")
    with books.read() as session:
        assert numbers(queries.seasons(session, league="other").items) == [opened, *more[::-1]]
        assert numbers(queries.seasons(session, league=GAME).items) == [*live, *old[::-1]]
        assert numbers(queries.seasons(session, over=False).items) == [opened, *live]
        assert numbers(queries.seasons(session, league=GAME, over=False).items) == live
        assert queries.seasons(session, league="nothing").items == []
        assert queries.seasons(session, league="nothing", over=False).items == []
        first = queries.seasons(session, league="other", limit=1)
        second = queries.seasons(session, league="other", cursor=first.next, limit=1)
        assert numbers(second.items) == more[1:]


def test_the_following_season_is_the_newest_of_the_league_that_takes_bots(
    books: Books, league: League, other: League
) -> None:
    (first,) = unplayed(books, league, 1, "running")
    _, second = unplayed(books, league, 2, "open")
    unplayed(books, league, 1, "draft")
    unplayed(books, other, 1, "open")
    with books.read() as session:
        found = queries.following(session, first)
        assert found is not None
        assert (found.id, found.state) == (second, "open")
        assert queries.following(session, second) is None
        assert queries.following(session, 1_000) is None


def test_drafts_of_operators_leave_no_gap_on_a_page(
    books: Books, league: League, charlie: User
) -> None:
    shown, drafts = unplayed(books, league, 3), unplayed(books, league, 3, "draft")
    with books.read() as session:
        assert numbers(queries.seasons(session, limit=3).items) == shown[::-1]
        assert numbers(queries.seasons(session, charlie, limit=3).items) == drafts[::-1]
        assert numbers(queries.seasons(session, charlie, over=False).items) == drafts[::-1]
        assert queries.seasons(session, over=False).items == []


def test_a_league_has_its_newest_seasons_and_those_that_are_not_over(
    books: Books, league: League, other: League, charlie: User
) -> None:
    (live,) = unplayed(books, league, 1, "running")
    unplayed(books, other, 1, "running")
    made = unplayed(books, league, 25)
    (draft,) = unplayed(books, league, 1, "draft")
    with books.read() as session:
        found = queries.league(session, None, GAME)
        assert numbers(found.seasons) == [*made[:-21:-1], live]
        assert found.season_count == 26
        operators = queries.league(session, charlie, GAME)
        assert numbers(operators.seasons) == [draft, *made[:-20:-1], live]
        assert operators.season_count == 27
        assert queries.league(session, None, "other").season_count == 1


def test_a_league_with_many_seasons_that_are_not_over_is_bounded_too(
    books: Books, league: League
) -> None:
    live, over = unplayed(books, league, 30, "running"), unplayed(books, league, 30)
    with books.read() as session:
        found = queries.league(session, None, GAME)
    assert numbers(found.seasons) == [*over[:-21:-1], *live[:-21:-1]]


def test_the_divisions_of_an_edition_are_counted_though_one_is_shown(
    books: Books, league: League, other: League
) -> None:
    unplayed(books, league, 2, edition=3)
    unplayed(books, league, 1, edition=4)
    unplayed(books, other, 1, edition=3)
    with books.read() as session:
        whole = queries.seasons(session).items
        assert [one.divisions for one in whole] == [1, 1, 2, 2]
        cut = queries.seasons(session, league=GAME, cursor=str(whole[2].id)).items
        assert [one.divisions for one in cut] == [2]


def test_matches_are_counted_for_the_shown_seasons_alone(
    books: Books, league: League, alice: User, bob: User, charlie: User
) -> None:
    season = season_of(books, charlie, [books.bot(alice, "one"), books.bot(bob, "two")])
    made = unplayed(books, league, 40)
    with books.read() as session, counting(session) as counted:
        queries.seasons(session, limit=2)
    assert counted == [set(made[-2:])] * 2
    with books.read() as session, counting(session) as counted:
        queries.league(session, None, GAME)
    assert counted == [{*made[-20:], season.id}] * 2
    with books.read() as session:
        (line,) = queries.seasons(session, cursor=str(made[0])).items
    assert (line.entries, line.matches) == (2, 2)


def test_no_list_goes_through_all_seasons(books: Books, league: League, charlie: User) -> None:
    unplayed(books, league, 3)
    with books.read() as session, explained(session) as plans:
        queries.seasons(session, league=GAME, cursor="3", limit=1)
        queries.seasons(session, charlie, over=False)
        queries.seasons(session, league=GAME, over=False)
        queries.league(session, None, GAME)
    for plan in plans:
        assert "SCAN season" not in plan, plan
    of_leagues = [plan for plan in plans if "INDEX ix_season_league_id (" in plan]
    paged = [plan for plan in of_leagues if "COVERING" not in plan]
    assert len(paged) == 2, plans
    assert not [plan for plan in paged if "TEMP B-TREE" in plan], plans
    counted = [plan for plan in plans if "_edition (league_id=? AND edition=?)" in plan]
    assert len(counted) == 4, plans
    assert len([plan for plan in plans if "INDEX ix_season_state" in plan]) >= 4, plans


def test_the_newest_of_all_leagues_are_read_in_their_order(books: Books, league: League) -> None:
    unplayed(books, league, 3)
    with books.read() as session, explained(session) as plans:
        queries.seasons(session, limit=1)
    (paged,) = [plan for plan in plans if "SCAN season" in plan]
    assert paged == "SCAN season"  # by number, backwards, until the page is full

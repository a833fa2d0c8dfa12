"""The dispatch of matches: how many may be under way, and who sends more between two ticks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import select
from structlog.testing import capture_logs

from matchbox.errors import Unavailable
from matchbox.match import wire
from matchbox.match.wire import PlayMatch
from server.db.models import League, Match, MatchState, Season, User
from server.services import dispatch, leagues, voids, walls
from server.services.tick import refill, tick
from tests.books import Books, open_books, played, season_of

WINDOW = 6


@pytest.fixture
def season(books: Books, alice: User, bob: User, charlie: User) -> Season:
    """A season of four bots with twelve matches."""
    books.league(paused=True)
    versions = [books.bot(owner, name) for owner in (alice, bob) for name in ("one", "two")]
    return season_of(books, charlie, versions)


@pytest.fixture
def narrow(books: Books, season: Season) -> Iterator[Books]:
    """The same platform with a full window of six matches."""
    opened = open_books(books.context.database.url, dispatch_window=WINDOW)
    yield opened
    opened.context.close()


def sent(books: Books) -> list[PlayMatch]:
    """Refills; returns the sent matches."""
    refill(books.context)
    return books.sent(PlayMatch)


def come_back(books: Books, jobs: list[PlayMatch]) -> None:
    """Books a result of each match."""
    for job in jobs:
        assert books.record(played(job))


def states(books: Books) -> dict[str, tuple[str, int]]:
    """Returns state and attempt of every match."""
    with books.read() as session:
        rows = session.execute(select(Match.id, Match.state, Match.attempt))
        return {name: (state, attempt) for name, state, attempt in rows}


def arenas(books: Books, count: int) -> None:
    """Reports a wall from this many arenas, and from an express arena."""
    with books.write() as session:
        for number in range(count + 1):
            own = {"arena": f"arena-{number}", "express": number == count}
            report = {"box": "bwrap", "walled": True, **own}
            walls.report_wall(session, report, now=books.clock())


def window_of(books: Books, **settings: Any) -> int:
    """Returns how many of many matches are sent."""
    with books.write() as session:
        league = session.scalars(select(League)).one()
        league.paused = False
    opened = open_books(books.context.database.url, ranked_backlog=100, **settings)
    tick(opened.context)
    found = opened.sent(PlayMatch)
    opened.context.close()
    return len(found)


@pytest.mark.parametrize("count, window", [(1, 32), (8, 32), (11, 44)])
def test_the_window_follows_the_arenas_that_report(
    count: int, window: int, books: Books, season: Season
) -> None:
    arenas(books, 20)
    books.clock.pass_by(minutes=6)
    arenas(books, count)
    assert window_of(books) == window, "those that are gone do not count"


def test_a_window_that_is_set_stays_as_it_is(books: Books, season: Season) -> None:
    arenas(books, 20)
    assert window_of(books, dispatch_window=5) == 5


def test_less_than_half_a_window_is_filled_up(narrow: Books) -> None:
    first = narrow.dispatch()
    assert len(first) == WINDOW
    come_back(narrow, first[:3])
    assert not sent(narrow), "half is under way"
    come_back(narrow, first[3:4])
    more = sent(narrow)
    assert len(more) == WINDOW - 2
    assert not {job.match for job in more} & {job.match for job in first}


def test_a_full_window_is_left_alone(narrow: Books) -> None:
    assert len(narrow.dispatch()) == WINDOW
    before = states(narrow)
    assert not sent(narrow)
    assert states(narrow) == before


def test_nothing_is_sent_where_nothing_waits(narrow: Books) -> None:
    while jobs := narrow.dispatch():
        come_back(narrow, jobs)
    assert not sent(narrow)
    assert {state for state, _ in states(narrow).values()} == {MatchState.FINISHED}


def test_strangers_wait_for_a_wall_between_two_ticks_too(narrow: Books) -> None:
    narrow.wall(walled=False)
    assert not sent(narrow)
    narrow.wall()
    assert len(sent(narrow)) == WINDOW


def test_what_a_refill_could_not_do_the_tick_does(
    narrow: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    come_back(narrow, narrow.dispatch()[:4])
    before = states(narrow)

    def fail(*_: object, **__: object) -> int:
        raise Unavailable("the database cannot be used now; try again")

    with monkeypatch.context() as patch, capture_logs() as logs:
        patch.setattr(dispatch, "dispatch", fail)
        assert not sent(narrow)
    assert [one["step"] for one in logs if one["event"] == "tick.step"] == ["_refill"]
    assert states(narrow) == before
    tick(narrow.context)
    assert len(narrow.postman.take()) == 4


def test_what_a_refill_could_not_send_the_tick_sends_once(narrow: Books) -> None:
    come_back(narrow, narrow.dispatch()[:4])
    narrow.postman.down = True
    assert not sent(narrow)
    narrow.postman.down = False
    assert not sent(narrow), "they are under way, by the rows"
    tick(narrow.context)
    jobs = narrow.sent(PlayMatch)
    assert len({job.match for job in jobs}) == len(jobs) == 4
    assert {job.attempt for job in jobs} == {1}


def test_a_versions_first_match_does_not_wait_for_the_window(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    books.league()
    for owner in (alice, bob):
        books.bot(owner, "one")
    opened = open_books(books.context.database.url, dispatch_window=1, ranked_backlog=4)
    tick(opened.context)
    assert len(opened.postman.take()) == 1, "one match is the first of both"
    books.bot(alice, "new")
    with opened.write() as session:
        waiting = select(Match.id).where(Match.state == MatchState.QUEUED).limit(1)
        voids.void(session, charlie, session.scalars(waiting).one(), "spare", now=books.clock())
    tick(opened.context)
    ((task, queue, message),) = opened.postman.letters
    assert (task, queue) == (wire.PLAY_FIRST, "first")
    with opened.read() as session:
        seats = session.get_one(Match, message["match"]).seats
        assert "new" in {seat.version.bot.name for seat in seats}
    tick(opened.context)
    assert len(opened.postman.take()) == 1, "its second match waits like any other"
    opened.context.close()


def test_first_matches_wait_for_a_wall_and_for_a_league_that_is_paused(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    books.league()
    for owner in (alice, bob):
        books.bot(owner, "one")
    books.wall(walled=False)
    assert not books.tick()
    books.wall()
    with books.write() as session:
        leagues.set_paused(session, charlie, "bomb", True, now=books.clock())
    assert not books.tick()
    with books.write() as session:
        leagues.set_paused(session, charlie, "bomb", False, now=books.clock())
    assert books.tick()

"""The history of ratings: the stored points, and their form in answers."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import event, select

from matchbox.answers import standings as answers
from matchbox.match.wire import PlayMatch
from server.db.models import League, Rating, RatingPoint, Standing, User, Version
from server.queries import history as reading
from server.queries.standings import leaderboard
from server.services import history, ranked, standings
from server.services.tick import tick
from tests.books import SIMPLE, Books, played
from tests.plans import loads_of, without

DAY = 24 * 60


@pytest.fixture
def rated(books: Books, alice: User) -> tuple[League, Version]:
    """A league, and alice's version, which has a live rating in it."""
    league, version = books.league(), books.bot(alice, "mine")
    with books.write() as session:
        session.add(Rating(league_id=league.id, version_id=version.id, mu=25.0, sigma=8.0))
    return league, version


def line(version: Version, matches: int, elo: float | None = 1500.0, **more: Any) -> dict[str, Any]:
    """A line of a standing, as far as the history reads it."""
    interval = None if elo is None else (elo - 40, elo + 40)
    told = {"version_id": version.id, "matches": matches, "elo": elo, "ci95": interval}
    return {**told, "score": None, "score_ci95": None, **more}


def note(books: Books, league: League, *lines: dict[str, Any]) -> None:
    """Adds a standing's lines to the history."""
    with books.write() as session:
        history.note(session, league.id, lines, now=books.clock())


def kept(books: Books) -> list[int]:
    """Returns the number of matches at every stored point."""
    with books.read() as session:
        return list(session.scalars(select(RatingPoint.matches).order_by(RatingPoint.id)))


def told(books: Books, version: Version) -> list[answers.RatingPoint]:
    """Returns the history of the version's bot as readers get it."""
    name = books.the_bot(version).full_name
    with books.read() as session, loads_of(Version) as versions:
        found = reading.ratings(session, *name.split("/"))
        assert not found or without(versions, "report")
    return found


def test_ratings_of_versions_that_play_no_more_are_not_read(
    books: Books, rated: tuple[League, Version]
) -> None:
    league, first = rated
    second = books.bot(books.the_bot(first).owner, "mine", SIMPLE + b"# the next version\n")
    with books.write() as session:
        session.add(Rating(league_id=league.id, version_id=second.id, mu=25.0, sigma=8.0))
    read: list[int] = []
    with books.write() as session:
        event.listen(Rating, "load", load := lambda row, _: read.append(row.version_id))
        standings.refresh(session, standings.scope_of(league), now=books.clock())
        event.remove(Rating, "load", load)
        known = ranked._rated(session, league, -1)
    assert set(read) == {second.id}
    assert [version for version, *_ in known] == [second.id]


def test_a_point_is_kept_at_first_and_whenever_a_quarter_more_was_played(
    books: Books, rated: tuple[League, Version]
) -> None:
    league, version = rated
    for matches in range(101):
        note(books, league, line(version, matches))
    assert kept(books) == [1, 2, 3, 4, 5, 7, 9, 12, 15, 19, 24, 30, 38, 48, 60, 75, 94]


def test_a_day_has_a_point_if_something_was_played_on_it(
    books: Books, rated: tuple[League, Version]
) -> None:
    league, version = rated
    for matches in (1000, 1001, 1002, 1002, 1003):
        note(books, league, line(version, matches))
        note(books, league, line(version, matches))
        books.clock.pass_by(minutes=DAY)
    assert kept(books) == [1000, 1001, 1002, 1003]


def test_a_day_has_its_point_also_after_the_clock_was_ahead(
    books: Books, rated: tuple[League, Version]
) -> None:
    league, version = rated
    right = books.clock()
    books.clock.pass_by(minutes=400 * DAY)
    note(books, league, line(version, 1000))
    books.clock.now = right
    for _ in range(2):
        note(books, league, line(version, 1001))
    assert kept(books) == [1000, 1001]


def test_nothing_is_kept_of_who_has_no_rating_or_no_interval(
    books: Books, rated: tuple[League, Version], bob: User
) -> None:
    league, version = rated
    note(books, league, line(version, 3, elo=None), line(books.bot(bob, "new"), 3))
    assert kept(books) == []


def test_a_cooperative_game_has_the_score_in_the_place_of_elo(books: Books, alice: User) -> None:
    league = books.league(game="thegame")
    version = books.bot(alice, "team", b"# a team\n", game="thegame")
    with books.write() as session:
        session.add(Rating(league_id=league.id, version_id=version.id, mu=25.0, sigma=8.0))
    score = {"score": 71.5, "score_ci95": (70.0, 73.0)}
    note(books, league, line(version, 3, elo=None, **score))
    (point,) = told(books, version)
    assert (point.elo, point.ci95) == (None, None)
    assert (point.score, point.score_ci95) == (71.5, (70.0, 73.0))


def test_what_was_played_in_the_queue_becomes_a_history_that_ends_with_the_board(
    books: Books, alice: User, bob: User
) -> None:
    league = books.league()
    versions = [books.bot(alice, "mine"), books.bot(bob, "his")]
    for _ in range(4):
        tick(books.context)
        for job in books.postman.take():
            assert isinstance(job, PlayMatch)
            books.record(played(job))
        books.clock.pass_by(seconds=30)
    tick(books.context)
    points = told(books, versions[0])
    with books.read() as session:
        standing = session.get_one(Standing, standings.scope_of(league))
        own = next(line for line in standing.lines if line["version_id"] == versions[0].id)
    assert len(points) > 1
    assert [one.matches for one in points] == sorted({one.matches for one in points})
    assert [one.version for one in points] == [1] * len(points)
    last = points[-1]
    assert (last.matches, last.elo, last.ci95) == (own["matches"], own["elo"], tuple(own["ci95"]))
    spans = [(*one.ci95, one.elo) for one in points if one.ci95 and one.elo]
    assert all(low < elo < high for low, high, elo in spans)
    assert len(spans) == len(points)


def test_under_new_rules_the_history_begins_anew_and_the_old_one_is_kept(
    books: Books, rated: tuple[League, Version]
) -> None:
    league, version = rated
    note(books, league, line(version, 50))
    with books.write() as session:
        session.get_one(League, league.id).rules = "0"
    assert told(books, version) == []
    assert kept(books) == [50]


def test_a_bot_whose_game_has_no_league_has_no_history(books: Books, alice: User) -> None:
    version = books.bot(alice, "mine")
    assert books.count(League) == 0
    assert told(books, version) == []


def test_the_last_point_is_the_board_s_also_where_only_others_have_played(
    books: Books, alice: User, bob: User, dora: User
) -> None:
    books.league()
    resting = books.bot(alice, "mine")
    books.bot(bob, "his")
    books.bot(dora, "hers")
    for turn in range(4):
        tick(books.context)
        for job in books.postman.take():
            assert isinstance(job, PlayMatch)
            if turn < 2 or resting.digest not in {seat.version for seat in job.seats}:
                books.record(played(job))
        books.clock.pass_by(seconds=30)
    tick(books.context)
    last = told(books, resting)[-1]
    with books.read() as session:
        (own,) = [one for one in leaderboard(session, "bomb").lines if one.version_id == resting.id]
    assert (last.matches, last.elo, last.ci95) == (own.matches, own.elo, own.ci95)
    with books.read() as session:
        kept = session.query(RatingPoint).filter_by(version_id=resting.id).all()
    assert kept[-1].matches == own.matches
    assert kept[-1].value != own.elo, "it has moved without a match of its own"

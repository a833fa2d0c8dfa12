"""The course of a season: its rounds, and only the results that may be read."""

from __future__ import annotations

import pytest

from matchbox.answers.courses import Course
from server.db.models import Season, User
from server.queries import courses
from server.queries.job_queue import queue_detail
from server.queries.leagues import season as season_of_books
from server.services import voids
from tests.books import Books, play_out, played, season_of
from tests.plans import explained


@pytest.fixture
def season(books: Books, charlie: User, alice: User, bob: User) -> Season:
    """A season of three bots under way, with nothing played."""
    books.league(paused=True)
    bots = [books.bot(alice, "one"), books.bot(bob, "two"), books.bot(charlie, "three")]
    return season_of(books, charlie, bots)


def told(books: Books, season: Season) -> Course:
    """The course as anybody sees it."""
    with books.read() as session:
        return courses.course(session, season.id)


def test_every_match_is_in_its_round_and_nobody_has_points_before_it_is_played(
    books: Books, season: Season
) -> None:
    course = told(books, season)
    assert sorted(course.bots) == ["alice/one", "bob/two", "charlie/three"]
    assert len(course.fixtures) == 6
    assert course.whole
    assert {one.round for one in course.fixtures} == set(range(books.season(season).round))
    assert all(one.points == [None, None] for one in course.fixtures)


def test_results_appear_as_matches_end_and_leave_when_they_are_void(
    books: Books, season: Season, charlie: User
) -> None:
    first, *_ = books.dispatch()
    books.record(played(first))
    shown = {one.match: one for one in told(books, season).fixtures}
    assert shown[first.match].state == "finished"
    shares = [share for share in shown[first.match].points if share is not None]
    assert sum(shares) == pytest.approx(1.0)
    assert all(one.points == [None, None] for name, one in shown.items() if name != first.match)
    with books.write() as session:
        voids.void(session, charlie, first.match, "no disk", now=books.clock())
    after = {one.match: one for one in told(books, season).fixtures}
    assert (after[first.match].state, after[first.match].points) == ("void", [None, None])


def test_a_match_that_is_played_again_takes_the_place_of_the_void_one(
    books: Books, season: Season, charlie: User
) -> None:
    first, *_ = books.dispatch()
    books.record(played(first))
    with books.write() as session:
        new = voids.void(session, charlie, first.match, "no disk", again=True, now=books.clock())
        assert new is not None
        name = new.id
    names = {one.match for one in told(books, season).fixtures}
    assert name in names
    assert first.match not in names


def test_a_result_stays_closed_while_another_match_of_its_deal_is_not_over(
    books: Books, season: Season, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, *_ = books.dispatch()
    books.record(played(first))
    with monkeypatch.context() as patch:
        patch.setattr(courses, "closed", lambda session, names: set(names))
        assert told(books, season).fixtures[0].points == [None, None]
    shown = {one.match: one.points for one in told(books, season).fixtures}
    assert None not in shown[first.match]


def test_of_a_long_season_the_newest_matches_are_listed(
    books: Books, season: Season, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = told(books, season).fixtures
    monkeypatch.setattr(courses, "MOST", 4)
    course = told(books, season)
    assert not course.whole
    assert [one.match for one in course.fixtures] == [one.match for one in whole[-4:]]


def test_a_season_that_is_over_has_every_result(books: Books, season: Season) -> None:
    play_out(books)
    assert all(None not in one.points for one in told(books, season).fixtures)


def test_the_seats_and_results_of_a_match_are_read_once(books: Books, season: Season) -> None:
    with books.read() as session:
        first = courses.course(session, season.id)
    with books.read() as session, explained(session, only="match_seat") as plans:
        assert courses.course(session, season.id) == first
    assert plans == []


def test_the_newest_matches_are_found_in_their_order(books: Books, season: Season) -> None:
    """Without its index, each view of a long season would sort all of its matches."""
    with books.read() as session, explained(session, only='"match".round') as plans:
        courses.course(session, season.id)
    (plan,) = plans
    assert "ix_match_season_id_number" in plan
    assert "ORDER BY" not in plan


def test_rounds_that_are_equal_are_one_object(books: Books, season: Season) -> None:
    with books.read() as session:
        rounds = season_of_books(session, season.id).rounds
    assert len(rounds) > 1
    assert len({id(one) for one in rounds}) == len({one.json_text() for one in rounds})


def test_what_waits_outside_seasons_is_not_looked_for_among_all_of_them(
    books: Books, season: Season, charlie: User
) -> None:
    """SQLite has no statistics: it would take any index that begins with the season."""
    settings, now = books.settings, books.clock()
    with books.read() as session, explained(session) as plans:
        queue_detail(session, charlie, settings=settings, now=now)
    assert plans
    assert not [plan for plan in plans if "ix_match_season_id_number" in plan]

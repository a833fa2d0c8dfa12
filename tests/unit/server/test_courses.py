"""The course of a season: its rounds, and only the public results."""

from __future__ import annotations

import pytest
from sqlalchemy import delete

from matchbox.answers.courses import Course, Fixture, Stamp
from matchbox.errors import NotFound
from server.db.models import BoardCounts, Lesson, Season, Standing, User
from server.queries import courses
from server.queries.job_queue import queue_detail
from server.queries.leagues import season as season_of_books
from server.queries.matches import matches
from server.services import founding, seasons, standings, voids
from server.services.lookup import find_season
from tests.books import GAME, Books, play_out, played, season_of
from tests.plans import explained


@pytest.fixture
def season(books: Books, charlie: User, alice: User, bob: User) -> Season:
    """A running season of three bots without results."""
    books.league(paused=True)
    bots = [books.bot(alice, "one"), books.bot(bob, "two"), books.bot(charlie, "three")]
    return season_of(books, charlie, bots)


def told(books: Books, season: Season) -> list[Fixture]:
    """Returns all matches of the season as every viewer sees them."""
    with books.read() as session:
        return courses.fixtures(session, None, season.id, range(books.season(season).round))


def course(books: Books, season: Season) -> Course:
    """Returns the rest of the season."""
    with books.read() as session:
        return courses.course(session, None, season.id)


def test_a_match_in_a_list_has_the_name_of_its_season(books: Books, season: Season) -> None:
    with books.read() as session:
        line = matches(session, season=season.id).items[0]
    assert (line.season, line.season_name) == (season.id, season.name)


def test_every_match_is_in_its_round_and_nobody_has_points_before_it_is_played(
    books: Books, season: Season
) -> None:
    found, shown = course(books, season), told(books, season)
    assert sorted(found.bots) == ["alice/one", "bob/two", "charlie/three"]
    assert found.seats == 2
    rounds = range(books.season(season).round)
    assert found.left == {number + 1: 1 for number in rounds}
    assert [one.round for one in shown] == list(rounds)
    assert all(one.points == [None, None] for one in shown)


def test_results_appear_as_matches_end_and_leave_when_they_are_void(
    books: Books, season: Season, charlie: User
) -> None:
    first, *_ = books.dispatch()
    books.record(played(first))
    shown = {one.match: one for one in told(books, season)}
    assert shown[first.match].state == "finished"
    shares = [share for share in shown[first.match].points if share is not None]
    assert sum(shares) == pytest.approx(1.0)
    assert all(one.points == [None, None] for name, one in shown.items() if name != first.match)
    with books.write() as session:
        voids.void(session, charlie, first.match, "no disk", now=books.clock())
    after = {one.match: one for one in told(books, season)}
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
    names = {one.match for one in told(books, season)}
    assert name in names
    assert first.match not in names


def test_a_result_stays_closed_while_another_match_of_its_deal_is_not_over(
    books: Books, season: Season, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, *_ = books.dispatch()
    books.record(played(first))
    with monkeypatch.context() as patch:
        patch.setattr(courses, "embargoed_matches", lambda session, names: set(names))
        assert told(books, season)[0].points == [None, None]
    shown = {one.match: one.points for one in told(books, season)}
    assert None not in shown[first.match]


def test_a_season_that_is_over_has_every_result(books: Books, season: Season) -> None:
    play_out(books)
    assert all(None not in one.points for one in told(books, season))


def test_the_seats_and_results_of_a_match_are_read_once(books: Books, season: Season) -> None:
    with books.read() as session:
        first = courses.fixtures(session, None, season.id, [0, 1])
    with books.read() as session, explained(session, only="match_seat") as plans:
        assert courses.fixtures(session, None, season.id, [1, 0]) == first
        assert courses.fixtures(session, None, season.id, [1]) == first[1:]
    assert plans == []


def test_a_round_is_found_without_the_other_matches_of_its_season(
    books: Books, season: Season
) -> None:
    with books.read() as session, explained(session, only='"match".round') as plans:
        courses.fixtures(session, None, season.id, [1])
        courses.course(session, None, season.id)
    one, left = plans
    assert "ix_match_season_id_state_round (season_id=? AND state=? AND round=?)" in one
    assert "COVERING INDEX ix_match_season_id_state_round" in left


def test_what_is_left_of_a_round_shrinks_until_it_is_over(books: Books, season: Season) -> None:
    first, *others = books.dispatch()
    before = course(books, season).left
    books.record(played(first))
    after = course(books, season).left
    assert sum(after.values()) == sum(before.values()) - 1
    for job in others:
        books.record(played(job))
    play_out(books)
    assert course(books, season).left == {}


def shares(
    books: Books, season: Season, *, counted: bool = True
) -> dict[tuple[str, str], tuple[int, float]]:
    """Returns the number of bouts and the first one's share for every pair of bots that has met."""
    with books.read() as session:
        rows = {
            entry.version_id: entry.bot.name for entry in find_season(session, season.id).entries
        }
        versions = [one for one in rows if one is not None]
        found = courses.meetings(session, None, season.id, versions, versions)
    if counted:
        for one in found:
            assert one.ci95 is not None
            assert one.ci95[0] <= one.share <= one.ci95[1]
    else:
        assert [one.ci95 for one in found] == [None] * len(found)
    return {(rows[one.first], rows[one.second]): (one.bouts, one.share) for one in found}


def test_who_has_met_whom_is_as_the_standing_counts_it(books: Books, season: Season) -> None:
    assert shares(books, season) == {}
    play_out(books)
    with books.write() as session:
        standings.refresh(session, f"season:{season.id}", now=books.clock())
    found = shares(books, season)
    assert len(found) == 6
    for (one, other), (bouts, share) in found.items():
        assert found[other, one][0] == bouts > 0
        assert found[other, one][1] == pytest.approx(1 - share)
    taken: dict[str, float] = {}
    for match in told(books, season):
        for seat, points in zip(match.seats, match.points, strict=True):
            name = course(books, season).bots[seat].partition("/")[2]
            taken[name] = taken.get(name, 0) + (points or 0) / 2
    for name, points in taken.items():
        assert sum(found[name, other][1] for other in taken if other != name) == (
            pytest.approx(points)
        )


def test_a_season_of_before_there_were_counts_is_counted_from_its_matches(
    books: Books, season: Season
) -> None:
    play_out(books)
    with books.write() as session:
        standings.refresh(session, f"season:{season.id}", now=books.clock())
    now = shares(books, season)
    with books.write() as session:
        session.execute(delete(BoardCounts))
        session.get_one(Standing, f"season:{season.id}").computed_at += 1
    anew = shares(books, season, counted=False)
    assert anew.keys() == now.keys()
    for pair, (bouts, share) in now.items():
        assert anew[pair][0] == bouts
        assert anew[pair][1] == pytest.approx(share)


def test_the_stamp_changes_with_matches_standing_and_state_and_reads_no_match(
    books: Books, season: Season, charlie: User
) -> None:
    def stamp() -> Stamp:
        with books.read() as session, explained(session) as plans:
            found = courses.stamp(session, None, season.id)
        assert len(plans) <= 4
        assert not [one for one in plans if "match" in one and "COVERING" not in one]
        return found

    first = stamp()
    assert stamp() == first
    assert first.course.startswith("running-")
    (job, *_) = books.dispatch()
    sent = stamp()
    assert (sent.course != first.course, sent.standing) == (True, first.standing)
    books.record(played(job))
    over = stamp()
    assert over.course not in (first.course, sent.course)
    with books.write() as session:
        standings.refresh(session, f"season:{season.id}", now=books.clock())
    ranked = stamp()
    assert (ranked.course, ranked.standing != over.standing) == (over.course, True)
    with books.write() as session:
        seasons.pause(session, charlie, season.id, now=books.clock())
    assert stamp().course != ranked.course
    with books.write() as session:
        founding.found_season(
            session, charlie, league=GAME, settings=books.settings, now=books.clock(), name="next"
        )
    assert stamp().course != ranked.course


def test_the_stamp_changes_with_entrants_lessons_and_the_pause_of_the_league(
    books: Books, season: Season, charlie: User
) -> None:
    seen: set[str] = set()

    def is_new() -> bool:
        with books.read() as session:
            course = courses.stamp(session, None, season.id).course
        before = len(seen)
        seen.add(course)
        return len(seen) > before

    assert is_new()
    assert not is_new()
    with books.write() as session:
        row = session.get_one(Season, season.id)
        given = {"season_id": row.id, "round": 0, "played": {}, "created_at": 0, "deadline": 1}
        lesson = Lesson(version_id=row.entries[0].version_id, **given)
        session.add(lesson)
    assert is_new()
    with books.write() as session:
        session.get_one(Lesson, lesson.id).deadline = None
    assert is_new()
    with books.write() as session:
        session.get_one(Season, season.id).league.paused ^= True
    assert is_new()
    with books.write() as session:
        session.get_one(Season, season.id).entries[0].out = "suspended"
    assert is_new()
    with books.write() as session:
        session.get_one(Season, season.id).trouble = "the rules of Bomb have changed"
    assert is_new()


def test_the_stamp_changes_when_another_season_of_the_league_is_paused(
    books: Books, season: Season, charlie: User
) -> None:
    with books.write() as session:
        later = founding.found_season(
            session, charlie, league=GAME, settings=books.settings, now=books.clock(), name="next"
        )
        before = courses.stamp(session, None, later.id).course
        seasons.pause(session, charlie, season.id, now=books.clock())
        assert courses.stamp(session, None, later.id).course != before


def test_only_operators_are_told_of_a_draft(books: Books, charlie: User) -> None:
    books.league(paused=True)
    with books.write() as session:
        draft = founding.found_season(
            session, charlie, league=GAME, draft=True, settings=books.settings, now=books.clock()
        ).id
    with books.read() as session:
        assert courses.stamp(session, charlie, draft).course.startswith("draft")
        for number in (draft, draft + 1):
            with pytest.raises(NotFound):
                courses.stamp(session, None, number)


def test_rounds_that_are_equal_are_one_object(books: Books, season: Season) -> None:
    with books.read() as session:
        rounds = season_of_books(session, None, season.id).rounds
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


def test_rounds_may_be_listed_in_another_thread_meanwhile(books: Books, season: Season) -> None:
    class Growing(dict[str, Fixture]):
        """The matches of a round. Another thread lists one more round while they are counted."""

        def __len__(self) -> int:
            kept[0, len(kept)] = courses._Listed({}, {}, {})
            return super().__len__()

    told(books, season)
    with books.read() as session:
        kept = courses._listed[session.get_bind()]
    kept[0, 0] = courses._Listed({}, Growing(), {})
    assert len(told(books, season)) == 6

"""The states of a match: no double, late, wrong or missing delivery changes a result."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import select, update

from matchbox.errors import Conflict, Forbidden, NotFound
from matchbox.match import record as records
from matchbox.match.record import Fault
from matchbox.match.wire import Diagnostic, Note, PlayMatch
from server.db.models import League, Match, MatchState, Rating, Result, Season, User
from server.services import arenas, fixtures, job_kinds, jobs, matches, voids, walls
from server.services.remote_names import arena_name
from tests.books import Books, lost, open_books, played, scripted, season_of


@pytest.fixture
def season(books: Books, alice: User, bob: User, charlie: User) -> Season:
    """A season of two bots with two matches of two deals, running."""
    books.league()
    return season_of(books, charlie, [books.bot(alice, "one"), books.bot(bob, "two")])


@pytest.fixture
def job(books: Books, season: Season) -> PlayMatch:
    """The first match, sent."""
    return books.dispatch()[0]


def claim(books: Books, job: PlayMatch, **change: object) -> None:
    """Claims the match, as an arena does."""
    message = replace(job.claim(), **change)
    with books.write() as session:
        job_kinds.claim(session, message, settings=books.settings, now=books.clock())


def by_operator(books: Books, what: str, user: User, name: str) -> None:
    """Lets an operator requeue or void the match."""
    with books.write() as session:
        match = session.get_one(Match, name)
        if what == "void":
            voids.void(session, user, match.id, "the box fell over", now=books.clock())
        else:
            matches.requeue(session, user, match.id, settings=books.settings, now=books.clock())


def test_a_job_holds_all_that_an_arena_needs(books: Books, job: PlayMatch) -> None:
    match = books.match(job.match)
    assert (match.state, match.attempt, job.attempt) == (MatchState.RUNNING, 1, 1)
    assert match.deadline == books.clock() + 5 * 60_000
    assert [seat.version for seat in job.seats] == [seat.version.digest for seat in match.seats]
    assert job.deals == match.deals
    assert len(set(job.deals)) == 2
    assert (job.game, job.rules, job.width) == ("bomb", "1", books.settings.width)
    assert job.limits == match.limits


def test_a_record_finishes_its_match(books: Books, job: PlayMatch) -> None:
    message = played(job)
    assert books.record(message)
    match = books.match(job.match)
    assert (match.state, match.deadline) == (MatchState.FINISHED, None)
    assert match.finished_at == books.clock()
    with books.read() as session:
        result = session.get_one(Result, job.match)
        assert records.unpack(result.record) == scripted(job)
        assert result.digest == records.digest(scripted(job))
        assert len(result.bouts) == 4


def test_a_record_delivered_twice_is_booked_once(books: Books, job: PlayMatch) -> None:
    assert books.record(played(job))
    assert not books.record(played(job))
    assert not books.lose(lost(job))
    assert books.count(Result) == 1


def test_the_late_result_of_an_older_attempt_counts(books: Books, job: PlayMatch) -> None:
    books.clock.pass_by(minutes=6)
    assert books.sweep() == 2, "both matches of the season"
    again = next(one for one in books.dispatch() if one.match == job.match)
    assert (again.attempt, again.deals) == (2, job.deals)
    assert again.token != job.token
    assert books.record(played(job))
    assert not books.record(played(again))
    assert books.match(job.match).platform_faults == 0


def test_a_result_counts_while_its_match_waits_to_be_sent_again(
    books: Books, job: PlayMatch
) -> None:
    books.lose(lost(job))
    assert books.match(job.match).state == MatchState.QUEUED
    assert books.record(played(job))
    assert books.match(job.match).state == MatchState.FINISHED
    assert not books.dispatch()


@pytest.mark.parametrize(
    "change, error",
    [
        ({"token": "0" * 64}, Forbidden),
        ({"token": ""}, Forbidden),
        ({"token": "nö"}, Forbidden),
        ({"attempt": 2}, Forbidden),
        ({"attempt": 0}, Forbidden),
        ({"match": "f" * 32}, NotFound),
    ],
)
def test_a_result_of_nobody_s_attempt_is_refused(
    change: dict[str, object], error: type[Exception], books: Books, job: PlayMatch
) -> None:
    with pytest.raises(error):
        books.record(replace(played(job), **change))
    assert books.count(Result) == 0
    assert books.match(job.match).state == MatchState.RUNNING


def test_the_token_of_one_match_is_no_good_for_another(books: Books, season: Season) -> None:
    one, other = books.dispatch()
    with pytest.raises(Forbidden):
        books.record(replace(played(one), token=other.token))


@pytest.mark.parametrize(
    "change",
    [
        {"match": "0" * 32},
        {"game": "skull"},
        {"rules": "2"},
        {"deals": ["0" * 32, "1" * 32]},
        {"seats": ["0" * 64, "1" * 64]},
        {"width": 7},
        {"memories": ["ab" * 32, ""]},
        {"options": {"cards": 3}},
        {"bouts": []},
    ],
)
def test_a_record_that_was_not_scheduled_so_counts_as_a_platform_fault(
    change: dict[str, object], books: Books, job: PlayMatch
) -> None:
    wrong = replace(scripted(job), **change)
    assert not books.record(played(job, wrong))
    match = books.match(job.match)
    assert (match.state, match.platform_faults) == (MatchState.QUEUED, 1)
    (name,) = change
    assert ("every bout" if name == "bouts" else f"the record's {name} is not") in match.trouble
    assert books.count(Result) == 0


def test_a_wrong_record_of_a_host_is_no_fault_of_the_platform(books: Books, job: PlayMatch) -> None:
    wrong = played(job, replace(scripted(job), bouts=[]))
    assert not books.record(replace(wrong, arena=arena_name("lab", 1)))
    match = books.match(job.match)
    assert (match.state, match.platform_faults) == (MatchState.QUEUED, 0)
    assert "every bout" in match.trouble


def test_a_bout_without_its_seats_is_refused(books: Books, job: PlayMatch) -> None:
    record = scripted(job)
    short = [replace(bout, places=[1]) for bout in record.bouts]
    assert not books.record(played(job, replace(record, bouts=short)))
    assert "2 seats" in books.match(job.match).trouble


@pytest.mark.parametrize(
    "change",
    [
        {"places": [0, 2]},
        {"places": [1, 3]},
        {"scores": [2**53, 0]},
        {"faults": [Fault(0, 2, "crash")]},
        {"faults": [Fault(-1, 0, "crash")]},
        {"faults": [Fault(2, 0, "crash")]},
    ],
)
def test_an_outcome_that_no_table_of_two_has_is_refused(
    change: dict[str, Any], books: Books, job: PlayMatch
) -> None:
    record = scripted(job)
    odd = [replace(bout, **change) for bout in record.bouts]
    assert not books.record(played(job, replace(record, bouts=odd)))
    assert "2 seats" in books.match(job.match).trouble


@pytest.mark.parametrize(
    "change",
    [
        {"cpu_ms": [1.0]},
        {"logs": ["one", "two", "three"]},
        {"notes": [Note(2, 0, 0, "crash", "who?")]},
        {"notes": [Note(0, 2, 0, "crash", "which deal?")]},
        {"diagnostics": [Diagnostic(0, 0, 2, 0, "1")]},
        {"sampled": 9},
        {"stateful": [0]},
        {"sampled": 1, "stateful": [0], "unrepeatable": [1]},
        {"sampled": 4, "stateful": [2]},
        {"sampled": 4, "unrepeatable": [1, 0]},
        {"sampled": 4, "unrepeatable": [1, 1]},
    ],
)
def test_what_comes_beside_a_record_is_of_its_match_or_the_platform_s_fault(
    change: dict[str, Any], books: Books, job: PlayMatch
) -> None:
    assert not books.record(replace(played(job), **change))
    match = books.match(job.match)
    assert (match.state, match.platform_faults) == (MatchState.QUEUED, 1)
    assert match.id in match.trouble
    assert books.count(Result) == 0


def test_bytes_that_are_no_record_are_refused(books: Books, job: PlayMatch) -> None:
    assert not books.record(replace(played(job), record=b"nonsense"))
    assert books.match(job.match).state == MatchState.QUEUED


def test_a_match_lost_twice_is_parked_until_the_operator_looks(
    books: Books, job: PlayMatch, charlie: User, alice: User
) -> None:
    assert books.lose(lost(job))
    assert not books.lose(lost(job)), "one fault for one attempt"
    again = next(one for one in books.dispatch() if one.match == job.match)
    assert books.lose(lost(again, "the box is broken"))
    match = books.match(job.match)
    assert (match.state, match.platform_faults) == (MatchState.PARKED, 2)
    assert match.trouble == "the box is broken"
    books.clock.pass_by(minutes=60)
    books.sweep()
    assert all(one.match != job.match for one in books.dispatch())
    with pytest.raises(Forbidden):
        by_operator(books, "requeue", alice, job.match)
    by_operator(books, "requeue", charlie, job.match)
    with pytest.raises(Conflict, match="not parked"):
        by_operator(books, "requeue", charlie, job.match)
    last = next(one for one in books.dispatch() if one.match == job.match)
    assert books.record(played(last))


def test_an_operator_may_void_what_is_not_over(
    books: Books, job: PlayMatch, charlie: User, alice: User
) -> None:
    with pytest.raises(Forbidden):
        by_operator(books, "void", alice, job.match)
    by_operator(books, "void", charlie, job.match)
    assert not books.record(played(job))
    with pytest.raises(Conflict, match="already"):
        by_operator(books, "void", charlie, job.match)
    assert books.count(Result) == 0


def test_a_claim_renews_the_lease(books: Books, job: PlayMatch) -> None:
    books.clock.pass_by(minutes=4)
    claim(books, job)
    assert books.match(job.match).deadline == books.clock() + 5 * 60_000
    books.clock.pass_by(minutes=4)
    assert books.sweep() == 1, "the other match was not claimed"
    assert books.match(job.match).state == MatchState.RUNNING


def test_a_claim_is_refused_once_the_match_is_over_or_another_attempt_has_it(
    books: Books, job: PlayMatch
) -> None:
    books.clock.pass_by(minutes=6)
    books.sweep()
    with pytest.raises(Conflict):
        claim(books, job)
    again = next(one for one in books.dispatch() if one.match == job.match)
    with pytest.raises(Conflict):
        claim(books, job)
    claim(books, again)
    books.record(played(again))
    with pytest.raises(Conflict):
        claim(books, again)


def test_a_claim_needs_its_token(books: Books, job: PlayMatch) -> None:
    with pytest.raises(Forbidden):
        claim(books, job, token="0" * 64)
    with pytest.raises(NotFound):
        claim(books, job, subject="f" * 32)
    with pytest.raises(NotFound):
        claim(books, job, kind="version", subject="f" * 64)
    with pytest.raises(NotFound):
        claim(books, job, kind="lesson")


def test_the_window_holds_matches_back(books: Books, season: Season) -> None:
    narrow = open_books(books.context.database.url, dispatch_window=1)
    assert len(narrow.dispatch()) == 1
    assert not narrow.dispatch()
    narrow.clock.pass_by(minutes=6)
    assert narrow.sweep() == 1
    assert len(narrow.dispatch()) == 1, "the late one again, under a new attempt"
    narrow.context.close()


def test_leagues_and_seasons_are_served_in_turn(
    books: Books, season: Season, charlie: User
) -> None:
    narrow = open_books(books.context.database.url, dispatch_window=3)
    with books.write() as session:
        league = session.get_one(League, season.league_id)
        fixture = fixtures.Fixture(0, (1, 2), ("ab" * 16,))
        fixtures.schedule(session, league, [fixture], settings=books.settings, now=books.clock())
    sent = {books.match(job.match).why for job in narrow.dispatch()}
    assert sent == {"season", "ranked"}
    narrow.context.close()


def test_a_deal_is_never_scheduled_twice(books: Books, season: Season, job: PlayMatch) -> None:
    with pytest.raises(Conflict, match=f"deals of match {job.match}"), books.write() as session:
        league = session.get_one(League, season.league_id)
        fixture = fixtures.Fixture(0, (1, 2), (job.deals[0],))
        fixtures.schedule(session, league, [fixture], settings=books.settings, now=books.clock())


def test_a_match_that_waits_behind_slow_ones_is_given_longer_each_time(
    books: Books, job: PlayMatch
) -> None:
    sent = 0
    for _ in range(100):
        books.clock.pass_by(minutes=6)
        books.sweep()
        sent += len([one for one in books.dispatch() if one.match == job.match])
    assert 10 < sent < jobs.MAX_ATTEMPTS
    assert books.match(job.match).state == MatchState.RUNNING


def test_a_match_that_never_comes_back_is_parked_in_the_end(
    books: Books, job: PlayMatch, charlie: User
) -> None:
    for sent in range(jobs.MAX_ATTEMPTS + 5):
        books.clock.pass_by(minutes=6 * max(1, sent))
        books.wall()
        books.sweep()
        books.dispatch()
    match = books.match(job.match)
    assert (match.state, match.attempt) == (MatchState.PARKED, jobs.MAX_ATTEMPTS)
    assert "never came back" in match.trouble
    by_operator(books, "requeue", charlie, job.match)
    assert job.match in [one.match for one in books.dispatch()]


@pytest.mark.parametrize("express", [True, False])
def test_a_match_is_not_parked_while_no_arena_gets_matches(
    books: Books, job: PlayMatch, charlie: User, express: bool
) -> None:
    with books.write() as session:
        walls.forget(session, lambda _: True)
    for sent in range(jobs.MAX_ATTEMPTS + 5):
        books.clock.pass_by(minutes=6 * max(1, sent))
        with books.write() as session:
            report = {"arena": "one@h", "box": "bwrap", "walled": True, "express": express}
            walls.report_wall(session, report, now=books.clock())
            if not express and not sent:
                arenas.stop(session, charlie, "one@h", "a false record", now=books.clock())
        books.sweep()
        books.dispatch()
    match = books.match(job.match)
    assert match.state != MatchState.PARKED
    assert match.attempt > jobs.MAX_ATTEMPTS


def test_a_season_moves_no_live_rating(books: Books, job: PlayMatch) -> None:
    books.record(played(job))
    with books.read() as session:
        assert session.scalars(select(Rating)).all() == []


def test_what_waits_in_a_paused_league_is_not_sent(books: Books, season: Season) -> None:
    with books.write() as session:
        session.execute(update(Season).values(state="paused"))
    assert not books.dispatch()


def test_strangers_bots_wait_while_an_arena_has_no_wall(books: Books, season: Season) -> None:
    books.wall(walled=False)
    assert not books.dispatch()
    books.wall()
    assert books.dispatch()

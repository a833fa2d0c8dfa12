"""A good result is booked, alone or with others; a bad message is refused by name and logged."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import event, func, select, update
from structlog.testing import capture_logs

from matchbox.errors import CallerFault, Unavailable
from matchbox.match import wire
from matchbox.match.wire import LeftOut, PlayMatch, Printed, TryOut
from server.db.models import (
    Event,
    FaultCount,
    League,
    Match,
    MatchSeat,
    MatchState,
    Rating,
    Result,
    Role,
    Version,
    VersionState,
)
from server.services import booking
from server.services.results import printed_of
from server.services.tick import tick
from tests.books import Books, lost, open_books, played, season_of, tried_out


@pytest.fixture
def job(books: Books) -> PlayMatch:
    """A match that was sent."""
    books.league(paused=True)
    versions = [books.bot(books.person(name), "bot") for name in ("alice", "bob")]
    season_of(books, books.person("charlie", Role.OPERATOR), versions)
    return books.dispatch()[0]


def refusal(task: str, books: Books, data: object) -> str:
    """Returns the log's reason for refusing the message."""
    with capture_logs() as logs:
        assert not booking.book_message(books.context, task, data)
    (entry,) = [one for one in logs if one["event"] == "message.refused"]
    return str(entry["why"])


def test_a_record_travels_as_json_and_is_booked_once(books: Books, job: PlayMatch) -> None:
    data = wire.to_plain(played(job))
    assert booking.book_message(books.context, wire.RECORD, data)
    assert not booking.book_message(books.context, wire.RECORD, data)
    assert books.match(job.match).state == MatchState.FINISHED


def test_a_record_is_booked_however_much_its_bots_printed(books: Books, job: PlayMatch) -> None:
    place: dict[str, Any] = {"entrant": 0, "deal": 0, "rotation": 0, "decision": 0}
    cut = Printed(**place, traceback=False, text="loud", left_out=2**31)
    rest = LeftOut(**place, kind="print", left_out=2**40, rest=True)
    loud = replace(played(job), printed=[cut], left_out=[rest])
    assert booking.book_message(books.context, wire.RECORD, wire.to_plain(loud))
    with books.read() as session:
        result = session.get_one(Result, job.match)
        assert printed_of(result) == ([cut], [rest])


def test_a_record_that_leaves_few_under_way_has_more_sent(books: Books, job: PlayMatch) -> None:
    narrow = open_books(books.context.database.url, dispatch_window=1)
    with narrow.write() as session:
        session.execute(update(Match).where(Match.id != job.match).values(state=MatchState.QUEUED))
    assert booking.book_message(narrow.context, wire.RECORD, wire.to_plain(played(job)))
    (more,) = narrow.postman.take()
    assert isinstance(more, PlayMatch)
    assert more.match != job.match
    narrow.context.close()


def told(books: Books) -> list[list[Any]]:
    """Returns all data about finished matches, except times and the numbers of events."""
    asked = (
        select(Match.id, Match.state, Match.score, Match.arena).order_by(Match.id),
        select(MatchSeat.match_id, MatchSeat.seat, MatchSeat.points, MatchSeat.forfeits),
        select(Result.match_id, Result.digest, Result.bouts, Result.moves, Result.logs),
        select(Rating.version_id, Rating.mu, Rating.sigma, Rating.matches),
        select(Version.id, Version.rated_matches, Version.rated_bouts, Version.forfeits),
        select(FaultCount.version_id, FaultCount.kind, FaultCount.bouts, FaultCount.matches),
        select(League.id, League.finished),
        select(Event.kind, Event.subject).where(Event.kind == "match.finished"),
    )
    with books.read() as session:
        return [sorted(map(tuple, session.execute(one)), key=repr) for one in asked]


@pytest.fixture
def ranked(books: Books) -> list[dict[str, Any]]:
    """The results of matches of the ranked queue, which change live ratings."""
    books.league()
    for name in ("alice", "bob", "dora"):
        books.bot(books.person(name), "bot")
    tick(books.context)
    jobs = books.sent(PlayMatch)
    return [wire.to_plain(played(job)) for job in jobs]


def test_results_booked_together_are_those_booked_one_by_one(
    books: Books, ranked: list[dict[str, Any]], tmp_path: Path
) -> None:
    assert len(ranked) == 8
    with closing(sqlite3.connect(tmp_path / "matchbox.db")) as one:
        one.execute("VACUUM INTO ?", [str(tmp_path / "other.db")])
    other = open_books(f"sqlite:///{tmp_path / 'other.db'}")
    for message in ranked:
        assert booking.book_message(other.context, wire.RECORD, message)
    begun = 0

    def count(*_: Any) -> None:
        nonlocal begun
        begun += 1

    event.listen(books.context.database._writers, "begin", count)
    assert booking.book_matches(books.context, ranked) == [True] * len(ranked)
    assert begun == 1
    assert told(books) == told(other)
    assert {state for _, state, *_ in told(books)[0]} == {MatchState.FINISHED}
    other.context.close()


def selects(books: Books, results: list[dict[str, Any]]) -> int:
    """Returns the number of queries that booking these results takes, except those for faults."""
    asked = []

    def note(one: Any, cursor: Any, text: str, *_: Any) -> None:
        asked.append(text.startswith("SELECT") and "FROM fault_count" not in text)

    event.listen(books.context.database._writers, "before_cursor_execute", note)
    assert all(booking.book_matches(books.context, results))
    event.remove(books.context.database._writers, "before_cursor_execute", note)
    return sum(asked)


def test_many_results_take_no_more_queries_than_one(
    books: Books, ranked: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.services.tick.refill", lambda context: None)
    selects(books, ranked[:4])  # The first match of a version looks for an earlier version.
    one = selects(books, ranked[4:5])
    assert selects(books, ranked[5:]) == one


def test_a_result_that_is_twice_in_a_batch_counts_once(
    books: Books, ranked: list[dict[str, Any]]
) -> None:
    first, second, *_ = ranked
    assert booking.book_matches(books.context, [first, second, first]) == [True, True, False]
    assert booking.book_matches(books.context, [second, first]) == [False, False]
    with books.read() as session:
        assert session.scalars(select(League.finished).where(League.finished > 0)).one() == 2
        assert session.scalar(select(func.count()).select_from(Result)) == 2
        assert session.scalar(select(func.sum(Rating.matches))) == 4


@pytest.mark.parametrize("bad", [{"token": "f" * 64}, {"match": "f" * 32}, {"record": 7}])
def test_of_a_batch_with_a_bad_result_nothing_is_booked(
    books: Books, ranked: list[dict[str, Any]], bad: dict[str, Any]
) -> None:
    first, second, third, *_ = ranked
    with pytest.raises(CallerFault):
        booking.book_matches(books.context, [first, {**second, **bad}, third])
    assert books.count(Result) == 0
    for one in (first, third):
        assert booking.book_message(books.context, wire.RECORD, one)


def test_a_verdict_is_booked(books: Books) -> None:
    version = books.upload(books.person("dora"), "new")
    (sent,) = books.postman.take()
    assert isinstance(sent, TryOut)
    assert booking.book_message(books.context, wire.SETTLE, wire.to_plain(tried_out(sent)))
    assert books.version(version.id).state == VersionState.ACTIVE


def test_a_verdict_is_booked_however_much_memory_the_bot_used(books: Books) -> None:
    version = books.upload(books.person("dora"), "new")
    (sent,) = books.postman.take()
    assert isinstance(sent, TryOut)
    large = replace(tried_out(sent), peak_bytes=3 << 30)
    assert booking.book_message(books.context, wire.SETTLE, wire.to_plain(large))
    report = books.version(version.id).report
    assert report is not None
    assert report["peak_bytes"] == 3 << 30


def test_a_lost_job_is_booked(books: Books, job: PlayMatch) -> None:
    assert booking.book_message(books.context, wire.LOST, wire.to_plain(lost(job)))
    assert books.match(job.match).platform_faults == 1


@pytest.mark.parametrize("data", [None, 7, [], {}, "text", {"match": 1}])
@pytest.mark.parametrize("task", [wire.SETTLE, wire.RECORD, wire.REMEMBER, wire.LOST])
def test_what_is_no_message_is_refused_by_name(task: str, data: object, books: Books) -> None:
    assert refusal(task, books, data).startswith("BadMessage: this is not a ")


def test_a_message_of_another_version_of_the_protocol_is_refused(
    books: Books, job: PlayMatch
) -> None:
    data = {**wire.to_plain(played(job)), "v": 2}
    assert "BadMessage" in refusal(wire.RECORD, books, data)


@pytest.mark.parametrize(
    "wrong",
    [
        {"diagnostics": [[True, 0]]},
        {"record": 5},
        {"logs": None},
        {"seconds": "long"},
        {"seconds": float("inf")},
        {"cpu_ms": [float("nan"), 1.0]},
        {"cpu_ms": [-1.0, 1.0]},
        {"stateful": [-1]},
        {"unrepeatable": [2**31]},
    ],
)
def test_a_result_that_cannot_be_read_is_lost_at_once_and_once(
    books: Books, job: PlayMatch, wrong: dict[str, Any]
) -> None:
    data = {**wire.to_plain(played(job)), **wrong}
    for _ in range(2):
        assert "MatchPlayed" in refusal(wire.RECORD, books, data)
        match = books.match(job.match)
        assert (match.state, match.platform_faults) == (MatchState.QUEUED, 1)
        assert next(iter(wrong)) in match.trouble


@pytest.mark.parametrize("name", ["record", "logs", "cpu_ms", "seconds"])
def test_half_a_character_in_a_result_is_the_platform_s_fault(
    books: Books, job: PlayMatch, name: str
) -> None:
    data = {**wire.to_plain(played(job)), name: "\ud800"}
    assert refusal(wire.RECORD, books, data).startswith("BadMessage: this is not a MatchPlayed ")
    assert books.match(job.match).platform_faults == 1


def test_a_verdict_that_cannot_be_read_is_lost(books: Books) -> None:
    version = books.upload(books.person("dora"), "new")
    (sent,) = books.postman.take()
    assert isinstance(sent, TryOut)
    assert refusal(wire.SETTLE, books, {**wire.to_plain(tried_out(sent)), "games": "many"})
    assert books.version(version.id).platform_faults == 1


def test_a_result_that_cannot_be_read_and_is_not_ours_is_not_counted(
    books: Books, job: PlayMatch
) -> None:
    data = {**wire.to_plain(played(job)), "logs": None, "token": "0" * 64}
    assert not booking.book_message(books.context, wire.RECORD, data)
    assert books.match(job.match).platform_faults == 0


def test_a_message_of_nobody_s_attempt_is_refused(books: Books, job: PlayMatch) -> None:
    stranger = {**wire.to_plain(played(job)), "token": "0" * 64}
    assert refusal(wire.RECORD, books, stranger).startswith("Forbidden: ")
    unknown = {**wire.to_plain(played(job)), "match": "f" * 32}
    assert refusal(wire.RECORD, books, unknown).startswith("NotFound: ")


def test_a_database_that_cannot_be_used_is_for_another_try(
    books: Books, job: PlayMatch, tmp_path: Path
) -> None:
    other = open_books(f"sqlite:///{tmp_path / 'empty.db'}")
    with pytest.raises(Unavailable):
        booking.book_message(other.context, wire.RECORD, wire.to_plain(played(job)))
    other.context.close()


def test_the_tick_looks_through_the_books(books: Books, job: PlayMatch) -> None:
    books.clock.pass_by(minutes=6)
    tick(books.context, with_standings=False)
    again = books.sent(PlayMatch)
    assert job.match in [one.match for one in again]

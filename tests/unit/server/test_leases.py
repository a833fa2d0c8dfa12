"""The holder of a job and its loss: silent arenas, gaps in all reports, and lost messages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from matchbox.errors import BrokerUnavailable, Conflict
from matchbox.match import wire
from matchbox.match.wire import PlayMatch
from server import queries
from server.db.models import MatchState, User
from server.services import broker, job_kinds, jobs, lost_messages
from server.services.job_lines import job_line
from server.services.matches import MATCH
from server.services.tick import tick
from tests.books import Books, played, season_of
from tests.unit.server.test_jobs import Life, life  # noqa: F401

ONE, TWO = "arena-1@here", "arena-2@there"
EVERY_S = 15


def report(books: Books, arena: str, job: wire.Job | None = None) -> None:
    """Sends an arena's report, with its present job."""
    claim = None if job is None else wire.to_plain(job.claim(arena))
    told = {"box": "bwrap", "walled": True, "arena": arena, "job": claim}
    with books.write() as session:
        job_kinds.report(session, told, settings=books.settings, now=books.clock())


def claim(books: Books, job: wire.Job, arena: str) -> None:
    """Claims the job, as an arena does before it plays."""
    with books.write() as session:
        told = job.claim(arena)
        job_kinds.claim(session, told, settings=books.settings, now=books.clock())


@pytest.fixture
def job(books: Books, alice: User, bob: User, charlie: User) -> PlayMatch:
    """A match that was sent."""
    books.league(paused=True)
    versions = [books.bot(alice, "one"), books.bot(bob, "two")]
    season_of(books, charlie, versions)
    return books.dispatch()[0]


def test_a_match_that_was_only_sent_is_not_being_played(books: Books, job: PlayMatch) -> None:
    def counts() -> list[tuple[int, int]]:
        now = books.clock()
        with books.read() as session:
            line = job_line(session, "match", MATCH, now)
            queue = queries.queue(session, now=now)
        return [(one.running, one.playing) for one in (line, queue)]

    assert counts() == [(2, 0), (2, 0)]
    claim(books, job, ONE)
    assert counts() == [(2, 1), (2, 1)]


def test_an_arena_plays_one_match_however_many_it_has_claimed(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    books.league(paused=True)
    season_of(books, charlie, [books.bot(alice, "one"), books.bot(bob, "two")])
    for one in books.dispatch():
        claim(books, one, ONE)
    with books.read() as session:
        queue = queries.queue(session, now=books.clock())
    assert (queue.running, queue.playing) == (2, 1)


def test_reports_keep_a_job_for_as_long_as_they_come(life: Life) -> None:  # noqa: F811
    claim(life.books, life.job, ONE)
    for _ in range(60):
        life.books.clock.pass_by(seconds=EVERY_S)
        report(life.books, ONE, life.job)
        assert not life.sent()
    assert (life.row().arena, life.job.attempt) == (ONE, 1)


def test_a_silent_arena_loses_its_job_within_a_minute(life: Life) -> None:  # noqa: F811
    report(life.books, ONE)
    claim(life.books, life.job, ONE)
    for _ in range(3):
        assert not life.sent()
        life.books.clock.pass_by(seconds=EVERY_S)
        report(life.books, TWO)
    assert life.sent()
    assert (life.job.attempt, life.row().arena, life.row().platform_faults) == (2, None, 0)


def test_an_arena_that_reports_without_the_job_loses_it(life: Life) -> None:  # noqa: F811
    claim(life.books, life.job, ONE)
    for _ in range(3):
        life.books.clock.pass_by(seconds=EVERY_S)
        report(life.books, ONE)
    assert life.sent(), "its result was lost on the way"


def test_nobody_loses_a_job_while_the_server_hears_no_arena(life: Life) -> None:  # noqa: F811
    claim(life.books, life.job, ONE)
    report(life.books, ONE, life.job)
    life.books.clock.pass_by(minutes=4)
    assert not life.sent(), "the server was away, and nobody could report"
    report(life.books, TWO)
    life.books.clock.pass_by(seconds=2)
    report(life.books, ONE, life.job)
    life.books.clock.pass_by(seconds=EVERY_S)
    report(life.books, TWO)
    assert not life.sent()
    for _ in range(3):
        life.books.clock.pass_by(seconds=EVERY_S)
        report(life.books, TWO)
    assert life.sent(), "from then on its silence counts"


def test_a_late_report_or_a_forged_one_brings_nothing_back(books: Books, job: PlayMatch) -> None:
    report(books, TWO)
    claim(books, job, ONE)
    for _ in range(3):
        books.clock.pass_by(seconds=EVERY_S)
        report(books, TWO)
    tick(books.context)
    assert books.match(job.match).attempt == 2
    books.postman.take()
    before = books.match(job.match).deadline
    report(books, ONE, job)
    report(books, ONE, job_of_another(job))
    found = books.match(job.match)
    assert (found.deadline, found.arena) == (before, None)


def job_of_another(job: PlayMatch) -> PlayMatch:
    """Returns the job with a token that nobody issued."""
    return PlayMatch(**{**fields(job), "token": "0"})


def test_an_arena_of_an_older_release_has_a_lease_as_before(books: Books, job: PlayMatch) -> None:
    report(books, TWO)
    claim(books, job, "")
    for _ in range(10):
        books.clock.pass_by(seconds=EVERY_S)
        report(books, TWO)
        tick(books.context)
    assert (books.match(job.match).attempt, books.match(job.match).arena) == (1, "")


def test_an_arena_of_an_older_release_loses_its_job_after_a_lease_though_no_arena_reports(
    books: Books, job: PlayMatch
) -> None:
    claim(books, job, "")
    books.clock.pass_by(minutes=books.settings.lease_minutes + 1)
    tick(books.context)
    assert books.match(job.match).attempt == 2


def test_a_job_that_no_arena_holds_is_late_though_reports_begin_again(
    books: Books, job: PlayMatch
) -> None:
    books.clock.pass_by(minutes=books.settings.lease_minutes + 1)
    report(books, TWO)
    tick(books.context)
    assert books.match(job.match).attempt == 2


def test_an_attempt_that_is_over_is_neither_held_nor_given_back(
    life: Life,  # noqa: F811
) -> None:
    first = life.job
    claim(life.books, first, ONE)
    assert life.books.lose(first.lost("no room"))
    assert life.sent()
    claim(life.books, life.job, ONE)
    settings, now = life.books.settings, life.books.clock()
    with life.books.write() as session:
        with pytest.raises(Conflict, match="does not hold attempt 1"):
            job_kinds.require_holder(session, first.claim(ONE), ONE, settings=settings)
        job_kinds.give_back(session, first.lost("too late"), settings=settings, now=now)
    assert life.is_at("leased")
    assert life.row().arena == ONE


def test_a_job_that_an_arena_takes_up_counts_as_sent_then(life: Life) -> None:  # noqa: F811
    life.books.clock.pass_by(seconds=90)
    settings, now = life.books.settings, life.books.clock()
    with life.books.write() as session:
        told = life.job.claim(ONE)
        assert job_kinds.claim_unclaimed(session, told, settings=settings, now=now)
    assert life.row().sent_at == now


def test_a_match_names_the_arena_whose_result_was_booked(books: Books, job: PlayMatch) -> None:
    claim(books, job, ONE)
    told = played(job)
    assert books.record(type(told)(**{**fields(told), "arena": TWO}))
    assert books.match(job.match).arena == TWO


def fields(message: Any) -> dict[str, Any]:
    """Returns the message's fields."""
    return {name: getattr(message, name) for name in message.__struct_fields__}


class Broker:
    """A broker that holds these messages."""

    def __init__(self, *jobs: wire.Job) -> None:
        self.known = {(job.subject, job.attempt) for job in jobs}
        self.asked = 0

    def __call__(self, url: str, *, taken_s: float) -> set[tuple[str, int]]:
        self.asked += 1
        return self.known


def finds(books: Books, monkeypatch: pytest.MonkeyPatch, known: Broker) -> int:
    """Returns the number of messages found to be lost."""
    monkeypatch.setattr(broker, "jobs", known)
    settings = replace(books.settings, broker_url="redis://nowhere")
    return lost_messages.expire_lost(replace(books.context, settings=settings))


def test_a_message_that_is_gone_is_sent_again(
    life: Life,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert finds(life.books, monkeypatch, empty := Broker()) == 0
    assert not empty.asked, "it was sent a moment ago"
    life.books.clock.pass_by(seconds=6)
    finds(life.books, monkeypatch, Broker(life.job))
    assert not life.sent()
    assert finds(life.books, monkeypatch, Broker()) >= 1
    assert life.sent()
    assert (life.job.attempt, life.row().platform_faults) == (2, 0)


def test_a_message_that_still_waits_keeps_its_place(
    life: Life,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for _ in range(5):
        life.books.clock.pass_by(minutes=life.books.settings.lease_minutes - 1)
        finds(life.books, monkeypatch, Broker(life.job))
        assert not life.sent()
    assert (life.row().attempt, life.row().arena) == (1, None)
    life.books.clock.pass_by(minutes=life.books.settings.lease_minutes + 1)
    assert life.sent(), "nobody could ask the broker"


def test_the_leases_of_waiting_messages_are_renewed_together(
    books: Books, alice: User, bob: User, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    books.league(paused=True)
    season_of(books, charlie, [books.bot(alice, "one"), books.bot(bob, "two")])
    sent = books.dispatch()
    assert len(sent) > 1
    books.clock.pass_by(minutes=books.settings.lease_minutes - 1)
    keep, renewed = jobs.keep, list[int]()

    def counted(*given: Any) -> int:
        renewed.append(keep(*given))
        return renewed[-1]

    monkeypatch.setattr(jobs, "keep", counted)
    assert finds(books, monkeypatch, Broker(*sent)) == 0
    assert renewed == [len(sent)]


def test_a_job_that_an_arena_holds_needs_no_message(
    life: Life,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    claim(life.books, life.job, ONE)
    life.books.clock.pass_by(seconds=6)
    finds(life.books, monkeypatch, Broker())
    assert not life.sent()


def test_nothing_is_lost_by_a_broker_that_is_away(
    books: Books, job: PlayMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    books.clock.pass_by(seconds=6)

    def away(url: str, *, taken_s: float) -> set[tuple[str, int]]:
        raise BrokerUnavailable("the queue cannot be reached")

    monkeypatch.setattr(broker, "jobs", away)
    settings = replace(books.settings, broker_url="redis://nowhere")
    tick(replace(books.context, settings=settings))
    found = books.match(job.match)
    assert (found.state, found.attempt) == (MatchState.RUNNING, 1)


def test_a_job_is_claimed_while_its_message_is_looked_for(books: Books, job: PlayMatch) -> None:
    match = books.match(job.match)
    claim(books, job, ONE)
    with books.write() as session:
        assert not jobs.expire(session, job_kinds.KINDS["match"], session.merge(match, load=False))
    assert books.match(job.match).arena == ONE

"""The states of a job, which are the same for a match, a try-out and a lesson."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import ColumnElement, Dialect, select
from sqlalchemy.dialects.postgresql import psycopg

from matchbox.errors import Conflict, Forbidden, NotFound
from matchbox.match import wire
from matchbox.match.wire import AnyJob
from matchbox.settings import Settings
from server.db.models import Event, User, Version
from server.services import deliveries, job_kinds, jobs, lessons, matches, tryouts, walls
from server.services.tick import tick
from server.times import DAY_MS, MINUTE_MS, lately
from tests.books import Books, Clock, season_of
from tests.unit.server.test_lessons import a_school

GIVE_AGAIN: dict[str, Callable[..., object]] = {
    "match": matches.requeue,
    "version": tryouts.try_again,
    "lesson": lessons.requeue,
}


@dataclass
class Life:
    """A sent job and the events of its life."""

    books: Books
    job: AnyJob

    def row(self) -> Any:
        """Returns the job's row."""
        kind = job_kinds.KINDS[self.job.kind]
        with self.books.read() as session:
            (row,) = kind.rows(session, self.job.subject)
            return row

    def is_at(self, stage: str) -> bool:
        """Returns whether the row is at this stage: queued, leased or parked."""
        kind = job_kinds.KINDS[self.job.kind]
        with self.books.read() as session:
            at = select(kind.model.id).where(getattr(kind, stage), kind.model.id == self.row().id)
            return session.scalar(at) is not None

    def claim(self, **change: Any) -> None:
        """Claims the job, as an arena does before it begins."""
        with self.books.write() as session:
            message = replace(self.job.claim(), **change)
            job_kinds.claim(session, message, settings=self.books.settings, now=self.books.clock())

    def sent(self) -> bool:
        """Ticks; returns whether the job was sent again. Its new attempt becomes the present
        one."""
        tick(self.books.context)
        found = [one for one in self.books.postman.take() if one.subject == self.job.subject]
        self.job = found[-1] if found else self.job
        return bool(found)

    def give_again(self, user: User) -> None:
        """Lets somebody give the job another attempt."""
        give = GIVE_AGAIN[self.job.kind]
        with self.books.write() as session:
            give(session, user, self.row().id, settings=self.books.settings, now=self.books.clock())


@pytest.fixture(params=["match", "version", "lesson"])
def life(
    request: pytest.FixtureRequest, books: Books, alice: User, bob: User, charlie: User
) -> Life:
    """A job of each kind."""
    books.league(paused=True)
    if request.param == "version":
        books.upload(alice, "one")
        return Life(books, books.postman.take()[0])
    versions = [books.bot(alice, "one"), books.bot(bob, "two")]
    if request.param == "match":
        season_of(books, charlie, versions)
        return Life(books, books.dispatch()[0])
    school = a_school(books, charlie, versions)
    school.taught()
    return Life(books, school.jobs()[0])


def test_a_claim_keeps_the_sweeper_away(life: Life) -> None:
    for _ in range(3):
        life.books.clock.pass_by(minutes=life.books.settings.lease_minutes - 1)
        life.claim()
        assert not life.sent()
    assert life.is_at("leased")


def test_a_job_that_is_late_is_sent_again_and_costs_no_fault(life: Life) -> None:
    first = life.job
    life.books.clock.pass_by(minutes=life.books.settings.lease_minutes + 1)
    assert life.sent()
    assert (life.job.attempt, life.row().platform_faults) == (2, 0)
    assert life.job.token != first.token
    with pytest.raises(Conflict, match=r"attempt 1 .* is not wanted any more"):
        life.claim(attempt=1, token=first.token)
    life.claim()


def test_an_arena_without_a_wall_gets_no_job_that_was_sent_before(life: Life) -> None:
    report = {"arena": "bare@here", "box": "process", "walled": False, "why": "no namespaces"}
    with life.books.write() as session:
        walls.report_wall(session, report, now=life.books.clock())
    with pytest.raises(Conflict, match="bare@here has no wall around bots"):
        life.claim(arena="bare@here")
    assert life.row().arena is None
    life.claim(arena="walled@here")
    with life.books.write() as session:
        walls.report_wall(session, report | {"walled": True}, now=life.books.clock())
    life.claim(arena="bare@here")


def test_an_arena_without_a_wall_gets_the_jobs_of_trusted_bots(books: Books, charlie: User) -> None:
    report = {"arena": "bare@here", "box": "process", "walled": False, "why": "no namespaces"}
    with books.write() as session:
        walls.report_wall(session, report, now=books.clock())
    books.upload(charlie, "one")
    Life(books, books.postman.take()[0]).claim(arena="bare@here")


def test_a_fault_of_the_platform_counts_once_for_each_attempt(life: Life) -> None:
    lost = life.job.lost("no room")
    assert life.books.lose(lost)
    assert not life.books.lose(lost)
    row = life.row()
    assert (row.platform_faults, row.trouble) == (1, "no room")
    life.sent()
    assert not life.books.lose(lost), "another attempt has it"


def test_too_many_faults_park_a_job_until_an_operator_gives_it_again(
    life: Life, alice: User, charlie: User
) -> None:
    with pytest.raises(Conflict, match="not parked"):
        life.give_again(charlie)
    for _ in range(life.books.settings.attempts):
        assert life.books.lose(life.job.lost("no room"))
        life.sent()
    assert life.is_at("parked")
    with life.books.read() as session:
        told = [one.kind for one in session.scalars(select(Event))]
    assert told.count(f"{life.job.kind}.parked") == 1
    life.books.clock.pass_by(minutes=600)
    assert not life.sent()
    with pytest.raises(Conflict):
        life.claim()
    with pytest.raises(Forbidden):
        life.give_again(alice)
    life.give_again(charlie)
    assert life.row().platform_faults == 0
    assert life.sent()
    life.claim()


def test_a_job_that_never_comes_back_is_parked_and_may_be_given_again(
    life: Life, charlie: User
) -> None:
    for sent in range(jobs.MAX_ATTEMPTS + 2):
        life.books.clock.pass_by(minutes=(sent + 1) * life.books.settings.lease_minutes + 1)
        life.books.wall()
        life.sent()
    row = life.row()
    assert life.is_at("parked")
    assert (row.attempt, row.platform_faults) == (jobs.MAX_ATTEMPTS, 0)
    assert row.trouble == "sent 20 times, and it never came back"
    life.give_again(charlie)
    assert life.sent()


def test_a_job_is_not_parked_while_no_arena_reports(life: Life) -> None:
    life.books.wall()
    for sent in range(jobs.MAX_ATTEMPTS + 2):
        life.books.clock.pass_by(minutes=(sent + 1) * life.books.settings.lease_minutes + 1)
        assert life.sent()
    life.books.wall()
    life.claim()


def test_only_the_token_of_an_attempt_that_was_made_is_good(life: Life) -> None:
    settings, row = life.books.settings, life.row()
    for never in (0, 2):
        with pytest.raises(Forbidden):
            life.claim(attempt=never, token=jobs.token_of(settings, row, never))
    for wrong in ({"token": "0" * 64}, {"token": "ö\ud800"}, {"attempt": 0}):
        with pytest.raises(Forbidden):
            life.claim(**wrong)
    for kind in {"match", "version", "lesson"} - {life.job.kind}:
        with pytest.raises(NotFound, match=f"there is no {kind}"):
            life.claim(kind=kind)


@pytest.mark.parametrize("life", ["lesson"], indirect=True)
@pytest.mark.parametrize(
    "subject", ["lesson:", "1", "turn:1", "lesson:1:1", "lesson:²", "lesson:-1"]
)
def test_a_subject_that_names_no_lesson_finds_none(life: Life, subject: str) -> None:
    assert life.job.subject == f"lesson:{life.row().id}" == "lesson:1"
    with life.books.read() as session:
        assert job_kinds.KINDS["lesson"].rows(session, subject) == []


def test_every_job_and_every_result_is_of_a_kind() -> None:
    assert {job.kind for job in wire.JOBS.values()} == set(job_kinds.KINDS)
    assert {one.kind for one in job_kinds.RESULTS.values()} == {*job_kinds.KINDS, None}
    assert {task for task, queue in wire.QUEUES.items() if queue == "ledger"} == {
        *job_kinds.RESULTS,
        wire.TICK,
    }
    assert {*wire.JOBS, *job_kinds.RESULTS, wire.TICK} == set(wire.QUEUES)


AHEAD = 24 * 60
"""How far ahead the clock is for a while, in minutes."""


def test_a_job_that_was_sent_while_the_clock_was_ahead_is_sent_again_in_time(life: Life) -> None:
    life.books.clock.pass_by(minutes=AHEAD)
    life.books.wall()
    life.books.clock.pass_by(minutes=life.books.settings.lease_minutes + 1)
    assert life.sent()
    life.books.clock.pass_by(minutes=-AHEAD)
    life.books.wall()
    assert life.sent()
    assert not life.sent(), "once"


@pytest.mark.parametrize(
    "condition",
    [
        *(jobs.in_time(kind, Clock().now, Settings()) for kind in job_kinds.ALL),
        deliveries._is_due(Clock().now),
        lately(Version.created_at, DAY_MS, Clock().now),
    ],
)
def test_a_time_is_no_short_number_on_postgres(condition: ColumnElement[bool]) -> None:
    """It takes a number that it is told to be an INTEGER only up to 2**31."""
    dialect: Dialect = psycopg.dialect()  # type: ignore[no-untyped-call]
    compiled = condition.compile(dialect=dialect)
    times = [name for name, value in compiled.params.items() if value >= 1 << 31]
    assert times
    assert [name for name in times if f"%({name})s::BIGINT" not in str(compiled)] == []


def test_the_longest_lease_of_many_attempts_is_no_short_number_on_postgres() -> None:
    dialect: Dialect = psycopg.dialect()  # type: ignore[no-untyped-call]
    for kind in job_kinds.ALL:
        compiled = jobs.in_time(kind, Clock().now, Settings(lease_minutes=1440)).compile(
            dialect=dialect
        )
        lease = 1440 * MINUTE_MS
        (name,) = (name for name, value in compiled.params.items() if value == lease)
        assert f"%({name})s::BIGINT * CASE" in str(compiled)

"""The waiting of matches and try-outs: places, estimates and reasons, compared with the sent
jobs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import pytest
from sqlalchemy import select, update

from matchbox.answers.queue import JobName, QueueDetail, Waiting
from matchbox.errors import Forbidden
from matchbox.match.wire import Claim, PlayMatch, TryOut
from server.db.models import Draft, League, Match, MatchState, Season, User, Version, VersionState
from server.queries import job_times, waiting
from server.queries.job_queue import queue_detail
from server.services import (
    arena_keys,
    comparisons,
    disk,
    dispatch,
    drafts,
    job_kinds,
    seasons,
    signs,
    walls,
)
from server.services.remote_names import arena_name
from server.services.tick import tick
from tests.books import GAME, SIMPLE, Books, open_books, played, season_of, tried_out

MINUTE = 60_000
QUIET = [(500 * at, 500 * at + 100) for at in range(40)]
"""Jobs that were done as soon as they were wanted, over 20 s."""


def alive(books: Books) -> None:
    """Lets an arena and the ledger report."""
    books.wall()
    with books.write() as session:
        signs.note(session, signs.TICK, now=books.clock())


def of_match(books: Books, name: str) -> Waiting | None:
    """Returns why this match waits."""
    with books.read() as session:
        told = waiting.match(session, None, name, settings=books.settings, now=books.clock())
    return told.waiting


def of_version(books: Books, version: Version, viewer: User) -> Waiting | None:
    """Returns why this version waits, as the viewer sees it."""
    with books.read() as session:
        told = waiting.version(
            session, viewer, version.id, settings=books.settings, now=books.clock()
        )
    return told.waiting


def detail(books: Books, viewer: User) -> QueueDetail:
    """Returns the operators' queue."""
    with books.read() as session:
        return queue_detail(session, viewer, settings=books.settings, now=books.clock())


def queued(books: Books) -> list[str]:
    """Returns the ids of the queued matches."""
    with books.read() as session:
        waits = select(Match.id).where(Match.state == MatchState.QUEUED)
        return list(session.scalars(waits.order_by(Match.id)))


@pytest.fixture
def two_scopes(books: Books, alice: User, bob: User, charlie: User) -> Iterator[Books]:
    """Books with ranked matches, a season and a comparison that wait, in a window of 13.

    The first matches of the versions are under way.
    """
    narrow, opened = (open_books(books.context.database.url, dispatch_window=n) for n in (1, 13))
    books.league()
    versions = [books.bot(owner, name) for owner in (alice, bob) for name in ("one", "two")]
    season_of(books, charlie, versions)
    newer = books.bot(alice, "one", SIMPLE + b"# newer\n")
    with books.write() as session:
        name = newer.bot.full_name
        comparisons.start(session, alice, name, settings=books.settings, now=books.clock())
    tick(narrow.context)
    alive(books)
    yield opened
    narrow.context.close()
    opened.context.close()


def test_the_places_are_those_in_which_matches_are_sent(two_scopes: Books) -> None:
    books = two_scopes
    places = {name: told.place for name in queued(books) if (told := of_match(books, name))}
    sent = [job.match for job in books.dispatch() if isinstance(job, PlayMatch)]
    assert len(sent) >= 10
    for at, name in enumerate(sent, 1):
        place = places[name]
        assert place is not None
        assert abs(place - at) <= 2, "only the order within a turn is chance"


def test_the_next_match_is_not_said_to_come_before_those_that_were_sent(
    two_scopes: Books, charlie: User
) -> None:
    first = next(one for one in detail(two_scopes, charlie).jobs if one.kind == "match")
    assert first.reason.endswith("The matches sent before it are played first.")


def test_the_first_match_of_a_version_waits_for_no_match_that_was_sent(
    two_scopes: Books, charlie: User
) -> None:
    books = two_scopes
    jobs = [job for job in books.dispatch() if isinstance(job, PlayMatch)]
    for job in jobs[:5]:
        books.clock.pass_by(seconds=10)
        assert books.record(played(job))
    with books.write() as session:  # As if no version had been in a match that was sent.
        session.execute(update(Match).values(attempt=0))
        first, second, *_ = dispatch.first_matches(session)
    alive(books)
    assert of_match(books, first) == Waiting(
        place=1, seconds=10, reason="It is next: an arena takes it as soon as one is free."
    )
    assert of_match(books, second) == Waiting(
        place=2, seconds=20, reason="One match comes before it."
    )
    told = {one.id: one for one in detail(books, charlie).jobs if one.kind == "match"}
    for name in (first, second):
        one = told[name]
        waits = Waiting(place=one.place, seconds=one.seconds, reason=one.reason)
        assert waits == of_match(books, name)


def test_an_estimate_is_unknown_until_matches_have_ended(two_scopes: Books) -> None:
    books = two_scopes
    jobs = [job for job in books.dispatch() if isinstance(job, PlayMatch)]
    with books.read() as session:
        running = sum(dispatch.under_way(session).values())
    last = queued(books)[-1]
    told = of_match(books, last)
    assert told is not None
    assert told.place is not None
    assert told.seconds is None
    for job in jobs[:3]:
        books.clock.pass_by(seconds=10)
        assert books.record(played(job))
    alive(books)
    told = of_match(books, last)
    assert told is not None
    assert told.place is not None
    assert told.seconds == 10 * (told.place + running - 3)
    books.clock.pass_by(minutes=31)
    alive(books)
    told = of_match(books, last)
    assert told is not None
    assert told.seconds is None, "that was too long ago"


def test_a_match_says_why_it_cannot_be_sent(two_scopes: Books, charlie: User, alice: User) -> None:
    books = two_scopes
    with books.read() as session:
        waiting = select(Match.id).where(Match.state == MatchState.QUEUED)
        outside = (Match.season_id.is_(None), Match.comparison_id.is_(None))
        of_season = session.scalar(waiting.where(Match.season_id.is_not(None)))
        ranked = session.scalar(waiting.where(*outside))
        compared = session.scalar(waiting.where(Match.comparison_id.is_not(None)))
    assert of_season
    assert ranked
    assert compared

    def why(name: str) -> str:
        told = of_match(books, name)
        assert told is not None
        assert (told.place is None) == (told.reason[0] != "N")
        return told.reason

    with books.write() as session:
        season = session.scalars(select(Season)).one()
        seasons.pause(session, charlie, season.id, now=books.clock())
        session.scalars(select(League).where(League.name == GAME)).one().paused = True
    assert why(of_season).startswith("The season ")
    assert why(of_season).endswith(" is paused.")
    for name in (ranked, compared):
        assert why(name) == f"The league {GAME} is paused until an operator resumes it."
    assert {one.reason != "" for one in detail(books, charlie).groups} == {True}
    with books.write() as session:
        session.scalars(select(League).where(League.name == GAME)).one().paused = False
        seat = session.get_one(Match, ranked).seats[0]
        seat.version.state = VersionState.QUARANTINED
    assert "is in quarantine" in why(ranked)
    with books.write() as session:
        session.get_one(Match, ranked).seats[0].version.state = VersionState.ACTIVE
    books.wall(walled=False)
    assert why(ranked).startswith("An arena has no wall")


def test_where_nothing_is_played_the_reason_says_so(two_scopes: Books, charlie: User) -> None:
    books = two_scopes
    (name, *_) = queued(books)
    books.clock.pass_by(minutes=5)
    told = of_match(books, name)
    assert told is not None
    assert told.reason.startswith("No arena is running")
    books.wall()
    told = of_match(books, name)
    assert told is not None
    assert (told.place is not None, told.seconds) == (True, None)
    assert "its ledger or its broker stands still" in told.reason
    assert detail(books, charlie).stopped == told.reason


def test_no_match_is_next_while_only_the_express_arena_runs(
    two_scopes: Books, charlie: User, alice: User
) -> None:
    books = two_scopes
    books.clock.pass_by(minutes=5)
    with books.write() as session:
        report = {"arena": "arena-express@h", "box": "bwrap", "walled": True, "express": True}
        walls.report_wall(session, report, now=books.clock())
        signs.note(session, signs.TICK, now=books.clock())
    told = of_match(books, queued(books)[0])
    assert told is not None
    assert told.reason.startswith("Only the express arena is running")
    seen = detail(books, charlie)
    assert seen.stopped == "", "try-outs go on"
    reasons = {job.reason for job in seen.jobs if job.kind == "match"}
    assert reasons == {told.reason}


def test_no_match_is_next_while_the_disk_is_full(
    two_scopes: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    alive(two_scopes)
    monkeypatch.setattr(disk, "is_full", lambda _: True)
    told = of_match(two_scopes, queued(two_scopes)[0])
    assert told is not None
    assert "disk of this platform is almost full" in told.reason


def test_nothing_is_next_where_all_arenas_are_draining(two_scopes: Books, charlie: User) -> None:
    books = two_scopes
    books.clock.pass_by(minutes=5)
    with books.write() as session:
        arena_keys.make(session, charlie, "lab", now=books.clock())
        arena_keys.drain(session, charlie, "lab", now=books.clock())
        report = {"arena": arena_name("lab", 1), "box": "bwrap", "walled": True}
        walls.report_wall(session, report, now=books.clock())
        signs.note(session, signs.TICK, now=books.clock())
    told = of_match(books, queued(books)[0])
    assert told is not None
    assert told.reason.startswith("No arena is running")


def test_a_match_that_does_not_wait_says_nothing(two_scopes: Books) -> None:
    books = two_scopes
    (job, *_) = [one for one in books.dispatch() if isinstance(one, PlayMatch)]
    assert of_match(books, job.match) is None
    assert books.record(played(job))
    assert of_match(books, job.match) is None


def test_try_outs_wait_in_the_order_in_which_they_were_sent(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    books.league(paused=True)
    alive(books)
    first = books.upload(alice, "one")
    second = books.upload(alice, "one", SIMPLE + b"# 2\n")
    books.clock.pass_by(seconds=1)
    third = books.upload(bob, "two")
    jobs = books.sent(TryOut)
    assert [job.version for job in jobs] == [first.digest, third.digest]
    told = [one for of in (first, third, second) if (one := of_version(books, of, charlie))]
    assert [one.place for one in told] == [1, 2, 3]
    assert told[0].reason.startswith("It is next")
    assert told[1].reason == "One try-out comes before it."
    assert told[2].reason.startswith("Another upload of its author is tried out first")
    assert of_version(books, second, bob) is None, "it is not his"
    with books.write() as session:
        claim = Claim(kind="version", subject=first.digest, attempt=1, token=jobs[0].token)
        job_kinds.claim(session, claim, settings=books.settings, now=books.clock())
    assert of_version(books, first, alice) is None, "an arena is at it"
    assert [one.kind for one in detail(books, charlie).jobs] == ["try-out", "try-out"]
    books.clock.pass_by(seconds=4)
    books.settle(tried_out(jobs[0]))
    told = [one for of in (third, second) if (one := of_version(books, of, charlie))]
    assert [one.seconds for one in told] == [5, 10]
    done = {line.kind: line.done for line in detail(books, charlie).kinds}
    assert (done["try-out"], done["draft"]) == (1, 0)


def test_drafts_and_parked_try_outs_say_why_they_wait(books: Books, alice: User) -> None:
    alive(books)
    books.upload(alice, "one")
    with books.write() as session:
        row = drafts.try_draft(
            session, alice, game=GAME, data=SIMPLE, class_name=None, network="",
            settings=books.settings, now=books.clock(),
        )  # fmt: skip
    with books.read() as session:
        settings, now = books.settings, books.clock()
        told = waiting.draft(session, alice, row.id, settings=settings, now=now).waiting
        assert told is not None
        assert told.place == 2
        version = session.scalars(select(Version)).one()
    with books.write() as session:
        session.get_one(Version, version.id).deadline = None
        session.get_one(Draft, row.id).state = "refused"
    told = of_version(books, version, alice)
    assert told is not None
    assert (told.place, told.reason) == (None, waiting.PARKED)
    with books.read() as session:
        assert waiting.draft(session, alice, row.id, settings=settings, now=now).waiting is None


def test_only_operators_see_the_whole_queue(two_scopes: Books, alice: User, charlie: User) -> None:
    with pytest.raises(Forbidden):
        detail(two_scopes, alice)
    told = detail(two_scopes, charlie)
    assert told.stopped == ""
    assert told.window == 13
    assert len(told.groups) == 3
    assert {one.kind for one in told.kinds} == set(get_args(JobName))
    assert sum(one.queued for one in told.groups) == len(queued(two_scopes))
    matches = [one for one in told.jobs if one.kind == "match"]
    assert [one.place for one in matches] == list(range(1, len(matches) + 1))


@pytest.mark.parametrize(
    ("spans", "waits_since", "each_ms"),
    [
        ([], None, None),
        ([], 0, None),
        ([(0, 10), (0, 20)], None, 10),
        ([(0, 10), (10_000, 10_010)], None, 10),  # the pause between them does not count
        ([(0, 10), (5, 20)], 20_000, (20 + MINUTE - 20_000) / 2),  # but the waiting does
        ([(-99 * MINUTE, 10)], None, 29 * MINUTE + 10),  # only the part in the last half hour
        ([(-99 * MINUTE, -50 * MINUTE)], None, None),
        ([(0, 10), (99 * MINUTE, 100 * MINUTE)], None, 10),  # not one of a clock that was ahead
        # Of many that were made together, the last ones; the wait before these does not count.
        ([(0, 50 * at) for at in range(1, 3 * job_times.MAX_JOBS)], None, 50),
        # In a burst after a quiet time, those of the burst count alone, once there are some.
        ([*QUIET, *((30_000, 30_000 + 5_000 * at) for at in range(1, 7))], 30_000, 5_000),
    ],
)
def test_a_pace_counts_the_time_in_which_something_was_wanted(
    spans: list[tuple[int, int]], waits_since: int | None, each_ms: float | None
) -> None:
    assert job_times.pace(spans, waits_since, MINUTE).each_ms == each_ms


def test_the_estimate_of_a_long_season_is_that_of_its_last_matches(
    books: Books, alice: User, bob: User, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_times, "MAX_JOBS", 3)
    books.league(paused=True)
    versions = [books.bot(alice, "one"), books.bot(bob, "two")]
    season_of(books, charlie, versions, format={"cycles": 10})
    for _ in range(10):
        for job in books.dispatch():
            books.clock.pass_by(seconds=2)
            books.record(played(job))
    with books.read() as session:
        pace = job_times.of_matches(session, now=books.clock())
    assert (pace.done, pace.each_ms) == (3, 2000)


def test_the_pace_of_tryouts_is_known_however_many_wait(
    books: Books, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_times, "MAX_JOBS", 3)
    books.bot(alice, "done")
    books.clock.pass_by(seconds=5)
    versions = [books.bot(alice, f"waits-{at}") for at in range(4)]
    with books.write() as session:
        waits = {"state": VersionState.PENDING, "settled_at": None, "deadline": books.clock()}
        these = Version.id.in_([one.id for one in versions])
        session.execute(update(Version).where(these).values(**waits))
    with books.read() as session:
        assert job_times.of_tryouts(session, now=books.clock()).done == 1


def test_the_pace_is_not_that_of_matches_of_a_clock_that_was_ahead(
    books: Books, alice: User, bob: User, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_times, "MAX_JOBS", 3)
    books.league(paused=True)
    versions = [books.bot(alice, "one"), books.bot(bob, "two")]
    season_of(books, charlie, versions, format={"cycles": 5})
    right = books.clock()
    books.clock.pass_by(minutes=60 * 24 * 400)
    for at, job in enumerate(books.dispatch()):
        if at == 5:
            books.clock.now = right
        books.clock.pass_by(seconds=2 if at < 5 else 7)
        books.record(played(job))
    with books.read() as session:
        pace = job_times.of_matches(session, now=books.clock())
    assert (pace.done, pace.each_ms) == (3, 7000)


def test_void_matches_do_not_make_the_pace_look_quicker(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    books.league(paused=True)
    versions = [books.bot(alice, "one"), books.bot(bob, "two")]
    season = season_of(books, charlie, versions, format={"cycles": 10})
    job = books.dispatch()[0]
    books.clock.pass_by(minutes=1)
    books.record(played(job))
    with books.write() as session:
        seasons.cancel(session, charlie, season.id, now=books.clock())
    with books.read() as session:
        pace = job_times.of_matches(session, now=books.clock())
    assert (pace.done, pace.each_ms) == (1, MINUTE)

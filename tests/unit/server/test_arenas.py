"""A record is replayed by the rules before it is booked; an arena that forges one is stopped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace as changed
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import select

from matchbox import registry
from matchbox.errors import BadOption, Conflict, Forbidden, NotFound, Unavailable
from matchbox.match import record as records
from matchbox.match import replay, wire
from matchbox.match.wire import MatchPlayed, PlayMatch
from server import queries
from server.db.models import Audit, MatchState, User, Version
from server.services import arena_keys, arenas, booking, health, job_kinds, stopped_arenas
from server.services.remote_names import arena_name
from server.services.tick import tick
from tests.books import Books, season_of
from tests.unit.server.test_leases import EVERY_S, ONE, TWO, claim, report
from worker.arena.play import play_job


@pytest.fixture
def checked(books: Books) -> Books:
    """A platform that checks every record."""
    settings = changed(books.settings, replay_percent=100)
    return Books(changed(books.context, settings=settings), books.clock, books.postman)


@pytest.fixture
def versions(checked: Books, alice: User, bob: User) -> list[Version]:
    """Two bots."""
    checked.league(paused=True)
    return [checked.bot(alice, "one"), checked.bot(bob, "two")]


@pytest.fixture
def job(checked: Books, versions: list[Version], charlie: User) -> PlayMatch:
    """A match that arena ONE has claimed, while TWO reports as well."""
    season_of(checked, charlie, versions)
    found = checked.dispatch()[0]
    report(checked, ONE)
    report(checked, TWO)
    claim(checked, found, ONE)
    return found


def honest(books: Books, job: PlayMatch, arena: str = ONE) -> MatchPlayed:
    """Returns the result of an honest arena."""
    with books.read() as session:
        bundles = {seat.version: queries.bundle(session, seat.version) for seat in job.seats}
    return replace(play_job(job, bundles, None), arena=arena)


def forged(played: MatchPlayed, moves: Iterable[Any] = ("draw", "fly")) -> MatchPlayed:
    """Returns the result with forged moves in the same record."""
    record = records.unpack(played.record)
    first = replace(record.bouts[0], moves=list(moves))
    return replace(played, record=records.pack(replace(record, bouts=[first, *record.bouts[1:]])))


def book(books: Books, played: MatchPlayed) -> bool:
    """Delivers this result to the ledger."""
    return booking.book(books.context, wire.RECORD, wire.to_plain(played))


def again(books: Books, job: PlayMatch) -> PlayMatch:
    """Returns the next attempt at the job."""
    tick(books.context)
    return next(
        one
        for one in reversed(books.postman.take())
        if isinstance(one, PlayMatch) and one.match == job.match
    )


def stopped(books: Books) -> dict[str, stopped_arenas.Stop]:
    """Returns the stopped arenas."""
    with books.read() as session:
        return stopped_arenas.stopped(session)


def test_an_honest_record_is_booked(checked: Books, job: PlayMatch) -> None:
    assert book(checked, honest(checked, job))
    found = checked.match(job.match)
    assert (found.state, found.arena, stopped(checked)) == (MatchState.FINISHED, ONE, {})


@pytest.mark.parametrize("moves", [("draw", "fly"), (), ([["deep"]] * 3), (None, 10**30, "draw")])
def test_a_forged_record_is_refused_and_its_arena_stopped(
    checked: Books, job: PlayMatch, charlie: User, moves: Any
) -> None:
    played = honest(checked, job)
    assert not book(checked, forged(played, moves))
    found = checked.match(job.match)
    assert (found.state, found.platform_faults, found.arena) == (MatchState.QUEUED, 0, None)
    assert "does not replay" in found.trouble
    told = stopped(checked)[ONE]
    assert told.match == job.match
    with checked.read() as session:
        (line,) = session.scalars(select(Audit).where(Audit.action == "arena.stop"))
        assert (line.actor_id, line.subject) == (None, f"arena:{ONE}")
        judged = health.judge(session, checked.settings, now=checked.clock())
    (finding,) = [one for one in judged.findings if one.kind == "stopped"]
    assert job.match in finding.text
    assert finding.level == "bad"

    second = again(checked, job)
    assert second.attempt == 2
    assert book(checked, replace(honest(checked, second), arena=TWO))
    assert checked.match(job.match).arena == TWO


def test_a_stopped_arena_gets_no_jobs_and_its_results_do_not_count(
    checked: Books, job: PlayMatch
) -> None:
    book(checked, forged(honest(checked, job)))
    second = again(checked, job)
    with checked.write() as session:
        told = second.claim(ONE)
        knobs: dict[str, Any] = {"settings": checked.settings, "now": checked.clock()}
        assert not job_kinds.claim(session, told, **knobs)
    third = again(checked, job)
    assert third.attempt == 3, "the message that it took is sent to another"
    assert not book(checked, honest(checked, third)), "a stopped arena proves nothing"
    assert checked.match(job.match).state == MatchState.QUEUED
    assert checked.match(job.match).platform_faults == 0
    assert book(checked, honest(checked, again(checked, job), TWO))


def test_jobs_wait_for_a_stopped_arena_that_is_the_only_one(checked: Books, job: PlayMatch) -> None:
    book(checked, forged(honest(checked, job)))
    second = again(checked, job)
    for _ in range(4):
        checked.clock.pass_by(seconds=EVERY_S)
        report(checked, ONE)
    with checked.write() as session:
        knobs: dict[str, Any] = {"settings": checked.settings, "now": checked.clock()}
        assert not job_kinds.claim(session, second.claim(ONE), **knobs)
    tick(checked.context)
    assert checked.match(job.match).attempt == 2, "no attempt is wasted on it"


@pytest.mark.parametrize("draining", [False, True])
def test_jobs_wait_for_a_stopped_arena_if_no_other_gets_jobs(
    checked: Books, job: PlayMatch, charlie: User, draining: bool
) -> None:
    book(checked, forged(honest(checked, job)))
    second = again(checked, job)
    with checked.write() as session:
        arena_keys.make(session, charlie, "lab", now=checked.clock())
        if draining:
            arena_keys.drain(session, charlie, "lab", now=checked.clock())
        else:
            false = stopped_arenas.Stop("a false record", checked.clock(), "another match")
            present = {**stopped_arenas.stopped(session), arena_name("lab", 1): false}
            stopped_arenas.store(session, present, now=checked.clock())
    for _ in range(4):
        checked.clock.pass_by(seconds=EVERY_S)
        report(checked, ONE)
        report(checked, arena_name("lab", 2))
    with checked.write() as session:
        knobs: dict[str, Any] = {"settings": checked.settings, "now": checked.clock()}
        assert not job_kinds.claim(session, second.claim(ONE), **knobs)
    tick(checked.context)
    assert checked.match(job.match).attempt == 2, "no attempt is wasted on it"


def test_a_second_arena_with_a_false_record_of_the_same_match_goes_on(
    checked: Books, job: PlayMatch
) -> None:
    book(checked, forged(honest(checked, job)))
    second = again(checked, job)
    claim(checked, second, TWO)
    assert not book(checked, forged(honest(checked, second, TWO)))
    assert set(stopped(checked)) == {ONE}
    assert checked.match(job.match).state == MatchState.PARKED


def test_a_record_from_before_a_change_of_the_rules_stops_no_arena(
    checked: Books, job: PlayMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    played, spec = honest(checked, job), registry.game(job.game).spec
    later = SimpleNamespace(spec=changed(spec, rules="later"))
    monkeypatch.setattr(registry, "game", lambda name: later)
    assert not book(checked, played)
    assert stopped(checked) == {}
    found = checked.match(job.match)
    assert (found.state, found.platform_faults) == (MatchState.QUEUED, 1)
    assert f"by rules {spec.rules}" in found.trouble


def test_a_ledger_without_memory_for_the_replay_stops_no_arena(
    checked: Books, job: PlayMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise MemoryError

    played = honest(checked, job)
    with monkeypatch.context() as short:
        short.setattr(replay, "replay", fail)
        with pytest.raises(Unavailable, match="no memory"):
            book(checked, played)
    assert stopped(checked) == {}
    assert book(checked, played)


def test_a_false_record_needs_the_token_of_its_attempt(checked: Books, job: PlayMatch) -> None:
    played = replace(forged(honest(checked, job)), token="0" * 64)
    with pytest.raises(Forbidden):
        book(checked, played)
    assert stopped(checked) == {}


def test_as_many_records_are_looked_at_as_the_settings_say(books: Books, job: PlayMatch) -> None:
    played = forged(honest(books, job))
    assert booking.why_false(played, changed(books.settings, replay_percent=0)) == ""
    half = changed(books.settings, replay_percent=50)
    seen = [bool(booking.why_false(played, half)) for _ in range(200)]
    assert 50 < sum(seen) < 150


def test_an_operator_stops_an_arena_and_lets_it_go_on(
    checked: Books, job: PlayMatch, alice: User, charlie: User
) -> None:
    now = checked.clock()
    for actor, name, reason, error in (
        (alice, ONE, "no reason", Forbidden),
        (charlie, "arena-9@nowhere", "no reason", NotFound),
        (charlie, ONE, " ", BadOption),
    ):
        with checked.write() as session, pytest.raises(error):
            arenas.stop(session, actor, name, reason, now=now)
    with checked.write() as session:
        arenas.stop(session, charlie, ONE, "its disk is bad", now=now)
    assert again(checked, job).attempt == 2, "the match that it held goes to another at once"
    with checked.write() as session, pytest.raises(Conflict):
        arenas.stop(session, charlie, ONE, "its disk is bad", now=now)
    with checked.write() as session, pytest.raises(Forbidden):
        arenas.resume(session, alice, ONE, "I say so", now=now)
    with checked.write() as session:
        arenas.resume(session, charlie, ONE, "a new disk", now=now)
    assert stopped(checked) == {}
    with checked.write() as session, pytest.raises(Conflict):
        arenas.resume(session, charlie, ONE, "a new disk", now=now)

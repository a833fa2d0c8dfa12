"""The operators' counts of faults in the last day and week, by kind and by bot."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from matchbox.answers.faults import Faults
from matchbox.errors import BadOption, FaultKind, Forbidden
from matchbox.match.wire import PlayMatch
from server.db.models import FaultCount, User, Version
from server.queries.faults import faults
from server.services import fault_counts
from server.times import HOUR_MS, iso
from tests.books import Books, lost, played, scripted
from tests.unit.server.test_faults import Arena


@pytest.fixture
def shaky(books: Books, alice: User, bob: User) -> Version:
    """Alice's version, which plays against bob's in the ranked queue."""
    books.league()
    version = books.bot(alice, "shaky")
    books.bot(bob, "steady")
    return version


def told(books: Books, viewer: User | None, days: int = 1) -> Faults:
    """Returns the counts that the viewer gets."""
    with books.read() as session:
        return faults(session, viewer, days=days, now=books.clock())


def play(books: Books, job: PlayMatch, bad: Version, kind: FaultKind = "crash") -> int:
    """Plays a match in which this version forfeits every bout; returns the number of bouts."""
    arena = Arena(bad, every=1, kind=kind)
    assert books.record(played(job, scripted(job, arena.bout)))
    return arena.bouts


def test_faults_are_counted_by_kind_and_by_bot(
    books: Books, shaky: Version, charlie: User, bob: User
) -> None:
    first, second, third, *_ = books.tick()
    crashes = play(books, first, shaky) + play(books, second, shaky)
    slow = play(books, third, shaky, "timeout")
    found = told(books, charlie)
    assert {one.kind: (one.faults, one.bots) for one in found.kinds} == {
        "crash": (crashes, 1), "timeout": (slow, 1),
    }  # fmt: skip
    (line,) = found.bots
    assert (line.bot, line.version, line.faults) == ("alice/shaky", 1, crashes + slow)
    assert line.kinds == {"crash": crashes, "timeout": slow}
    assert line.last_match in (second.match, third.match)
    with pytest.raises(Forbidden):
        told(books, bob)
    with pytest.raises(BadOption):
        told(books, charlie, days=3)


def test_the_newest_fault_has_the_time_of_its_match(
    books: Books, shaky: Version, charlie: User
) -> None:
    job, *_ = books.tick()
    books.clock.pass_by(seconds=1500)
    at = books.clock()
    play(books, job, shaky)
    books.clock.pass_by(minutes=2)
    (line,) = told(books, charlie).bots
    assert (line.last_at, line.last_hour) == (iso(at), iso(at - at % HOUR_MS))


@pytest.mark.parametrize("kinds", [("crash", "timeout"), ("timeout", "crash")])
def test_the_newest_fault_of_an_hour_is_the_newest_of_all_kinds(
    books: Books, shaky: Version, charlie: User, kinds: tuple[FaultKind, FaultKind]
) -> None:
    first, second, *_ = books.tick()
    play(books, first, shaky, kinds[0])
    books.clock.pass_by(minutes=2)
    at = books.clock()
    play(books, second, shaky, kinds[1])
    (line,) = told(books, charlie).bots
    assert (line.last_match, line.last_at) == (second.match, iso(at))


def test_a_day_and_a_week_end_and_old_counts_are_deleted(
    books: Books, shaky: Version, charlie: User
) -> None:
    first, second, *_ = books.tick()
    early = play(books, first, shaky)
    books.clock.pass_by(minutes=25 * 60)
    late = play(books, second, shaky)
    assert [one.faults for one in told(books, charlie).bots] == [late]
    assert [one.faults for one in told(books, charlie, 7).bots] == [early + late]
    books.clock.pass_by(minutes=8 * 24 * 60)
    assert told(books, charlie, 7).bots == []
    with books.write() as session:
        assert fault_counts.trim(session, now=books.clock()) == 2
        assert session.scalars(select(FaultCount)).all() == []


def test_a_day_has_no_faults_of_a_clock_that_was_ahead(
    books: Books, shaky: Version, charlie: User
) -> None:
    first, second, *_ = books.tick()
    right = books.clock()
    books.clock.pass_by(minutes=25 * 60)
    play(books, first, shaky)
    books.clock.now = right
    assert told(books, charlie).bots == []
    count = play(books, second, shaky)
    assert [one.faults for one in told(books, charlie, 7).bots] == [count]


def test_the_platforms_faults_are_told_apart(books: Books, shaky: Version, charlie: User) -> None:
    job, *_ = books.tick()
    books.lose(lost(job))
    found = told(books, charlie)
    assert [(one.kind, one.bots) for one in found.kinds] == [("platform", 2)]
    assert found.bots == []

"""The standings are computed beside the ledger's tasks, whatever happens to a refit."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from matchbox.match import wire
from matchbox.match.wire import PlayMatch
from server.db.models import MatchState, Standing
from server.services import booking, standings
from server.services.tick import refresh_standings, tick
from tests.books import Books, played
from tests.installation import eventually
from worker.ledger.refitter import Refitter


@pytest.fixture
def books(books: Books) -> Books:
    """A wall, and two bots in a running league."""
    books.wall()
    books.league()
    for name in ("alice", "bob"):
        books.bot(books.person(name), "bot")
    return books


@pytest.fixture
def refitter(books: Books) -> Iterator[Refitter]:
    """A refitter that runs."""
    made = Refitter(partial(refresh_standings, books.context))
    made.start()
    yield made
    made.close()


def matches(books: Books) -> int | None:
    """Returns how many matches the stored standing counts; None if there is no standing."""
    with books.read() as session:
        row = session.get(Standing, "league:1")
        return row.matches if row else None


def until(condition: Callable[[], bool], refitter: Refitter) -> None:
    """Waits until the condition holds; wakes the refitter meanwhile."""

    def look() -> bool:
        refitter.wake()
        return condition()

    eventually(look)


def test_results_are_recorded_while_a_refit_is_under_way(
    books: Books, refitter: Refitter, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, released, compute = threading.Event(), threading.Event(), standings.compute

    def slow(*words: Any) -> Any:
        begun.set()
        assert released.wait(60)
        return compute(*words)

    monkeypatch.setattr(standings, "compute", slow)
    tick(books.context, with_standings=False)
    refitter.wake()
    assert begun.wait(60)
    job = books.sent(PlayMatch)[0]
    assert booking.book_message(books.context, wire.RECORD, wire.to_plain(played(job)))
    tick(books.context, with_standings=False)
    assert books.match(job.match).state == MatchState.FINISHED
    assert matches(books) is None
    released.set()
    until(lambda: matches(books) == 1, refitter)


def test_a_refit_that_fails_is_tried_again(
    books: Books, refitter: Refitter, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed, compute = threading.Event(), standings.compute

    def fail_once(*words: Any) -> Any:
        if not failed.is_set():
            failed.set()
            raise ArithmeticError("no standing comes of this")
        return compute(*words)

    monkeypatch.setattr(standings, "compute", fail_once)
    until(lambda: matches(books) == 0, refitter)
    assert failed.is_set()


def test_the_ledger_does_not_wait_for_a_long_refit_at_its_end(
    books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, released = threading.Event(), threading.Event()

    def endless(*_: Any) -> Any:
        begun.set()
        released.wait(60)
        raise ArithmeticError("the test is over")

    monkeypatch.setattr(standings, "compute", endless)
    monkeypatch.setattr("worker.ledger.refitter.CLOSE_S", 0.01)
    refitter = Refitter(partial(refresh_standings, books.context))
    refitter.start()
    try:
        refitter.wake()
        assert begun.wait(60)
        refitter.close()
        assert matches(books) is None
    finally:
        released.set()
        refitter.close()


def test_an_older_refit_does_not_replace_a_newer_standing(
    books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    compute = standings.compute

    def overtaken(session: Any, scope: str, *more: Any) -> Any:
        fresh = compute(session, scope, *more)
        books.clock.pass_by(seconds=60)
        play_one(books)
        with books.write() as other:
            standings.refresh(other, scope, now=books.clock())
        return fresh

    tick(books.context)
    monkeypatch.setattr(standings, "compute", overtaken)
    books.clock.pass_by(seconds=60)
    play_one(books)
    monkeypatch.setattr(
        standings,
        "refresh",
        lambda session, scope, *, now: standings.store(session, compute(session, scope), now=now),
    )
    refresh_standings(books.context)
    assert matches(books) == 2


def test_what_another_ledger_has_just_computed_is_not_computed_again(
    books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    stale = standings.stale

    def computed_elsewhere(session: Any, *, now: int) -> list[str]:
        found = stale(session, now=now)
        with books.write() as other:
            for scope in found:
                standings.refresh(other, scope, now=now)
        monkeypatch.setattr(standings, "compute", None)
        return found

    play_one(books)
    books.clock.pass_by(seconds=60)
    monkeypatch.setattr(standings, "stale", computed_elsewhere)
    refresh_standings(books.context)
    assert matches(books) == 1


def play_one(books: Books) -> None:
    """Sends matches, and books the first."""
    tick(books.context, with_standings=False)
    job = books.sent(PlayMatch)[0]
    assert booking.book_message(books.context, wire.RECORD, wire.to_plain(played(job)))

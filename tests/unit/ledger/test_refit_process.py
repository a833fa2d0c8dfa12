"""The ledger computes standings in a process of its own, which may die."""

from __future__ import annotations

import os
import signal

import pytest

from matchbox.match import wire
from matchbox.match.wire import PlayMatch
from server.db.models import Standing
from server.services import booking
from server.services.tick import tick
from tests.books import Books, played
from worker.ledger.refit_process import RefitProcess


@pytest.fixture
def books(books: Books) -> Books:
    """Two bots in a league that has played one match."""
    books.wall()
    books.league()
    for name in ("alice", "bob"):
        books.bot(books.person(name), "bot")
    tick(books.context, with_standings=False)
    job = books.sent(PlayMatch)[0]
    assert booking.book_message(books.context, wire.RECORD, wire.to_plain(played(job)))
    return books


def test_another_process_computes_the_standings_and_is_replaced_when_it_dies(books: Books) -> None:
    refits = RefitProcess(books.settings, books.context.database.url)
    try:
        refits.refresh()
        with books.write() as session:
            standing = session.get_one(Standing, "league:1")
            assert standing.matches == 1
            session.delete(standing)
        first = process_of(refits)
        assert first not in (None, os.getpid())
        refits.refresh()
        assert process_of(refits) == first
        os.kill(first, signal.SIGKILL)
        with pytest.raises((EOFError, OSError)):
            refits.refresh()
        refits.refresh()
        assert process_of(refits) != first
        with books.read() as session:
            assert session.get_one(Standing, "league:1").matches == 1
    finally:
        refits.close()


def test_a_process_whose_ledger_has_closed_the_pipe_ends_without_an_error(books: Books) -> None:
    refits = RefitProcess(books.settings, books.context.database.url)
    try:
        refits.refresh()
        assert refits._process is not None
        assert refits._pipe is not None
        refits._pipe.close()
        refits._process.join(timeout=60)
        assert refits._process.exitcode == 0
    finally:
        refits.close()


def process_of(refits: RefitProcess) -> int:
    """Returns the process's id."""
    assert refits._process is not None
    assert refits._process.pid is not None
    return refits._process.pid

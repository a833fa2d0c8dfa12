"""Every change of the active versions updates the count of the field, and announces it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import select

from server import queries
from server.db.models import Role, User, Version, VersionState
from server.queries import play
from server.services import account_operations, faults, fields, quarantine, uploads
from tests.books import GAME, SIMPLE, Books, tried_out

Change = Callable[[Any, Any, User], None]


def counted(books: Books) -> tuple[int, int]:
    """Returns the number of bots that the games page shows, and how many can be played against."""
    with books.read() as session:
        told = next(one.bots for one in queries.games(session) if one.name == GAME)
        return told, len(play.opponents(session, GAME, 100))


def revision(books: Books) -> int:
    with books.read() as session:
        return fields.revision(session, GAME)


def activate(books: Books, session: Any, charlie: User) -> None:
    uploads.activate(session, session.get_one(User, charlie.id), "alice/one", 1, now=books.clock())


def retire(books: Books, session: Any, charlie: User) -> None:
    uploads.retire(session, session.get_one(User, charlie.id), "alice/one", now=books.clock())


def suspend(books: Books, session: Any, charlie: User) -> None:
    version = session.scalars(select(Version).where(Version.number == 2)).one()
    faults._suspend(session, version, "8 of 80 bouts", books.clock())


def reinstate(books: Books, session: Any, charlie: User) -> None:
    version = session.scalars(select(Version).where(Version.number == 2)).one()
    version.state = VersionState.SUSPENDED
    session.flush()
    faults.lift_suspension(session, version, now=books.clock())


def take_aside(books: Books, session: Any, charlie: User) -> None:
    version = session.scalars(select(Version).where(Version.number == 2)).one()
    quarantine._quarantine(session, version, books.settings, books.clock())


def close(books: Books, session: Any, charlie: User) -> None:
    operator = session.get_one(User, charlie.id)
    account_operations.close(session, operator, "alice", "spam", now=books.clock())


def reopen(books: Books, session: Any, charlie: User) -> None:
    close(books, session, charlie)
    before = fields.revision(session, GAME)
    operator = session.get_one(User, charlie.id)
    account_operations.reopen(session, operator, "alice", now=books.clock())
    assert fields.revision(session, GAME) > before


@pytest.mark.parametrize(
    "change", [activate, retire, suspend, reinstate, take_aside, close, reopen]
)
def test_a_change_of_what_is_active_is_counted_and_told(
    books: Books, alice: User, charlie: User, change: Change
) -> None:
    books.bot(alice, "one")
    books.bot(alice, "one", SIMPLE + b"# again\n")
    books.bot(alice, "two")
    assert counted(books) == (2, 2)
    before = revision(books)
    with books.write() as session:
        change(books, session, charlie)
    told, there = counted(books)
    assert told == there
    assert revision(books) > before


def test_a_verdict_changes_the_field_and_a_refusal_does_not(books: Books, alice: User) -> None:
    books.bot(alice, "one")
    before = revision(books)
    books.upload(alice, "two", SIMPLE + b"# two\n")
    (job,) = books.postman.take()
    books.settle(tried_out(job, accepted=False))  # type: ignore[arg-type]
    assert (counted(books), revision(books)) == ((1, 1), before)
    books.bot(alice, "three")
    assert counted(books) == (2, 2)
    assert revision(books) > before


def test_a_bot_that_comes_out_of_quarantine_is_counted(books: Books, alice: User) -> None:
    books.bot(books.person("house", Role.HOUSE), "keeper")
    version = books.bot(alice, "one")
    with books.write() as session:
        quarantine._quarantine(
            session, session.get_one(Version, version.id), books.settings, books.clock()
        )
    assert counted(books) == (1, 1)
    (job,) = books.postman.take()
    books.settle(tried_out(job))  # type: ignore[arg-type]
    assert counted(books) == (2, 2)

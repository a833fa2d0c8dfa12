"""The outbox sends only after the commit, and retries while the broker is down."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from sqlalchemy import select

from matchbox.errors import BrokerUnavailable
from matchbox.match import wire
from server import outbox
from server.db.models import Outbox, User, Version
from server.services.tick import tick
from tests.books import Books


def flush(books: Books) -> int:
    """Sends what is due; returns the number of messages sent."""
    return outbox.flush(books.context.database, books.postman, books.clock())


def test_a_message_goes_by_its_own_name_and_queue(books: Books, alice: User) -> None:
    books.upload(alice, "simple")
    ((task, queue, message),) = books.postman.letters
    assert (task, queue) == (wire.TRY_OUT, "tryout")
    assert wire.from_plain(wire.TryOut, message).attempt == 1
    assert books.count(Outbox) == 0


def test_nothing_is_sent_of_a_transaction_that_fails(books: Books, alice: User) -> None:
    class Mishap(Exception):
        """An error of the tests' own."""

    with pytest.raises(Mishap), books.write() as session:
        session.add(Version(bot_id=1, number=1, digest="0" * 64, created_at=0))
        outbox.post(session, try_out())
        raise Mishap
    assert (books.postman.letters, books.count(Outbox)) == ([], 0)


def try_out() -> wire.TryOut:
    """Returns some message."""
    return wire.TryOut(
        attempt=1, token="t", game="bomb", limits={}, version="0" * 64, deals=["0" * 32]
    )


def test_what_a_broker_that_is_down_does_not_take_goes_later(books: Books, alice: User) -> None:
    books.postman.down = True
    version = books.upload(alice, "simple")
    assert books.version(version.id).attempt == 1
    assert books.count(Outbox) == 1
    with pytest.raises(BrokerUnavailable):
        flush(books)
    tick(books.context)
    assert books.count(Outbox) == 1
    books.postman.down = False
    tick(books.context)
    assert books.count(Outbox) == 0
    assert len(books.postman.take()) == 1


def take(books: Books) -> None:
    """Posts a message that a process has taken now, and dies."""
    with books.write() as session:
        outbox.post(session, try_out())
        (row,) = session.scalars(select(Outbox))
        row.taken_at = books.clock()
        session.info.clear()


def test_what_one_has_taken_no_other_sends_unless_the_first_has_died(
    books: Books, alice: User
) -> None:
    take(books)
    assert flush(books) == 0
    books.clock.pass_by(seconds=31)
    assert flush(books) == 1
    assert flush(books) == 0


def test_what_was_taken_while_a_clock_was_ahead_is_sent(books: Books, alice: User) -> None:
    books.clock.pass_by(minutes=60)
    take(books)
    books.clock.pass_by(minutes=-60)
    assert flush(books) == 1


def test_a_slow_sender_deletes_no_message_that_it_has_not_sent(books: Books) -> None:
    """SQLite gives the number of a deleted message to the next one."""

    class Slow:
        """A broker so slow that another process sends the message, and a next one is posted."""

        def send(self, *_: object) -> None:
            books.clock.pass_by(seconds=31)
            assert flush(books) == 1
            post(books)

    post(books)
    assert outbox.flush(books.context.database, Slow(), books.clock()) == 1
    assert books.count(Outbox) == 1


def post(books: Books) -> None:
    """Posts some message, and does not send it yet."""
    with books.write() as session:
        outbox.post(session, try_out())
        session.info.clear()


def test_messages_go_in_the_order_in_which_they_were_posted(books: Books) -> None:
    with books.write() as session:
        for attempt in (1, 2, 3):
            outbox.post(session, replace(try_out(), attempt=attempt))
    assert [message["attempt"] for *_, message in books.postman.letters] == [1, 2, 3]


def test_a_sender_without_a_broker_says_so() -> None:
    sender = outbox.CelerySender("redis://127.0.0.1:1/0")
    with pytest.raises(BrokerUnavailable, match="cannot be reached"):
        sender.send(wire.TRY_OUT, "tryout", {})
    sender.close()

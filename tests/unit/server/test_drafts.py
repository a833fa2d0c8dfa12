"""Drafts: each gets a verdict in the turns of uploads, makes no version, and is deleted after an
hour."""

from __future__ import annotations

from typing import Any

import pytest

from matchbox.bundle import digest
from matchbox.errors import (
    BadBundle,
    BadName,
    Conflict,
    NotFound,
    TooMany,
    UnknownGame,
    UploadsClosed,
)
from matchbox.match.wire import TryOut
from server import queries
from server.db.models import Bundle, Draft, Event, Notice, User, Version
from server.queries import drafts as reading
from server.services import drafts, job_kinds
from server.services.tick import tick
from tests.books import SIMPLE, Books, lost, open_books, tried_out


def send(books: Books, owner: User, data: bytes = SIMPLE, **more: Any) -> Draft:
    """Sends a draft, which waits for its try-out."""
    with books.write() as session:
        known: dict[str, Any] = {"game": "bomb", "settings": books.settings, "now": books.clock()}
        return drafts.try_draft(session, owner, data=data, **known | more)


def state(books: Books, draft: Draft) -> str:
    """Returns the draft's present state."""
    with books.read() as session:
        return session.get_one(Draft, draft.id).state


@pytest.mark.parametrize("accepted", [True, False])
def test_a_draft_gets_a_verdict_and_leaves_no_version(
    books: Books, alice: User, accepted: bool
) -> None:
    draft = send(books, alice, class_name="Simple")
    (job,) = books.sent(TryOut)
    assert (job.version, job.class_name, job.game) == (digest(SIMPLE), "Simple", "bomb")
    assert len(job.deals) == books.settings.tryout_deals
    with books.write() as session:
        assert queries.bundle(session, job.version) == SIMPLE
        job_kinds.claim(session, job.claim(), settings=books.settings, now=books.clock())
    assert books.settle(tried_out(job, accepted=accepted))
    assert not books.settle(tried_out(job, accepted=not accepted)), "it has its verdict"
    assert state(books, draft) == ("accepted" if accepted else "refused")
    assert [books.count(one) for one in (Version, Bundle, Notice)] == [0, 0, 0]
    with books.read() as session:
        told = reading.draft(session, alice, draft.id)
    assert told.report is not None
    assert told.report.log == "hello from the bot\n"


def test_nobody_hears_of_a_draft_and_only_its_owner_reads_it(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    before = books.count(Event)
    draft = send(books, alice)
    books.settle(tried_out(*books.sent(TryOut)))
    assert books.count(Event) == before
    with books.read() as session:
        assert reading.draft_file(session, alice, draft.id) == SIMPLE
        for other in (bob, charlie, None):
            for ask in (reading.draft, reading.draft_file):
                with pytest.raises(NotFound, match="you have no draft"):
                    ask(session, other, draft.id)


def test_a_draft_takes_its_turn_among_its_authors_versions(books: Books, alice: User) -> None:
    version = books.upload(alice, "one", SIMPLE + b"# one\n")
    draft = send(books, alice)
    (job,) = books.sent(TryOut)
    assert job.version == version.digest
    tick(books.context)
    assert not books.sent(TryOut)
    books.settle(tried_out(job))
    (job,) = books.sent(TryOut)
    assert job.version == draft.digest
    later = books.upload(alice, "two", SIMPLE + b"# two\n")
    assert not books.sent(TryOut)
    books.settle(tried_out(job))
    assert [job.version for job in books.sent(TryOut)] == [later.digest]


def test_the_same_bytes_as_draft_and_version_get_a_verdict_each(
    books: Books, alice: User, bob: User
) -> None:
    draft, version = send(books, alice), books.upload(bob, "simple")
    first, second = books.sent(TryOut)
    assert first.version == second.version
    books.settle(tried_out(first, accepted=False))
    assert (state(books, draft), books.version(version.id).state) == ("refused", "pending")
    books.settle(tried_out(second))
    assert books.version(version.id).state == "active"


@pytest.mark.parametrize("limit", ["pending_tryouts", "pending_tryouts_per_address"])
def test_drafts_and_versions_that_wait_are_counted_together(
    books: Books, alice: User, limit: str
) -> None:
    books = open_books(books.context.database.url, **{limit: 2})
    send(books, alice, network="192.0.2.1")
    books.upload(alice, "one", SIMPLE + b"#", network="192.0.2.1")
    with pytest.raises(TooMany, match="wait for their verdicts"):
        send(books, alice, SIMPLE + b"##", network="192.0.2.1")
    books.settle(tried_out(books.sent(TryOut)[0]))
    send(books, alice, SIMPLE + b"##", network="192.0.2.1")


def test_drafts_of_an_hour_are_counted_apart_from_uploads(
    books: Books, alice: User, bob: User
) -> None:
    books = open_books(books.context.database.url, uploads_per_hour=2)
    for number in range(2):
        send(books, alice, SIMPLE + b"#" * number)
        books.settle(tried_out(*books.sent(TryOut)))
    with pytest.raises(TooMany, match=r"2 drafts within an hour; come back in 61 minutes"):
        send(books, alice)
    send(books, bob)
    books.upload(alice, "one")
    books.clock.pass_by(minutes=61)
    send(books, alice)


def test_the_time_to_come_back_is_right_after_the_limit_was_lowered(
    books: Books, alice: User
) -> None:
    for number in range(4):
        send(books, alice, SIMPLE + b"#" * number)
        books.settle(tried_out(*books.sent(TryOut)))
        books.clock.pass_by(minutes=10)
    fewer = open_books(books.context.database.url, uploads_per_hour=2)
    fewer.clock = books.clock
    with pytest.raises(TooMany, match="come back in 41 minutes"):
        send(fewer, alice)
    fewer.clock.pass_by(minutes=41)
    send(fewer, alice)


def test_a_draft_is_deleted_after_an_hour(books: Books, alice: User) -> None:
    draft = send(books, alice)
    (job,) = books.sent(TryOut)
    books.clock.pass_by(minutes=59)
    tick(books.context)
    assert books.count(Draft) == 1
    with books.read() as session:
        assert queries.bundle(session, job.version) == SIMPLE
        with pytest.raises(NotFound):
            queries.bundle(session, "0" * 64)
    books.clock.pass_by(minutes=2)
    tick(books.context)
    assert books.count(Draft) == 0
    with books.read() as session, pytest.raises(NotFound, match="an hour after"):
        reading.draft(session, alice, draft.id)
    with books.read() as session, pytest.raises(NotFound):
        queries.bundle(session, job.version)


def test_a_lost_draft_is_sent_again_and_given_up_at_last(books: Books, alice: User) -> None:
    draft = send(books, alice)
    for left in reversed(range(books.settings.attempts)):
        (job,) = books.sent(TryOut)
        assert books.lose(lost(job))
        assert state(books, draft) == ("pending" if left else "lost")
        tick(books.context)
    with books.read() as session:
        assert reading.draft(session, alice, draft.id).trouble
    with books.write() as session, pytest.raises(Conflict):
        job_kinds.claim(session, job.claim(), settings=books.settings, now=books.clock())
    send(books, alice, SIMPLE + b"# the next\n")
    assert len(books.sent(TryOut)) == 1


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ({"game": "chess"}, UnknownGame),
        ({"data": b""}, BadBundle),
        ({"data": b"\xff"}, BadBundle),
        ({"class_name": "no class"}, BadName),
    ],
)
def test_what_could_be_no_version_is_no_draft(
    books: Books, alice: User, more: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        send(books, alice, **more)
    assert books.count(Draft) == 0


def test_without_a_wall_only_operators_try_drafts(books: Books, alice: User, charlie: User) -> None:
    books.wall(walled=False)
    with pytest.raises(UploadsClosed):
        send(books, alice)
    send(books, charlie)

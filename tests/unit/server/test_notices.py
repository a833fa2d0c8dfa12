"""Notices: their recipients, their storage, and their delivery by other ways."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from matchbox.errors import NotFound
from matchbox.match.wire import TryOut
from server.db.models import Delivery, Notice, Role, User, Webhook
from server.services import accounts, notices
from server.services.tick import tick
from tests.books import SIMPLE, Books, tried_out


def tell(books: Books, user: User, text: str = "it happened", subject: str = "season:1") -> None:
    """Tells the account something."""
    with books.write() as session:
        notices.notify_account(session, user.id, "verdict", subject, text, now=books.clock())


def inbox(books: Books, user: User) -> list[Notice]:
    """The account's notices, oldest first."""
    with books.read() as session:
        mine = select(Notice).where(Notice.user_id == user.id).order_by(Notice.id)
        return list(session.scalars(mine))


def deliveries(books: Books) -> list[tuple[int | None, int]]:
    """Returns the webhook, or None for e-mail, and the due time of every delivery."""
    with books.read() as session:
        rows = session.scalars(select(Delivery).order_by(Delivery.id))
        return [(row.webhook_id, row.due_at) for row in rows]


def test_a_notice_is_in_its_own_inbox_alone_and_unread(
    books: Books, alice: User, bob: User
) -> None:
    tell(books, alice, "alice/simple version 1 was accepted")
    (notice,) = inbox(books, alice)
    assert (notice.text, notice.read_at) == ("alice/simple version 1 was accepted", None)
    assert not inbox(books, bob)


def test_the_house_is_told_nothing(books: Books) -> None:
    with books.write() as session:
        house = accounts.house(session, now=books.clock())
        told = notices.notify_account(session, house.id, "verdict", "season:1", "x", now=1)
    assert told is None
    assert not inbox(books, house)


def test_a_text_that_no_database_holds_is_made_to_fit(books: Books, alice: User) -> None:
    tell(books, alice, "\0\ud800" + "x" * 2000)
    (notice,) = inbox(books, alice)
    assert notice.text == "\ufffd?" + "x" * (notices.MAX_CHARACTERS - 2)


def test_a_notice_is_due_by_every_way_that_the_account_has(books: Books, alice: User) -> None:
    with books.write() as session:
        session.get_one(User, alice.id).email = "alice@example.org"
        for disabled in (None, 1, None):
            session.add(
                Webhook(user_id=alice.id, url="x", secret="y", created_at=1, disabled_at=disabled)
            )
    tell(books, alice)
    assert deliveries(books) == [(None, books.clock()), (1, books.clock()), (3, books.clock())]


def test_the_newest_notices_are_kept_and_nothing_is_left_of_the_others(
    books: Books, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notices, "KEPT", 3)
    with books.write() as session:
        session.get_one(User, alice.id).email = "alice@example.org"
    tell(books, bob, "bob's")
    for number in range(5):
        tell(books, alice, f"{number}")
    assert [notice.text for notice in inbox(books, alice)] == ["2", "3", "4"]
    assert [notice.text for notice in inbox(books, bob)] == ["bob's"]
    assert len(deliveries(books)) == 3


def test_a_notice_is_read_once_and_by_its_owner(books: Books, alice: User, bob: User) -> None:
    tell(books, alice)
    (first, books.clock.now) = (books.clock(), books.clock() + 1000)
    with books.write() as session:
        assert notices.unread(session, alice.id) == 1
        notices.mark_read(session, alice, 1, now=first)
        notices.mark_read(session, alice, 1, now=books.clock())
        with pytest.raises(NotFound, match="no notice 1"):
            notices.mark_read(session, bob, 1, now=1)
    assert inbox(books, alice)[0].read_at == first


def test_all_that_was_seen_is_marked_and_nothing_newer(books: Books, alice: User) -> None:
    for _ in range(4):
        tell(books, alice)
    with books.write() as session:
        assert notices.mark_all_read(session, alice, 2, now=books.clock()) == 2
        assert notices.unread(session, alice.id) == 2
        assert notices.mark_all_read(session, alice, now=books.clock()) == 2
        assert notices.mark_all_read(session, alice, now=books.clock()) == 0


def test_a_notice_leads_to_the_page_of_what_it_is_about(books: Books, alice: User) -> None:
    version = books.bot(alice, "simple")
    with books.read() as session:
        paths = [
            notices.path_of(session, subject)
            for subject in (
                f"version:{version.id}",
                "season:7",
                "match:ab12",
                "version:99",
                "user:1",
            )
        ]
    assert paths == [
        "/bots/alice/simple/versions/1",
        "/seasons/7",
        "/matches/ab12",
        "/inbox",
        "/account",
    ]


def test_operators_get_their_own_notices(books: Books) -> None:
    charlie = books.person("charlie", Role.OPERATOR)
    tell(books, charlie)
    assert len(inbox(books, charlie)) == 1


@pytest.mark.parametrize(
    ("accepted", "says"),
    [
        (True, "alice/simple version 1 was accepted, and plays from now on."),
        (False, "alice/simple version 1 was refused: ZeroDivisionError: division by zero in line"),
    ],
)
def test_the_owner_is_told_the_verdict_once(
    accepted: bool, says: str, books: Books, alice: User
) -> None:
    version = books.upload(alice, "simple")
    (job,) = books.postman.take()
    assert isinstance(job, TryOut)
    for _ in range(2):
        books.settle(tried_out(job, accepted=accepted))
    (notice,) = inbox(books, alice)
    assert (notice.kind, notice.subject) == ("verdict", f"version:{version.id}")
    assert notice.text.startswith(says)


def test_an_accepted_version_that_comes_too_late_is_said_not_to_play(
    books: Books, alice: User
) -> None:
    books.upload(alice, "simple")
    books.upload(alice, "simple", SIMPLE + b"# better\n")
    (first,) = books.postman.take()
    books.clock.pass_by(minutes=5.1)
    tick(books.context)
    (second,) = books.postman.take()
    assert isinstance(first, TryOut)
    assert isinstance(second, TryOut)
    books.settle(tried_out(second))
    books.settle(tried_out(first))
    assert "version 1 was accepted. Another version plays" in inbox(books, alice)[-1].text

"""Deliveries: each taken by one courier, retried with growing pauses, and given up in the end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import select
from structlog.testing import capture_logs

from server.db.models import Delivery, Notice, User, Webhook
from server.services import deliveries, notices, webhooks
from server.services.deliveries import BACKOFF_MS, HELD_MS, Parcel
from server.times import MINUTE_MS
from tests.books import Books
from tests.plans import explained

MAIL = {"smtp_host": "mail.example", "smtp_sender": "league@bots.example"}
WAYS: dict[str, Any] = {**MAIL, "webhooks": "any"}


def hook(books: Books, user: User, url: str = "https://hooks.example/1") -> Webhook:
    """Adds a webhook of the account, without deliveries."""
    with books.write() as session:
        made = webhooks.add(
            session, session.get_one(User, user.id), url, settings=books.settings, now=books.clock()
        )
    forget(books)
    return made


def forget(books: Books) -> None:
    """Deletes all deliveries."""
    with books.write() as session:
        for row in session.scalars(select(Delivery)):
            session.delete(row)


def mailed(books: Books, user: User) -> None:
    """Turns on mails for the account."""
    with books.write() as session:
        session.get_one(User, user.id).email = f"{user.name}@example.org"


def tell(books: Books, user: User, text: str = "it happened") -> None:
    """Gives the account a notice."""
    with books.write() as session:
        notices.notify_account(session, user.id, "verdict", "season:1", text, now=books.clock())


def take(books: Books, **ways: Any) -> Parcel | None:
    """Takes a due delivery; all addresses are allowed."""
    settings = replace(books.settings, **{**WAYS, **ways})
    with books.write() as session:
        return deliveries.take(session, settings=settings, now=books.clock())


def taken(books: Books) -> Parcel:
    """Takes a due delivery; checks that there is one."""
    parcel = take(books)
    assert parcel is not None
    return parcel


def fail(books: Books, parcel: Parcel, why: str = "it answered 500", **more: Any) -> None:
    """Reports that the parcel failed."""
    with books.write() as session:
        deliveries.mark_failed(session, parcel, why, now=books.clock(), **more)


def arrive(books: Books, parcel: Parcel) -> None:
    """Reports that the parcel has arrived."""
    with books.write() as session:
        deliveries.mark_delivered(session, parcel, now=books.clock())


def waiting(books: Books) -> list[int]:
    """Returns how long each delivery still waits, in ms."""
    with books.read() as session:
        rows = session.scalars(select(Delivery).order_by(Delivery.due_at, Delivery.id))
        return [row.due_at - books.clock() for row in rows]


def texts(books: Books, user: User) -> list[str]:
    """Returns the texts of the account's inbox."""
    with books.read() as session:
        mine = select(Notice).where(Notice.user_id == user.id).order_by(Notice.id)
        return [row.text for row in session.scalars(mine)]


def the_hook(books: Books) -> Webhook:
    """Returns the only webhook."""
    with books.read() as session:
        return session.scalars(select(Webhook)).one()


def test_a_parcel_has_all_that_a_receiver_is_told(books: Books, alice: User) -> None:
    made = hook(books, alice)
    tell(books, alice, "spring is over")
    parcel = taken(books)
    assert (parcel.kind, parcel.subject, parcel.text) == ("verdict", "season:1", "spring is over")
    assert parcel.link == "http://127.0.0.1:8000/seasons/1"
    assert (parcel.url, parcel.secret, parcel.address) == (made.url, made.secret, None)


def failing(books: Books) -> int:
    """Returns how many mails are counted as failing."""
    with books.read() as session:
        return deliveries.count_failing_mails(session, now=books.clock())


def test_a_mail_is_failing_after_two_tries_unless_another_one_was_sent_since_it_was_written(
    books: Books, alice: User, bob: User
) -> None:
    mailed(books, alice)
    mailed(books, bob)
    tell(books, alice)
    for tries in (0, 1):
        assert failing(books) == 0
        fail(books, taken(books), alone=True)
        books.clock.pass_by(minutes=BACKOFF_MS[tries] // MINUTE_MS)
    assert failing(books) == 1
    tell(books, bob)
    fail(books, taken(books), alone=True)  # Alice's, once more.
    arrive(books, taken(books))
    assert failing(books) == 0
    books.clock.pass_by(minutes=1)
    forget(books)
    tell(books, bob)  # The server took the last mail, but before this one was written.
    for tries in (0, 1):
        fail(books, taken(books))
        books.clock.pass_by(minutes=BACKOFF_MS[tries] // MINUTE_MS)
    assert failing(books) == 1


def test_a_clock_that_was_ahead_when_a_mail_was_sent_hides_no_failing_mail(
    books: Books, alice: User
) -> None:
    mailed(books, alice)
    tell(books, alice)
    arrive(books, taken(books))
    books.clock.pass_by(minutes=-60 * 24)
    tell(books, alice)
    for tries in (0, 1):
        fail(books, taken(books))
        books.clock.pass_by(minutes=BACKOFF_MS[tries] // MINUTE_MS)
    assert failing(books) == 1


@pytest.mark.parametrize("failures", range(len(BACKOFF_MS) + 1))
def test_a_clock_that_was_ahead_puts_no_delivery_off(
    books: Books, alice: User, failures: int
) -> None:
    mailed(books, alice)
    tell(books, alice)
    ahead_ms = 24 * 60 * MINUTE_MS
    for wait_ms in BACKOFF_MS[:failures]:
        fail(books, taken(books))
        assert take(books) is None, "the witness: it is put off"
        books.clock.now += wait_ms
    books.clock.now += ahead_ms
    fail(books, taken(books)) if failures < len(BACKOFF_MS) else taken(books)
    books.clock.now -= ahead_ms
    with books.read() as session:
        assert deliveries.due(session, now=books.clock()) == 1


def test_what_is_taken_is_nobody_elses_until_its_taker_must_have_died(
    books: Books, alice: User
) -> None:
    mailed(books, alice)
    tell(books, alice)
    first = taken(books)
    assert take(books) is None
    books.clock.pass_by(seconds=HELD_MS / 1000)
    second = taken(books)
    assert (second.notice, second.attempt) == (first.notice, 2)
    fail(books, first)
    assert waiting(books) == [HELD_MS], "who was too slow changes nothing"
    arrive(books, second)
    assert not waiting(books)


def test_nothing_is_sent_to_an_account_that_was_closed(books: Books, alice: User) -> None:
    mailed(books, alice)
    tell(books, alice)
    with books.write() as session:
        session.get_one(User, alice.id).closed_at = books.clock()
    assert take(books) is None
    assert not waiting(books)


def test_a_webhook_is_posted_to_one_at_a_time_and_others_are_not_held_up(
    books: Books, alice: User, bob: User
) -> None:
    hook(books, alice)
    hook(books, bob)
    for text in ("one", "two"):
        tell(books, alice, text)
    tell(books, bob, "three")
    one, three = taken(books), taken(books)
    assert (one.text, three.text) == ("one", "three")
    assert take(books) is None
    arrive(books, one)
    assert taken(books).text == "two"


def test_a_notice_that_is_written_while_a_webhook_waits_waits_too(
    books: Books, alice: User
) -> None:
    hook(books, alice)
    tell(books, alice, "one")
    one = taken(books)
    tell(books, alice, "two")
    assert take(books) is None, "one is on its way"
    fail(books, one)
    tell(books, alice, "three")
    assert take(books) is None, "one has just failed"
    with books.read() as session:
        assert deliveries.due(session, now=books.clock()) == 0
    for text in ("two", "three", "one"):
        books.clock.now += MINUTE_MS
        parcel = taken(books)
        assert parcel.text == text
        fail(books, parcel)
        assert take(books) is None, "one try a minute"


def test_a_mail_does_not_wait_behind_webhooks(books: Books, alice: User, bob: User) -> None:
    for number in range(3):
        hook(books, alice, f"https://hooks.example/{number}")
    mailed(books, bob)
    tell(books, alice, "posted")
    books.clock.pass_by(minutes=1)
    tell(books, bob, "mailed")
    with books.write() as session, explained(session, "webhook_id IS NULL") as plans:
        settings = replace(books.settings, **WAYS)
        parcel = deliveries.take(session, settings=settings, now=books.clock())
    assert parcel is not None
    assert (parcel.text, parcel.address) == ("mailed", "bob@example.org")
    assert "INDEX ix_delivery_webhook_id_due_at (webhook_id=?" in plans[0]
    assert {taken(books).text for _ in range(3)} == {"posted"}
    assert take(books) is None


def test_it_is_tried_again_with_patience_and_then_given_up(books: Books, alice: User) -> None:
    hook(books, alice)
    tell(books, alice)
    for wait in BACKOFF_MS:
        fail(books, taken(books))
        assert waiting(books) == [wait]
        assert the_hook(books).trouble == "it answered 500"
        books.clock.pass_by(seconds=wait / 1000 - 1)
        assert take(books) is None
        books.clock.pass_by(seconds=1)
    fail(books, taken(books))
    assert not waiting(books)


def give_up(books: Books) -> None:
    """Lets every delivery fail until none waits any more."""
    while waiting(books):
        if (parcel := take(books)) is None:
            books.clock.pass_by(minutes=1)
        else:
            fail(books, parcel)


def test_a_webhook_that_nothing_reaches_is_disabled_and_its_owner_told(
    books: Books, alice: User
) -> None:
    hook(books, alice, "https://hooks.example/secret-path")
    for text in ("one", "two"):
        tell(books, alice, text)
    give_up(books)
    assert the_hook(books).disabled_at == books.clock()
    assert "hooks.example is disabled" in texts(books, alice)[-1]
    assert "secret-path" not in texts(books, alice)[-1]
    tell(books, alice, "three")
    assert not waiting(books)


def test_a_webhook_that_dislikes_one_notice_is_not_disabled(books: Books, alice: User) -> None:
    hook(books, alice)
    tell(books, alice, "bad")
    while True:
        parcel = taken(books)
        if parcel.text == "good":
            arrive(books, parcel)
            break
        fail(books, parcel)
        tell(books, alice, "good")
        books.clock.pass_by(minutes=1)
    while left := waiting(books):
        books.clock.pass_by(seconds=max(0, left[0]) / 1000)
        parcel = taken(books)
        (fail if parcel.text == "bad" else arrive)(books, parcel)
    assert the_hook(books).disabled_at is None


def test_a_receiver_that_is_gone_is_disabled_at_once(books: Books, alice: User) -> None:
    hook(books, alice)
    tell(books, alice)
    fail(books, taken(books), "it answered 410", final=True)
    assert the_hook(books).disabled_at is not None
    assert not waiting(books)


def test_a_mail_server_that_is_down_is_tried_once_a_minute(
    books: Books, alice: User, bob: User
) -> None:
    for user in (alice, bob):
        mailed(books, user)
        tell(books, user)
    fail(books, taken(books))
    assert take(books) is None
    books.clock.now += MINUTE_MS - 1
    assert take(books) is None
    books.clock.now += 1
    assert taken(books).attempt == 1, "the other one, which has waited longer"
    assert take(books) is None, "one mail is sent at a time"


def test_a_mail_changes_no_other_that_waits(books: Books, alice: User, bob: User) -> None:
    for user in (alice, bob):
        mailed(books, user)
        tell(books, user)
    parcel = taken(books)
    with books.read() as session:
        assert deliveries.due(session, now=books.clock()) == 0
    assert waiting(books) == [0, HELD_MS]
    arrive(books, parcel)
    assert waiting(books) == [0]
    assert taken(books).address == "bob@example.org"


def test_each_failed_try_of_a_mail_is_in_the_log_with_its_reason(books: Books, alice: User) -> None:
    mailed(books, alice)
    tell(books, alice)
    with capture_logs() as logs:
        for wait_ms in (*BACKOFF_MS, 0):
            fail(books, taken(books), "535 who are you?")
            books.clock.now += wait_ms
    events = [line["event"] for line in logs]
    assert events == ["delivery.failed"] * len(BACKOFF_MS) + ["delivery.given_up"]
    assert {line["why"] for line in logs} == {"535 who are you?"}


def test_an_address_that_is_refused_holds_up_no_other(books: Books, alice: User, bob: User) -> None:
    for user in (alice, bob):
        mailed(books, user)
        tell(books, user)
    fail(books, taken(books), "relay access denied", alone=True)
    assert taken(books).address == "bob@example.org"
    assert len(waiting(books)) == 2, "the refused one is tried again"


@pytest.mark.parametrize("closed", [{"smtp_host": ""}, {"webhooks": "none"}])
def test_what_has_no_way_out_any_more_is_forgotten(
    closed: dict[str, str], books: Books, alice: User
) -> None:
    hook(books, alice)
    mailed(books, alice)
    tell(books, alice)
    left = take(books, **closed)
    assert left is not None
    assert bool(left.address) == ("webhooks" in closed)
    assert take(books, **closed) is None
    assert waiting(books) == [HELD_MS]


def test_a_delivery_that_kills_whoever_takes_it_is_forgotten(books: Books, alice: User) -> None:
    mailed(books, alice)
    tell(books, alice)
    for _ in range(1 + len(BACKOFF_MS)):
        taken(books)
        books.clock.pass_by(seconds=HELD_MS / 1000)
    assert take(books) is None
    assert not waiting(books)


def test_what_was_removed_meanwhile_changes_nothing(books: Books, alice: User, bob: User) -> None:
    made = hook(books, alice)
    tell(books, alice)
    parcel = taken(books)
    with books.write() as session:
        webhooks.remove(session, alice, made.id)
    mailed(books, bob)
    tell(books, bob)
    arrive(books, parcel)
    fail(books, parcel)
    assert waiting(books) == [0], "a later delivery may bear the same number"


def test_useless_deliveries_are_deleted_a_few_at_a_time(
    books: Books, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deliveries, "AT_ONCE", 2)
    mailed(books, alice)
    for _ in range(5):
        tell(books, alice)
    with books.write() as session:
        session.get_one(User, alice.id).email = None
    mailed(books, bob)
    tell(books, bob)
    assert (take(books), len(waiting(books))) == (None, 4)
    assert (take(books), len(waiting(books))) == (None, 2)
    assert taken(books).address == "bob@example.org"

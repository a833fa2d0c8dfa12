"""The courier: its mails and posts, to real servers, which nothing waits for."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import replace

import pytest
from sqlalchemy import delete, select
from structlog.testing import capture_logs

from matchbox.errors import BadName, Forbidden, Unavailable
from server.context import Context
from server.db.models import Delivery, Notice, User, Webhook
from server.services import deliveries, notices, webhooks
from server.services.deliveries import HELD_MS
from tests.books import Books
from tests.installation import eventually
from tests.receivers import Receiver, mail_server, receiver
from worker.ledger.courier import Courier, Transports, deliver_one

OPEN = {"webhooks": "any", "smtp_host": "localhost", "smtp_tls": "none"}


@pytest.fixture
def alice(books: Books) -> User:
    """An author."""
    return books.person("alice")


@pytest.fixture
def bob(books: Books) -> User:
    """Another author."""
    return books.person("bob")


@pytest.fixture
def hook() -> Iterator[Receiver]:
    """A receiver that runs."""
    with receiver() as told:
        yield told


def opened(books: Books, **more: object) -> Context:
    """The context of a ledger that may send to this machine."""
    knobs = {**OPEN, "smtp_sender": "league@bots.example", **more}
    return replace(books.context, settings=replace(books.settings, **knobs))  # type: ignore[arg-type]


def subscribe(books: Books, user: User, url: str) -> None:
    """Gives the account a webhook that gets these notices."""
    with books.write() as session:
        settings = opened(books).settings
        webhooks.add(session, user, url, settings=settings, now=books.clock())


def tell(books: Books, user: User, text: str = "spring is over") -> None:
    """Gives the account a notice."""
    with books.write() as session:
        notices.notify_account(session, user.id, "season-end", "season:1", text, now=books.clock())


def left(books: Books) -> int:
    """Returns the number of deliveries."""
    with books.read() as session:
        return len(session.scalars(select(Delivery)).all())


def trouble(books: Books) -> str:
    """Returns the recorded trouble of the only webhook."""
    with books.read() as session:
        return session.scalars(select(Webhook.trouble)).one()


def until(condition: Callable[[], bool], *couriers: Courier) -> None:
    """Waits until the condition holds; wakes the couriers meanwhile."""

    def look() -> bool:
        for courier in couriers:
            courier.wake()
        return condition()

    eventually(look)


def test_a_notice_is_posted_as_json_and_forgotten(
    books: Books, alice: User, hook: Receiver
) -> None:
    subscribe(books, alice, hook.url())
    tell(books, alice, "größer")
    while deliver_one(opened(books), Transports()):
        pass
    first, second = hook.asked
    assert json.loads(first.body)["kind"] == "webhook"
    assert json.loads(second.body) == {
        "id": 2,
        "kind": "season-end",
        "subject": "season:1",
        "text": "größer",
        "url": "http://127.0.0.1:8000/seasons/1",
        "at": "2023-11-14T22:13:20.000Z",
    }
    assert second.headers["webhook-id"] == "notice_2_1700000000000"
    assert second.headers["webhook-timestamp"] == "1700000000"
    assert left(books) == 0


def test_a_courier_goes_on_after_deliveries_that_cannot_be_sent_any_more(
    books: Books, alice: User, hook: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    with books.write() as session:
        session.get_one(User, alice.id).email = "alice@example.org"
    for _ in range(3):
        tell(books, alice)
    with books.write() as session:
        session.get_one(User, alice.id).email = None
    monkeypatch.setattr(deliveries, "AT_ONCE", 2)
    subscribe(books, alice, hook.url())
    while deliver_one(opened(books), Transports()):
        pass
    assert (len(hook.asked), left(books)) == (1, 0)


def test_what_is_sent_again_bears_the_same_id(books: Books, alice: User, hook: Receiver) -> None:
    hook.status = 503
    subscribe(books, alice, hook.url())
    assert deliver_one(opened(books), Transports())
    assert trouble(books) == "it answered 503"
    books.clock.pass_by(minutes=1)
    hook.status = 200
    assert deliver_one(opened(books), Transports())
    assert [asked.headers["webhook-id"] for asked in hook.asked] == 2 * ["notice_1_1700000000000"]
    first, second = (int(asked.headers["webhook-timestamp"]) for asked in hook.asked)
    assert second == first + 60
    assert (left(books), trouble(books)) == (0, "")


def test_a_notice_with_the_number_of_a_former_one_is_no_duplicate_of_it(
    books: Books, alice: User, hook: Receiver
) -> None:
    with books.write() as session:
        session.get_one(User, alice.id).email = "alice@example.org"
    subscribe(books, alice, hook.url())
    with mail_server() as told:
        for _ in range(2):
            with books.write() as session:
                (number,) = session.scalars(select(Webhook.id))
                session.execute(delete(Delivery))
                session.execute(delete(Notice))
                facts = {"kind": "webhook", "subject": f"user:{alice.id}", "text": "It is back."}
                notice = Notice(id=7, user_id=alice.id, at=books.clock(), **facts)
                for way in (None, number):
                    session.add(Delivery(notice=notice, webhook_id=way, due_at=books.clock()))
            while deliver_one(opened(books, smtp_port=told.port), Transports()):
                pass
            books.clock.pass_by(minutes=1)
    assert [json.loads(asked.body)["id"] for asked in hook.asked] == [7, 7]
    assert len({asked.headers["webhook-id"] for asked in hook.asked}) == 2
    assert len({arrived["Message-ID"] for arrived in told.mails}) == 2


def test_a_receiver_that_is_gone_is_left_alone(books: Books, alice: User, hook: Receiver) -> None:
    hook.status = 410
    subscribe(books, alice, hook.url())
    assert deliver_one(opened(books), Transports())
    with books.read() as session:
        assert session.scalars(select(Webhook.disabled_at)).one() is not None


def test_a_webhook_from_more_open_days_reaches_nothing_private(
    books: Books, alice: User, hook: Receiver
) -> None:
    subscribe(books, alice, hook.url())
    assert deliver_one(opened(books, webhooks="public"), Transports())
    assert "must start with https" in trouble(books)
    assert not hook.asked


def test_a_notice_is_mailed_with_its_page_and_a_way_to_end_it(books: Books, alice: User) -> None:
    with books.write() as session:
        session.get_one(User, alice.id).email = "alice@example.org"
    tell(books, alice, "spring is over\nBcc: bob@example.org")
    with mail_server() as told:
        assert deliver_one(opened(books, smtp_port=told.port), Transports())
    (arrived,) = told.mails
    assert arrived["Subject"] == "Matchbox: spring is over Bcc: bob@example.org"
    assert arrived["Bcc"] is None
    assert "http://127.0.0.1:8000/seasons/1" in arrived.get_content()
    assert "http://127.0.0.1:8000/account" in arrived.get_content()
    assert left(books) == 0


@pytest.mark.parametrize(
    ("error", "stays"),
    [(BadName("no such account"), 0), (Forbidden("relay access denied"), 1), (Unavailable(), 1)],
)
def test_a_mail_that_is_refused_for_good_is_given_up(
    error: Exception, stays: int, books: Books, alice: User
) -> None:
    def refuse(*_: object) -> None:
        raise error

    with books.write() as session:
        session.get_one(User, alice.id).email = "alice@example.org"
    tell(books, alice)
    assert deliver_one(opened(books), Transports(send=refuse))
    assert left(books) == stays


def test_two_that_wake_it_at_once_do_not_disturb_each_other(books: Books) -> None:
    class Done(Future[None]):
        """A delivery that is over, and at which both would arrive."""

        def done(self) -> bool:
            with suppress(threading.BrokenBarrierError):
                both.wait(0.5)
            return True

    both, done = threading.Barrier(2), Done()
    done.set_result(None)
    courier = Courier(opened(books))
    courier._running.append(done)
    with closing(courier), ThreadPoolExecutor(2) as pool:
        wakes = [pool.submit(courier.wake) for _ in range(2)]
    assert [one.exception() for one in wakes] == [None, None]


def test_a_receiver_that_keeps_it_waiting_holds_up_neither_ledger_nor_others(
    books: Books, alice: User, bob: User
) -> None:
    gate, met = threading.Event(), threading.Event()
    posted: list[str] = []

    def post(url: str, *_: object, **__: object) -> int:
        if url.endswith("slow"):
            met.wait(30)
            gate.wait(30)
        posted.append(url)
        met.set()
        return 200

    subscribe(books, alice, "http://10.0.0.1/slow")
    subscribe(books, bob, "http://10.0.0.2/quick")
    for _ in range(3):
        tell(books, alice)
    courier = Courier(opened(books), Transports(post=post))
    try:
        courier.wake()
        assert met.wait(30), "bob's arrived while alice's is under way"
        assert posted == ["http://10.0.0.2/quick"]
        courier.wake()
        with books.write() as session:
            assert session.get_one(User, bob.id)
    finally:
        gate.set()
        courier.close()


def test_two_ledgers_send_nothing_twice(books: Books) -> None:
    people = [books.person(name) for name in ("dora", "emil", "frida", "gustav", "helga")]
    lock, posted = threading.Lock(), list[str]()

    def post(url: str, *_: object, **__: object) -> int:
        with lock:
            posted.append(url)
        return 200

    for person in people:
        subscribe(books, person, f"http://10.0.0.1/{person.name}")
        for _ in range(3):
            tell(books, person)
    couriers = [Courier(opened(books), Transports(post=post)) for _ in range(2)]
    with closing(couriers[0]), closing(couriers[1]):
        until(lambda: left(books) == 0, *couriers)
    assert sorted(posted) == sorted(4 * [f"http://10.0.0.1/{one.name}" for one in people])


def test_a_courier_with_nothing_to_carry_starts_no_thread(books: Books) -> None:
    before = threading.active_count()
    with closing(Courier(opened(books))) as courier:
        courier.wake()
        assert threading.active_count() == before


def test_a_crash_on_the_way_is_logged_and_no_end(books: Books, alice: User) -> None:
    tries: list[int] = []

    def crash_once(*_: object, **__: object) -> int:
        tries.append(1)
        if len(tries) == 1:
            raise ZeroDivisionError
        return 200

    subscribe(books, alice, "http://10.0.0.1/")
    with closing(Courier(opened(books), Transports(post=crash_once))) as courier:
        with capture_logs() as logs:
            until(lambda: bool(logs), courier)
        assert "ZeroDivisionError" in logs[0]["why"]
        assert left(books) == 1
        books.clock.pass_by(seconds=HELD_MS / 1000)
        until(lambda: left(books) == 0, courier)

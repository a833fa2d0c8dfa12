"""The watch over the platform's health needs no broker, and other processes keep it for a
ledger."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from structlog.testing import capture_logs

from server.context import Context
from server.db.models import Notice, Role, User
from server.services import health, signs, webhooks
from tests.books import Books
from tests.receivers import mail_server, receiver
from worker.ledger.courier import Courier, Transports
from worker.ledger.watch import Watch, check_health

LEDGER = signs.of_ledger("ledger@matchbox")
AWAY = "redis+socket:///nowhere/broker.sock"


@pytest.fixture
def charlie(books: Books) -> User:
    """The operator."""
    return books.person("charlie", Role.OPERATOR)


def without_broker(books: Books, **more: Any) -> Context:
    """The context of a process whose broker is away."""
    return replace(books.context, settings=replace(books.settings, broker_url=AWAY, **more))


@pytest.fixture
def watching(books: Books) -> Iterator[Callable[..., Watch]]:
    """Watches with this sign, whose threads are not started, and whose couriers send nothing."""
    couriers = []
    nowhere = Transports(send=lambda *_: None, post=lambda *_, **__: 200)

    def make(sign: str, context: Context | None = None) -> Watch:
        couriers.append(Courier(books.context, nowhere))
        return Watch(context or without_broker(books), couriers[-1], sign)

    yield make
    for one in couriers:
        one.close()


def texts(books: Books, user: User, kind: str = "finding") -> str:
    """Returns all notices of this kind in the account's inbox, as one text."""
    return "\n".join(text for _, text in books.notices(user, kind))


def turns(books: Books, watch: Watch, count: int) -> None:
    """Lets the watch look `count` times, every 16 s."""
    for _ in range(count):
        books.clock.pass_by(seconds=16)
        watch.turn()


def test_operators_hear_of_a_broker_that_is_away(books: Books, charlie: User) -> None:
    context = without_broker(books)
    assert check_health(context) == 0
    books.clock.pass_by(seconds=31)
    assert check_health(context) > 0
    assert "broker cannot be reached" in texts(books, charlie)


def test_a_database_that_fails_ends_no_watch(
    books: Books, tmp_path: Path, watching: Callable[..., Watch]
) -> None:
    watch = watching(LEDGER, books.context)
    (tmp_path / "matchbox.db").write_bytes(b"not a database" * 100)
    books.context.close()
    with capture_logs() as logs:
        watch.turn()
    assert {line["event"] for line in logs} >= {"watch.failed"}


def test_a_check_with_a_fault_ends_no_watch(
    books: Books,
    charlie: User,
    watching: Callable[..., Watch],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fall_over(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    watch = watching(LEDGER)
    with monkeypatch.context() as broken, capture_logs() as logs:
        broken.setattr(health, "judge", fall_over)
        watch.turn()
    assert [line["event"] for line in logs] == ["watch.failed"]
    turns(books, watch, 3)
    assert "broker cannot be reached" in texts(books, charlie)


def test_another_process_looks_only_while_no_ledger_gives_a_sign(
    books: Books, charlie: User, watching: Callable[..., Watch]
) -> None:
    ledger, web = watching(LEDGER), watching(signs.WEB)
    for _ in range(6):
        books.clock.pass_by(seconds=16)
        signs.give(books.context, LEDGER)
        web.turn()
    assert texts(books, charlie) == ""
    turns(books, web, 6)
    assert "No arena has reported yet" in texts(books, charlie)
    assert "broker cannot be reached" in texts(books, charlie)
    before = texts(books, charlie)
    turns(books, ledger, 3)
    turns(books, web, 3)
    assert texts(books, charlie) == before


def test_a_watch_gives_its_sign_at_once_and_takes_it_back_at_its_end(
    books: Books, watching: Callable[..., Watch]
) -> None:
    def given() -> set[str]:
        with books.read() as session:
            return set(signs.processes(session))

    watch = watching(LEDGER)
    watch.start()
    for _ in range(2400):
        if given():
            break
        threading.Event().wait(0.05)
    assert given() == {LEDGER}
    watch.close()
    assert given() == set()


def test_a_process_that_has_just_begun_waits_for_the_ledger_to_start(
    books: Books, charlie: User, watching: Callable[..., Watch]
) -> None:
    signs.give(books.context, LEDGER)
    books.clock.pass_by(minutes=600)
    turns(books, watching(signs.WEB), 2)
    with books.read() as session:
        assert session.scalars(select(Notice)).all() == []


def test_a_frozen_ledger_is_named_by_a_notice_of_another_process(
    books: Books, charlie: User, watching: Callable[..., Watch]
) -> None:
    with books.write() as session:
        signs.note(session, signs.TICK, now=books.clock())
    turns(books, watching(signs.INTERNAL), 8)
    assert "The ledger has given no sign of life for" in texts(books, charlie)


def test_a_process_that_began_while_a_clock_was_ahead_looks_after_the_ledger_too(
    books: Books, charlie: User, watching: Callable[..., Watch]
) -> None:
    books.clock.pass_by(minutes=60)
    web = watching(signs.WEB)
    turns(books, web, 1)
    books.clock.pass_by(minutes=-60)
    turns(books, web, 8)
    assert "The ledger has not started yet" in texts(books, charlie)


def test_two_that_look_at_the_same_time_tell_each_finding_once(
    books: Books, charlie: User, watching: Callable[..., Watch]
) -> None:
    web, internal = watching(signs.WEB), watching(signs.INTERNAL)
    for _ in range(10):
        turns(books, web, 1)
        internal.turn()
    told = [text for _, text in books.notices(charlie, "finding")]
    assert told
    assert len(told) == len(set(told))


def test_a_finding_and_its_end_reach_the_operator_by_mail_and_webhook(
    books: Books, charlie: User
) -> None:
    with mail_server() as mails, receiver() as hook:
        knobs: dict[str, Any] = {"webhooks": "any", "smtp_host": "localhost", "smtp_tls": "none"}
        knobs |= {"smtp_port": mails.port, "smtp_sender": "league@bots.example"}
        ill, well = without_broker(books, **knobs), replace(books.settings, **knobs)
        with books.write() as session:
            session.get_one(User, charlie.id).email = "charlie@example.org"
            webhooks.add(session, charlie, hook.url(), settings=well, now=books.clock())

        def goes_out(context: Context, words: str) -> None:
            """Looks until the mail and the post with these words have arrived."""
            with closing(Courier(context)) as courier:
                watch = Watch(context, courier, LEDGER)
                for _ in range(2400):
                    books.clock.pass_by(seconds=16)
                    watch.turn()
                    posted = [json.loads(one.body)["text"] for one in hook.asked]
                    mailed = [str(one["Subject"]) for one in mails.mails]
                    if all(any(words in text for text in texts) for texts in (posted, mailed)):
                        break
                    threading.Event().wait(0.05)
                else:
                    raise AssertionError(f"{words!r} never arrived: {posted}, {mailed}")

        goes_out(ill, "The broker cannot be reached, so arenas get no jobs.")
        goes_out(replace(books.context, settings=well), "This is over: The broker cannot be")
    assert len({one.headers["webhook-id"] for one in hook.asked}) == len(hook.asked)

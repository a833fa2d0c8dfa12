"""Transactions: one writer at a time, readers with a stable snapshot, all or nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from matchbox.errors import Unavailable
from server.db import migrations
from server.db.models import Bot, Setting, User
from server.db.session import Database, compare_and_set
from tests.books import Books


def count(session: Session) -> int:
    """The counter's value."""
    row = session.get(Setting, "counter")
    return int(row.value["n"]) if row else 0


def add_one(session: Session) -> None:
    """Reads the counter, then writes it."""
    session.merge(Setting(name="counter", value={"n": count(session) + 1}, changed_at=0))


def together(*workers: Callable[[], None]) -> None:
    """Runs all of them at once."""
    threads = [threading.Thread(target=worker) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_writers_that_read_before_they_write_lose_nothing(books: Books) -> None:
    def work() -> None:
        for _ in range(20):
            with books.write() as session:
                add_one(session)

    together(work, work, work, work)
    with books.read() as session:
        assert count(session) == 80


def test_a_reader_sees_one_moment(books: Books) -> None:
    with books.read() as session:
        assert count(session) == 0
        with books.write() as writer:
            add_one(writer)
        session.expire_all()
        assert count(session) == 0
    with books.read() as session:
        assert count(session) == 1


def test_a_reader_cannot_write(books: Books) -> None:
    with pytest.raises(Unavailable), books.read() as session:
        session.execute(text("DELETE FROM setting"))


def test_a_row_is_changed_only_while_what_is_known_of_it_holds(books: Books, alice: User) -> None:
    with books.write() as session:
        muted = {"muted": ["round"]}
        assert not compare_and_set(session, alice, muted, User.name != "bob", role="operator")
        assert not compare_and_set(session, alice, muted, User.name != "alice", role="author")
        assert alice.muted == []
        assert compare_and_set(session, alice, muted, User.name != "bob", role="author")
    with books.read() as session:
        assert session.get_one(User, alice.id).muted == ["round"]


def test_what_fails_leaves_no_trace(books: Books, alice: User) -> None:
    with pytest.raises(IntegrityError), books.write() as session:
        add_one(session)
        session.add(User(name="alice", role="author", created_at=0))
    with books.read() as session:
        assert count(session) == 0


def test_a_row_that_points_nowhere_is_refused(books: Books) -> None:
    with pytest.raises(IntegrityError), books.write() as session:
        session.add(Bot(owner_id=99, name="ghost", game="bomb", created_at=0))
    with books.read() as session:
        assert session.scalars(select(Bot)).all() == []


def test_a_change_whose_turn_does_not_come_is_told_so_and_changes_nothing(books: Books) -> None:
    impatient = Database(books.settings.database_url, wait_ms=50)
    with books.write() as session:
        add_one(session)
        session.flush()
        with pytest.raises(Unavailable, match="so nothing was changed"), impatient.write() as other:
            add_one(other)
    with impatient.write() as other:
        add_one(other)
    impatient.close()
    with books.read() as session:
        assert count(session) == 2


def test_a_file_that_an_upgrade_leaves_mostly_empty_becomes_smaller(tmp_path: Path) -> None:
    file = tmp_path / "books.db"
    database = Database(f"sqlite:///{file}")
    with database.connect() as connection:
        migrations.upgrade(connection, "0031")
        connection.exec_driver_sql("CREATE TABLE waste AS SELECT zeroblob(9000000) AS data")
        connection.exec_driver_sql("DROP TABLE waste")
    database.close()
    assert file.stat().st_size > 9_000_000
    migrations.migrate(database.url)
    assert file.stat().st_size < 3_000_000
    with closing(Database(database.url)) as again:
        migrations.check_schema(again)


def test_a_reader_who_gets_no_connection_is_told_so_in_time(books: Books) -> None:
    database = Database(books.context.database.url, wait_ms=50)
    with closing(database):
        with pytest.raises(Unavailable, match="too many requests read"), ExitStack() as others:
            while True:
                others.enter_context(database.read()).execute(text("SELECT 1"))
        with database.read() as session:
            assert session.scalar(text("SELECT 1")) == 1

"""A writer that stands still in a transaction, as a frozen process does, loses its turn."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from matchbox.errors import Unavailable
from server.db.migrations import migrate
from server.db.models import Setting
from server.db.session import Database
from server.services import events
from server.services.tick import tick
from tests.books import open_books

IDLE_MS = 5_000
"""Milliseconds, long enough for a writer that only waits for a processor."""


@pytest.fixture
def impatient(postgres_database: str) -> Iterator[Database]:
    """A database whose idle writers lose their turn after five seconds, with the tables in it."""
    migrate(postgres_database)
    database = Database(postgres_database, idle_ms=IDLE_MS)
    yield database
    database.close()


def sign(name: str) -> Setting:
    """A row that one of the writers stores."""
    return Setting(name=name, value={}, changed_at=0)


def wait_for_a_turn(url: str) -> None:
    """Writes like another process, as soon as no other writer locks the database."""
    other = Database(url)
    with other.write() as session:
        session.merge(sign("other"))
    other.close()


def test_others_get_their_turn_and_nothing_of_the_idle_change_is_stored(
    impatient: Database,
) -> None:
    with pytest.raises(Unavailable, match="stood still in the middle"), impatient.write() as idle:
        idle.merge(sign("idle"))
        idle.flush()
        wait_for_a_turn(impatient.url)
    with impatient.write() as session:
        session.merge(sign("afterwards"))
    with impatient.read() as session:
        names = {name for (name,) in session.execute(text("SELECT name FROM setting"))}
    assert {"other", "afterwards"} <= names
    assert "idle" not in names


def test_a_writer_sees_what_others_stored_before_its_turn_whatever_the_server_prefers(
    impatient: Database,
) -> None:
    with impatient.connect() as connection:
        name = connection.scalar(text("SELECT current_database()"))
        prefer = f"ALTER DATABASE {name} SET default_transaction_isolation = 'repeatable read'"
        connection.execute(text(prefer))
    database = Database(impatient.url)
    with database.write() as session:
        session.merge(Setting(name="count", value={"n": 0}, changed_at=0))

    def add() -> None:
        for _ in range(20):
            with database.write() as session:
                row = session.get_one(Setting, "count")
                row.value = {"n": row.value["n"] + 1}

    with ThreadPoolExecutor(4) as pool:
        for one in [pool.submit(add) for _ in range(4)]:
            one.result()
    with database.read() as session:
        assert session.get_one(Setting, "count").value == {"n": 80}
    database.close()


def test_a_ledger_that_was_frozen_says_so_and_goes_on(
    impatient: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    books = open_books(impatient.url)
    context = replace(books.context, database=impatient)

    def freeze(session: Any) -> None:
        session.execute(text("SELECT 1"))
        wait_for_a_turn(impatient.url)

    with monkeypatch.context() as patch, capture_logs() as logs:
        patch.setattr(events, "trim", freeze)
        tick(context)
    (line,) = [line for line in logs if line.get("step") == "_trim"]
    assert line["event"] == "tick.step"
    assert "stood still in the middle of a change" in line["why"]
    with capture_logs() as logs:
        tick(context)
    assert not [line for line in logs if line.get("step") == "_trim"]
    books.context.close()


def test_migrations_and_restores_may_take_their_time(impatient: Database) -> None:
    with impatient.connect() as connection:
        shown = connection.scalar(text("SHOW idle_in_transaction_session_timeout"))
    assert shown == "0"
    with impatient.write() as session:
        shown = session.scalar(text("SHOW idle_in_transaction_session_timeout"))
    assert shown == "5s"

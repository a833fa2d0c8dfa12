"""The ledger's look at the platform's health, which needs no broker."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from server.db.migrations import migrate
from server.db.models import Notice, Role
from tests.books import Books, open_books
from worker.ledger.watch import look


@pytest.fixture
def books(tmp_path: Path) -> Iterator[Books]:
    """Books of the test's own."""
    url = f"sqlite:///{tmp_path / 'matchbox.db'}"
    migrate(url)
    opened = open_books(url)
    yield opened
    opened.context.close()


def test_operators_hear_of_a_broker_that_is_away(books: Books) -> None:
    charlie = books.person("charlie", Role.OPERATOR)
    away = replace(books.settings, broker_url="redis+socket:///nowhere/broker.sock")
    context = replace(books.context, settings=away)
    assert look(context) == 0
    books.clock.pass_by(seconds=31)
    assert look(context) > 0
    with books.read() as session:
        mine = select(Notice.text).where(Notice.user_id == charlie.id)
        assert any("broker cannot be reached" in text for text in session.scalars(mine))


def test_a_database_that_fails_ends_no_look(books: Books, tmp_path: Path) -> None:
    (tmp_path / "matchbox.db").write_bytes(b"not a database" * 100)
    books.context.close()
    assert look(books.context) == 0

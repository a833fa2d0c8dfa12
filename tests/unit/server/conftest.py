"""A SQLite database for every test of the server's services."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from server.db.models import Role, User
from server.services import accounts
from tests.books import Books, open_books

PASSWORD = "a password of dora"


@pytest.fixture(autouse=True)
def _same_chance_every_time(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Derives all random numbers of a test from its name, so a test that passes once passes
    again."""
    chance = Random(request.node.nodeid)
    monkeypatch.setattr(secrets, "token_bytes", lambda nbytes=32: chance.randbytes(nbytes))


@pytest.fixture
def books(empty_database: Path, tmp_path: Path) -> Iterator[Books]:
    """A database of the test's own, with a reported wall."""
    path = shutil.copy(empty_database, tmp_path / "matchbox.db")
    opened = open_books(f"sqlite:///{path}")
    opened.wall()
    yield opened
    opened.context.close()


@pytest.fixture
def alice(books: Books) -> User:
    """An author, the owner of the tested things."""
    return books.person("alice")


@pytest.fixture
def bob(books: Books) -> User:
    """Another author, the rival."""
    return books.person("bob")


@pytest.fixture
def charlie(books: Books) -> User:
    """The operator."""
    return books.person("charlie", Role.OPERATOR)


@pytest.fixture
def dora(books: Books) -> User:
    """An author with a password."""
    with books.write() as session:
        return accounts.sign_up(session, "dora", PASSWORD, signup="open", now=books.clock())

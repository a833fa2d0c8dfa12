"""Runs the command in this process, with a server and a database of the test's own."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cli.main import run
from server.app import create_app
from server.db.models import Role, User
from server.services import accounts
from tests.books import Books, open_books
from tests.unit.worker.bots import GOOD
from tests.web_server import answering


@dataclass(frozen=True)
class Ran:
    """The output of a command, and whether it exited with 0."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Returns the only JSON document on stdout."""
        return json.loads(self.out)


Run = Callable[..., Ran]


@pytest.fixture
def matchbox(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Run:
    """Runs a command in a home of its own."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)

    def runs(*words: object) -> Ran:
        capsys.readouterr()
        code = run([str(word) for word in words])
        said = capsys.readouterr()
        return Ran(code, said.out, said.err)

    return runs


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """The file of a good bot."""
    file = tmp_path / "mine.py"
    file.write_text(GOOD)
    return file


@dataclass(frozen=True)
class Platform:
    """A server and its books."""

    url: str
    books: Books

    def token(self, user: User, *scopes: str) -> str:
        """Returns a token for the account, with all rights or with these scopes."""
        now = self.books.clock()
        with self.books.write() as session:
            return accounts.make_token(session, user, "test", now=now, scopes=scopes or None)


@pytest.fixture
def platform(empty_database: Path, tmp_path: Path) -> Iterator[Platform]:
    """A server with a paused league and an arena that has reported its wall, but without
    accounts."""
    place = shutil.copy(empty_database, tmp_path / "matchbox.db")
    books = open_books(f"sqlite:///{place}", logins_per_minute=1000, uploads_per_hour=1000)
    books.wall()
    books.league(paused=True)
    with answering(create_app(books.context)) as address:
        yield Platform(address, books)
    books.context.close()


@pytest.fixture
def alice(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> User:
    """An author, whose token the commands use."""
    user = platform.books.person("alice")
    monkeypatch.setenv("MATCHBOX_URL", platform.url)
    monkeypatch.setenv("MATCHBOX_TOKEN", platform.token(user))
    return user


@pytest.fixture
def charlie(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> User:
    """The operator, whose token the commands use."""
    user = platform.books.person("charlie", Role.OPERATOR)
    monkeypatch.setenv("MATCHBOX_URL", platform.url)
    monkeypatch.setenv("MATCHBOX_TOKEN", platform.token(user))
    return user

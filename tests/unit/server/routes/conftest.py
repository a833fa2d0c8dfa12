"""The web application over a database of the test's own, and accounts with their log-ins."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from server.app import create_app, create_internal_app
from server.db.models import User
from server.services import accounts, entries, seasons, sessions
from server.streams import Streams
from tests.books import GAME, Books, open_books, played
from tests.seasons import end_seasons

ARENA = "the arena's token, 32 characters or more"
MakeApp = Callable[..., APIFlask]


@dataclass
class Caller:
    """A client with a token, or without one for a visitor."""

    client: FlaskClient
    token: str = ""

    @property
    def headers(self) -> dict[str, str]:
        """Returns the headers of every request of the client."""
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def get(self, path: str, **more: Any) -> TestResponse:
        """The answer to a GET under /api/v1."""
        return self.client.get(f"/api/v1{path}", headers=self.headers, **more)

    def post(self, path: str, body: Any = None, **more: Any) -> TestResponse:
        """The answer to a POST of JSON under /api/v1."""
        if body is not None:
            more["json"] = body
        return self.client.post(f"/api/v1{path}", headers=self.headers, **more)

    def patch(self, path: str, body: Any) -> TestResponse:
        """The answer to a PATCH of JSON under /api/v1."""
        return self.client.patch(f"/api/v1{path}", headers=self.headers, json=body)

    def delete(self, path: str) -> TestResponse:
        """The answer to a DELETE under /api/v1."""
        return self.client.delete(f"/api/v1{path}", headers=self.headers)


@dataclass
class Browser:
    """A browser with a session's cookie that fills in forms."""

    client: FlaskClient

    def get(self, path: str) -> TestResponse:
        """Returns the page."""
        return self.client.get(path)

    def send(self, path: str, **fields: Any) -> TestResponse:
        """Returns the answer to a form with its CSRF token."""
        fields.setdefault("csrf_token", self.csrf_token())
        kind = "multipart/form-data"
        return self.client.post(path, data=fields, content_type=kind)

    def csrf_token(self) -> str:
        """Returns the CSRF token of a page's forms."""
        page = self.client.get("/seasons" if self.logged_in else "/login").text
        found = re.search(r'name="csrf_token" value="([^"]+)"', page)
        assert found is not None
        return found.group(1)

    @property
    def cookie(self) -> dict[str, Any]:
        """Returns what the browser's cookie holds."""
        with self.client.session_transaction() as session:
            return dict(session)

    @property
    def logged_in(self) -> bool:
        """Returns whether the browser has an account's cookie."""
        with self.client.session_transaction() as session:
            return "_user_id" in session


@pytest.fixture
def books(empty_database: Path, tmp_path: Path) -> Iterator[Books]:
    """A database of the test's own, with the game's league and a reported wall."""
    path = shutil.copy(empty_database, tmp_path / "matchbox.db")
    opened = open_books(f"sqlite:///{path}", arena_token=ARENA)
    opened.wall()
    opened.league()
    yield opened
    opened.context.close()


@pytest.fixture(scope="session")
def wired(empty_database: Path) -> APIFlask:
    """The application with the tests' usual settings, made once, since its routes take a while."""
    return create_app(open_books(f"sqlite:///{empty_database}", arena_token=ARENA).context)


@pytest.fixture
def app(wired: APIFlask, books: Books) -> APIFlask:
    """The application over this test's database, with all counters at 0."""
    wired.extensions["matchbox"] = books.context
    wired.extensions["matchbox-streams"] = Streams(books.context.settings)
    for limiter in wired.extensions["limiter"]:
        limiter.reset()
        limiter.limiter.storage.reset()  # After a fault of the database it counts elsewhere.
    return wired


@pytest.fixture
def inside(books: Books) -> Caller:
    """A client at the listener of arenas, without a token."""
    return Caller(create_internal_app(books.context).test_client())


@pytest.fixture
def make_app(empty_database: Path, tmp_path: Path) -> Iterator[MakeApp]:
    """Makes applications with the given settings, each over a database of its own."""
    opened: list[Books] = []

    def make(**settings: Any) -> APIFlask:
        path = shutil.copy(empty_database, tmp_path / f"other-{len(opened)}.db")
        opened.append(open_books(f"sqlite:///{path}", **settings))
        return create_app(opened[-1].context)

    yield make
    for one in opened:
        one.context.close()


@pytest.fixture
def nobody(app: APIFlask) -> Caller:
    """A client without an account."""
    return Caller(app.test_client())


@pytest.fixture
def as_alice(app: APIFlask, books: Books, alice: User) -> Caller:
    """The owner, with a token."""
    return Caller(app.test_client(), token_of(books, alice))


@pytest.fixture
def as_bob(app: APIFlask, books: Books, bob: User) -> Caller:
    """The rival, with a token."""
    return Caller(app.test_client(), token_of(books, bob))


@pytest.fixture
def as_charlie(app: APIFlask, books: Books, charlie: User) -> Caller:
    """The operator, with a token."""
    return Caller(app.test_client(), token_of(books, charlie))


@pytest.fixture
def arena(inside: Caller) -> Caller:
    """An arena, with the arena's token."""
    return Caller(inside.client, ARENA)


@pytest.fixture
def browse(app: APIFlask, books: Books) -> Callable[[User | None], Browser]:
    """Returns a browser in which this account, or nobody, is logged in."""

    def open_browser(user: User | None = None) -> Browser:
        client = app.test_client()
        if user is not None:
            with client.session_transaction() as session:
                session["_user_id"] = session_of(books, user)
                session["_fresh"] = True
        return Browser(client)

    return open_browser


Browse = Callable[[User | None], Browser]


def token_of(books: Books, user: User) -> str:
    """Returns a valid token."""
    with books.write() as session:
        return accounts.make_token(session, user, "test", now=books.clock())


def session_of(books: Books, user: User) -> str:
    """Returns the secret of a new session."""
    with books.write() as session:
        return sessions.begin(session, user, agent="a test", now=books.clock())


def open_season(books: Books, operator: User, *owners: User, name: str = "first") -> int:
    """Opens a season of the game's league with one active bot of each owner; returns its number."""
    bots = [books.the_bot(books.bot(owner, f"{owner.name}-bot")) for owner in owners]
    with books.write() as session:
        now = books.clock()
        season = seasons.create(session, operator, name=name, league=GAME, now=now)
        for owner, bot in zip(owners, bots, strict=True):
            entries.enter(session, owner, season.id, bot.full_name, now=now)
        return season.id


def start_season(books: Books, operator: User, season: int) -> list[str]:
    """Starts the season; returns the ids of the queued matches."""
    with books.write() as session:
        settings, now = books.settings, books.clock()
        return seasons.start(session, operator, season, settings=settings, now=now)


def play_all(books: Books) -> int:
    """Plays every queued match; returns their number."""
    count = 0
    while jobs := books.dispatch():
        count += sum(books.record(played(job)) for job in jobs)
    end_seasons(books)
    return count


def problem(response: TestResponse, status: int) -> dict[str, Any]:
    """Returns the problem document of an answer with this status."""
    assert response.status_code == status, response.text
    assert response.mimetype == "application/problem+json"
    told: dict[str, Any] = response.get_json()
    assert told["status"] == status
    assert told["detail"]
    return told


@pytest.fixture
def queued(books: Books, charlie: User, alice: User, bob: User) -> str:
    """The first match of a season of alice and bob, not played yet."""
    return start_season(books, charlie, open_season(books, charlie, alice, bob))[0]

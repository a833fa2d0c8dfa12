"""The API against its own document: schemathesis asks what the document allows and forbids.

The number of requests is bounded, and they are the same each time. A visitor, an author and an
operator send each of them to a server with a finished season.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from apiflask import APIFlask
from hypothesis import HealthCheck, Phase, given, note, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from server import zips
from server.app import create_app
from server.db.migrations import migrate
from server.db.models import Role
from server.services import accounts, entries, seasons
from tests.books import GAME, Books, open_books, played
from tests.seasons import end_seasons

CHECKS = [
    not_a_server_error,
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
]
STREAM = "/api/v1/events"
EXAMPLES = 8


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Books]:
    """Books with a season that has been played."""
    url = f"sqlite:///{Path(tmp_path_factory.mktemp('fuzz')) / 'matchbox.db'}"
    migrate(url)
    many = 1_000_000
    opened = open_books(url, requests_per_minute=many, logins_per_minute=100_000)
    opened.wall()
    opened.league()
    play_a_season(opened)
    yield opened
    opened.context.close()


@pytest.fixture(scope="module")
def tokens(books: Books) -> dict[str, str]:
    """Returns a token for each account."""
    with books.write() as session:
        people = {
            "alice": books_person(session, "alice"),
            "charlie": books_person(session, "charlie"),
        }
        return {
            name: accounts.make_token(session, user, "fuzz", now=books.clock())
            for name, user in people.items()
        }


@pytest.fixture(scope="module")
def api(books: Books) -> Any:
    """The document, as the application serves it."""
    app: APIFlask = create_app(books.context)
    return schemathesis.openapi.from_wsgi("/api/v1/openapi.json", app)


@pytest.mark.slow
# schemathesis does not close an answer with a file; web servers do. So none holds a place.
@pytest.mark.filterwarnings("ignore:Unclosed file:ResourceWarning")
@pytest.mark.parametrize("mode", list(GenerationMode))
def test_the_api_answers_as_its_document_says(
    api: Any, tokens: dict[str, str], mode: GenerationMode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(zips.Turns, "hold", lambda turns, body: int)
    plain = {"Accept-Encoding": "identity"}
    senders = {"nobody": plain} | {
        name: {**plain, "Authorization": f"Bearer {token}"} for name, token in tokens.items()
    }
    for found in api.get_all_operations():
        operation = found.ok()
        if operation.path != STREAM and (mode.is_positive or takes_something(operation)):
            ask(operation, mode, senders)


def ask(operation: Any, mode: GenerationMode, senders: dict[str, dict[str, str]]) -> None:
    """Sends a bounded number of requests to the operation, each with the headers of every sender,
    and checks the answers against the document. To make up a request takes longer than to send it.
    """

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def ask_once(case: schemathesis.Case) -> None:
        for who, headers in senders.items():
            note(f"sent by {who}")
            answer = case.call(headers=headers)
            case.validate_response(answer, checks=CHECKS, headers=headers)

    ask_once()


def takes_something(operation: Any) -> bool:
    """Returns whether the operation takes any input."""
    return bool(list(operation.iter_parameters()) or operation.body)


def play_a_season(books: Books) -> None:
    """Plays every match of a season between alice's bot and bob's."""
    alice, bob = books.person("alice"), books.person("bob")
    charlie = books.person("charlie", Role.OPERATOR)
    bots = [books.the_bot(books.bot(user, "timid")) for user in (alice, bob)]
    with books.write() as session:
        now = books.clock()
        season = seasons.create(session, charlie, name="first", league=GAME, now=now)
        for user, bot in zip((alice, bob), bots, strict=True):
            entries.enter(session, user, season.id, bot.full_name, now=now)
        seasons.start(session, charlie, season.id, settings=books.settings, now=now)
    while jobs := books.dispatch():
        for job in jobs:
            books.record(played(job))
    end_seasons(books)


def books_person(session: Any, name: str) -> Any:
    """The account of that name."""
    from sqlalchemy import select

    from server.db.models import User

    return session.scalars(select(User).where(User.name == name)).one()

"""An author who sends every possible request changes nothing that belongs to others.

Sends every form and every action of the API, with a well-formed body, at alice's things, and
compares the rows of the database.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select
from sqlalchemy.orm import Session
from werkzeug.routing import Rule
from werkzeug.wrappers import Response

from server.auth import WITHOUT_COOKIE
from server.db import models
from server.db.models import BrowserSession, Comparison, Lesson, Notice, Token, User, Webhook
from tests.books import GAME, Books
from tests.unit.server.routes.conftest import Browser, session_of
from tests.unit.server.routes.scene import Scene, busy_books, make_scene
from tests.unit.server.routes.walk import REFUSED, World

SENT: Final[Mapping[str, Any]] = {
    "name": "alice-bot", "bot": "alice/alice-bot", "reason": "spam", "role": "operator",
    "game": GAME, "password": "a long enough word", "old": "a guess", "new": "a long enough word",
    "label": "x", "seats": ["me", "friend"], "code": "zzzz-zzzz", "email": "dora@example.org",
    "url": "http://example.org/x", "move": "draw", "secret": "5" * 32, "shares": True,
    "names": ["mallory"], "league": GAME, "number": 1, "version": 1, "file": "x = 1",
    "owner": "alice", "users": ["alice"], "challenger": 2, "defender": 1,
}  # fmt: skip
"""The values of fields, by name. Forms send them as text."""
OF_EACH_KIND: Final[Mapping[str, Any]] = {
    "string": "x", "integer": 1, "number": 1, "boolean": True, "array": [], "object": {},
}  # fmt: skip
LEFT_OUT: Final = ("logout", "/account/delete", "/api/v1/login", "/login", "/signup", "/join/")
"""Addresses that end dora's session or begin another."""
PASSING: Final = {"used_at", "seen_at", "ends_at"}
"""Columns that only record a use."""
NOT_HERS: Final = "user_id", "owner_id", "asker_id", "actor_id"


@pytest.fixture
def books(empty_database: Path, tmp_path: Path) -> Iterator[Books]:
    """A database of the test's own, on a platform that does not limit a walk."""
    opened = busy_books(empty_database, tmp_path)
    yield opened
    opened.context.close()


@pytest.fixture
def scene(books: Books, alice: User, bob: User, charlie: User) -> Scene:
    """A platform on which alice has one of everything."""
    return make_scene(books, alice, bob, charlie)


def test_an_author_changes_nothing_of_anybody_elses(scene: Scene) -> None:
    with scene.books.read() as session:
        dora = session.scalars(select(User).where(User.name == "dora")).one()
        before, world = _rows(session, dora), _with_numbers(session, scene.world)
    answered = {**_send_to_the_api(world), **_send_forms(scene.books, world, dora)}
    assert len(answered) > 150
    assert {sent: status for sent, status in answered.items() if status >= 500} == {}
    assert [sent for sent, status in answered.items() if status == 400] == [], "unread"
    refused = [sent for sent, status in answered.items() if status in (403, 404)]
    assert len(refused) > 100
    with scene.books.read() as session:
        after = _rows(session, dora)
    assert {
        key: (row, after.get(key)) for key, row in before.items() if after.get(key) != row
    } == {}


def test_a_forged_form_shows_only_pages_that_are_for_everybody(scene: Scene) -> None:
    with scene.books.read() as session:
        world = _with_numbers(session, scene.world)
    client, shown = world.app.test_client(), set()
    for _, _, path in _sent(world, ("POST",)):
        if not path.startswith(WITHOUT_COOKIE):
            answer = client.post(path, data={"game": GAME})
            assert answer.status_code in (400, 404), path
            why = "used or replaced" if path.startswith("/reset/") else "of your present session"
            assert why in answer.text, path
            if "check the form and send it again" in answer.text:
                shown.add(path.split("/")[1])
    everybody = {"bots", "first", "leagues", "matches", "play", "reset", "seasons", "submit"}
    assert shown == everybody
    answer = client.post("/leagues", data={"game": GAME})
    assert "A new league" not in answer.text


def _with_numbers(session: Session, world: World) -> World:
    """Returns the world with the numbers of alice's sessions, tokens and so on."""
    alice = session.scalars(select(User.id).where(User.name == "alice")).one()
    kinds: dict[str, Any] = {
        "sessions": BrowserSession, "tokens": Token, "webhooks": Webhook, "notices": Notice,
        "inbox": Notice,
    }  # fmt: skip
    numbers = {
        word: session.scalars(select(kind.id).where(kind.user_id == alice)).first()
        for word, kind in kinds.items()
    }
    numbers["lessons"] = session.scalars(select(Lesson.id)).first()
    numbers["comparisons"] = session.scalars(select(Comparison.id)).first()
    assert None not in numbers.values()
    names = dict(world.names)
    for method in ("POST", "PATCH", "PUT", "DELETE"):
        for rule in world.app.url_map.iter_rules():
            if method in (rule.methods or ()):
                names |= _named(rule, numbers)
    parts = {**world.parts, "number": [1], "name": ["alice-bot"], "secret": ["5" * 32]}
    return World(world.app, world.tokens, parts, {**names, **world.names}, world.bot, world.games)


def _named(rule: Rule, numbers: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Returns the values of those parts of this address that no GET has."""
    found: dict[str, list[Any]] = {}
    for part in re.finditer(r"<(?:(\w+)(?:\(([^)]*)\))?:)?(\w+)>", rule.rule):
        begins = rule.rule[: part.end()]
        word = rule.rule[: part.start()].rstrip("/").rpartition("/")[2]
        if part[1] == "any":
            found[begins] = [one.strip(" '") for one in part[2].split(",")]
        elif part[3] == "number" and word in numbers:
            found[begins] = [numbers[word]]
        elif part[3] == "name" and word == "users":
            found[begins] = ["alice"]
        elif part[3] == "name" and word == "leagues":
            found[begins] = [GAME, "class-7b"]
    return found


def _sent(world: World, methods: tuple[str, ...]) -> Iterator[tuple[str, Rule, str]]:
    for method in methods:
        for rule, path in world.paths(method):
            if not any(part in path for part in LEFT_OUT):
                yield method, rule, path


def _send_to_the_api(world: World) -> dict[tuple[str, str], int]:
    """Sends every action of the API; returns the status of each, by method and address."""
    client, found = world.app.test_client(), {}
    headers = {"Authorization": f"Bearer {world.tokens['dora']}"}
    described = json.loads(client.get("/api/v1/openapi.json").data)
    for method, rule, path in _sent(world, ("POST", "PATCH", "PUT", "DELETE")):
        if path.startswith("/api/"):
            body = _body(described, rule, method)
            with client.open(path, method=method, headers=headers, json=body) as answer:
                found[method, path] = _status(answer)
    return found


def _send_forms(books: Books, world: World, dora: User) -> dict[tuple[str, str], int]:
    """Sends every form; returns the status of each."""
    client: FlaskClient = world.app.test_client()
    with client.session_transaction() as session:
        session["_user_id"], session["_fresh"] = session_of(books, dora), True
    fields = {name: one if isinstance(one, str) else json.dumps(one) for name, one in SENT.items()}
    fields["csrf_token"], found = Browser(client).csrf_token(), {}
    for method, _, path in _sent(world, ("POST",)):
        if not path.startswith("/api/"):
            with client.post(path, data=fields) as answer:
                found[method, path] = _status(answer)
    return found


def _status(answer: Response) -> int:
    """Returns the status; checks that only a temporary refusal says when to ask again."""
    assert "Retry-After" not in answer.headers or answer.status_code in REFUSED
    return answer.status_code


def _body(described: Mapping[str, Any], rule: Rule, method: str) -> Any:
    """Returns a body with the fields that the API's description requires, and no others."""
    path = re.sub(r"<(?:[^:<>]+:)?([^<>]+)>", r"{\1}", rule.rule)
    asked = described["paths"][path][method.lower()].get("requestBody")
    if asked is None:
        return None
    schema = next(iter(asked["content"].values()))["schema"]
    if "$ref" in schema:
        schema = described["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    kinds = {name: one.get("type", "string") for name, one in schema["properties"].items()}
    return {
        name: SENT[name] if name in SENT and kinds[name] != "integer" else OF_EACH_KIND[kinds[name]]
        for name in schema.get("required", ())
    }


def _rows(session: Session, dora: User) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Returns every row that is not dora's, by table and key."""
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for mapper in models.Base.registry.mappers:
        for row in session.scalars(select(mapper.class_)):
            told = {column.key: getattr(row, column.key) for column in mapper.column_attrs}
            if not any(told.get(name) == dora.id for name in NOT_HERS) and row is not dora:
                key = (mapper.class_.__name__, *mapper.primary_key_from_instance(row))
                found[key] = {name: one for name, one in told.items() if name not in PASSING}
    return found

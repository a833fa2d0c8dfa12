"""Scopes of tokens: every route of the API declares one, and a token without it gets 403."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from io import BytesIO
from typing import Any

import pytest
from apiflask import APIFlask
from werkzeug.routing import Rule

from server.db.models import Scope, User
from server.scopes import ANYBODY, scope_of
from server.services import accounts
from tests.books import GAME, SIMPLE, Books
from tests.unit.server.routes.conftest import Caller, open_season, problem

PARTS = {"number": "999", "season": "999", "match": "0" * 32, "version": "999", "digest": "0" * 64}
PARTS["table"] = "0" * 32
ENDLESS = ("/api/v1/events",)


def rules(app: APIFlask) -> Iterator[tuple[Rule, str]]:
    """Yields every route of the API with each of its methods."""
    for rule in app.url_map.iter_rules():
        if rule.rule.startswith("/api/"):
            for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}:
                yield rule, method


def caller(app: APIFlask, books: Books, user: User, scopes: Collection[str]) -> Caller:
    """Returns a client of this account with a token of these scopes."""
    with books.write() as session:
        secret = accounts.make_token(session, user, "test", now=books.clock(), scopes=scopes)
    return Caller(app.test_client(), secret)


def test_every_route_of_the_api_declares_its_scope(app: APIFlask) -> None:
    declared = {
        (method, rule.rule): scope_of(rule.endpoint, app.view_functions[rule.endpoint])
        for rule, method in rules(app)
    }
    assert len(declared) > 70
    assert [route for route, scope in declared.items() if scope is None] == []
    assert set(declared.values()) == {*Scope, ANYBODY}
    open_to_all = {route for route, scope in declared.items() if scope == ANYBODY}
    assert open_to_all == {
        ("POST", "/api/v1/login"),
        ("POST", "/api/v1/logout"),
        ("POST", "/api/v1/accounts"),
        ("POST", "/api/v1/password-links"),
        ("GET", "/api/v1/join/<code:code>"),
    }
    writing = {scope for (method, _), scope in declared.items() if method != "GET"}
    assert Scope.READ not in writing


@pytest.mark.parametrize("left_out", list(Scope))
def test_no_route_answers_a_token_without_its_scope(
    app: APIFlask, books: Books, charlie: User, left_out: Scope
) -> None:
    limited = caller(app, books, charlie, set(Scope) - {left_out})
    tried = 0
    for rule, method in rules(app):
        scope = scope_of(rule.endpoint, app.view_functions[rule.endpoint])
        if scope == ANYBODY or rule.rule in ENDLESS:
            continue
        parts = {name: PARTS.get(name, "a-name") for name in rule.arguments}
        path = app.url_map.bind("").build(rule.endpoint, parts, method=method)
        answer = limited.client.open(path, method=method, headers=limited.headers)
        refused = answer.status_code == 403 and "insufficient_scope" in answer.headers.get(
            "WWW-Authenticate", ""
        )
        with answer:
            assert refused == (scope == left_out), (method, path, answer.text)
        tried += refused
    assert tried > 10


def test_a_refusal_names_the_scope_that_is_missing(
    app: APIFlask, books: Books, alice: User
) -> None:
    reader = caller(app, books, alice, ["read"])
    assert reader.get("/whoami").status_code == 200
    answer = reader.post("/bots", {"game": "bomb", "name": "mine", "file": "x"})
    told = problem(answer, 403)
    assert told["type"] == "urn:matchbox:problem:scope-needed"
    assert "`submit`" in told["detail"]
    assert answer.headers["WWW-Authenticate"] == (
        'Bearer error="insufficient_scope", scope="submit"'
    )


def test_an_operators_token_without_operate_is_an_authors(
    app: APIFlask, books: Books, alice: User, charlie: User
) -> None:
    version = books.bot(alice, "hers").id
    season = open_season(books, charlie, alice)
    limited = caller(app, books, charlie, ["read", "submit"])
    full = caller(app, books, charlie, [*Scope])
    problem(limited.post(f"/seasons/{season}/start"), 403)
    told = problem(limited.post("/bots/alice/hers/retire"), 403)
    assert "`operate`" in told["detail"], "an owner's right, which operators have as well"
    problem(limited.get(f"/versions/{version}/bundle"), 403)
    assert full.get(f"/versions/{version}/bundle").status_code == 200
    assert full.post("/bots/alice/hers/retire").status_code == 200


def upload(**more: str) -> dict[str, Any]:
    """The fields of an upload, with its file."""
    return {"game": GAME, "file": (BytesIO(SIMPLE), "simple.py"), **more}


def test_without_a_wall_an_operators_token_without_operate_submits_nothing(
    app: APIFlask, books: Books, charlie: User
) -> None:
    books.wall(walled=False)
    limited = caller(app, books, charlie, ["read", "submit"])
    full = caller(app, books, charlie, [*Scope])
    for path, more in (("/bots", {"name": "mine"}), ("/drafts", {})):
        told = problem(limited.post(path, data=upload(**more)), 403)
        assert told["type"] == "urn:matchbox:problem:uploads-closed"
        assert full.post(path, data=upload(**more)).status_code == 201


def test_an_author_is_not_asked_for_a_scope_that_no_author_has(
    as_alice: Caller, as_charlie: Caller
) -> None:
    assert as_charlie.get("/users").status_code == 200
    told = problem(as_alice.get("/users"), 403)
    assert told["detail"] == "only operators may see this"


def test_a_token_opens_pages_that_it_may_read_and_sends_no_forms(
    app: APIFlask, books: Books, charlie: User
) -> None:
    reader = caller(app, books, charlie, ["read"])
    full = caller(app, books, charlie, [*Scope])
    submitter = caller(app, books, charlie, ["submit"])
    assert reader.client.get("/account", headers=reader.headers).status_code == 200
    assert reader.client.get("/admin", headers=reader.headers).status_code == 403
    assert full.client.get("/admin", headers=full.headers).status_code == 200
    assert submitter.client.get("/account", headers=submitter.headers).status_code == 403
    form = {"name": "dora", "password": "a password of dora", "role": "operator"}
    told = full.client.post("/admin/users", data=form, headers=full.headers)
    assert told.status_code == 403
    assert "/api/v1" in told.text


def test_a_token_is_made_with_scopes_and_an_end(as_alice: Caller, books: Books) -> None:
    made = as_alice.post("/tokens", {"name": "ci", "scopes": ["read"], "days": 7})
    assert made.status_code == 201
    assert made.json is not None
    assert made.json["scopes"] == ["read"]
    line = as_alice.get("/tokens").json["items"][-1]  # type: ignore[index]
    assert (line["scopes"], line["ends_at"]) == (["read"], made.json["ends_at"])
    reader = Caller(as_alice.client, made.json["token"])
    problem(reader.post("/tokens", {"name": "more"}), 403)
    books.clock.pass_by(minutes=7 * 1440)
    assert "has expired" in problem(reader.get("/whoami"), 401)["detail"]
    problem(as_alice.post("/tokens", {"name": "x", "scopes": ["operate"]}), 403)
    problem(as_alice.post("/tokens", {"name": "x", "scopes": ["write"]}), 422)
    problem(as_alice.post("/tokens", {"name": "x", "days": 0}), 422)


def test_logging_in_makes_a_token_with_scopes_and_an_end(nobody: Caller) -> None:
    credentials = {"name": "dora", "password": "a password of dora"}
    nobody.post("/accounts", credentials)
    told = nobody.post("/login", {**credentials, "scopes": ["read"], "days": 1}).json
    assert told is not None
    assert told["scopes"] == ["read"]
    usual = nobody.post("/login", credentials).json
    assert usual is not None
    assert usual["scopes"] == ["read", "submit"]
    assert usual["ends_at"] > told["ends_at"]


def test_the_document_names_the_scope_of_every_operation(app: APIFlask, nobody: Caller) -> None:
    document = nobody.get("/openapi.json").json
    assert document is not None
    scopes = {
        operation["x-scope"]
        for operations in document["paths"].values()
        for operation in operations.values()
    }
    assert scopes == {*Scope, ANYBODY}
    assert document["paths"]["/api/v1/bots"]["post"]["x-scope"] == "submit"

"""The requests of arenas, which nobody else may send."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from werkzeug.test import TestResponse

from matchbox.match import wire
from matchbox.match.wire import PlayMatch, TryOut
from server.app import create_internal_app
from server.db.models import User
from server.services import arenas, walls
from tests.books import SIMPLE, Books, lost, played, tried_out
from tests.unit.server.routes.conftest import (
    Caller,
    open_season,
    problem,
    start_season,
)


def send(caller: Caller, path: str, body: Any = None, **more: Any) -> TestResponse:
    """Returns the answer to an arena's POST."""
    if body is not None:
        more["json"] = body
    return caller.client.post(f"/internal{path}", headers=caller.headers, **more)


def fetch(caller: Caller, path: str) -> TestResponse:
    """Returns the answer to an arena's GET."""
    return caller.client.get(f"/internal{path}", headers=caller.headers)


@pytest.fixture
def tryout(books: Books, alice: User) -> TryOut:
    """A try-out that an arena has got."""
    books.upload(alice, "timid")
    (job,) = books.postman.take()
    assert isinstance(job, TryOut)
    return job


@pytest.fixture
def job(books: Books, charlie: User, alice: User, bob: User) -> PlayMatch:
    """A match that an arena has got."""
    start_season(books, charlie, open_season(books, charlie, alice, bob))
    return books.dispatch()[0]


def claim_of(job: PlayMatch | TryOut) -> dict[str, Any]:
    """Returns the claim that worker/arena/client.py sends."""
    return wire.to_plain(job.claim())


def test_nobody_but_an_arena_comes_in(
    tryout: TryOut, inside: Caller, as_alice: Caller, as_charlie: Caller
) -> None:
    for token in ("", as_alice.token, as_charlie.token, "x" * 40):
        caller = Caller(inside.client, token)
        problem(fetch(caller, f"/bundles/{tryout.version}"), 401)
        problem(send(caller, "/claims", claim_of(tryout)), 401)
        problem(send(caller, "/results", {}), 401)
        problem(send(caller, "/walls", {"box": "bwrap", "walled": True}), 401)


def test_the_public_has_no_such_address(nobody: Caller, arena: Caller, tryout: TryOut) -> None:
    outside = Caller(nobody.client, arena.token)
    problem(fetch(outside, f"/bundles/{tryout.version}"), 404)
    for path in ("/claims", "/results", "/walls"):
        problem(send(outside, path, {}), 404)


def test_arenas_have_no_other_address(arena: Caller) -> None:
    for path in ("/", "/login", "/api/v1/games", "/api/v1/openapi.json", "/assets/site.css"):
        problem(arena.client.get(path), 404)
    told = {"status": "ready", "healthy": False, "wrong": ["ledger"]}
    assert arena.client.get("/readyz").json == told
    assert "matchbox_requests" in arena.client.get("/metrics").text


def test_without_an_arena_token_nobody_is_an_arena(books: Books) -> None:
    settings = replace(books.context.settings, arena_token="")
    client = create_internal_app(replace(books.context, settings=settings)).test_client()
    answer = client.get(f"/internal/bundles/{'0' * 64}", headers={"Authorization": "Bearer "})
    problem(answer, 401)


def test_a_bundle_is_fetched_by_its_digest(arena: Caller, tryout: TryOut) -> None:
    assert fetch(arena, f"/bundles/{tryout.version}").data == SIMPLE
    problem(fetch(arena, f"/bundles/{'0' * 64}"), 404)
    problem(fetch(arena, "/bundles/../../etc/passwd"), 404)


def test_a_claim_renews_the_lease(arena: Caller, job: PlayMatch, books: Books) -> None:
    before = books.match(job.match).deadline
    books.clock.pass_by(minutes=1)
    assert send(arena, "/claims", claim_of(job)).status_code == 204
    after = books.match(job.match).deadline
    assert before is not None
    assert after is not None
    assert after > before


def test_a_stopped_arena_renews_no_lease(
    arena: Caller, job: PlayMatch, books: Books, charlie: User
) -> None:
    name = "arena-1@a-host"
    claim = {**claim_of(job), "arena": name}
    report = {"box": "bwrap", "walled": True, "arena": name}
    assert send(arena, "/walls", report).status_code == 204
    assert send(arena, "/claims", claim).status_code == 204
    with books.write() as session:
        arenas.stop(session, charlie, name, "a loose cable", now=books.clock())
    assert "is stopped until" in problem(send(arena, "/claims", claim), 423)["detail"]


def test_a_claim_of_a_match_that_is_over_is_a_conflict(
    arena: Caller, job: PlayMatch, books: Books
) -> None:
    books.record(played(job))
    problem(send(arena, "/claims", claim_of(job)), 409)


def test_a_claim_needs_the_attempts_token(arena: Caller, job: PlayMatch, tryout: TryOut) -> None:
    assert send(arena, "/claims", claim_of(tryout)).status_code == 204
    problem(send(arena, "/claims", {**claim_of(job), "token": "0" * 64}), 403)
    problem(send(arena, "/claims", {**claim_of(job), "subject": "0" * 32}), 404)


def test_a_claim_is_of_the_kind_that_it_names(
    arena: Caller, job: PlayMatch, tryout: TryOut
) -> None:
    problem(send(arena, "/claims", {**claim_of(tryout), "kind": "match"}), 404)
    problem(send(arena, "/claims", {**claim_of(job), "kind": "version"}), 404)
    problem(send(arena, "/claims", {**claim_of(job), "kind": "table"}), 422)
    lost = {**wire.to_plain(job.lost("no box")), "kind": "lesson"}
    problem(send(arena, "/results", {"task": wire.LOST, "message": lost}), 404)


@pytest.mark.parametrize(
    "body",
    [
        [],
        "text",
        {},
        {"subject": "x", "attempt": 1, "token": ""},
        {"kind": "match", "subject": 1, "attempt": 1, "token": ""},
        {"kind": "match", "subject": "x", "attempt": True, "token": ""},
    ],
)
def test_a_claim_that_makes_no_sense_is_refused(arena: Caller, body: Any) -> None:
    problem(send(arena, "/claims", body), 422)


def test_a_result_is_taken_once(arena: Caller, job: PlayMatch, books: Books) -> None:
    body = {"task": wire.RECORD, "message": wire.to_plain(played(job))}
    assert send(arena, "/results", body).json == {"accepted": True}
    assert send(arena, "/results", body).json == {"accepted": False}
    assert books.match(job.match).state == "finished"


def test_a_verdict_is_taken(arena: Caller, tryout: TryOut, nobody: Caller) -> None:
    body = {"task": wire.SETTLE, "message": wire.to_plain(tried_out(tryout))}
    assert send(arena, "/results", body).json == {"accepted": True}
    told: Any = nobody.get(f"/versions/{tryout.version}").json
    assert told["state"] == "active"


def test_a_lost_match_is_taken(arena: Caller, job: PlayMatch, books: Books) -> None:
    body = {"task": wire.LOST, "message": wire.to_plain(lost(job))}
    assert send(arena, "/results", body).json == {"accepted": True}
    assert books.match(job.match).state == "queued"


def test_a_result_without_its_attempts_token_is_not_believed(
    arena: Caller, job: PlayMatch, books: Books
) -> None:
    message = {**wire.to_plain(played(job)), "token": "0" * 64}
    problem(send(arena, "/results", {"task": wire.RECORD, "message": message}), 403)
    assert books.match(job.match).state == "running"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"task": ["ledger.lost"], "message": {}},
        {"task": "arena.try_out", "message": {}},
        {"task": wire.RECORD},
        {"task": wire.RECORD, "message": {"match": 1}},
        {"task": wire.SETTLE, "message": []},
    ],
)
def test_a_result_that_makes_no_sense_is_refused(arena: Caller, body: Any) -> None:
    problem(send(arena, "/results", body), 422)


def test_a_result_may_be_longer_than_an_upload(arena: Caller) -> None:
    body = {"task": "nothing", "message": "x" * (2 << 20)}
    assert "not a task for results" in problem(send(arena, "/results", body), 422)["detail"]


def test_what_is_no_json_is_refused(arena: Caller) -> None:
    problem(send(arena, "/results", data=b"{", content_type="application/json"), 400)
    problem(send(arena, "/results", data=b"{}", content_type="text/plain"), 415)


def test_a_wall_is_reported(arena: Caller, books: Books, as_charlie: Caller) -> None:
    report = {"box": "process", "walled": False, "why": "no Landlock", "arena": "a"}
    assert send(arena, "/walls", report).status_code == 204
    problem(send(arena, "/walls", {"box": 1}), 422)
    problem(send(arena, "/walls", []), 422)
    with books.read() as session:
        assert walls.wall(session).walled is False

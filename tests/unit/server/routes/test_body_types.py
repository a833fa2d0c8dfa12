"""The API takes bodies of the types that it documents only: other sites' pages cannot send those
unasked."""

from __future__ import annotations

import json

import pytest

from server.db.models import User
from tests.books import GAME, SIMPLE
from tests.unit.server.routes.conftest import Caller, problem

ACCOUNT = {"name": "erik", "password": "a password of erik"}
FOREIGN = (
    "text/plain",
    "application/xml",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    None,
)


@pytest.mark.parametrize("kind", FOREIGN)
@pytest.mark.parametrize("path", ["/accounts", "/login", "/password-links"])
def test_json_of_another_type_is_refused(nobody: Caller, path: str, kind: str | None) -> None:
    answer = nobody.post(path, data=json.dumps(ACCOUNT), content_type=kind)
    assert problem(answer, 415)["detail"] == "send the body as application/json"


def test_uploads_and_empty_bodies_are_taken_as_before(
    as_alice: Caller, alice: User, nobody: Caller
) -> None:
    file = SIMPLE.decode()
    kind = "application/json; charset=utf-8"
    body = json.dumps({"game": GAME, "name": "timid", "file": file})
    assert as_alice.post("/bots", data=body, content_type=kind).status_code == 201
    form = {"game": GAME, "file": file}
    kind = "multipart/form-data"
    assert as_alice.post("/drafts", data=form, content_type=kind).status_code == 201
    assert as_alice.post("/bots/alice/timid/retire").status_code == 200
    plain = as_alice.post("/notices/read", data=b"", content_type="text/plain")
    assert plain.status_code == 400
    assert nobody.post("/accounts", ACCOUNT).status_code == 201


def test_a_body_with_many_errors_gets_a_short_answer(nobody: Caller, as_alice: Caller) -> None:
    unknown = {f"{number}{'x' * 50}": 1 for number in range(9000)}
    told = problem(nobody.post("/login", unknown), 422)
    assert sum(map(len, told["errors"].values())) == 20
    assert told["detail"].endswith("; and 8982 more")
    body = {"game": GAME, "seats": ["me"], "options": dict.fromkeys(unknown)}
    assert len(as_alice.post("/tables", body).data) < 10_000
    named = as_alice.post("/tables", {"x" * 500_000: 1})
    assert len(named.data) < 10_000
    long = problem(nobody.post("/login", {"x" * 201: 1}), 422)
    assert "x" * 199 + "…" in long["errors"]

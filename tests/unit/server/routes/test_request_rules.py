"""The rules for every request of the API: its parameters, and what its body is."""

from __future__ import annotations

import json

import pytest

from tests.unit.server.routes.conftest import Caller, problem

NO_OBJECTS: tuple[object, ...] = (None, [], "text", 7)
UNKNOWN = {"nosuch": ["is unknown here: leave it out, or correct its name"]}


@pytest.mark.parametrize("path", ["/games", "/leagues", "/bots", "/openapi.json", "/events"])
def test_an_unknown_parameter_is_refused_everywhere(nobody: Caller, path: str) -> None:
    assert problem(nobody.get(f"{path}?nosuch=1"), 422)["errors"] == UNKNOWN


def test_so_is_one_of_a_request_with_a_body(as_alice: Caller) -> None:
    assert problem(as_alice.post("/notices/read?nosuch=1", {}), 422)["errors"] == UNKNOWN


@pytest.mark.parametrize("path", ["/bots?limit=1&limit=abc", "/matches?limit=1&limit=1"])
def test_a_repeated_parameter_is_refused(nobody: Caller, path: str) -> None:
    told = problem(nobody.get(path), 422)
    assert told["errors"] == {"limit": ["is there more than once: send it once"]}
    assert told["detail"] == "`limit` is there more than once: send it once"


@pytest.mark.parametrize("path", ["/games", "/bots?limit=1", "/openapi.json"])
def test_other_requests_are_answered_as_before(nobody: Caller, path: str) -> None:
    assert nobody.get(path).status_code == 200


def test_pages_and_probes_take_any_parameter(nobody: Caller) -> None:
    for path in ("/", "/readyz"):
        assert nobody.client.get(f"{path}?from=mail&from=again").status_code == 200


@pytest.mark.parametrize("body", NO_OBJECTS)
@pytest.mark.parametrize("path", ["/notices/read", "/comparisons", "/bots", "/drafts"])
def test_a_body_is_an_object(as_alice: Caller, path: str, body: object) -> None:
    sent = {"data": json.dumps(body), "content_type": "application/json"}
    told = problem(as_alice.post(path, **sent), 422)
    assert told["errors"] == {"body": ["must be a JSON object"]}


def test_a_part_of_a_body_that_is_no_object_names_no_class(as_alice: Caller) -> None:
    told = problem(as_alice.post("/tables", {"game": "war", "seats": ["me"], "place": 1}), 422)
    assert told["errors"] == {"place": ["must be a JSON object"]}


def test_an_upload_names_its_class_as_the_document_does(as_alice: Caller) -> None:
    body = {"game": "bomb", "name": "timid", "file": "x = 1"}
    told = problem(as_alice.post("/bots", body | {"class_name": "Bot"}), 422)
    assert told["errors"] == {"class_name": ["is unknown here: leave it out, or correct its name"]}
    assert as_alice.post("/bots", body | {"class": "Bot"}).status_code == 201


@pytest.mark.parametrize(
    ("path", "body", "detail"),
    [
        ("/login", {"name": "alice"}, "`password` is missing: send it"),
        ("/tokens", {"name": 7}, "`name` must be a valid string"),
        ("/tokens", {"name": ""}, "`name` must have at least 1 character"),
        ("/tokens", {"name": "x", "days": 0}, "`days` must be greater than or equal to 1"),
        ("/tokens", {"name": "x", "scopes": []}, "`scopes` must have at least 1 item, not 0"),
        ("/tokens", {"name": "x", "scopes": ["all"]}, "must be 'read', 'submit' or 'operate'"),
        ("/tables", {"game": "war", "seats": ["me"], "options": 1}, "must be a JSON object"),
        (
            "/tables",
            {"game": "war", "seats": ["me"], "options": {"x": [1]}},
            "`options.x` must be a string, an integer or a boolean",
        ),
    ],
)
def test_a_wrong_field_is_told_what_it_must_be(
    as_alice: Caller, path: str, body: object, detail: str
) -> None:
    told = problem(as_alice.post(path, body), 422)["detail"]
    assert detail in told
    assert ";" not in told


def test_a_wrong_parameter_is_told_what_it_must_be(nobody: Caller) -> None:
    told = problem(nobody.get("/bots?limit=201&nosuch=1"), 422)["detail"]
    assert told == (
        "`limit` must be less than or equal to 200; "
        "`nosuch` is unknown here: leave it out, or correct its name"
    )
    assert "`limit` must be a valid integer" in problem(nobody.get("/bots?limit=x"), 422)["detail"]
    long = problem(nobody.get(f"/bots?limit={'9' * 5000}"), 422)["detail"]
    assert long.startswith("`limit` is wrong: Unable to parse input string as an integer")

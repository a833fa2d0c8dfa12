"""The OpenAPI document is complete, and describes the application that serves it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from apiflask import APIFlask

from tests.unit.server.routes.conftest import Caller

PROMISED = (
    ("get", "/games"), ("get", "/bots"), ("post", "/bots"), ("post", "/bots/{name}/versions"),
    ("get", "/versions/{version}"), ("get", "/leaderboards/{game}"), ("get", "/matches"),
    ("get", "/matches/{match}"), ("get", "/matches/{match}/log"), ("get", "/leagues"),
    ("post", "/leagues"), ("get", "/seasons"), ("post", "/seasons"),
    ("post", "/seasons/{season}/start"), ("post", "/seasons/{season}/pause"),
    ("post", "/seasons/{season}/resume"), ("get", "/seasons/{season}/standings"),
    ("get", "/queue"), ("get", "/events"), ("get", "/whoami"),
)  # fmt: skip


@pytest.fixture
def document(nobody: Caller) -> dict[str, Any]:
    """The document as it is served."""
    told: dict[str, Any] = nobody.get("/openapi.json").json  # type: ignore[assignment]
    return told


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yields method, path and operation."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


@pytest.mark.parametrize(("method", "path"), PROMISED)
def test_what_was_promised_is_there(document: dict[str, Any], method: str, path: str) -> None:
    assert method in document["paths"][f"/api/v1{path}"]


def test_every_address_of_the_api_is_in_it_and_no_other(
    document: dict[str, Any], app: APIFlask
) -> None:
    rules = {
        re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule)
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith("/api/v1/") and rule.endpoint != "openapi.spec"
    }
    assert set(document["paths"]) == rules


def test_a_body_and_an_answer_have_schemas_of_different_names(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    assert [name for name in schemas if name[-1].isdigit()] == []


def test_an_archive_may_be_too_early(document: dict[str, Any]) -> None:
    archive = document["paths"]["/api/v1/seasons/{season}/archive"]["get"]["responses"]
    assert archive["409"] == {"$ref": "#/components/responses/409"}
    assert document["components"]["responses"]["409"]["content"]


def test_uploads_may_find_a_full_disk(document: dict[str, Any]) -> None:
    full = {
        path.removeprefix("/api/v1")
        for _, path, one in operations(document)
        if "507" in one["responses"]
    }
    assert full == {"/bots", "/bots/{name}/versions", "/drafts"}


def test_every_body_is_required(document: dict[str, Any]) -> None:
    bodies = [one["requestBody"] for *_, one in operations(document) if "requestBody" in one]
    assert bodies
    assert all(body["required"] for body in bodies)


def test_every_operation_says_what_it_is_and_may_answer(document: dict[str, Any]) -> None:
    for method, path, operation in operations(document):
        assert operation["summary"], path
        assert operation["operationId"], path
        assert {"400", "401", "422", "429", "503"} <= set(operation["responses"]), path
        if method != "get":
            assert {"403", "404", "409"} <= set(operation["responses"]), path
        if "requestBody" in operation:
            assert {"413", "415"} <= set(operation["responses"]), path


def test_a_request_that_needs_an_account_says_so(document: dict[str, Any], nobody: Caller) -> None:
    filled = {"owner": "alice", "name": "bot", "game": "bomb", "season": "1", "version": "1"}
    public = set()
    for method, path, one in operations(document):
        if method != "get" or path.endswith("/events"):
            continue
        address = re.sub(r"{(\w+)}", lambda part: filled.get(part[1], "1" * 32), path)
        status = nobody.get(address.removeprefix("/api/v1")).status_code
        if {} in one["security"]:
            public.add(path.removeprefix("/api/v1"))
            assert status in (200, 404), path
        else:
            assert status in ((401, 404, 422) if "{" in path else (401,)), path
    assert {"/games", "/matches/{match}", "/versions/{version}", "/join/{code}"} <= public
    assert not {"/whoami", "/notices", "/webhooks", "/tokens", "/users", "/health"} & public


def test_it_names_the_headers_that_a_client_must_read(document: dict[str, Any]) -> None:
    for status in ("429", "503"):
        assert "Retry-After" in document["components"]["responses"][status]["headers"]
    located = {
        path.removeprefix("/api/v1")
        for method, path, one in operations(document)
        if "Location" in one["responses"].get("201", {}).get("headers", ())
    }
    assert {"/bots", "/bots/{name}/versions", "/drafts", "/comparisons", "/tables"} <= located
    assert located == {
        path.removeprefix("/api/v1")
        for method, path, one in operations(document)
        if "Location" in one["summary"]
    } | {"/leagues", "/seasons"}


def test_names_of_operations_are_unique(document: dict[str, Any]) -> None:
    names = [operation["operationId"] for *_, operation in operations(document)]
    assert len(names) == len(set(names))


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    for reference in re.findall(r"'\$ref': '#/([^']+)'", str(document)):
        found: Any = document
        for part in reference.split("/"):
            found = found[part]
        assert found


def test_errors_are_problem_documents(document: dict[str, Any]) -> None:
    for response in document["components"]["responses"].values():
        assert list(response["content"]) == ["application/problem+json"]


def test_no_page_of_the_document_comes_from_elsewhere(nobody: Caller) -> None:
    page = nobody.client.get("/docs", follow_redirects=True).text
    assert "<h1" in page
    assert 'src="http' not in page
    assert "swagger" not in page.lower()
    assert "servers" not in (nobody.get("/openapi.json").json or {})

"""Every request has an id: in its answer, on its page of errors, in every line of the log."""

from __future__ import annotations

import pytest
from structlog.testing import capture_logs

from matchbox.match import wire
from matchbox.match.host_versions import own_versions
from server.db.models import Role, User
from server.routes.account_source import AccountSource
from server.services import arena_keys
from tests.unit.server.routes.conftest import Caller, MakeApp


def test_a_request_without_an_id_gets_one_and_an_error_page_shows_it(nobody: Caller) -> None:
    answer = nobody.client.get("/nowhere")
    number = answer.headers["X-Request-ID"]
    assert len(number) == 32
    assert f"<code>{number}</code>" in answer.text


@pytest.mark.parametrize(("given", "kept"), [("from-the-proxy.1", True), ("<script>", False)])
def test_a_given_id_is_kept_if_it_is_a_plain_word(nobody: Caller, given: str, kept: bool) -> None:
    answer = nobody.client.get("/healthz", headers={"X-Request-ID": given})
    assert (answer.headers["X-Request-ID"] == given) is kept


def test_the_log_has_a_line_for_each_request_without_its_secret(make_app: MakeApp) -> None:
    nobody = Caller(make_app(access_log=True).test_client())
    with capture_logs() as written:
        nobody.client.get("/first/let-me-in-please?x=y")
    (line,) = [one for one in written if one["event"] == "request"]
    assert (line["method"], line["path"]) == ("GET", "/first/<secret>")
    assert line["address"] == "127.0.0.1"
    assert "let-me-in" not in str(written)


@pytest.mark.parametrize(
    ("method", "path", "shown"),
    [
        ("GET", "/first/let-me-in/", "/first/<secret>/"),
        ("PUT", "/join/abc-def", "/join/<code>"),
        ("PUT", "/join//abc-def", "/join//<code>"),
        ("PUT", "/", "/"),
    ],
)
def test_an_address_that_is_a_little_wrong_does_not_show_its_secret_in_the_log(
    make_app: MakeApp, method: str, path: str, shown: str
) -> None:
    client = make_app(access_log=True).test_client()
    with capture_logs() as written:
        assert client.open(path, method=method).status_code in (404, 405)
    (line,) = [one for one in written if one["event"] == "request"]
    assert line["path"] == shown


def test_the_log_has_no_line_for_an_arena_that_asks_in_vain(make_app: MakeApp) -> None:
    app = make_app(access_log=True)
    context = app.extensions["matchbox"]
    with context.write() as session:
        charlie = User(name="charlie", password="", role=Role.OPERATOR, created_at=0)
        session.add(charlie)
        key = arena_keys.make(session, charlie, "lab", now=0).key
    arena = app.test_client()

    def ask(path: str, body: dict[str, object]) -> int:
        headers = {"Authorization": f"Bearer {key}"}
        return arena.post(f"/remote{path}", json=body, headers=headers).status_code

    assert ask("/walls", {"box": "bwrap", "walled": True, "job": None}) == 204
    with capture_logs() as written:
        assert ask("/jobs", wire.to_plain(own_versions(("numpy",)))) == 204
        assert ask("/jobs", {}) == 422
    assert [one["status"] for one in written if one["event"] == "request"] == [422]


def test_the_log_of_an_error_has_no_secret_of_the_address(
    nobody: Caller, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def break_down(*_: object) -> bool:
        raise ZeroDivisionError

    monkeypatch.setattr(AccountSource, "claim_open", break_down)
    monkeypatch.setitem(nobody.client.application.config, "PROPAGATE_EXCEPTIONS", False)
    assert nobody.client.get("/first/let-me-in-please").status_code == 500
    assert "Exception on /first/<secret> [GET]" in caplog.text
    assert "ZeroDivisionError" in caplog.text
    assert "let-me-in" not in caplog.text


@pytest.mark.parametrize("host", ["x..y", "a" * 80 + ".example"])
@pytest.mark.parametrize("path", ["/", "/nowhere", "/api/v1/games"])
def test_a_host_that_is_no_name_is_refused(nobody: Caller, path: str, host: str) -> None:
    answer = nobody.client.get(path, environ_overrides={"HTTP_HOST": host})
    assert answer.status_code == 400
    assert answer.text == "Bad Request: its Host is not a name\n"

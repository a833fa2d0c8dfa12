"""Requests while another change locks the database."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from apiflask import APIFlask

from matchbox import bundle
from server.db.models import User, Version, VersionState
from server.db.session import Database
from tests.books import SIMPLE, Books
from tests.unit.server.routes.conftest import Browse, Caller, problem
from tests.unit.server.test_health import report

TYPED = {"game": "bomb", "name": "timid", "source": "BOT = None  # mine", "class_name": "Simple"}


@pytest.fixture(autouse=True)
def _impatient(app: APIFlask, books: Books) -> Iterator[None]:
    database = Database(books.settings.database_url, wait_ms=50)
    app.extensions["matchbox"] = replace(books.context, database=database)
    yield
    database.close()


def test_a_form_that_waits_too_long_is_shown_again_with_what_was_typed(
    browse: Browse, alice: User, books: Books
) -> None:
    visitor = browse(alice)
    token = visitor.csrf_token()
    with books.write() as session:
        session.connection()  # the writer's turn begins
        refused = visitor.send("/submit", csrf_token=token, **TYPED)
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "5")
    assert "so nothing was changed; try again in a few seconds" in refused.text
    assert 'value="timid"' in refused.text
    assert "# mine" in refused.text
    assert visitor.send("/submit", csrf_token=token, **TYPED).status_code == 303


def test_the_reason_for_stopping_an_arena_is_not_typed_twice(
    browse: Browse, charlie: User, books: Books
) -> None:
    operator, name = browse(charlie), "arena-1@matchbox"
    token = operator.csrf_token()
    report(books, name)
    with books.write() as session:
        session.connection()
        address = f"/admin/arenas/{name}/stop"
        refused = operator.send(address, csrf_token=token, reason="it has no fan")
    assert refused.status_code == 503
    assert 'value="it has no fan"' in refused.text


def test_the_reason_for_reinstating_a_version_is_not_typed_twice(
    browse: Browse, alice: User, charlie: User, books: Books
) -> None:
    number, operator = books.bot(alice, "shaky").id, browse(charlie)
    token = operator.csrf_token()
    with books.write() as session:
        session.get_one(Version, number).state = VersionState.SUSPENDED
    with books.write() as session:
        session.connection()
        address = f"/admin/versions/{number}/reinstate"
        refused = operator.send(address, csrf_token=token, reason="it was our fault")
    assert refused.status_code == 503
    assert 'value="it was our fault"' in refused.text
    assert "<details open><summary>Reinstate it" in refused.text


def test_ticks_stay_as_they_were_sent(
    browse: Browse, alice: User, charlie: User, books: Books
) -> None:
    author, operator = browse(alice), browse(charlie)
    with books.write() as session:
        session.get_one(User, alice.id).email = "alice@example.org"
    tokens = author.csrf_token(), operator.csrf_token()
    with books.write() as session:
        session.connection()
        chosen = author.send("/account/email/kinds", csrf_token=tokens[0], kind="verdict")
        reset = operator.send("/admin/users/alice/reset", csrf_token=tokens[1], revoke="yes")
    assert (chosen.status_code, reset.status_code) == (503, 503)
    ticked = re.findall(r'name="kind" value="([^"]+)" checked', chosen.text)
    assert ticked == ["verdict"]
    assert 'name="revoke" value="yes" checked' in reset.text


def test_a_program_is_told_when_to_try_again(as_alice: Caller, books: Books) -> None:
    with books.write() as session:
        session.connection()
        answer = as_alice.post("/tokens", {"name": "laptop"})
    assert "nothing was changed" in problem(answer, 503)["detail"]
    assert answer.headers["Retry-After"] == "5"


def test_a_page_is_read_meanwhile_though_its_visit_cannot_be_noted(
    browse: Browse, as_alice: Caller, alice: User, books: Books
) -> None:
    visitor = browse(alice)
    books.clock.pass_by(minutes=30)
    with books.write() as session:
        session.connection()
        assert visitor.get("/inbox").status_code == 200
        assert as_alice.get("/whoami").status_code == 200


def test_nobody_waits_while_an_upload_is_read(
    browse: Browse, as_alice: Caller, alice: User, books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    books.upload(alice, "known", SIMPLE)
    visitor, seen = browse(alice), []
    token = visitor.csrf_token()

    def look(name: str, content: bytes) -> None:
        database = Database(books.settings.database_url, wait_ms=50)
        with database.write() as session:
            session.connection()  # Raises Unavailable if the upload has begun its turn.
        database.close()
        seen.append(name)

    monkeypatch.setattr(bundle, "_check_source", look)
    sent = {"game": "bomb", "file": SIMPLE.decode()}
    statuses = [
        as_alice.post("/bots", {**sent, "name": "known"}).status_code,
        as_alice.post("/bots/known/versions", {"file": sent["file"]}).status_code,
        as_alice.post("/drafts", sent).status_code,
        visitor.send("/submit", csrf_token=token, **TYPED).status_code,
        visitor.send("/submit/try", csrf_token=token, **TYPED).status_code,
    ]
    assert (statuses, len(seen)) == ([201, 201, 201, 303, 303], 5)

"""An answer 503 says truly whether something was changed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.orm import Session

from dashboard import forms
from matchbox.errors import Unavailable
from server.db.models import User
from server.db.session import BUSY
from server.queries import play as queries
from server.services import board_counts, classes, password_links, sessions, standings
from tests.books import GAME, Books
from tests.unit.server.conftest import PASSWORD
from tests.unit.server.routes.conftest import Browse, Browser, Caller, problem

NEW = "another password of dora"


@contextmanager
def busy(owner: Any, name: str) -> Iterator[None]:
    """While it lasts, this function says that the turn to write did not come."""

    def refuse(*_: object, **__: object) -> None:
        raise Unavailable(BUSY)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, refuse)
        yield


@contextmanager
def without_commits() -> Iterator[None]:
    """While it lasts, nothing is committed."""

    def refuse(_: Session) -> None:
        raise Unavailable(BUSY)

    event.listen(Session, "before_commit", refuse)
    try:
        yield
    finally:
        event.remove(Session, "before_commit", refuse)


def sent_twice(visitor: Browser, path: str, **fields: str) -> None:
    """Sends a form that is refused when its session begins or is committed, and then once more."""
    token = visitor.csrf_token()
    before = visitor.cookie
    for refusal in (busy(sessions, "begin"), without_commits()):
        with refusal:
            refused = visitor.send(path, csrf_token=token, **fields)
        assert (refused.status_code, refused.headers["Retry-After"]) == (503, "5")
        assert "so nothing was changed" in refused.text
        assert visitor.cookie == before
    assert visitor.send(path, csrf_token=token, **fields).status_code == 303
    assert visitor.logged_in


def test_an_account_is_made_only_with_its_session(
    browse: Browse, books: Books, charlie: User
) -> None:
    with books.write() as session:
        code = classes.renew_code(session, charlie, GAME, now=books.clock())
    sent_twice(browse(None), "/signup", name="erik", password=PASSWORD)
    sent_twice(browse(None), f"/join/{code}", name="fay", password=PASSWORD)


def test_the_first_operators_link_is_used_only_with_a_session(browse: Browse, books: Books) -> None:
    sent_twice(browse(None), f"/first/{books.operator_link()}", name="erik", password=PASSWORD)


def test_a_password_is_changed_only_with_the_session_after_it(
    browse: Browse, books: Books, dora: User
) -> None:
    sent_twice(browse(dora), "/account/password", old=PASSWORD, new=NEW)
    with books.write() as session:
        user = session.get_one(User, dora.id)
        password_links.make_link(session, user, settings=books.settings, now=books.clock())
    path = password_links.path_of(user, books.settings)
    sent_twice(browse(None), path, password=PASSWORD)


def test_the_api_changes_a_password_only_with_the_session_after_it(
    browse: Browse, dora: User
) -> None:
    visitor, body = browse(dora), {"old": PASSWORD, "new": NEW}
    headers = {"X-CSRFToken": visitor.csrf_token()}
    with busy(sessions, "begin"):
        refused = visitor.client.post("/api/v1/account/password", json=body, headers=headers)
    assert "nothing was changed" in problem(refused, 503)["detail"]
    changed = visitor.client.post("/api/v1/account/password", json=body, headers=headers)
    assert changed.status_code == 200
    assert visitor.get("/api/v1/whoami").status_code == 200


def test_what_was_done_is_not_called_undone_because_its_answer_fails(
    as_alice: Caller, alice: User, books: Books
) -> None:
    books.bot(alice, "simple")
    body = {"game": GAME, "seats": ["me", "alice/simple"]}
    with busy(queries, "table"):
        answer = as_alice.post("/tables", body)
    told = problem(answer, 503)
    assert told["detail"].startswith("this was done, or a part of it, but the answer cannot be")
    assert "Retry-After" not in answer.headers
    assert len(as_alice.get("/tables").get_json()["items"]) == 1


def test_a_form_that_was_done_is_not_called_undone(browse: Browse, dora: User) -> None:
    visitor = browse(dora)
    token = visitor.csrf_token()
    with busy(forms, "account_page"):
        answer = visitor.send("/account/tokens", csrf_token=token, name="laptop", scope="read")
    assert answer.status_code == 503
    assert "This was done, or a part of it" in answer.text
    assert "laptop" in visitor.get("/account").text


def test_a_standing_that_changed_while_it_was_computed_is_not_called_stored(
    as_charlie: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    stamps, compute = count(), standings.compute
    computed: list[object] = []

    def compute_once(*given: Any) -> object:
        if computed:
            raise Unavailable(BUSY)
        computed.append(compute(*given))
        return computed[0]

    monkeypatch.setattr(board_counts, "stamp", lambda *_: next(stamps))
    monkeypatch.setattr(standings, "compute", compute_once)
    answer = as_charlie.post(f"/leagues/{GAME}/recompute")
    assert "so nothing was changed" in problem(answer, 503)["detail"]
    assert answer.headers["Retry-After"] == "5"
    assert computed

"""A forgotten password over HTTP: the answer does not tell whether an address is known."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest
from apiflask import APIFlask

from server.db.models import User
from server.services import accounts, password_links
from tests.books import Books
from tests.unit.server.routes.conftest import Browse, Browser, Caller, MakeApp, problem

OLD, NEW = "a password of dora", "another one of hers"
ADDRESS = "dora@example.org"


@pytest.fixture
def mailing(make_app: MakeApp) -> APIFlask:
    """An application that sends mail, with dora's account."""
    app = make_app(smtp_host="mail.example", smtp_sender="x@bots.example")
    context = app.extensions["matchbox"]
    with context.write() as session:
        user = accounts.sign_up(session, "dora", OLD, signup="open", now=context.now())
        user.email = ADDRESS
    return app


def test_the_answer_is_the_same_for_a_known_and_an_unknown_address(mailing: APIFlask) -> None:
    pages = []
    for address in (ADDRESS, "nobody@example.org"):
        answer = Browser(mailing.test_client()).send("/reset", email=address)
        assert answer.status_code == 200
        assert answer.text.count("is on its way") == 1
        pages.append(re.sub(r'(value|nonce)="[^"]*"', "", answer.text))
        asked = Caller(mailing.test_client()).post("/password-links", {"email": address})
        assert (asked.status_code, asked.data) == (204, b"")
    assert pages[0] == pages[1]
    again = Browser(mailing.test_client()).send("/reset", email="not an address")
    assert (again.status_code, 'value="not an address"' in again.text) == (422, True)


def test_the_link_sets_the_password_and_logs_in(mailing: APIFlask) -> None:
    dora, context = Browser(mailing.test_client()), mailing.extensions["matchbox"]
    dora.send("/reset", email=ADDRESS)
    with context.read() as session:
        user = session.get(User, 1)
        assert user is not None
        path = password_links.path_of(user, context.settings)
    page = dora.get(path)
    assert ('value="dora"' in page.text, page.headers["Referrer-Policy"]) == (True, "same-origin")
    assert dora.send(path, password="short").status_code == 422
    assert dora.send(path, password=NEW).location == "/account"
    assert dora.get("/account").status_code == 200
    assert "used or replaced" in Browser(mailing.test_client()).get(path).text
    assert Browser(mailing.test_client()).send(path, password=OLD).status_code == 403
    with context.read() as session:
        assert accounts.log_in(session, "dora", NEW)


def test_an_operators_link_is_shown_once_by_page_and_by_api(
    browse: Browse,
    books: Books,
    alice: User,
    charlie: User,
    as_alice: Caller,
    as_charlie: Caller,
) -> None:
    page, hers = browse(charlie), browse(alice)
    problem(as_alice.post("/users/bob/password-link"), 403)
    assert hers.send("/admin/users/bob/password-link").status_code == 403
    shown = page.send("/admin/users/alice/password-link")
    assert (shown.status_code, shown.headers["Cache-Control"]) == (200, "no-store")
    (link,) = re.findall(r'class="secret">([^<]+)<', shown.text)
    assert "It works once, until 2023-11-14 23:13:20 UTC." in shown.text
    assert link not in page.get("/admin/users/alice").text
    assert "user.password-link" in page.get("/admin/users/alice").text
    anybody, path = browse(None), urlsplit(link).path
    assert 'value="alice"' in anybody.get(path).text
    books.clock.pass_by(minutes=1)
    made = as_charlie.post("/users/alice/password-link")
    assert (made.status_code, made.get_json()["name"]) == (201, "alice")
    assert "used or replaced" in anybody.get(path).text
    newer = urlsplit(made.get_json()["link"]).path
    assert anybody.send(newer, password=NEW).location == "/account"
    problem(as_charlie.post("/users/nobody/password-link"), 404)
    as_charlie.post("/users/alice/close", {"reason": "left"})
    problem(as_charlie.post("/users/alice/password-link"), 409)
    refused = page.send("/admin/users/alice/password-link")
    assert (refused.status_code, "reopen it first" in refused.text) == (409, True)


def test_where_no_mail_is_sent_the_page_says_whom_to_ask(nobody: Caller) -> None:
    assert "An operator can give you a new password" in nobody.client.get("/reset").text
    problem(nobody.post("/password-links", {"email": ADDRESS}), 403)

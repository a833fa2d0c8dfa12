"""The forms of an account: log-in, log-out, sign-up, tokens, the first operator."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from apiflask import APIFlask

from matchbox.errors import Forbidden
from server.db.models import Role, User
from server.services import accounts, passwords
from tests.books import Books
from tests.unit.server.conftest import PASSWORD
from tests.unit.server.routes.conftest import Browse, Browser, Caller, MakeApp


@pytest.fixture
def link(books: Books) -> str:
    """Returns the secret of the first operator's link."""
    return books.operator_link()


def test_signing_up_logs_in_and_leads_to_the_first_bot(browse: Browse) -> None:
    erik = browse(None)
    answer = erik.send("/signup", name="erik", password=PASSWORD)
    assert (answer.status_code, answer.location) == (303, "/submit")
    assert erik.get("/api/v1/whoami").json == {"name": "erik", "role": "author"}


def test_signing_up_leads_where_the_visitor_wanted_to_go(browse: Browse) -> None:
    visitor = browse(None)
    page = visitor.get("/login?next=/play/bomb?seats%3D2").text
    assert 'href="/signup?next=/play/bomb?seats%3D2"' in page
    page = visitor.get("/signup?next=/play/bomb?seats%3D2").text
    assert 'name="next" value="/play/bomb?seats=2"' in page
    assert 'href="/login?next=/play/bomb?seats%3D2"' in page
    refused = visitor.send("/signup", name="erik", password="tooshort", next="/play/bomb")
    assert 'name="next" value="/play/bomb"' in refused.text
    answer = visitor.send("/signup", name="erik", password=PASSWORD, next="/play/bomb")
    assert (answer.status_code, answer.location) == (303, "/play/bomb")
    outside = browse(None).send("/signup", name="fay", password=PASSWORD, next="//example.org")
    assert outside.location == "/"


def test_a_poor_sign_up_is_shown_again_without_its_password(browse: Browse, dora: User) -> None:
    visitor = browse(None)
    for name, password, status, said in (
        ("dora", PASSWORD, 409, "is taken"),
        ("Not A Name", PASSWORD, 422, "2 to 32"),
        ("erik", "tooshort", 422, "10 characters"),
    ):
        answer = visitor.send("/signup", name=name, password=password)
        assert answer.status_code == status
        assert said in answer.text
        assert f'value="{name}"' in answer.text
        assert password not in answer.text


def test_where_sign_up_is_closed_the_form_says_so(make_app: MakeApp) -> None:
    visitor = Browser(make_app(signup="closed").test_client())
    page = visitor.get("/signup").text
    assert "ask an operator of this platform for an account" in page.lower()
    assert 'action="/signup"' not in page
    answer = visitor.send("/signup", name="erik", password=PASSWORD)
    assert answer.status_code == 403


def test_logging_in_leads_where_the_visitor_wanted_to_go(browse: Browse, dora: User) -> None:
    visitor = browse(None)
    answer = visitor.send("/login", name=" dora ", password=PASSWORD, next="/account")
    assert (answer.status_code, answer.location) == (303, "/account")
    assert visitor.get("/account").status_code == 200


@pytest.mark.parametrize("after", ["//evil.example", "https://evil.example", "/\\evil.example", ""])
def test_logging_in_leads_nowhere_else(browse: Browse, dora: User, after: str) -> None:
    answer = browse(None).send("/login", name="dora", password=PASSWORD, next=after)
    assert answer.location == "/"


def test_a_wrong_password_is_told_as_an_unknown_name_is(browse: Browse, dora: User) -> None:
    visitor = browse(None)
    for name in ("dora", "nobody", "house"):
        answer = visitor.send("/login", name=name, password="a guess", next="/account")
        assert answer.status_code == 403
        assert "the name or the password is wrong" in answer.text.lower()
        assert 'name="next" value="/account"' in answer.text
        assert "a guess" not in answer.text
    assert not visitor.logged_in


def test_logging_out_ends_the_session(browse: Browse, dora: User) -> None:
    visitor = browse(dora)
    assert visitor.send("/logout").location == "/"
    assert not visitor.logged_in
    assert visitor.get("/account").location.startswith("/login")


def test_nobody_is_logged_out_by_a_link(browse: Browse, dora: User) -> None:
    visitor = browse(dora)
    assert visitor.get("/logout").status_code == 405
    assert visitor.logged_in


def test_the_first_link_makes_its_visitor_the_operator_once(browse: Browse, link: str) -> None:
    visitor = browse(None)
    assert "Become the operator" in visitor.get(f"/first/{link}").text
    answer = visitor.send(f"/first/{link}", name="dora", password=PASSWORD)
    assert (answer.status_code, answer.location) == (303, "/admin")
    assert visitor.get("/api/v1/whoami").json == {"name": "dora", "role": "operator"}
    second = browse(None)
    late = second.send(f"/first/{link}", name="mallory", password=PASSWORD)
    assert late.status_code == 403
    assert "has been used" in late.text
    assert not second.logged_in


def test_a_link_that_was_never_made_makes_nobody_anything(browse: Browse, books: Books) -> None:
    visitor = browse(None)
    answer = visitor.send("/first/mbx_guess", name="mallory", password=PASSWORD)
    assert answer.status_code == 403
    with books.read() as session, pytest.raises(Forbidden, match="wrong"):
        accounts.log_in(session, "mallory", PASSWORD)


def test_a_wrong_link_tells_nothing_of_names_and_hashes_nothing(
    browse: Browse, alice: User, link: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passwords, "hash_password", lambda *_: pytest.fail("it was hashed"))
    answer = browse(None).send(f"/first/{link}x", name=alice.name, password=PASSWORD)
    assert answer.status_code == 403
    assert "has been used" in answer.text


def test_a_poor_name_does_not_use_the_link_up(browse: Browse, link: str) -> None:
    visitor = browse(None)
    answer = visitor.send(f"/first/{link}", name="X", password=PASSWORD)
    assert answer.status_code == 422
    assert visitor.send(f"/first/{link}", name="dora", password=PASSWORD).status_code == 303


def test_a_token_is_shown_once_and_works_until_it_is_revoked(
    browse: Browse, dora: User, nobody: Caller
) -> None:
    visitor = browse(dora)
    page = visitor.send("/account/tokens", name="laptop", scope="read")
    assert page.status_code == 200
    assert page.headers["Cache-Control"] == "no-store"
    assert "<code>matchbox login --token http://" in page.text
    found = re.search(r"mbx_[\w-]+", page.text)
    assert found is not None
    nobody.token = found.group()
    assert nobody.get("/whoami").status_code == 200
    account = visitor.get("/account").text
    assert found.group() not in account
    revoke = re.search(r"/account/tokens/\d+/revoke", account)
    assert revoke is not None
    assert visitor.send(revoke.group()).location == "/account"
    assert nobody.get("/whoami").status_code == 401


def test_a_new_password_ends_every_other_session(browse: Browse, dora: User) -> None:
    here, there = browse(dora), browse(dora)
    answer = here.send("/account/password", old=PASSWORD, new="battery staple")
    assert (answer.status_code, answer.location) == (303, "/account")
    assert "Your new password holds" in here.get("/account").text
    assert "Your new password holds" not in here.get("/account").text
    assert there.get("/account").location.startswith("/login")
    assert browse(None).send("/login", name="dora", password="battery staple").location == "/"


@pytest.mark.parametrize(
    ("old", "new", "status", "said"),
    [
        ("not the old one", "battery staple", 403, "the password is wrong"),
        (PASSWORD, "tooshort", 422, "10 characters"),
        (PASSWORD, PASSWORD, 422, "the new password is the old one"),
    ],
)
def test_a_password_that_does_not_change_says_why(
    browse: Browse, dora: User, old: str, new: str, status: int, said: str
) -> None:
    visitor = browse(dora)
    answer = visitor.send("/account/password", old=old, new=new)
    assert answer.status_code == status
    assert said in alert_of(answer.text, "password").lower()
    assert visitor.logged_in
    assert browse(None).send("/account/password", old=old, new=new).status_code == 401


@pytest.mark.parametrize(
    ("path", "fields", "section", "said"),
    [
        ("/account/tokens", {"name": "laptop"}, "tokens", "at least one of these"),
        ("/account/email", {"email": "d@example.org"}, "email", "the password is wrong"),
        ("/account/webhooks", {"url": "nowhere"}, "webhooks", "https://"),
        ("/account/delete", {}, "delete", "the password is wrong"),
    ],
)
def test_an_error_is_shown_at_the_form_that_was_sent(
    app: APIFlask,
    books: Books,
    browse: Browse,
    dora: User,
    path: str,
    fields: dict[str, str],
    section: str,
    said: str,
) -> None:
    settings = replace(books.settings, smtp_host="mail.example", smtp_sender="x@mail.example")
    app.extensions["matchbox"] = replace(books.context, settings=settings)
    answer = browse(dora).send(path, **{"name": "dora", **fields})
    assert answer.status_code in (403, 422)
    assert said in alert_of(answer.text, section).lower()
    wrong = {"tokens": "scope", "webhooks": "url"}.get(section, "password old")
    assert f'data-wrong="{wrong}"' in answer.text
    name = re.search(r'placeholder="laptop" value="(.*?)"', answer.text)
    assert name is not None
    assert name[1] == ("laptop" if section == "tokens" else "")


def alert_of(page: str, section: str) -> str:
    """The only alert of the page, which is below that heading and above the next one."""
    assert page.count('role="alert"') == 1
    _, _, below = page.partition(f' id="{section}">')
    _, _, alert = re.split("<h[23]", below)[0].partition('role="alert">')
    return alert.partition("</p>")[0]


def ticked(page: str, name: str) -> list[str]:
    """The values of the ticked boxes of this name."""
    return re.findall(rf'name="{name}" value="(\w+)" checked', page)


def test_a_form_that_is_shown_again_keeps_what_was_ticked(browse: Browse, dora: User) -> None:
    visitor = browse(dora)
    assert ticked(visitor.get("/account").text, "scope") == ["read", "submit"]
    again = visitor.send("/account/tokens", name="", scope="read", days="30").text
    assert ticked(again, "scope") == ["read"]
    assert '<option value="30" selected>' in again
    wrong = {"old": "wrong", "new": "battery staple"}
    assert ticked(visitor.send("/account/password", **wrong).text, "revoke") == []
    again = visitor.send("/account/password", **wrong, revoke="yes").text
    assert ticked(again, "revoke") == ["yes"]


def test_a_token_without_a_name_is_refused(browse: Browse, dora: User) -> None:
    answer = browse(dora).send("/account/tokens", name="", scope="read")
    assert answer.status_code == 422
    assert "1 to 64" in answer.text
    assert browse(dora).send("/account/tokens", name="  ", scope="read").status_code == 422


def test_a_token_that_may_do_nothing_is_refused(browse: Browse, dora: User, charlie: User) -> None:
    answer = browse(dora).send("/account/tokens", name="x", scope=[])
    assert answer.status_code == 422
    assert "Choose what the token may do, at least one of these: read, submit<" in answer.text
    assert "submit, operate<" in browse(charlie).send("/account/tokens", name="x").text


def test_a_token_for_no_whole_number_of_days_is_refused(browse: Browse, dora: User) -> None:
    answer = browse(dora).send("/account/tokens", name="x", scope="read", days="a week")
    assert answer.status_code == 422
    assert "it must be a whole number" in answer.text
    long = browse(dora).send("/account/tokens", name="x", scope="read", days="1" + "0" * 999)
    assert f"Days is &#39;1{'0' * 59}&#39;...; it must be a whole number from 0" in long.text
    none = browse(dora).send("/account/tokens", name="x", scope="read", days="+")
    assert "Days is &#39;+&#39;; it must" in none.text


def test_tokens_are_for_accounts(browse: Browse, dora: User, bob: User) -> None:
    assert browse(None).send("/account/tokens", name="x").status_code == 401
    assert browse(None).send("/account/tokens/1/revoke").status_code == 401
    browse(dora).send("/account/tokens", name="hers", scope="read")
    assert browse(bob).send("/account/tokens/1/revoke").status_code == 404


def test_an_operator_makes_accounts_and_an_author_does_not(
    browse: Browse, books: Books, dora: User, charlie: User
) -> None:
    fields = {"name": "olaf", "password": PASSWORD, "role": Role.OPERATOR.value}
    assert browse(None).send("/admin/users", **fields).status_code == 401
    assert browse(dora).send("/admin/users", **fields).status_code == 403
    operator = browse(charlie)
    assert operator.send("/admin/users", **fields).location == "/admin/users/olaf"
    again = operator.send("/admin/users", **fields)
    assert again.status_code == 409
    assert PASSWORD not in again.text
    assert operator.send("/admin/users", **{**fields, "role": "king"}).status_code == 422


def test_an_account_shares_its_bots_with_archives_if_its_form_says_so(
    browse: Browse, as_alice: Caller, alice: User
) -> None:
    mine = browse(alice)
    for fields, shares in (({"shares": "yes"}, True), ({}, False)):
        assert mine.send("/account/sharing", **fields).location == "/account"
        assert as_alice.get("/account/sharing").json == {"shares": shares}

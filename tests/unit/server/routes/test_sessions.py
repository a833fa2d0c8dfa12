"""Sessions over HTTP: a copied cookie, a changed password, the cookies' names, the page."""

from __future__ import annotations

import io
import json
import re
import time
from dataclasses import replace
from zipfile import ZipFile

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient
from itsdangerous import TimestampSigner

from server.app import create_app
from server.auth import acting, visitor
from server.db.models import BrowserSession, Token, User
from server.problems import LoginNeeded
from server.services import accounts, sessions
from tests.books import Books
from tests.unit.server.conftest import PASSWORD
from tests.unit.server.routes.conftest import (
    Browse,
    Browser,
    Caller,
    MakeApp,
    problem,
    token_of,
)

NEW = "battery staple"
COOKIE = "matchbox_session"


def cookie_of(browser: Browser) -> str:
    """Returns the browser's cookie."""
    cookie = browser.client.get_cookie(COOKIE)
    assert cookie is not None
    return cookie.value


def thief(browse: Browse, cookie: str) -> Browser:
    """Returns a browser with a copy of the cookie."""
    browser = browse(None)
    browser.client.set_cookie(COOKIE, cookie)
    return browser


def knows(browser: Browser) -> bool:
    """Returns whether the browser is logged in."""
    return browser.get("/api/v1/whoami").status_code == 200


@pytest.mark.parametrize(("ahead_s", "goes_on"), [(30, True), (90, False)])
def test_a_cookie_of_a_server_whose_clock_is_a_little_ahead_is_read(
    ahead_s: int, goes_on: bool, browse: Browse, dora: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        later = int(time.time()) + ahead_s
        patch.setattr(TimestampSigner, "get_timestamp", lambda signer: later)
        visitor = browse(dora)
    assert knows(visitor) is goes_on
    copy = thief(browse, cookie_of(visitor)[:-9] + 9 * "A")
    assert not knows(copy), "its signature is still checked"


def test_a_copied_cookie_ends_with_the_logout(browse: Browse, dora: User) -> None:
    visitor = browse(dora)
    copy = thief(browse, cookie_of(visitor))
    assert knows(copy), "the witness: until then it works"
    visitor.send("/logout")
    assert not knows(copy)
    assert copy.get("/account").location.startswith("/login")
    assert problem(copy.get("/api/v1/tokens"), 401)


def test_a_logout_leaves_nothing_in_the_cookie(browse: Browse, dora: User) -> None:
    visitor = browse(dora)
    with visitor.client.session_transaction() as session:
        session["planted"] = "before the logout"
    visitor.send("/logout")
    with visitor.client.session_transaction() as session:
        assert "planted" not in session


def test_a_logout_ends_no_other_session(browse: Browse, dora: User) -> None:
    here, there = browse(dora), browse(dora)
    here.send("/logout")
    assert knows(there)


def test_a_cookie_copied_before_the_log_in_is_nobodys(browse: Browse, dora: User) -> None:
    visitor = browse(None)
    visitor.get("/login")
    planted = thief(browse, cookie_of(visitor))
    assert visitor.send("/login", name="dora", password=PASSWORD).status_code == 303
    assert knows(visitor)
    assert not knows(planted)


def test_logging_in_anew_ends_the_session_before(browse: Browse, dora: User) -> None:
    visitor = browse(dora)
    copy = thief(browse, cookie_of(visitor))
    visitor.send("/login", name="dora", password=PASSWORD)
    assert knows(visitor)
    assert not knows(copy)


@pytest.mark.parametrize("way", ["form", "api"])
def test_a_new_password_ends_every_other_session(browse: Browse, dora: User, way: str) -> None:
    here, there = browse(dora), browse(dora)
    copy = thief(browse, cookie_of(here))
    if way == "form":
        assert here.send("/account/password", old=PASSWORD, new=NEW).status_code == 303
    else:
        header = {"X-CSRFToken": here.csrf_token()}
        body = {"old": PASSWORD, "new": NEW}
        told = here.client.post("/api/v1/account/password", json=body, headers=header)
        assert told.json == {"name": "dora", "role": "author"}
    assert knows(here)
    assert not knows(there)
    assert not knows(copy)


def test_a_new_password_leaves_tokens_alone_unless_they_are_to_go(
    browse: Browse, dora: User, books: Books, nobody: Caller
) -> None:
    with books.write() as session:
        nobody.token = accounts.make_token(session, dora, "ci", now=books.clock())
    visitor = browse(dora)
    visitor.send("/account/password", old=PASSWORD, new=NEW)
    assert nobody.get("/whoami").status_code == 200
    visitor.send("/account/password", old=NEW, new=PASSWORD, revoke="yes")
    problem(nobody.get("/whoami"), 401)


def test_a_token_may_change_the_password_and_is_revoked_with_the_others(
    dora: User, books: Books, nobody: Caller, browse: Browse
) -> None:
    with books.write() as session:
        nobody.token = accounts.make_token(session, dora, "ci", now=books.clock())
    browser = browse(dora)
    wrong = {"old": "not the old one", "new": NEW, "revoke_tokens": True}
    problem(nobody.post("/account/password", wrong), 403)
    poor = {"old": PASSWORD, "new": "password123"}
    assert "common ones" in problem(nobody.post("/account/password", poor), 422)["detail"]
    assert knows(browser)
    right = {"old": PASSWORD, "new": NEW, "revoke_tokens": True}
    assert nobody.post("/account/password", right).status_code == 200
    assert not knows(browser)
    problem(nobody.get("/whoami"), 401)


def test_guessing_the_old_password_has_to_wait_as_at_the_log_in(
    dora: User, books: Books, nobody: Caller
) -> None:
    with books.write() as session:
        nobody.token = accounts.make_token(session, dora, "ci", now=books.clock())
    for _ in range(4):
        problem(nobody.post("/account/password", {"old": PASSWORD, "new": "password123"}), 422)
    guess = {"old": "a guess of it", "new": NEW}
    for _ in range(3):
        problem(nobody.post("/account/password", guess), 403)
    told = problem(nobody.post("/account/password", guess), 429)
    assert "too many wrong passwords" in told["detail"]


def test_the_page_lists_the_sessions_and_ends_them(browse: Browse, dora: User, bob: User) -> None:
    here, second, third, his = browse(dora), browse(dora), browse(dora), browse(bob)
    page = here.get("/account").text
    assert page.count("this one") == 1
    ends = re.findall(r"/account/sessions/\d+/end", page)
    assert len(ends) == 2
    assert his.send(ends[0]).status_code == 404
    assert here.send(ends[0]).location == "/account"
    assert [knows(browser) for browser in (here, second, third)].count(True) == 2
    assert here.send("/account/sessions/end").location == "/account"
    assert [knows(browser) for browser in (here, second, third, his)] == [True, False, False, True]


def test_a_form_of_a_session_that_was_ended_elsewhere_says_what_to_do(
    browse: Browse, nobody: Caller, dora: User
) -> None:
    here, other = browse(dora), browse(dora)
    form = {"csrf_token": here.csrf_token(), "shares": "yes"}
    other.send("/account/sessions/end")
    answer = here.client.post("/account/sharing", data=form)
    assert answer.status_code == 401
    assert "your session has ended, so nothing was done; log in, then go back" in answer.text
    assert "Bearer" not in answer.text
    assert "Bearer" in problem(nobody.post("/account/sharing", {"shares": True}), 401)["detail"]


def test_the_api_lists_the_sessions_and_ends_them(
    browse: Browse, as_alice: Caller, as_bob: Caller, alice: User
) -> None:
    browser = browse(alice)
    (own,) = browser.get("/api/v1/account/sessions").json["items"]  # type: ignore[index]
    assert (own["browser"], own["current"]) == ("a test", True)
    (seen,) = as_alice.get("/account/sessions").json["items"]  # type: ignore[index]
    assert (seen["id"], seen["current"]) == (own["id"], False)
    problem(as_bob.delete(f"/account/sessions/{own['id']}"), 404)
    assert as_alice.delete(f"/account/sessions/{own['id']}").status_code == 204
    assert not knows(browser)


@pytest.mark.parametrize(("hops", "known"), [(0, "127.0.0.1"), (1, "192.0.2.7")])
def test_a_session_shows_the_address_that_it_was_last_used_from(
    books: Books, dora: User, charlie: User, hops: int, known: str
) -> None:
    settings = replace(books.settings, trusted_proxies=hops)
    app = create_app(replace(books.context, settings=settings))
    hers = Browser(app.test_client())
    hers.client.environ_base["HTTP_X_FORWARDED_FOR"] = "192.0.2.7"
    hers.send("/login", name="dora", password=PASSWORD)
    assert f"<code>{known}</code>" in hers.get("/account").text
    hers.client.environ_base["HTTP_X_FORWARDED_FOR"] = "2001:db8::9"
    books.clock.pass_by(minutes=1)
    hers.get("/account")
    (line,) = hers.get("/api/v1/account/sessions").get_json()["items"]
    now_known = "2001:db8::9" if hops else known
    assert line["address"] == now_known
    with hers.send("/account/data") as answer, ZipFile(io.BytesIO(answer.data)) as archive:
        told = json.loads(archive.read("account.json"))
    assert [one["address"] for one in told["sessions"]] == [now_known]
    operator = Caller(app.test_client(), token_of(books, charlie))
    assert operator.get("/users/dora").get_json()["sessions"][0]["address"] == now_known
    (listed,) = operator.get("/sessions").get_json()["items"]
    assert (listed["account"], listed["address"]) == ("dora", now_known)
    hers.send("/logout")
    assert operator.get("/sessions").get_json()["items"] == []


def test_operators_see_who_is_logged_in(
    browse: Browse, alice: User, charlie: User, as_alice: Caller
) -> None:
    hers, page = browse(alice), browse(charlie)
    assert 'href="/admin/sessions"' in page.get("/admin").text
    told = page.get("/admin/sessions").text
    assert ('href="/admin/users/alice"' in told, told.count("this one")) == (True, 1)
    (end,) = re.findall(r"/admin/users/alice/sessions/\d+/end", told)
    assert page.send(end).status_code == 303
    assert not knows(hers)
    assert browse(alice).get("/admin/sessions").status_code == 403
    assert browse(None).get("/admin/sessions").location.startswith("/login")
    problem(as_alice.get("/sessions"), 403)


def test_a_session_that_is_used_lasts(browse: Browse, dora: User, books: Books) -> None:
    used, idle = browse(dora), browse(dora)
    for _ in range(4):
        books.clock.pass_by(minutes=8 * 1440)
        assert knows(used)
    assert not knows(idle)


def test_a_late_answer_does_not_bring_the_cookie_of_an_earlier_log_in_back(
    browse: Browse, dora: User, books: Books
) -> None:
    browser = browse(None)
    browser.send("/login", name="dora", password=PASSWORD)
    browser.get("/account")  # its forms have a secret, which the cookie holds from now on
    for path in ("/account", "/api/v1/whoami", "/leaderboards/bomb"):
        assert "Set-Cookie" not in browser.get(path).headers
    books.clock.pass_by(minutes=11)
    renewed = browser.get("/account").headers["Set-Cookie"]
    assert renewed.startswith(f"{COOKIE}=")
    assert "Expires=" in renewed


def test_a_file_that_shared_caches_keep_renews_no_cookie(
    browse: Browse, dora: User, books: Books
) -> None:
    browser = browse(dora)
    found = re.search(r'"(/assets/[^"]+[?]v=[^"]+)"', browser.get("/").text)
    assert found is not None
    books.clock.pass_by(minutes=11)
    answer = browser.get(found[1])
    assert answer.headers["Cache-Control"].startswith("public")
    assert "Set-Cookie" not in answer.headers
    assert "Set-Cookie" in browser.get("/account").headers


def test_a_common_password_is_refused_with_its_reason(browse: Browse) -> None:
    visitor = browse(None)
    for password, said in (
        ("Password2026", "common ones"),
        ("erik-erik-erik", "account&#39;s name"),
    ):
        answer = visitor.send("/signup", name="erik", password=password)
        assert answer.status_code == 422
        assert said in answer.text
    assert not visitor.logged_in


# --- Cookies ---------------------------------------------------------------------------------


def signed_up(client: FlaskClient) -> list[str]:
    """Returns the cookies that signing up sets."""
    page = client.get("/signup", base_url="https://bots.example").text
    token = re.search(r'name="csrf_token" value="([^"]+)"', page)
    assert token is not None
    answer = client.post(
        "/signup",
        data={"name": "erik", "password": PASSWORD, "csrf_token": token[1]},
        base_url="https://bots.example",
        headers={"Referer": "https://bots.example/signup"},
    )
    assert answer.status_code == 303, answer.text
    return answer.headers.getlist("Set-Cookie")


@pytest.mark.parametrize(
    "settings", [{"server_url": "https://bots.example"}, {"secure_cookies": True}]
)
def test_over_https_every_cookie_is_secure_and_of_this_host_alone(
    make_app: MakeApp, settings: dict[str, object]
) -> None:
    cookies = signed_up(make_app(**settings).test_client())
    assert cookies
    for cookie in cookies:
        parts = cookie.split("; ")
        assert parts[0].startswith("__Host-matchbox_")
        assert {"Secure", "HttpOnly", "Path=/", "SameSite=Lax"} <= set(parts)
        assert "Domain=" not in cookie


def test_over_http_the_cookies_have_plain_names(make_app: MakeApp) -> None:
    answer = make_app(server_url="http://bots.example").test_client().get("/login")
    (cookie,) = answer.headers.getlist("Set-Cookie")
    assert cookie.startswith(f"{COOKIE}=")
    assert "Secure" not in cookie
    assert "Strict-Transport-Security" not in answer.headers


def test_over_https_a_cookie_of_the_plain_name_opens_nothing(
    make_app: MakeApp, books: Books, browse: Browse, dora: User
) -> None:
    cookie = cookie_of(browse(dora))
    settings = books.settings.__class__(
        secret_key=books.settings.secret_key, server_url="https://bots.example"
    )
    context = books.context.__class__(
        settings, books.context.database, books.context.sender, books.clock
    )
    for name, status in ((COOKIE, 401), (f"__Host-{COOKIE}", 200)):
        client = create_app(context).test_client()
        client.set_cookie(name, cookie, domain="bots.example", secure=True)
        told = client.get("/api/v1/whoami", base_url="https://bots.example")
        assert told.status_code == status


@pytest.mark.parametrize("closed", [False, True])
def test_a_right_that_ends_while_a_request_waits_for_its_turn_is_gone(
    app: APIFlask, books: Books, browse: Browse, dora: User, alice: User, closed: bool
) -> None:
    with books.write() as session:
        secret = accounts.make_token(session, dora, "laptop", now=books.clock())
    cookie = {"Cookie": f"{COOKIE}={cookie_of(browse(dora))}"}
    token = {"Authorization": f"Bearer {secret}"}
    for headers, row in ((token, Token), (cookie, BrowserSession)):
        with app.test_request_context(headers=headers):
            assert visitor() is not None
            with acting() as (_, actor, _now):
                assert actor.id == dora.id, "the witness: until then it acts"
            with books.write() as session:
                if closed:
                    session.get_one(User, dora.id).closed_at = books.clock()
                elif row is Token:
                    session.get_one(Token, 1).revoked_at = books.clock()
                else:  # and another account logs in: SQLite gives it the row's number
                    session.delete(session.get_one(BrowserSession, 1))
                    session.flush()
                    sessions.begin(session, alice, agent="curl", now=books.clock())
                    assert session.get_one(BrowserSession, 1).user_id == alice.id
            with pytest.raises(LoginNeeded), acting():
                pass
            with books.write() as session:
                session.get_one(User, dora.id).closed_at = None


def test_a_closed_account_has_neither_sessions_nor_tokens(
    books: Books, browse: Browse, dora: User, as_alice: Caller, alice: User
) -> None:
    browser = browse(dora)
    assert knows(browser), "the witness"
    with books.write() as session:
        for user in (dora, alice):
            session.get_one(User, user.id).closed_at = books.clock()
    assert not knows(browser)
    assert "closed" in problem(as_alice.get("/whoami"), 401)["detail"]

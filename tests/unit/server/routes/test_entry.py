"""Requests at the entry: cookies, forged forms, headers, rates, sizes, and the form of errors."""

from __future__ import annotations

import gzip
import re
import time

import pytest
from apiflask import APIFlask
from flask import g
from sqlalchemy import select
from werkzeug.test import TestResponse

from matchbox import registry
from matchbox.errors import BadSetting
from server.app import MAX_BYTES
from server.auth import WITHOUT_ACCOUNT, reader
from server.context import Context
from server.db.models import Invitation, Role, User
from server.headers import content_policy
from server.rate_limits import WAIT_S, network_of, storage_uri
from server.services import accounts, arena_keys, leagues, walls
from tests.books import SIMPLE, Books
from tests.unit.server.routes.conftest import Browse, Browser, Caller, MakeApp, problem

PASSWORD = "a password of dora"


def test_a_sessions_cookie_is_for_this_site_and_no_script(browse: Browse) -> None:
    cookie = browse(None).send("/signup", name="dora", password=PASSWORD).headers["Set-Cookie"]
    assert "Expires=" in cookie, "it outlives the browser's window"
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Secure" not in cookie


def test_behind_https_the_cookie_is_secure(make_app: MakeApp) -> None:
    client = make_app(secure_cookies=True).test_client()
    answer = client.get("/login")
    assert "Secure" in answer.headers["Set-Cookie"]
    assert answer.headers["Strict-Transport-Security"].startswith("max-age=")


def test_logging_in_leaves_nothing_of_the_session_before(app: APIFlask, browse: Browse) -> None:
    dora = browse(None)
    with dora.client.session_transaction() as session:
        session["planted"] = "by mallory"
    dora.send("/signup", name="dora", password=PASSWORD)
    with dora.client.session_transaction() as session:
        assert "planted" not in session
        assert "_user_id" in session


def test_a_form_without_its_csrf_token_changes_nothing(
    browse: Browse, alice: User, nobody: Caller
) -> None:
    forger = browse(alice)
    for token in ("", "wrong"):
        answer = forger.send("/account/tokens", name="stolen", csrf_token=token)
        assert answer.status_code == 400
        assert answer.mimetype == "text/html"
        assert "Nothing was changed: check the form and send it again." in answer.text
    assert "stolen" not in forger.get("/account").text


def test_a_page_that_was_left_open_after_a_log_out_asks_to_log_in(
    browse: Browse, alice: User
) -> None:
    visitor = browse(alice)
    token = visitor.csrf_token()
    visitor.send("/logout")
    for form in ("/account/tokens", "/bots/alice/timid/retire"):
        answer = visitor.send(form, name="x", csrf_token=token)
        assert answer.status_code == 400
        assert "Nothing was changed: log in if you have been logged out, load" in answer.text
        assert "token" not in answer.text


def test_a_browser_without_cookies_is_told_to_keep_them(make_app: MakeApp) -> None:
    sent = {"name": "alice", "password": "x", "csrf_token": "seen on a page"}
    for address, place in (("https://bots.example", ", and open it at https://bots.example."),
                           ("http://bots.example", "cookies.")):  # fmt: skip
        answer = make_app(server_url=address).test_client().post("/login", data=sent)
        assert answer.status_code == 400
        assert f"let the browser keep this site&#39;s cookies{place.removeprefix('cookies')}" in (
            answer.text
        )


@pytest.mark.parametrize(
    ("asked", "place"),
    [("/docs", "/docs/"), ("/docs?q=arena", "/docs/?q=arena"), ("/docs//", "/docs/")],
)
def test_a_redirect_leads_to_the_site_itself_however_a_proxy_calls_it(
    make_app: MakeApp, asked: str, place: str
) -> None:
    client = make_app(server_url="https://bots.example").test_client()
    location = client.get(asked, base_url="http://127.0.0.1:8000").headers.get("Location")
    assert location == place


def test_a_form_that_was_opened_before_the_last_log_in_is_shown_again_with_what_was_typed(
    browse: Browse,
) -> None:
    dora = browse(None)
    dora.send("/signup", name="dora", password=PASSWORD)
    old = dora.csrf_token()
    dora.send("/logout")
    dora.send("/login", name="dora", password=PASSWORD)
    typed = {"name": "timid", "game": "bomb", "source": SIMPLE, "class_name": "Simple"}
    refused = dora.send("/submit", csrf_token=old, **typed)
    assert refused.status_code == 400
    assert 'value="timid"' in refused.text
    token = re.search(r'name="csrf_token" value="([^"]+)"', refused.text)
    assert token is not None
    assert dora.send("/submit", csrf_token=token[1], **typed).status_code == 303


def test_a_form_of_a_page_that_is_closed_to_the_visitor_is_refused_by_an_error_page(
    browse: Browse,
) -> None:
    answer = browse(None).client.post("/account/tokens", data={"name": "mine"})
    assert answer.status_code == 400
    assert "load the page again" in answer.text


@pytest.mark.parametrize("path", ["/login", "/signup"])
def test_nobody_is_logged_in_by_a_forged_form(browse: Browse, path: str) -> None:
    browse(None).send("/signup", name="dora", password=PASSWORD)
    visitor = browse(None)
    answer = visitor.send(path, name="dora", password=PASSWORD, csrf_token="")
    assert answer.status_code == 400
    assert "Nothing was changed" in answer.text
    problem(visitor.get("/api/v1/whoami"), 401)


def test_a_cookie_alone_changes_nothing_through_the_api(browse: Browse, alice: User) -> None:
    forger = browse(alice)
    told = problem(forger.client.post("/api/v1/tokens", json={"name": "stolen"}), 400)
    assert told["type"] == "urn:matchbox:problem:forged-form"
    header = {"X-CSRFToken": forger.csrf_token()}
    made = forger.client.post("/api/v1/tokens", json={"name": "mine"}, headers=header)
    assert made.status_code == 201


def test_a_change_through_the_api_wants_an_account_before_it_is_read(app: APIFlask) -> None:
    client = app.test_client()
    tried = 0
    for rule in app.url_map.iter_rules():
        if "POST" in (rule.methods or ()) and rule.rule.startswith("/api/"):
            parts = {name: "1" * 8 if name == "match" else "1" for name in rule.arguments}
            parts |= {name: "1" * 32 for name in ("table",) if name in rule.arguments}
            parts |= {name: "a-name" for name in ("name", "owner", "key") if name in rule.arguments}
            path = app.url_map.bind("").build(rule.endpoint, parts, method="POST")
            expected = 400 if rule.endpoint in WITHOUT_ACCOUNT else 401
            sent = {"data": b"no JSON", "content_type": "application/json"}
            assert client.post(path, **sent).status_code == expected, path
            tried += 1
    assert tried > 15


def test_a_cookie_reads_through_the_api(browse: Browse, alice: User) -> None:
    assert browse(alice).get("/api/v1/whoami").json == {"name": "alice", "role": "author"}


def test_a_request_with_a_token_is_judged_by_it_alone(
    browse: Browse, alice: User, as_bob: Caller
) -> None:
    client = browse(alice).client
    told = client.get("/api/v1/whoami", headers=as_bob.headers)
    assert told.json == {"name": "bob", "role": "author"}
    problem(client.get("/api/v1/whoami", headers={"Authorization": "Bearer wrong"}), 401)
    problem(client.get("/api/v1/whoami", headers={"Authorization": "Basic YTpi"}), 401)
    _, _, secret = as_bob.headers["Authorization"].partition(" ")
    problem(client.get("/api/v1/whoami", headers={"Authorization": f"Basic {secret}"}), 401)


def test_an_address_that_is_none_is_not_found_with_a_token_either(
    as_bob: Caller, as_charlie: Caller
) -> None:
    for caller in (as_bob, as_charlie):
        problem(caller.get("/nothing"), 404)


def test_the_database_session_of_a_page_ends_with_its_request(app: APIFlask) -> None:
    with app.test_request_context("/"):
        with reader() as session:
            session.scalar(select(User.id))
        kept = g.reader  # Otherwise it is closed when it is collected as garbage.
        assert session.in_transaction()
    assert not session.in_transaction()
    kept.close()


def test_the_session_of_an_account_that_is_gone_opens_nothing(app: APIFlask) -> None:
    client = app.test_client()
    with client.session_transaction() as session:
        session["_user_id"] = "999"
    problem(client.get("/api/v1/whoami"), 401)


@pytest.mark.parametrize("path", ["/", "/login", "/api/v1/games", "/nothing", "/healthz"])
def test_every_answer_carries_the_headers(nobody: Caller, path: str) -> None:
    headers = nobody.client.get(path).headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"
    assert "private" in headers["Cache-Control"]
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy


@pytest.mark.parametrize("path", ["/leaderboards/bomb", "/api/v1/openapi.json"])
def test_pages_and_json_are_compressed_for_browsers_that_ask(nobody: Caller, path: str) -> None:
    plain = nobody.client.get(path)
    packed = nobody.client.get(path, headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in packed.headers["Vary"]
    assert len(packed.data) < len(plain.data) / 2
    without_nonce = [
        re.sub(rb'nonce="[^"]+"', b"", one) for one in (gzip.decompress(packed.data), plain.data)
    ]
    assert without_nonce[0] == without_nonce[1]


def test_events_are_not_compressed(nobody: Caller) -> None:
    answer = nobody.client.get("/api/v1/events", headers={"Accept-Encoding": "gzip"})
    assert answer.mimetype == "text/event-stream"
    assert "Content-Encoding" not in answer.headers
    answer.close()


def test_a_nonce_is_new_each_time_and_stands_on_every_inline_part(
    browse: Browse, alice: User
) -> None:
    browser = browse(alice)
    first, second = browser.get("/submit"), browser.get("/submit")
    nonces = [
        re.findall(r"'nonce-([^']+)'", one.headers["Content-Security-Policy"])[0]
        for one in (first, second)
    ]
    assert nonces[0] != nonces[1]
    assert content_policy(nonces[0]) == first.headers["Content-Security-Policy"]
    tags = re.findall(r"<(?:script|style)[^>]*>", first.text)
    assert set(re.findall(r'nonce="([^"]+)"', "".join(tags))) == {nonces[0]}
    allowed = ("nonce=", "src=", 'type="application/json"')
    assert not [tag for tag in tags if not any(sign in tag for sign in allowed)]


def test_no_page_names_an_address_outside_our_own(nobody: Caller, books: Books) -> None:
    for path in ("/", "/login", "/signup", "/submit", "/games/bomb", "/leaderboards/bomb",
                 "/seasons", "/matches"):  # fmt: skip
        page = nobody.client.get(path)
        assert page.status_code == 200, path
        assert not re.findall(r'(?:src|href|action)="(?:https?:)?//', page.text), path


def test_a_request_that_is_too_long_is_told_so(
    as_alice: Caller, browse: Browse, alice: User
) -> None:
    kind = "multipart/form-data; boundary=x"
    told = problem(as_alice.post("/bots", data=b"#" * (MAX_BYTES + 1), content_type=kind), 413)
    assert "1 MiB" in told["detail"]
    page = browse(alice).client.post("/submit", data={"source": "#" * (MAX_BYTES + 1)})
    assert page.status_code == 413
    assert page.mimetype == "text/html"
    many = browse(alice).send("/submit", **{f"field-{number}": "x" for number in range(40)})
    assert many.status_code == 413
    assert "The form has more than 32 parts" in many.text


def test_bad_json_is_told_so(nobody: Caller) -> None:
    for data in (b"{", b"", b"\xff"):
        answer = nobody.post("/login", data=data, content_type="application/json")
        problem(answer, 400)
    for data in (b"[]", b"7", b"null"):
        answer = nobody.post("/login", data=data, content_type="application/json")
        problem(answer, 422)


def test_an_unknown_field_and_a_wrong_type_are_refused_by_name(nobody: Caller) -> None:
    told = problem(nobody.post("/login", {"name": 7, "password": "x", "admin": True}), 422)
    assert sorted(told["errors"]) == ["admin", "name"]
    assert told["type"] == "urn:matchbox:problem:bad-input"


def test_an_address_that_few_may_use_names_its_methods(nobody: Caller) -> None:
    answer = nobody.delete("/games")
    problem(answer, 405)
    assert "GET" in answer.headers["Allow"]


def test_people_get_a_page_and_programs_a_problem(nobody: Caller) -> None:
    page = nobody.client.get("/bots/nobody/nothing")
    assert (page.status_code, page.mimetype) == (404, "text/html")
    assert "<h1>" in page.text
    told = problem(nobody.get("/bots/nobody/nothing"), 404)
    assert told["instance"] == "/api/v1/bots/nobody/nothing"
    assert told["type"] == "urn:matchbox:problem:not-found"


def test_an_error_page_repeats_nothing_as_markup(nobody: Caller) -> None:
    page = nobody.client.get("/bots/<script>alert(1)</script>/x")
    assert page.status_code == 404
    assert "<script>alert" not in page.text


def test_a_page_without_the_database_says_so_in_plain_words(
    browse: Browse, alice: User, books: Books
) -> None:
    visitor = browse(alice)
    with books.context.database.connect() as connection:
        connection.exec_driver_sql("ALTER TABLE user RENAME TO lost")
    page = visitor.get("/")
    assert (page.status_code, page.mimetype) == (503, "text/plain")
    assert "try again" in page.text
    problem(visitor.get("/api/v1/whoami"), 503)
    problem(visitor.get("/api/v1/nothing"), 503)


def test_who_asks_too_often_waits(make_app: MakeApp) -> None:
    client = make_app(requests_per_minute=3).test_client()
    for _ in range(3):
        served = client.get("/api/v1/games")
        assert served.status_code == 200
        assert "Retry-After" not in served.headers
        assert "X-RateLimit-Remaining" in served.headers
    answer = client.get("/api/v1/games")
    told = problem(answer, 429)
    assert "wait a minute" in told["detail"]
    assert 0 < told["retry_after"] == int(answer.headers["Retry-After"]) <= 60
    assert client.get("/login").status_code == 429
    assert client.get("/healthz").status_code == 200


def test_after_the_clock_was_ahead_nobody_waits_until_that_time_comes(
    make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    right, ahead_s = time.time, 3_600.0
    with monkeypatch.context() as ahead:
        ahead.setattr(time, "time", lambda: right() + ahead_s)
        client = make_app(requests_per_minute=3).test_client()
        assert client.get("/api/v1/games").status_code == 200
    asked = [client.get("/api/v1/games") for _ in range(4)]
    assert [one.status_code for one in asked] == [200, 200, 429, 200]
    assert int(asked[2].headers["Retry-After"]) <= 60


def test_an_arena_on_another_host_may_ask_ten_times_as_often(make_app: MakeApp) -> None:
    app = make_app(requests_per_minute=1)
    made: Context = app.extensions["matchbox"]
    with made.write() as session:
        boss = User(name="olga", password="", role=Role.OPERATOR, created_at=made.now())
        session.add(boss)
        session.flush()
        key = arena_keys.make(session, boss, "lab", now=made.now()).key
    lab, place = app.test_client(), f"/remote/bundles/{0:064}"
    headers = {"Authorization": f"Bearer {key}"}
    answers = [lab.get(place, headers=headers).status_code for _ in range(11)]
    assert (429 in answers[:10], answers[10]) == (False, 429)
    headers["Authorization"] = "Bearer no-key"
    guesses = [lab.get(place, headers=headers).status_code for _ in range(2)]
    assert guesses == [401, 429]


def test_a_path_that_is_not_counted_leaves_the_counts_where_they_are(
    make_app: MakeApp, caplog: pytest.LogCaptureFixture
) -> None:
    client = make_app(requests_per_minute=1).test_client()
    for path in ("/healthz", "/assets/site.css", "/healthz"):
        assert client.get(path).status_code == 200
    assert not [one for one in caplog.records if one.name == "flask-limiter"]


def test_a_failing_database_does_not_begin_the_count_anew(make_app: MakeApp) -> None:
    app = make_app(requests_per_minute=2)
    made: Context = app.extensions["matchbox"]
    with made.write() as session:
        user = User(name="alice", password="", created_at=made.now())
        session.add(user)
        session.flush()
        token = accounts.make_token(session, user, "test", now=made.now())
    alice = Caller(app.test_client(), token)
    assert alice.get("/games").status_code == 200
    for before, after, status in (("user", "lost", 503), ("lost", "user", 200)):
        with made.database.connect() as connection:
            connection.exec_driver_sql(f"ALTER TABLE {before} RENAME TO {after}")
        assert alice.get("/games").status_code == status
    problem(alice.get("/games"), 429)


def test_a_page_tells_of_the_limit_only_beyond_it(make_app: MakeApp) -> None:
    client = make_app(requests_per_minute=1).test_client()
    assert "X-RateLimit-Remaining" not in client.get("/matches").headers
    refused = client.get("/matches")
    assert refused.status_code == 429
    assert refused.headers["X-RateLimit-Remaining"] == "0"
    assert int(refused.headers["Retry-After"]) <= 60


def test_passwords_are_tried_so_often_from_one_address(make_app: MakeApp) -> None:
    client = make_app(logins_per_minute=2).test_client()
    body = {"name": "alice", "password": "a guess"}
    for _ in range(2):
        problem(client.post("/api/v1/login", json=body), 401)
    problem(client.post("/api/v1/login", json=body), 429)
    problem(client.post("/api/v1/accounts", json=body), 429)
    assert client.get("/login").status_code == 200
    assert client.get("/api/v1/games").status_code == 200


def sign_up(app: APIFlask, *names: str, role: Role = Role.AUTHOR) -> None:
    """Makes accounts with PASSWORD."""
    context: Context = app.extensions["matchbox"]
    with context.write() as session:
        for name in names:
            user = accounts.sign_up(session, name, PASSWORD, signup="open", now=context.now())
            user.role = role


def test_a_whole_class_logs_in_from_one_address(make_app: MakeApp) -> None:
    app = make_app(logins_per_minute=2)
    names = [f"pupil-{number}" for number in range(5)]
    sign_up(app, *names)
    for name in names:
        pupil = Browser(app.test_client())
        assert pupil.send("/login", name=name, password=PASSWORD).status_code == 303
        body = {"name": name, "password": PASSWORD}
        assert app.test_client().post("/api/v1/login", json=body).status_code == 201
    wrong = {"name": "pupil-0", "password": "a guess"}
    told = [app.test_client().post("/api/v1/login", json=wrong).status_code for _ in range(3)]
    assert told == [401, 401, 429], "wrong passwords count"


def test_passwords_that_an_operator_gives_stop_no_log_in(
    make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.rate_limits.CLASS_RATE", 3)
    app = make_app(logins_per_minute=2)
    sign_up(app, "teacher", role=Role.OPERATOR)
    sign_up(app, "pupil")
    teacher = Browser(app.test_client())
    assert teacher.send("/login", name="teacher", password=PASSWORD).status_code == 303
    told = [teacher.send("/admin/users/pupil/reset", revoke="yes").status_code for _ in range(4)]
    assert told == [200, 200, 200, 429]
    body = {"name": "teacher", "password": PASSWORD}
    assert app.test_client().post("/api/v1/login", json=body).status_code == 201


def test_right_passwords_have_a_limit_too(
    make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.rate_limits.CLASS_RATE", 2)
    app = make_app(logins_per_minute=2)
    sign_up(app, "alice")
    body = {"name": "alice", "password": PASSWORD}
    told = [app.test_client().post("/api/v1/login", json=body).status_code for _ in range(3)]
    assert told == [201, 201, 429], "each costs a third of a second to check"


def test_after_wrong_passwords_an_account_waits_and_is_told_how_long(make_app: MakeApp) -> None:
    client = make_app(logins_per_minute=100).test_client()
    body = {"name": "alice", "password": "a guess"}
    for _ in range(3):
        problem(client.post("/api/v1/login", json=body), 401)
    refused = client.post("/api/v1/login", json=body)
    assert refused.headers["Retry-After"] == "1"
    told = problem(refused, 429)
    assert told["detail"].endswith("from your network; try again in 1 second")
    assert told["type"] == "urn:matchbox:problem:too-many"
    assert told["retry_after"] == 1
    problem(client.post("/api/v1/login", json={**body, "name": "bob"}), 401)


def test_the_login_page_says_how_long_to_wait(browse: Browse) -> None:
    visitor = browse(None)
    pages = [visitor.send("/login", name="dora", password="a guess") for _ in range(4)]
    assert [page.status_code for page in pages] == [403, 403, 403, 429]
    assert "Too many wrong passwords for this name" in pages[-1].text
    assert 'value="dora"' in pages[-1].text
    assert "a guess" not in pages[-1].text


def test_uploads_that_wait_are_few_for_each_account_and_address(make_app: MakeApp) -> None:
    settings = {"pending_tryouts": 1, "pending_tryouts_per_address": 2, "trusted_proxies": 1}
    app = make_app(**settings)
    made: Context = app.extensions["matchbox"]
    with made.write() as session:
        walls.report_wall(session, {"box": "bwrap", "walled": True}, now=made.now())
    tokens = {}
    for name in ("alice", "bob", "carol"):
        with made.write() as session:
            user = User(name=name, password="", created_at=made.now())
            session.add(user)
            session.flush()
            tokens[name] = accounts.make_token(session, user, "test", now=made.now())

    def submit(name: str, bot: str, address: str) -> TestResponse:
        headers = {"Authorization": f"Bearer {tokens[name]}", "X-Forwarded-For": address}
        body = {"game": "bomb", "name": bot, "file": SIMPLE.decode()}
        return app.test_client().post("/api/v1/bots", json=body, headers=headers)

    assert submit("alice", "one", "2001:db8::1").status_code == 201
    told = problem(submit("alice", "two", "192.0.2.1"), 429)
    assert told["detail"].startswith("1 of your uploads wait")
    assert submit("bob", "one", "2001:db8::2").status_code == 201
    told = problem(submit("carol", "one", "2001:db8::3"), 429)
    assert told["detail"].startswith("2 uploads from your address wait")
    assert submit("carol", "one", "2001:db8:0:1::3").status_code == 201
    with made.write() as session:
        (league,) = leagues.ensure_default_leagues(
            session, [registry.game("bomb")], made.settings, now=made.now()
        )
        for name in ("dave", "eve"):
            user = User(name=name, password="", created_at=made.now())
            session.add(user)
            session.flush()
            tokens[name] = accounts.make_token(session, user, "test", now=made.now())
            joined = name == "dave"
            row = Invitation(league_id=league.id, user_id=user.id, at=made.now(), joined=joined)
            session.add(row)
    assert submit("dave", "one", "2001:db8::4").status_code == 201, "it is of a class"
    told = problem(submit("dave", "two", "192.0.2.2"), 429)
    assert told["detail"].startswith("1 of your uploads wait")
    assert problem(submit("eve", "one", "2001:db8::5"), 429)["detail"].startswith("2 uploads")


def test_only_trusted_proxies_name_the_address_that_asks(make_app: MakeApp) -> None:
    for hops, last in ((0, 429), (1, 200)):
        client = make_app(requests_per_minute=2, trusted_proxies=hops).test_client()
        answers = [
            client.get("/api/v1/games", headers={"X-Forwarded-For": f"10.0.0.{number}"})
            for number in range(3)
        ]
        assert answers[-1].status_code == last


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("::1", "::/64"),
        ("nowhere", "nowhere"),
    ],
)
def test_an_ipv6_address_counts_as_its_network(address: str, network: str) -> None:
    assert network_of(address) == network


@pytest.mark.parametrize(
    ("addresses", "last"),
    [
        (["2001:db8::1", "2001:db8::2", "2001:db8::ffff:1"], 429),
        (["2001:db8:0:1::1", "2001:db8:0:2::1", "2001:db8:0:3::1"], 401),
        (["::ffff:10.0.0.1", "::ffff:10.0.0.2", "::ffff:10.0.0.3"], 401),
        (["::ffff:10.0.0.1", "10.0.0.1", "::ffff:a00:1"], 429),
    ],
)
def test_passwords_are_counted_by_network(
    make_app: MakeApp, addresses: list[str], last: int
) -> None:
    client = make_app(logins_per_minute=2, trusted_proxies=1).test_client()
    for number, address in enumerate(addresses):
        answer = client.post(
            "/api/v1/login",
            json={"name": f"nobody-{number}", "password": "a guess"},
            headers={"X-Forwarded-For": address},
        )
    assert answer.status_code == last


def test_without_the_prefix_one_network_would_guess_without_end(
    make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.rate_limits.IPV6_PREFIX_LENGTH", 128)
    test_passwords_are_counted_by_network(
        make_app, [f"2001:db8::{number}" for number in range(3)], 401
    )


@pytest.mark.parametrize(
    ("broker", "counters"),
    [
        ("", "memory://"),
        ("redis://queue:6379/0", "redis://queue:6379/0"),
        ("redis+socket:///data/broker.sock?virtual_host=1", "redis+unix:///data/broker.sock"),
        ("unix:///data/broker.sock", "redis+unix:///data/broker.sock"),
    ],
)
def test_counters_are_kept_where_the_queue_is(broker: str, counters: str) -> None:
    assert storage_uri(broker) == counters


def test_where_the_counters_are_gone_the_server_answers_still(make_app: MakeApp) -> None:
    client = make_app(broker_url="redis+socket:///nowhere/broker.sock").test_client()
    assert client.get("/api/v1/games").status_code == 200


def test_an_application_wants_its_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    from server.app import from_environment

    monkeypatch.delenv("MATCHBOX_SECRET_KEY", raising=False)
    with pytest.raises(BadSetting, match="MATCHBOX_SECRET_KEY"):
        from_environment()


def test_a_request_waits_but_a_moment_for_a_broker_that_hangs(make_app: MakeApp) -> None:
    app = make_app(broker_url="redis://127.0.0.1:1/0")
    (limiter,) = app.extensions["limiter"]
    options = limiter.storage.storage.connection_pool.connection_kwargs
    assert options["socket_timeout"] == options["socket_connect_timeout"] == WAIT_S
    assert app.test_client().get("/login").status_code == 200


def test_a_body_with_very_many_mistakes_gets_a_short_answer(
    nobody: Caller, as_alice: Caller
) -> None:
    many: dict[str, list[int]] = {f"{number:x}": [] for number in range(80_000)}
    numbers = [0] * 300_000
    found = {"matches": 1, "out_of": 1, "same": 1, "standing": "same", "lessons": {}}
    found |= {"different": numbers, "unrepeatable": [], "replayed_only": []}
    for answer in (
        nobody.post("/login", many),
        as_alice.post("/tokens", many),
        as_alice.post("/tables", {"game": "bomb", "seats": ["me"], "options": many}),
        as_alice.post("/seasons/1/verifications", found),
    ):
        assert answer.status_code in (400, 422)
        assert len(answer.data) < 10_000

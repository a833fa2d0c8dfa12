"""Log-ins by a real OpenID Connect provider over HTTP: the log-in, linking, and refusals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from apiflask import APIFlask
from joserfc.jwk import RSAKey
from sqlalchemy import select
from werkzeug.test import TestResponse

from server.db.models import BrowserSession, Identity, Role, User
from server.openid_client import Provider as OurSide
from server.services import account_operations, accounts
from tests.books import Books
from tests.openid_provider import SECRET, Person, Provider, provider
from tests.unit.server.routes.conftest import Browse, Browser

PASSWORD = "a password of dora"
NOW = 1_790_000_000_000
BACK = "/login/openid/back"


@pytest.fixture(scope="module")
def running() -> Iterator[Provider]:
    """The provider of this module's tests, started once."""
    with provider() as told:
        yield told


@pytest.fixture
def abroad(running: Provider, app: APIFlask, books: Books) -> Iterator[Provider]:
    """The provider that the application's settings name. It behaves well and knows Dóra."""
    import time

    running.person = Person("1234", {"preferred_username": "Dóra"})
    running.forged, running.spoil, running.describe = None, lambda _: None, lambda _: None
    running.asked.clear()
    running.prompts.clear()
    books.clock.now = time.time_ns() // 1_000_000
    set_up(app, books, running)
    yield running
    app.extensions["matchbox-openid"] = None


def set_up(app: APIFlask, books: Books, told: Provider, **more: Any) -> None:
    """Gives the application the provider's settings."""
    from dataclasses import replace

    known = {
        "openid_issuer": told.issuer,
        "openid_client_id": told.client.client_id,
        "openid_client_secret": SECRET,
        "openid_label": "the school",
    }
    settings = replace(books.settings, **{**known, **more})
    context = replace(books.context, settings=settings)
    app.extensions["matchbox"] = context
    app.extensions["matchbox-openid"] = OurSide(settings)


def leave(browser: Browser, path: str = "/login/openid?next=/account") -> str:
    """Begins a log-in; returns the address to which the provider would send the browser back."""
    answer = browser.get(path)
    assert answer.status_code == 303, answer.text
    assert answer.headers["Cache-Control"] == "no-store"
    there = httpx.get(answer.location, trust_env=False)
    assert there.status_code == 302, there.text
    back = urlsplit(there.headers["location"])
    assert back.path == BACK
    return f"{back.path}?{back.query}"


def visit(browser: Browser, path: str = "/login/openid?next=/account") -> TestResponse:
    """Visits the provider and returns."""
    return browser.get(leave(browser, path))


def sign_up(browser: Browser, name: str = "dora") -> None:
    """Logs in for the first time, and creates an account of that name."""
    assert visit(browser).location == "/login/openid/new"
    answer = browser.send("/login/openid/new", name=name)
    assert (answer.status_code, answer.location) == (303, "/account"), answer.text


def test_the_first_log_in_makes_an_author_and_the_next_one_finds_it(
    browse: Browse, books: Books, abroad: Provider
) -> None:
    first, second = browse(None), browse(None)
    assert visit(first).location == "/login/openid/new"
    page = first.get("/login/openid/new").text
    assert 'value="dora"' in page  # Dóra without accents, since names have ASCII letters only
    assert first.send("/login/openid/new", name="dora").location == "/account"
    assert first.get("/api/v1/whoami").json == {"name": "dora", "role": "author"}
    assert visit(second).location == "/account"
    assert second.get("/api/v1/whoami").json == {"name": "dora", "role": "author"}
    with books.read() as session:
        (row,) = session.scalars(select(Identity))
        assert (row.issuer, row.subject) == (abroad.issuer, "1234")
        assert session.get_one(User, row.user_id).password is None
        assert len(session.scalars(select(BrowserSession)).all()) == 2


def test_what_is_asked_holds_pkce_a_state_and_a_nonce(browse: Browse, abroad: Provider) -> None:
    asked = [parse_qs(urlsplit(browse(None).get("/login/openid").location).query) for _ in range(2)]
    assert asked[0]["code_challenge_method"] == ["S256"]
    assert asked[0]["response_type"] == ["code"]
    for name in ("state", "nonce", "code_challenge"):
        assert len(asked[0][name][0]) >= 43
        assert asked[0][name] != asked[1][name]


@pytest.mark.parametrize("after", ["//evil.example", "https://evil.example", "/\\evil.example"])
def test_it_leads_nowhere_else(browse: Browse, abroad: Provider, after: str) -> None:
    visitor = browse(None)
    visit(visitor, f"/login/openid?next={after}")
    assert visitor.send("/login/openid/new", name="dora").location == "/"
    assert visit(browse(None), f"/login/openid?next={after}").location == "/"


def refused(answer: TestResponse, words: str, status: int = 403) -> None:
    """Checks that the answer is the log-in page with this sentence."""
    assert answer.status_code == status, answer.text
    assert words in answer.text
    assert "<h1>Log in</h1>" in answer.text


@pytest.mark.parametrize(
    ("claim", "value"),
    [
        ("nonce", "another one"),
        ("nonce", None),
        ("aud", ["somebody else"]),
        ("aud", None),
        ("iss", "http://127.0.0.1:1/other"),
        ("exp", 1_700_000_000),
        ("exp", None),
        ("iat", 4_000_000_000),
        ("azp", "somebody else"),
        ("sub", None),
        ("sub", "x" * 256),
        ("at_hash", "bm90IGl0cyBoYXNo"),
    ],
)
def test_a_token_with_a_wrong_claim_logs_nobody_in(
    browse: Browse, books: Books, abroad: Provider, claim: str, value: Any
) -> None:
    def spoil(claims: dict[str, Any]) -> None:
        claims.pop(claim, None)
        if value is not None:
            claims[claim] = value

    abroad.spoil = spoil
    visitor = browse(None)
    refused(visit(visitor), "ID token" if claim != "sub" or not value else "names nobody")
    assert not visitor.logged_in
    assert visitor.send("/login/openid/new", name="dora").status_code == 403
    with books.read() as session:
        assert session.scalar(select(Identity)) is None


def test_a_token_signed_by_another_key_logs_nobody_in(browse: Browse, abroad: Provider) -> None:
    abroad.forged = RSAKey.generate_key(2048, {"kid": "first"})
    refused(visit(browse(None)), "ID token")


@pytest.mark.parametrize("name", ["second", "first"])
def test_new_keys_of_the_provider_are_fetched_once_they_are_used(
    name: str, browse: Browse, abroad: Provider
) -> None:
    sign_up(browse(None))
    former, abroad.key = abroad.key, RSAKey.generate_key(2048, {"kid": name})
    try:
        assert visit(browse(None)).location == "/account"
        assert abroad.asked.count("/realm/keys") == 2
    finally:
        abroad.key = former


def test_keys_of_a_kind_that_is_not_known_here_do_no_harm(
    browse: Browse, abroad: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    point = {"x": "AQAB", "y": "AQAB"}
    further = [{"kty": "EC", "crv": "BP-256", "kid": "card", **point}, {"kty": "OKP", "kid": "?"}]
    monkeypatch.setattr(abroad, "further", further)
    sign_up(browse(None))
    abroad.forged = RSAKey.generate_key(2048, {"kid": "first"})
    refused(visit(browse(None)), "ID token")


def test_an_answer_counts_once_and_only_in_the_browser_that_asked(
    browse: Browse, abroad: Provider
) -> None:
    visitor, other = browse(None), browse(None)
    sign_up(browse(None))
    back = leave(visitor)
    refused(other.get(back), "not begun in this browser")
    leave(other)
    refused(other.get(back), "not begun in this browser")
    assert visitor.get(back).location == "/account"
    refused(visitor.get(back), "not begun in this browser")


def test_two_tabs_may_log_in_at_once(browse: Browse, abroad: Provider) -> None:
    sign_up(browse(None))
    for tabs, oldest_kept in ((["bots", "play"], 0), (["bots", "play", "seasons"], 1)):
        visitor = browse(None)
        ways = [leave(visitor, f"/login/openid?next=/{tab}") for tab in tabs]
        refused(visitor.get(f"{BACK}?state=another&code=x"), "not begun in this browser")
        for way in ways[:oldest_kept]:
            refused(visitor.get(way), "not begun in this browser")
        assert visitor.get(ways[oldest_kept]).location == f"/{tabs[oldest_kept]}"


def test_a_code_is_worth_nothing_without_its_verifier(browse: Browse, abroad: Provider) -> None:
    victim, thief = browse(None), browse(None)
    code = parse_qs(urlsplit(leave(victim)).query)["code"][0]
    state = parse_qs(urlsplit(thief.get("/login/openid").location).query)["state"][0]
    refused(thief.get(f"{BACK}?code={code}&state={state}"), "refused the log-in")


def test_a_log_in_that_takes_too_long_is_begun_again(
    browse: Browse, books: Books, abroad: Provider
) -> None:
    visitor = browse(None)
    back = leave(visitor)
    books.clock.pass_by(minutes=11)
    refused(visitor.get(back), "took too long")


def test_a_web_server_whose_clock_is_behind_goes_on_with_a_log_in(
    browse: Browse, abroad: Provider, books: Books
) -> None:
    visitor = browse(None)
    back = leave(visitor)
    books.clock.pass_by(seconds=-2)  # The next requests come to another server.
    assert visitor.get(back).location == "/login/openid/new"
    books.clock.pass_by(seconds=-2)
    assert visitor.send("/login/openid/new", name="dora").location == "/account"


def test_who_is_refused_there_reads_so_here(browse: Browse, abroad: Provider) -> None:
    abroad.person = None
    refused(visit(browse(None)), "school did not log you in")


def test_a_provider_that_lies_or_is_gone_is_told_in_a_sentence(
    browse: Browse, app: APIFlask, books: Books, abroad: Provider
) -> None:
    abroad.describe = lambda known: known.update(issuer="https://evil.example")
    refused(browse(None).get("/login/openid"), "another name", 503)
    abroad.describe = lambda known: known.update(token_endpoint="file:///etc/passwd")
    refused(browse(None).get("/login/openid"), "token_endpoint", 503)
    abroad.describe = lambda known: None
    set_up(app, books, abroad, openid_issuer="http://127.0.0.1:1/realm")
    refused(browse(None).get("/login/openid"), "try again in a minute", 503)
    page = browse(None).get("/login/openid?next=/submit")
    assert 'name="next" value="/submit"' in page.text


def test_a_name_that_is_taken_or_bad_is_asked_again(
    browse: Browse, alice: User, abroad: Provider
) -> None:
    abroad.person = Person("5", {"preferred_username": "alice"})
    visitor = browse(None)
    visit(visitor)
    assert 'value="alice-2"' in visitor.get("/login/openid/new").text
    for name, status, words in (("alice", 409, "is taken"), ("Not A Name", 422, "2 to 32")):
        answer = visitor.send("/login/openid/new", name=name)
        assert answer.status_code == status
        assert words in answer.text
        assert f'value="{name}"' in answer.text
    assert visitor.send("/login/openid/new", name="alice-2").status_code == 303


def test_accounts_are_made_only_for_whom_the_settings_allow(
    browse: Browse, app: APIFlask, books: Books, abroad: Provider
) -> None:
    set_up(app, books, abroad, openid_domains="school.example, other.example")
    for claims, allowed in (
        ({}, False),
        ({"email": "d@school.example", "email_verified": False}, False),
        ({"email": "d@evil.example", "email_verified": True}, False),
        ({"email": "d@School.example", "email_verified": True}, True),
    ):
        abroad.person = Person("7", claims)
        visitor = browse(None)
        visit(visitor)
        answer = visitor.send("/login/openid/new", name="dora")
        assert answer.status_code == (303 if allowed else 403)
        assert allowed or "verified mail address" in answer.text
    set_up(app, books, abroad, openid_signup="closed")
    abroad.person = Person("8")
    visitor = browse(None)
    visit(visitor)
    assert visitor.send("/login/openid/new", name="erik").status_code == 403


@pytest.fixture
def dora(books: Books) -> User:
    """An operator with a password."""
    with books.write() as session:
        now = books.clock()
        user = accounts.sign_up(session, "dora", PASSWORD, signup="open", now=now)
        user.role = Role.OPERATOR
    return user


def test_who_is_logged_in_links_by_the_password_and_unlinks_by_it(
    browse: Browse, dora: User, abroad: Provider
) -> None:
    mine = browse(dora)
    assert visit(mine).location == "/login/openid/new"
    assert "Your password here" in mine.get("/login/openid/new").text
    assert mine.send("/login/openid/link", password="wrong").status_code == 403
    assert visit(browse(None)).location == "/login/openid/new"  # still unknown
    assert mine.send("/login/openid/link", password=PASSWORD).location == "/account"
    other = browse(None)
    assert visit(other).location == "/account"
    assert other.get("/api/v1/whoami").json == {"name": "dora", "role": "operator"}
    page = other.get("/account").text
    number = page.split("/account/identities/")[1].split("/")[0]
    path = f"/account/identities/{number}/unlink"
    wrong = other.send(path, password="wrong")
    assert wrong.status_code == 403
    section = wrong.text.partition(' id="openid">')[2].partition("<h2")[0]
    assert "The password is wrong" in section
    assert other.send(path, password=PASSWORD).status_code == 303
    assert visit(browse(None)).location == "/login/openid/new"


def test_after_a_change_of_provider_the_account_page_offers_the_new_one(
    browse: Browse, books: Books, dora: User, abroad: Provider
) -> None:
    mine = browse(dora)
    visit(mine)
    mine.send("/login/openid/link", password=PASSWORD)
    link, past = (
        "Link the school",
        "no longer logs in to this account: this site now has another provider",
    )
    page = mine.get("/account").text
    assert "</b> logs in to this account." in page
    assert link not in page
    assert past not in page
    with books.write() as session:
        session.scalars(select(Identity)).one().issuer = "https://earlier.example"
    page = mine.get("/account").text
    assert link in page
    assert past in page
    assert "Unlink it" in page
    assert visit(mine).location == "/login/openid/new"
    assert mine.send("/login/openid/link", password=PASSWORD).location == "/account"
    page = mine.get("/account").text
    assert link not in page
    assert page.count("Unlink it") == 2


def test_a_stranger_links_by_name_and_password(
    browse: Browse, dora: User, abroad: Provider
) -> None:
    visitor = browse(None)
    visit(visitor)
    wrong = visitor.send("/login/openid/link", account="dora", password="wrong")
    assert wrong.status_code == 403
    answer = visitor.send("/login/openid/link", account="dora", password=PASSWORD)
    assert answer.location == "/account"
    assert visitor.logged_in
    assert visit(browse(None)).location == "/account"


def test_an_identity_of_another_account_is_not_linked(
    browse: Browse, dora: User, abroad: Provider
) -> None:
    sign_up(browse(None), "erik")
    mine = browse(dora)
    answer = visit(mine)
    assert answer.status_code == 409
    assert "erik" in answer.text
    assert mine.get("/api/v1/whoami").json == {"name": "dora", "role": "operator"}


def test_without_a_password_a_fresh_log_in_confirms(
    browse: Browse, books: Books, abroad: Provider
) -> None:
    mine = browse(None)
    sign_up(mine)
    books.clock.pass_by(minutes=11)
    for path, fields in (
        ("/account/password", {"new": "another password"}),
        ("/account/delete", {}),
        ("/account/identities/1/unlink", {}),
    ):
        answer = mine.send(path, **fields)
        assert answer.status_code == 403
        assert "log in again" in answer.text
    visit(mine)
    assert mine.send("/account/identities/1/unlink").status_code == 409  # the only way in
    assert mine.send("/account/password", new="another password").status_code == 303
    assert browse(None).send("/login", name="dora", password="another password").status_code == 303


def test_a_deleted_account_leaves_no_identity(
    browse: Browse, books: Books, abroad: Provider
) -> None:
    mine = browse(None)
    sign_up(mine)
    assert mine.send("/account/delete").status_code == 200
    with books.read() as session:
        assert session.scalar(select(Identity)) is None
    assert visit(browse(None)).location == "/login/openid/new"


def test_a_closed_account_stays_closed(
    browse: Browse, books: Books, charlie: User, abroad: Provider
) -> None:
    mine = browse(None)
    sign_up(mine)
    with books.write() as session:
        account_operations.close(session, charlie, "dora", "a test", now=books.clock())
    refused(visit(mine), "is closed")
    assert mine.get("/account").status_code == 302


def test_logging_out_tells_that_the_provider_still_knows(
    browse: Browse, dora: User, abroad: Provider
) -> None:
    mine = browse(None)
    sign_up(mine, "erik")
    assert mine.send("/logout").location == "/login/openid/out"
    assert f"{abroad.issuer}/out?client_id=matchbox" in mine.get("/login/openid/out").text
    assert not mine.logged_in
    assert browse(dora).send("/logout").location == "/"


def test_a_new_password_and_a_link_keep_in_mind_that_the_provider_knows(
    browse: Browse, app: APIFlask, books: Books, dora: User, abroad: Provider
) -> None:
    mine = browse(None)
    sign_up(mine, "erik")
    assert mine.send("/account/password", old="", new="a first password").status_code == 303
    assert mine.send("/logout").location == "/login/openid/out"
    abroad.person = Person("9")
    linked = browse(dora)
    visit(linked)
    assert linked.send("/login/openid/link", password=PASSWORD).location == "/account"
    assert linked.send("/logout").location == "/login/openid/out"
    again = browse(None)
    visit(again)
    set_up(app, books, abroad, openid_issuer="")
    assert again.send("/logout").location == "/"


def test_an_address_for_logging_out_that_is_no_web_address_is_not_linked(
    browse: Browse, abroad: Provider
) -> None:
    abroad.describe = lambda known: known.update(end_session_endpoint="javascript:alert(1)")
    page = browse(None).get("/login/openid/out")
    assert page.status_code == 200
    assert "javascript" not in page.text


def test_without_a_provider_nothing_of_it_is_there(browse: Browse, app: APIFlask) -> None:
    visitor = browse(None)
    assert "/login/openid" not in visitor.get("/login").text
    for path in ("/login/openid", BACK, "/login/openid/new", "/login/openid/out"):
        assert visitor.get(path).status_code == 404

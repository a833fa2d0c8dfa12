"""Accounts and tokens in the API."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from sqlalchemy import select, text
from werkzeug.test import TestResponse

from server.db.models import User
from server.services import accounts, passwords, sessions
from server.times import iso
from tests.books import Books
from tests.unit.server.routes.conftest import Browse, Caller, MakeApp, problem, token_of

PASSWORD = "a password of alice"


def test_it_tells_who_asks(as_alice: Caller, as_charlie: Caller) -> None:
    assert as_alice.get("/whoami").json == {"name": "alice", "role": "author"}
    assert as_charlie.get("/whoami").json == {"name": "charlie", "role": "operator"}


def test_it_knows_nobody_without_a_token(nobody: Caller) -> None:
    answer = nobody.get("/whoami")
    assert "log in" in problem(answer, 401)["detail"]
    assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_a_token_that_is_wrong_opens_nothing_even_what_is_open(nobody: Caller) -> None:
    nobody.token = "mbx_wrong"
    assert "unknown or revoked" in problem(nobody.get("/games"), 401)["detail"]


def test_signing_up_and_logging_in_gives_a_token_that_works(nobody: Caller) -> None:
    made = nobody.post("/accounts", {"name": "dora", "password": PASSWORD})
    assert (made.status_code, made.json) == (201, {"name": "dora", "role": "author"})
    told = nobody.post("/login", {"name": "dora", "password": PASSWORD, "label": "laptop"})
    assert told.status_code == 201
    assert told.json is not None
    dora = Caller(nobody.client, told.json["token"])
    assert dora.get("/whoami").json == {"name": "dora", "role": "author"}
    assert [one["name"] for one in dora.get("/tokens").json["items"]] == ["laptop"]  # type: ignore[index]


def test_a_wrong_password_and_an_unknown_name_sound_alike(nobody: Caller) -> None:
    nobody.post("/accounts", {"name": "dora", "password": PASSWORD})
    wrong = nobody.post("/login", {"name": "dora", "password": "another password"})
    unknown = nobody.post("/login", {"name": "erik", "password": PASSWORD})
    assert problem(wrong, 401)["detail"] == problem(unknown, 401)["detail"]


def test_the_house_cannot_log_in(nobody: Caller) -> None:
    problem(nobody.post("/login", {"name": "house", "password": ""}), 401)


def test_a_name_is_taken_once(nobody: Caller, alice: User) -> None:
    problem(nobody.post("/accounts", {"name": "alice", "password": PASSWORD}), 409)
    problem(nobody.post("/accounts", {"name": "house", "password": PASSWORD}), 409)


def test_a_poor_name_or_password_is_refused(nobody: Caller) -> None:
    name = nobody.post("/accounts", {"name": "A", "password": PASSWORD})
    password = nobody.post("/accounts", {"name": "dora", "password": "short"})
    assert "2 to 32" in problem(name, 422)["detail"]
    assert "10 characters" in problem(password, 422)["detail"]


def test_nobody_makes_an_operator_by_signing_up(nobody: Caller) -> None:
    body = {"name": "mallory", "password": PASSWORD, "role": "operator"}
    told = problem(nobody.post("/accounts", body), 422)
    assert list(told["errors"]) == ["role"]


def test_where_sign_up_is_closed_nobody_signs_up(make_app: MakeApp) -> None:
    stranger = Caller(make_app(signup="closed").test_client())
    answer = stranger.post("/accounts", {"name": "dora", "password": PASSWORD})
    assert "closed" in problem(answer, 403)["detail"]


def test_an_operator_makes_accounts_and_an_author_does_not(
    as_charlie: Caller, as_alice: Caller, nobody: Caller
) -> None:
    body = {"name": "olaf", "password": PASSWORD, "role": "operator"}
    problem(nobody.post("/users", body), 401)
    problem(as_alice.post("/users", body), 403)
    assert as_charlie.post("/users", body).json == {"name": "olaf", "role": "operator"}


MakesOlaf = Callable[[User], Callable[[], TestResponse]]


@pytest.fixture(params=["the API", "the form"])
def maker_of_olaf(
    request: pytest.FixtureRequest, nobody: Caller, browse: Browse, books: Books
) -> MakesOlaf:
    """Logs an account in; returns a function that asks for a new account "olaf"."""
    wanted = {"name": "olaf", "password": PASSWORD, "role": "author"}

    def by(user: User) -> Callable[[], TestResponse]:
        if request.param == "the form":
            browser = browse(user)
            wanted["csrf_token"] = browser.csrf_token()
            return lambda: browser.send("/admin/users", **wanted)
        caller = Caller(nobody.client, token_of(books, user))
        caller.get("/whoami")  # the use of a token is noted once a minute
        return lambda: caller.post("/users", wanted)

    return by


def test_an_author_who_makes_accounts_is_refused_while_another_writes(
    maker_of_olaf: MakesOlaf, books: Books, alice: User
) -> None:
    make = maker_of_olaf(alice)
    with books.write() as other:
        other.execute(text("SELECT 1"))
        began = time.monotonic()
        assert make().status_code == 403
        assert time.monotonic() - began < 25, "it waited for its turn to write"


def test_nobody_waits_for_the_password_of_a_new_account(
    maker_of_olaf: MakesOlaf, books: Books, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, hash_password = maker_of_olaf(charlie), passwords.hash_password
    written: list[int] = []

    def hash_while_another_writes(password: str, name: str) -> str:
        with books.write() as other:
            written.append(other.execute(text("SELECT 1")).scalar_one())
        return hash_password(password, name)

    monkeypatch.setattr(passwords, "hash_password", hash_while_another_writes)
    assert make().status_code < 400
    assert written == [1]


def test_an_operator_who_was_logged_out_meanwhile_makes_no_account(
    maker_of_olaf: MakesOlaf, books: Books, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, hash_password = maker_of_olaf(charlie), passwords.hash_password

    def hash_while_the_login_ends(password: str, name: str) -> str:
        with books.write() as session:
            accounts.revoke_tokens(session, charlie, now=books.clock())
            sessions.end_all(session, charlie)
        return hash_password(password, name)

    monkeypatch.setattr(passwords, "hash_password", hash_while_the_login_ends)
    assert make().status_code == 401
    with books.read() as session:
        assert session.scalar(select(User).where(User.name == "olaf")) is None


def test_a_revoked_token_stops_working(as_alice: Caller, as_bob: Caller) -> None:
    made = as_alice.post("/tokens", {"name": "ci"})
    assert made.status_code == 201
    assert made.json is not None
    second = Caller(as_alice.client, made.json["token"])
    number = as_alice.get("/tokens").json["items"][-1]["id"]  # type: ignore[index]
    problem(as_bob.delete(f"/tokens/{number}"), 404)
    assert second.get("/whoami").status_code == 200
    assert as_alice.delete(f"/tokens/{number}").status_code == 204
    problem(second.get("/whoami"), 401)
    problem(as_alice.delete(f"/tokens/{number}"), 404)


def test_tokens_that_expired_long_ago_are_not_listed(as_alice: Caller, books: Books) -> None:
    def listed() -> list[str]:
        return [one["name"] for one in as_alice.get("/tokens").json["items"]]  # type: ignore[index]

    assert as_alice.post("/tokens", {"name": "for a day", "days": 1}).status_code == 201
    books.clock.pass_by(minutes=30 * 1440)
    assert "for a day" in listed()
    books.clock.pass_by(minutes=1440)
    assert listed()
    assert "for a day" not in listed()


def test_a_token_says_when_it_was_last_used(as_alice: Caller, books: Books) -> None:
    def uses() -> list[str | None]:
        return [one["used_at"] for one in as_alice.get("/tokens").json["items"]]  # type: ignore[index]

    assert as_alice.post("/tokens", {"name": "never used"}).status_code == 201
    first = iso(books.clock())
    books.clock.pass_by(seconds=30)
    assert uses() == [first, None]
    books.clock.pass_by(seconds=30)
    assert uses() == [iso(books.clock()), None]


def test_a_list_of_tokens_holds_no_secret(as_alice: Caller) -> None:
    assert as_alice.token not in as_alice.get("/tokens").text


def test_tokens_are_for_accounts(nobody: Caller) -> None:
    problem(nobody.get("/tokens"), 401)
    problem(nobody.post("/tokens", {"name": "ci"}), 401)
    problem(nobody.delete("/tokens/1"), 401)


def test_the_arenas_token_is_no_accounts_token(arena: Caller, books: Books) -> None:
    problem(arena.get("/whoami"), 401)


def test_an_account_shares_its_bots_with_archives_if_it_says_so(as_alice: Caller) -> None:
    for shares in (True, False):
        as_alice.post("/account/sharing", {"shares": shares})
        assert as_alice.get("/account/sharing").json == {"shares": shares}

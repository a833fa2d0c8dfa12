"""The commands for tokens and the password, with a real server and a database of the test's own."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from cli import whole_file
from server.db.models import Role, User
from server.services import accounts
from tests.unit.cli.conftest import Platform, Run

PASSWORD = "correct horse battery"
NEW = "battery staple"


@pytest.fixture
def dora(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> User:
    """An author with a password. `matchbox` knows only the server's address."""
    monkeypatch.setenv("MATCHBOX_URL", platform.url)
    monkeypatch.delenv("MATCHBOX_TOKEN", raising=False)
    with platform.books.write() as session:
        return accounts.sign_up(
            session, "dora", PASSWORD, signup="open", now=platform.books.clock()
        )


def typed(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """Sets the text on stdin."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def kept(home: Path) -> str:
    """Returns the token that `matchbox login` has stored."""
    file = home / ".config" / "matchbox" / "login.json"
    token: str = json.loads(file.read_text())["token"]
    return token


def test_a_token_is_made_listed_and_revoked(
    alice: User, matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("token", "make", "ci", "--scope", "read", "--days", "7")
    made = matchbox(*words)
    assert made.code == 0
    assert made.out.startswith("mbx_")
    assert made.err.startswith("It may read, and ends on 20")
    found = matchbox("token", "list", "--json").json
    assert [(one["name"], one["scopes"]) for one in found] == [
        ("test", ["read", "submit"]),
        ("ci", ["read"]),
    ]
    assert "\tci\tread\t" in matchbox("token", "list").out
    assert matchbox("token", "revoke", found[1]["id"]).code == 0
    assert len(matchbox("token", "list", "--json").json) == 1
    assert matchbox("token", "revoke", found[1]["id"], "--json").code == 1


def test_a_token_without_a_scope_is_told_which_one_it_needs(
    alice: User, matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = matchbox("token", "make", "ci", "--scope", "read", "--json").json
    monkeypatch.setenv("MATCHBOX_TOKEN", made["token"])
    assert matchbox("bots").code == 0
    told = matchbox("token", "make", "another")
    assert told.code == 1
    assert "the scope `submit`" in told.err


def test_a_login_may_have_scopes_and_an_end(
    dora: User, platform: Platform, matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed(monkeypatch, PASSWORD)
    words = ("login", platform.url, "--name", "dora", "--scope", "read", "--days", "1")
    assert matchbox(*words).code == 0
    (line,) = matchbox("token", "list", "--json").json
    assert (line["name"], line["scopes"]) == ("login", ["read"])


@pytest.mark.parametrize("more", [("--scope", "read"), ("--days", "7")])
def test_a_token_that_is_pasted_keeps_its_rights(matchbox: Run, more: tuple[str, str]) -> None:
    refused = matchbox("login", "http://127.0.0.1:9", "--token", *more)
    assert (refused.code, refused.out) == (2, "")
    assert "leave out --scope and --days" in refused.err


def test_a_new_password_leaves_the_login_alone(
    dora: User, platform: Platform, matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed(monkeypatch, PASSWORD)
    matchbox("login", platform.url, "--name", "dora")
    typed(monkeypatch, PASSWORD, NEW)
    told = matchbox("password")
    assert told.code == 0
    assert "every browser is logged out" in told.err
    assert matchbox("bots").code == 0
    with platform.books.read() as session:
        assert accounts.log_in(session, "dora", NEW).id == dora.id


def test_a_new_password_may_revoke_every_token_but_the_one_that_it_makes(
    dora: User,
    platform: Platform,
    matchbox: Run,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    typed(monkeypatch, PASSWORD)
    matchbox("login", platform.url, "--name", "dora")
    matchbox("token", "make", "ci")
    before = kept(tmp_path / "home")
    typed(monkeypatch, PASSWORD, NEW)
    told = matchbox("password", "--revoke-tokens", "--json")
    assert told.json == {"account": "dora", "tokens_revoked": True}
    assert kept(tmp_path / "home") != before
    assert [one["name"] for one in matchbox("token", "list", "--json").json] == ["login"]


def test_the_token_after_a_new_password_has_no_more_scopes_and_days_than_the_login_had(
    dora: User, platform: Platform, matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("--scope", "submit", "--scope", "read", "--days", "7")
    typed(monkeypatch, PASSWORD)
    matchbox("login", platform.url, "--name", "dora", *words)
    with platform.books.write() as session:
        session.get_one(User, dora.id).role = Role.OPERATOR
    (before,) = matchbox("token", "list", "--json").json
    typed(monkeypatch, PASSWORD, NEW)
    assert matchbox("password", "--revoke-tokens").code == 0
    (after,) = matchbox("token", "list", "--json").json
    assert after["id"] != before["id"]
    assert after["scopes"] == before["scopes"] == ["read", "submit"]
    assert after["ends_at"][:10] == before["ends_at"][:10]


def test_a_new_password_by_a_token_of_the_environment_leaves_the_saved_login_alone(
    dora: User,
    platform: Platform,
    matchbox: Run,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    typed(monkeypatch, PASSWORD)
    matchbox("login", platform.url, "--name", "dora")
    made = matchbox("token", "make", "ci", "--json").json
    file = tmp_path / "home" / ".config" / "matchbox" / "login.json"
    elsewhere = json.dumps({"url": "https://elsewhere.example", "token": "mbx_another"})
    file.write_text(elsewhere)
    monkeypatch.setenv("MATCHBOX_TOKEN", made["token"])
    typed(monkeypatch, PASSWORD, NEW)
    told = matchbox("password", "--revoke-tokens")
    assert told.code == 0
    assert "including MATCHBOX_TOKEN" in told.err
    assert file.read_text() == elsewhere
    with platform.books.read() as session:
        assert not accounts.tokens(session, dora)


def test_a_password_that_does_not_change_says_why(
    dora: User, platform: Platform, matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed(monkeypatch, PASSWORD)
    matchbox("login", platform.url, "--name", "dora")
    for old, new, said in (("wrong", NEW, "is wrong"), (PASSWORD, "dora-dora-dora", "name")):
        typed(monkeypatch, old, new)
        told = matchbox("password")
        assert told.code == 1
        assert said in told.err


def test_a_login_that_cannot_be_kept_names_its_place_and_what_was_done(
    dora: User,
    platform: Platform,
    matchbox: Run,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    def full(path: Path, text: str) -> None:
        raise OSError(28, "No space left on device")

    typed(monkeypatch, PASSWORD)
    assert matchbox("login", platform.url, "--name", "dora").code == 0
    monkeypatch.setattr(whole_file, "replace", full)
    typed(monkeypatch, PASSWORD)
    told = matchbox("login", platform.url, "--name", "dora")
    assert (told.code, told.err.count("\n")) == (1, 1)
    place = tmp_path / "home" / ".config" / "matchbox" / "login.json"
    assert f"the login cannot be kept in {place}: No space left on device" in told.err
    typed(monkeypatch, PASSWORD, NEW)
    told = matchbox("password", "--revoke-tokens")
    assert (told.code, told.err.count("\n")) == (1, 1)
    assert "the password is changed and all tokens are revoked, but" in told.err

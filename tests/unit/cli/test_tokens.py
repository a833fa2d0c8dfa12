"""The commands for tokens and the password, with a real server and a database of the test's own."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from cli import whole_file
from cli.login import Login, save_login
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


def test_a_token_that_is_revoked_is_told_once_what_to_do(
    alice: User, matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MATCHBOX_TOKEN", "mbx_revoked")
    told = matchbox("bots").err
    assert "this token is unknown or revoked: MATCHBOX_TOKEN has no valid token" in told
    assert "make a new one" not in told


def test_a_login_without_a_terminal_reads_its_name_and_shows_no_prompt(
    dora: User, platform: Platform, matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed(monkeypatch, "dora", PASSWORD)
    told = matchbox("login", platform.url)
    assert told.code == 0
    assert told.err.startswith("Logged in to ")


def test_a_login_without_a_terminal_and_a_name_asks_no_server(
    matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed(monkeypatch, "")
    told = matchbox("login", "http://127.0.0.1:9")
    assert told.code == 2
    assert "give --name, or the name as a line of stdin" in told.err


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


def test_a_logout_revokes_the_token_and_deletes_it(
    dora: User, platform: Platform, matchbox: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    typed(monkeypatch, PASSWORD)
    assert matchbox("login", platform.url, "--name", "dora", "--scope", "read").code == 0
    token = kept(tmp_path / "home")
    told = matchbox("logout", "--json")
    file = tmp_path / "home" / ".config" / "matchbox" / "login.json"
    assert (told.code, told.json) == (0, {"url": platform.url, "file": str(file)})
    assert not file.exists()
    assert "No login is kept in" in matchbox("logout").err
    monkeypatch.setenv("MATCHBOX_TOKEN", token)
    assert "this token is unknown or revoked" in matchbox("bots").err


def test_a_logout_without_the_server_says_that_the_token_still_works(
    matchbox: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    file = save_login(Login("http://127.0.0.1:9", "mbx_secret"))
    told = matchbox("logout")
    assert (told.code, file.exists()) == (1, False)
    assert "login.json is deleted, but its token still works: the server at http" in told.err
    assert "revoke it on your account's page at http://127.0.0.1:9" in told.err


def test_a_logout_with_a_token_that_has_ended_only_deletes_it(
    dora: User, platform: Platform, matchbox: Run
) -> None:
    file = save_login(Login(platform.url, "mbx_unknown"))
    assert (matchbox("logout").code, file.exists()) == (0, False)
    file.write_text("{")
    assert (matchbox("logout").code, file.exists()) == (0, False)


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


class Terminal(io.StringIO):
    """A stdin at which somebody sits."""

    def isatty(self) -> bool:
        """Returns True."""
        return True


def test_a_new_password_is_asked_for_twice_at_a_terminal(
    dora: User, matchbox: Run, platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, bool]] = []

    def prompt(what: str, **options: bool) -> str:
        asked.append((what, options["confirmation_prompt"]))
        return {"Password": PASSWORD, "New password": NEW}[what]

    monkeypatch.setenv("MATCHBOX_TOKEN", platform.token(dora))
    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr("typer.prompt", prompt)
    assert matchbox("password").code == 0
    assert asked == [("Password", False), ("New password", True)]


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

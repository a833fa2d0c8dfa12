"""Accounts and classes by command."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from server.db.models import User
from server.services import accounts, password_links
from tests.unit.cli.conftest import Platform, Run


def test_a_class_is_made_by_command(
    matchbox: Run, platform: Platform, charlie: User, tmp_path: Path
) -> None:
    matchbox("league", "create", "cup", "--game", "bomb")
    assert matchbox("league", "code", "cup").code == 0
    code = matchbox("league", "code", "cup", "--renew", "--json").json["code"]
    assert code in matchbox("league", "code", "cup").out
    both = matchbox("league", "code", "cup", "--renew", "--withdraw")
    assert (both.code, both.out) == (2, "")
    assert "--renew and --withdraw exclude each other" in both.err
    assert matchbox("league", "code", "cup", "--json").json["code"] == code
    assert matchbox("league", "code", "cup", "--withdraw", "--json").json["code"] is None
    names = tmp_path / "names.csv"
    names.write_text("name,group\nanna,7b\nben,7b\n")
    made = matchbox("league", "accounts", "cup", names, "--json").json["items"]
    assert [one["name"] for one in made] == ["anna", "ben"]
    again = matchbox("league", "accounts", "cup", names)
    assert again.code == 1
    assert "'anna' is taken" in again.err
    assert matchbox("league", "results", "cup", "--csv").out.splitlines()[1].startswith("anna,1,")
    told = matchbox("league", "results", "cup", "--csv", "--json")
    assert (told.code, told.out) == (2, "")
    for words in (("standings", ""), ("lessons", ".."), ("league", "code", "")):
        told = matchbox(*words)
        assert (told.code, "is not a name" in told.err) == (2, True)
    assert "ben" in matchbox("league", "results", "cup").out
    names.write_text("\n")
    empty = matchbox("league", "accounts", "cup", names)
    assert (empty.code, "there is no name in" in empty.err) == (2, True)
    names.write_text("note,account\nOwl Eyes,owl\n")
    noted = matchbox("league", "accounts", "cup", names, "--json").json["items"]
    assert [(one["name"], one["note"]) for one in noted] == [("owl", "Owl Eyes")]
    shown = matchbox("league", "results", "cup").out.splitlines()
    assert shown[0] == "rank\tauthor\tbest bot\tits rank\telo\tmatches\tbots\tnote"
    assert [line for line in shown if line.endswith("\t0\t0\tOwl Eyes")]
    with platform.books.context.read() as session:
        assert accounts.log_in(session, "anna", made[0]["password"])


def test_accounts_are_reset_changed_closed_and_reopened_by_command(
    matchbox: Run, platform: Platform, alice: User, charlie: User
) -> None:
    fresh = matchbox("admin", "user", "reset", "alice", "--json").json
    with platform.books.context.read() as session:
        assert accounts.log_in(session, "alice", fresh["password"])
    changed = matchbox("admin", "user", "role", "alice", "operator", "--json").json
    assert changed == {"name": "alice", "role": "operator"}
    assert matchbox("admin", "user", "role", "alice", "king").code == 2
    noted = matchbox("admin", "user", "note", "alice", "Alice Munro", "--json").json
    assert noted == {"name": "alice", "note": "Alice Munro"}
    assert matchbox("admin", "user", "close", "alice", "--reason", "left").code == 0
    last = matchbox("admin", "user", "role", "charlie", "author")
    assert (last.code, "last operator" in last.err) == (1, True)
    assert matchbox("admin", "user", "reopen", "alice").code == 0
    open_one = matchbox("admin", "user", "delete", "alice", "--reason", "left")
    assert (open_one.code, "close it first" in open_one.err) == (1, True)
    assert matchbox("admin", "user", "close", "alice", "--reason", "left").code == 0
    gone = matchbox("admin", "user", "delete", "alice", "--reason", "left", "--json").json
    assert gone["name"] == f"deleted-author-{alice.id}"


def test_a_link_to_choose_a_password_is_made_by_command(
    matchbox: Run, platform: Platform, alice: User, charlie: User
) -> None:
    made = matchbox("admin", "user", "reset", "alice", "--link", "--json").json
    assert (made["name"], f"/reset/{alice.id}/" in made["link"]) == ("alice", True)
    secret = made["link"].rpartition("/")[2]
    password_links.set_password(platform.books.context, alice.id, secret, "one of her choice")
    with platform.books.context.read() as session:
        assert accounts.log_in(session, "alice", "one of her choice")
    both = matchbox("admin", "user", "reset", "alice", "--link", "--revoke-tokens")
    assert (both.code, "asks about the tokens" in both.err) == (2, True)


def test_at_the_machine_itself_no_account_is_needed(
    matchbox: Run,
    platform: Platform,
    alice: User,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MATCHBOX_DATABASE_URL", platform.books.settings.database_url)
    monkeypatch.setenv("MATCHBOX_SECRET_KEY", platform.books.settings.secret_key)
    platform.books.clock.now = round(1000 * time.time())  # the command's clock is the machine's
    here = ("--data", tmp_path, "--json")
    fresh = matchbox("admin", "user", "reset", "alice", *here).json
    with platform.books.context.read() as session:
        assert accounts.log_in(session, "alice", fresh["password"])
    link = matchbox("admin", "user", "reset", "alice", "--link", *here).json["link"]
    secret = link.rpartition("/")[2]
    password_links.set_password(platform.books.context, alice.id, secret, "one of her choice")
    assert matchbox("admin", "user", "role", "alice", "operator", *here).json["role"] == "operator"
    assert "last operator" in matchbox("admin", "user", "role", "alice", "author", *here).err

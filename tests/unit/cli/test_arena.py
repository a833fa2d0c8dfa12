"""`matchbox admin arena ...` for keys, and the words of `matchbox arena --join`."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from sandbox.selftest import SelfTestReport
from server.db.models import User
from server.services.remote_names import MAX_ARENAS
from tests.unit.cli.conftest import Platform, Run
from worker.arena import cpu_affinity, reports

KEY = "mba_" + "x" * 43


def test_an_operator_makes_a_key_drains_its_host_and_removes_it(
    matchbox: Run, charlie: User
) -> None:
    made = matchbox("admin", "arena", "make-key", "lab", "--json").json
    assert (made["name"], made["state"], made["key"][:4]) == ("lab", "works", "mba_")
    plain = matchbox("admin", "arena", "make-key", "attic")
    assert plain.out.startswith("mba_")
    assert "matchbox arena --join http" in plain.err
    assert matchbox("admin", "arena", "make-key", "lab").code == 1
    assert matchbox("admin", "arena", "drain", "lab", "--json").json["state"] == "draining"
    assert matchbox("admin", "arena", "undrain", "lab", "--json").json["state"] == "works"
    assert matchbox("admin", "arena", "remove", "lab", "--json").json["state"] == "removed"
    again = matchbox("admin", "arena", "drain", "lab")
    assert (again.code, "was removed already" in again.err) == (1, True)
    listed = matchbox("admin", "arena", "keys", "--json").json
    assert [(one["name"], one["state"]) for one in listed] == [
        ("attic", "works"),
        ("lab", "removed"),
    ]
    assert "never" in matchbox("admin", "arena", "keys").out


def test_an_author_makes_no_key(matchbox: Run, alice: User) -> None:
    assert matchbox("admin", "arena", "make-key", "lab").code == 1
    assert matchbox("admin", "arena", "keys").code == 1


@pytest.mark.parametrize(
    "url", ["http://bots.example", "bots.example", "ftp://127.0.0.1", "https://[", "https://"]
)
def test_a_key_goes_to_no_server_where_others_can_read_it(matchbox: Run, url: str) -> None:
    told = matchbox("arena", "--join", url)
    assert (told.code, "https://" in told.err) == (2, True)


@pytest.mark.parametrize(
    ("cores", "words", "count"), [(2, (), 2), (96, (), MAX_ARENAS), (2, ("--arenas", "5"), 5)]
)
def test_a_host_starts_as_many_arenas_as_it_has_cores_and_a_key_may_have(
    matchbox: Run,
    platform: Platform,
    charlie: User,
    monkeypatch: pytest.MonkeyPatch,
    cores: int,
    words: tuple[str, ...],
    count: int,
) -> None:
    monkeypatch.setenv("MATCHBOX_ARENA_KEY", matchbox("admin", "arena", "make-key", "lab").out)
    monkeypatch.setattr(cpu_affinity, "usable_cores", lambda: list(range(cores)))
    monkeypatch.setattr("cli.supervisor.signal.signal", lambda *_: None)
    started: list[int] = []
    monkeypatch.setattr("cli.arena._keep_running", lambda *given: started.append(given[2]))
    assert matchbox("arena", "--join", platform.url, *words).code == 0
    assert started == [count]


def test_a_host_without_a_key_that_works_is_told_so(
    matchbox: Run, platform: Platform, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "key"
    file.write_text(f"{KEY}\n")
    told = matchbox("arena", "--join", platform.url, "--key-file", file)
    assert (told.code, "is not an arena's key" in told.err) == (1, True)
    monkeypatch.setenv("MATCHBOX_ARENA_KEY", KEY)
    told = matchbox("arena", "--join", platform.url)
    assert (told.code, "is not an arena's key" in told.err) == (1, True)
    monkeypatch.delenv("MATCHBOX_ARENA_KEY")
    monkeypatch.setattr("sys.stdin", io.StringIO("\n"))
    told = matchbox("arena", "--join", platform.url)
    assert (told.code, "the key is empty" in told.err) == (2, True)
    told = matchbox("arena", "--join", platform.url, "--key-file", tmp_path / "no-file")
    assert (told.code, "cannot be read" in told.err) == (2, True)
    monkeypatch.setenv("MATCHBOX_ARENA_KEY", KEY)
    told = matchbox("arena", "--join", "http://127.0.0.1:1")
    assert (told.code, "failed" in told.err) == (1, True)
    assert "the server at http://127.0.0.1:1 cannot be reached: start it, or correct" in told.err


def test_a_host_without_a_wall_starts_no_arena_and_is_told_why(
    matchbox: Run, platform: Platform, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MATCHBOX_ARENA_KEY", matchbox("admin", "arena", "make-key", "lab").out)
    monkeypatch.setenv("MATCHBOX_BOX", "bwrap")
    bare = SelfTestReport(False, {"landlock": False}, ["the layer 'landlock' does not work"])
    monkeypatch.setattr(reports, "examine", lambda kind, settings: bare)
    monkeypatch.setattr("cli.arena._keep_running", lambda *_: pytest.fail("it has no wall"))
    told = matchbox("arena", "--join", platform.url)
    assert told.code == 1
    assert "the box bwrap has no wall around bots: the layer 'landlock' does not work" in told.err

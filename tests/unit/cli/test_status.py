"""`matchbox status`: its findings, and its exit code."""

from __future__ import annotations

import socket

import pytest

from cli import status
from server.db.models import User
from server.services import walls
from server.services.tick import tick
from tests.unit.cli.conftest import Platform, Run


def test_it_says_what_is_wrong_and_exits_with_1(
    charlie: User, platform: Platform, matchbox: Run
) -> None:
    out = matchbox("status")
    assert out.code == 1
    assert "The ledger has not started yet" in out.out
    told = matchbox("status", "--json")
    assert told.code == 1
    assert "ledger" in {one["kind"] for one in told.json["findings"]}


def test_it_exits_with_0_where_all_is_well(
    charlie: User, platform: Platform, matchbox: Run
) -> None:
    books = platform.books
    with books.write() as session:
        report = {"arena": "arena-1", "box": "bwrap", "walled": True}
        walls.report_wall(session, report, now=books.clock())
    tick(books.context)
    out = matchbox("status")
    assert (out.code, "All is well." in out.out) == (0, True)


def test_it_lists_the_arenas_with_what_they_are_doing(
    charlie: User, platform: Platform, matchbox: Run
) -> None:
    books = platform.books
    match = "6b5c58774395e3c6a3e65b3e0091acf6"
    for name, doing, seconds in (
        ("arena-1", "", 50),
        ("arena-2", "a lesson", 2),
        ("arena-3", match, 1),
    ):
        with books.write() as session:
            report = {"arena": f"{name}@far", "box": "bwrap", "walled": True}
            report |= {"host": "far", "doing": doing}
            walls.report_wall(session, report, now=books.clock())
        books.clock.pass_by(seconds=seconds)
    tick(books.context)
    lines = matchbox("status").out.splitlines()
    assert "arena-1@far\tfar\tsilent\tnothing\t53 s ago" in lines
    assert "arena-2@far\tfar\treports\ta lesson\t3 s ago" in lines
    assert "arena-3@far\tfar\treports\tmatch 6b5c5877\t1 s ago" in lines
    jobs = "Jobs at work: 0, sent to arenas: 0, waiting: 0."
    assert lines[-1] == f"Arenas: 2. {jobs} The ledger's last sign of life: 0 s ago."


def test_a_server_that_hangs_is_named_after_some_seconds(
    charlie: User, platform: Platform, matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(status, "WAIT_S", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as hanging:
        monkeypatch.setenv("MATCHBOX_URL", f"http://127.0.0.1:{hanging.getsockname()[1]}")
        out = matchbox("status")
    assert out.code == 1
    assert "has not answered in time" in out.err
    assert "restart `web`" in out.err

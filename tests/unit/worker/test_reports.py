"""The last report of an arena is the one in which it leaves."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest

from worker.arena import reports
from worker.arena.tasks import ArenaFaults


class Reporting:
    """An arena that reports all the time, to a server that has not answered its first report."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.told: list[str] = []
        self.answers = threading.Event()
        self.turn = threading.Lock()
        begun = threading.Event()

        def report_wall(_: Any) -> None:
            begun.set()
            self.answers.wait(30)
            self.told.append("reports")

        def leave(_: Any) -> None:
            self.told.append("leaves")

        monkeypatch.setattr(reports, "EVERY_S", 0.01)
        leaving = SimpleNamespace(report_wall=leave, close=lambda: None)
        monkeypatch.setattr(reports, "ServerClient", lambda *_, **__: leaving)
        client = SimpleNamespace(report_wall=report_wall)
        arena = SimpleNamespace(claim=lambda: None, faults=ArenaFaults(), doing="")
        arguments: Any = (client, arena, {}, self.turn)
        threading.Thread(target=reports.keep_reporting, args=arguments, daemon=True).start()
        assert begun.wait(30)

    def leaves(self) -> None:
        """Sends the last report."""
        reports.report_leaving({}, "http://server", "secret", self.turn)


@pytest.fixture
def arena(monkeypatch: pytest.MonkeyPatch) -> Reporting:
    return Reporting(monkeypatch)


def test_no_report_follows_the_one_in_which_an_arena_leaves(
    arena: Reporting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reports, "_UNDER_WAY_S", 240)
    leaving = threading.Thread(target=arena.leaves)
    leaving.start()
    assert arena.told == []
    arena.answers.set()
    leaving.join()
    time.sleep(0.1)
    assert arena.told[-1] == "leaves"
    assert arena.told.count("leaves") == 1


def test_a_report_that_hangs_keeps_no_arena_from_leaving(
    arena: Reporting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reports, "_UNDER_WAY_S", 0.01)
    arena.leaves()
    assert arena.told == ["leaves"]
    arena.answers.set()

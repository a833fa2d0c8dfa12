"""How an arena on another host begins, and takes jobs while its box does not start."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from matchbox.errors import BoxUnavailable
from matchbox.settings import read_settings
from worker.arena import remote, reports
from worker.arena.tasks import Arena, ArenaFaults, Requeue


class Clock:
    """Stands for the event that stops the arena; its waits take no time, and are kept."""

    def __init__(self, length_s: float) -> None:
        self._left_s = length_s
        self.waits: list[float] = []

    def is_set(self) -> bool:
        return self._left_s <= 0

    def wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        self._left_s -= seconds


class Jobs:
    """Stands for the server: there is always a job."""

    def __init__(self) -> None:
        self.taken = 0

    def take(self, _: object) -> tuple[str, dict[str, Any]]:
        self.taken += 1
        assert self.taken < 1000, "it takes one job after the other"
        return "arena.play", {"match": str(self.taken)}


class Failing(Arena):
    """An arena whose box starts for the jobs that `works` names."""

    def __init__(self, *works: str) -> None:
        self.faults = ArenaFaults()
        self._works = works

    def run(self, task: str, message: dict[str, Any]) -> None:
        if message["match"] not in self._works:
            self.faults.note("the box did not start")
            raise Requeue("the box did not start") from BoxUnavailable("the box did not start")


def play(arena: Arena, length_s: float) -> tuple[Jobs, Clock]:
    """Lets it take jobs for that long; returns these, and its pauses."""
    jobs, clock = Jobs(), Clock(length_s)
    played: Any = remote.RemoteArena(read_settings({}), "mba_key", 1)
    played._client, played._stop = jobs, clock
    while not clock.is_set():
        played._do(arena, *played._next())
    return jobs, clock


def test_an_arena_whose_box_does_not_start_takes_few_jobs_in_vain() -> None:
    jobs, clock = play(Failing(), 600.0)
    assert jobs.taken <= 12
    assert clock.waits[:3] == [1.0, 2.0, 4.0]
    assert max(clock.waits) == 120.0


def test_it_takes_them_at_once_again_when_the_box_starts() -> None:
    _, clock = play(Failing("3", "4"), 10.0)
    assert clock.waits == [1.0, 2.0, 0.0, 0.0, 1.0, 2.0, 4.0]


def test_it_reports_before_it_asks_for_its_first_job(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    arena: Any = remote.RemoteArena(read_settings({}), "mba_key", 1)

    def take(_: object) -> None:
        done.append("asks")
        arena.stop()

    for name in ("keep_reporting", "keep_testing"):
        monkeypatch.setattr(reports, name, lambda *_: None)
    arena._client = SimpleNamespace(report_wall=lambda _: done.append("reports"), take=take)
    arena._play("lab-1@key:lab", SimpleNamespace(), {})
    assert done == ["reports", "asks"]

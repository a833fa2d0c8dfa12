"""At its start an arena deals with the job at which it was killed."""

from __future__ import annotations

import importlib
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from matchbox.errors import BoxUnavailable, Unavailable
from matchbox.match import wire
from worker.arena.journal import Journal
from worker.arena.tasks import ArenaFaults, Requeue

JOB = {"match": "m", "attempt": 1}


class World:
    """An arena's journal, with the results it has sent and the jobs it has reported as lost."""

    def __init__(self, main: ModuleType, journal: Journal, patch: pytest.MonkeyPatch) -> None:
        self._main = main
        self.journal = journal
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.lost: list[tuple[str, dict[str, Any], str]] = []
        self.down = False
        patch.setattr(main, "send", self._send)
        patch.setattr(main._Running, "journal", journal, raising=False)
        self.faults = ArenaFaults()
        arena = SimpleNamespace(lose=self._lose, faults=self.faults)
        patch.setattr(main._Running, "arena", arena, raising=False)

    def starts(self) -> None:
        """Starts the arena, which takes up the job that was left."""
        self._main._resume_job()

    def dies_at_the_job(self) -> None:
        """Begins the job without ending it."""
        self.journal.begin(wire.PLAY_MATCH, JOB)

    def _send(self, task: str, message: dict[str, Any]) -> None:
        if self.down:
            raise Unavailable("the broker cannot be reached")
        self.sent.append((task, message))

    def _lose(self, task: str, message: dict[str, Any], why: str) -> None:
        if self.down:
            raise Requeue("the server cannot be reached")
        self.lost.append((task, message, why))


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """An arena that was not killed at any job yet."""
    monkeypatch.setenv("MATCHBOX_BROKER_URL", "redis://127.0.0.1:1/0")
    main = importlib.import_module("worker.arena.main")
    return World(main, Journal(tmp_path / "one.job"), monkeypatch)


def test_an_arena_that_left_nothing_undone_takes_nothing_up(world: World) -> None:
    world.starts()
    assert (world.sent, world.lost) == ([], [])


def test_a_job_that_killed_its_arena_once_is_queued_again(world: World) -> None:
    world.dies_at_the_job()
    world.starts()
    assert (world.sent, world.lost) == ([(wire.PLAY_MATCH, JOB)], [])
    assert (world.faults.count, world.faults.last) == (1, "it died in the middle of a job")


def test_a_job_that_killed_its_arena_twice_is_reported_as_lost(world: World) -> None:
    for _ in range(2):
        world.dies_at_the_job()
        world.starts()
    assert len(world.sent) == 1
    ((task, message, why),) = world.lost
    assert (task, message) == (wire.PLAY_MATCH, JOB)
    assert "died" in why
    assert world.journal.unfinished() is None


def test_a_job_that_kills_its_arena_is_lost_whatever_the_arena_does_in_between(
    world: World,
) -> None:
    for _ in range(2):
        world.dies_at_the_job()
        world.starts()
        world.journal.begin(wire.TRY_OUT, {"version": "v"})
        world.journal.end()
    assert (len(world.sent), len(world.lost)) == (1, 1)


def test_a_start_at_which_nobody_can_be_told_leaves_the_journal_as_it_is(world: World) -> None:
    world.down = True
    for times in (1, 2):
        world.dies_at_the_job()
        world.starts()
        left = world.journal.unfinished()
        assert left is not None
        assert left.attempts == times


def test_a_job_of_a_task_that_this_release_does_not_know_is_left_alone(world: World) -> None:
    for _ in range(2):
        world.journal.begin("arena.of_another_release", JOB)
        world.starts()
    assert (world.sent, world.lost) == ([], [])


def test_a_job_that_a_stopping_arena_gives_back_is_logged_without_a_traceback(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def stop(task: str, message: dict[str, Any]) -> None:
        raise Requeue("this arena is stopping")

    main = importlib.import_module("worker.arena.main")
    monkeypatch.setattr(main._Running, "arena", SimpleNamespace(run=stop))
    monkeypatch.setattr(main, "stopping", lambda: True)
    assert main.app.tasks[wire.PLAY_MATCH].apply(args=[JOB]).state == "REJECTED"
    assert [one for one in caplog.records if one.exc_info] == []


@pytest.mark.parametrize(
    ("error", "left"), [(OSError("broken"), False), (SystemExit(1), True)], ids=["fails", "dies"]
)
def test_only_a_job_during_which_the_arena_is_killed_stays_in_the_journal(
    world: World, monkeypatch: pytest.MonkeyPatch, error: BaseException, left: bool
) -> None:
    def run(task: str, message: dict[str, Any]) -> None:
        raise error

    main = importlib.import_module("worker.arena.main")
    monkeypatch.setattr(main._Running, "arena", SimpleNamespace(run=run))
    with pytest.raises(type(error)):
        main.app.tasks[wire.PLAY_MATCH].run(JOB)
    assert (world.journal.unfinished() is not None) == left


def test_an_arena_whose_box_does_not_open_tells_the_server_why_it_cannot_play(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MATCHBOX_BROKER_URL", "redis://127.0.0.1:1/0")
    main = importlib.import_module("worker.arena.main")
    why = "the folder of sockets cannot be made"
    told: list[dict[str, Any]] = []
    client = SimpleNamespace(report_wall=told.append)
    monkeypatch.setattr(main, "settings", replace(main.settings, pin=False))
    monkeypatch.setattr(main, "open_named", Mock(side_effect=BoxUnavailable(why)))
    monkeypatch.setattr(main, "ServerClient", lambda *_, **_more: client)
    monkeypatch.setattr(main.logs, "configure", lambda *_, **_more: None)
    with pytest.raises(SystemExit, match=f"cannot play: {why}"):
        main._open(sender="arena@host", options={})
    assert [(one["arena"], one["walled"]) for one in told] == [("arena@host", False)]
    assert told[0]["why"] == why

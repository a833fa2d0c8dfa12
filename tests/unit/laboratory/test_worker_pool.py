"""Processes that play jobs side by side: how they end, and which errors they raise."""

from __future__ import annotations

import multiprocessing
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from types import SimpleNamespace
from typing import Any

import pytest

from laboratory import worker_pool
from matchbox.errors import BadGame, SeatFault, Unavailable

LARGE = bytes(200_000)
"""More bytes than a pipe holds, so the jobs behind the first wait to be written."""


def _sleep(box: Any, job: tuple[float, bytes]) -> None:
    time.sleep(job[0])


def _do_nothing(box: Any, job: None) -> None:
    pass


def _fail(box: Any, job: bytes) -> None:
    raise SeatFault("platform", "the box was gone")


def _leave(error: type[BaseException] | None) -> None:
    jobs = [(0.0, LARGE), *[(10_000.0, LARGE)] * 20]
    with worker_pool.worker_pool("none", 2) as opened:
        for _ in opened.play(_sleep, jobs):
            if error is not None:
                raise error
            return


def test_whoever_leaves_it_waits_for_no_job() -> None:
    _leave(None)
    with pytest.raises(KeyboardInterrupt):
        _leave(KeyboardInterrupt)


def _play_bouts(box: Any, bouts: int) -> int:
    for _ in range(bouts):
        time.sleep(0.01)
        worker_pool.report(1)
    return bouts


def test_once_its_results_are_not_wanted_a_job_ends_at_its_next_report() -> None:
    with worker_pool.worker_pool("none", 2) as opened:
        with closing(opened.play(_play_bouts, [1, *[100_000] * 20])) as played:
            assert next(played) == 1
        before = opened.finished_bouts
        assert list(opened.play(_play_bouts, [5, 6, 7])) == [5, 6, 7]
        # A process that was about to report when the results were not wanted any more adds one.
        assert 18 <= opened.finished_bouts - before <= 19


def test_jobs_are_made_a_little_before_they_are_needed() -> None:
    made: list[None] = []

    def jobs() -> Iterator[None]:
        for _ in range(1000):
            made.append(None)
            yield

    with (
        worker_pool.worker_pool("none", 2) as opened,
        closing(opened.play(_do_nothing, jobs())) as it,
    ):
        next(it)
        assert len(made) == 2 * worker_pool._AHEAD + 1
        assert len(list(it)) == 999


def _interrupt_jobs(wanted: Any) -> None:
    """Interrupts many short jobs, each a little later in its run than the one before."""
    worker_pool._Process.wanted = wanted
    signal.signal(signal.SIGALRM, worker_pool._abort_job)
    for microseconds in range(20_000):
        signal.setitimer(signal.ITIMER_REAL, (microseconds % 60 + 1) / 1e6)
        for _ in range(4):
            with suppress(KeyboardInterrupt):
                worker_pool._run_job((0, _do_nothing, None))


def test_an_interrupted_process_holds_up_nobody() -> None:
    """An interrupted process once held a lock that all others waited for."""
    spawn = multiprocessing.get_context("spawn")
    process = spawn.Process(target=_interrupt_jobs, args=(spawn.RawValue("q"),))
    process.start()
    process.join(60)
    hangs = process.is_alive()
    process.kill()
    process.join()
    assert not hangs
    assert process.exitcode == 0


def test_a_process_that_is_never_ready_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_pool._Process, "ready", threading.Barrier(2))
    monkeypatch.setattr(worker_pool, "_PATIENCE_S", 0)
    with pytest.raises(Unavailable, match="were not all ready after 0 s: start it again"):
        worker_pool._wait_until_ready(0)


def test_a_job_raises_what_it_raises_without_processes() -> None:
    for workers in (1, 2):
        with (
            pytest.raises(SeatFault, match="platform: the box was gone") as caught,
            worker_pool.worker_pool("none", workers) as opened,
        ):
            list(opened.play(_fail, [LARGE] * 20))
        assert (caught.value.kind, caught.value.detail) == ("platform", "the box was gone")


def _fail_in_a_game(_box: object, _job: object) -> None:
    module: dict[str, Any] = {"__name__": "matchbox.games.bomb.rules"}
    exec("def legal():\n    return [][1]", module)
    module["legal"]()


def test_a_game_that_fails_in_a_process_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_pool._Process, "wanted", SimpleNamespace(value=0))
    with pytest.raises(BadGame, match=r"bomb is broken: legal raised .*bomb\.rules, line 2"):
        worker_pool._run_job((0, _fail_in_a_game, None))

"""Processes that play jobs side by side: how they end, and which errors they raise."""

from __future__ import annotations

import multiprocessing
import signal
import threading
import time
from contextlib import suppress
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


def _interrupt_jobs(stopped: Any) -> None:
    """Interrupts many short jobs, each a little later in its run than the one before."""
    worker_pool._Process.stopped = stopped
    signal.signal(signal.SIGALRM, worker_pool._abort_job)
    for microseconds in range(20_000):
        signal.setitimer(signal.ITIMER_REAL, (microseconds % 60 + 1) / 1e6)
        for _ in range(4):
            with suppress(KeyboardInterrupt):
                worker_pool._run_job((_do_nothing, None))


def test_an_interrupted_process_holds_up_nobody() -> None:
    """An interrupted process once held a lock that all others waited for."""
    spawn = multiprocessing.get_context("spawn")
    process = spawn.Process(target=_interrupt_jobs, args=(spawn.RawValue("b"),))
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
    monkeypatch.setattr(worker_pool._Process, "stopped", SimpleNamespace(value=False))
    with pytest.raises(BadGame, match=r"bomb is broken: legal raised .*bomb\.rules, line 2"):
        worker_pool._run_job((_fail_in_a_game, None))

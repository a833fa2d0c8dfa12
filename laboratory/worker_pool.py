"""Processes that play jobs side by side, each with a box of its own, and a core while one is free.

Knows how processes start and end; callers pass the jobs and the function that plays them. Results
come in the order of the jobs, so they do not depend on the number of processes.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager, nullcontext
from threading import BrokenBarrierError
from typing import TYPE_CHECKING, Any, Final, TypeVar

from matchbox import registry
from matchbox.errors import MatchboxError, Unavailable
from matchbox.settings import Settings
from worker import child
from worker.arena import cpu_affinity
from worker.arena.boxes import open_named

if TYPE_CHECKING:
    from sandbox.box import Box

Job = TypeVar("Job")
Done = TypeVar("Done")
Work = Callable[["Box | None", Job], Done]
"""Does a job in the box. With several processes, it must be a function at the top of a module."""

_PATIENCE_S: Final = 60.0
_AHEAD: Final = 32
"""This many jobs for each process are made before their results are needed."""
_USUAL: Final = Settings()


class _Process:
    """The things that this process of the pool has opened."""

    box: Box | None = None
    ready: Any = None
    wanted: Any = None
    """Its `value` is the number of the play whose results are wanted now. It has no lock:
    `_abort_job` may interrupt a process anywhere, and the others would wait for ever for the lock
    of an interrupted one."""
    is_busy = False
    play = 0
    """The play to which the current job of this process belongs."""
    finished_bouts: Any = None
    """The numbers of finished bouts, one for each process of the pool."""
    number = 0
    """The index of this process in `finished_bouts`."""
    core: Final = ExitStack()
    """Holds a core for this process alone, while one is free."""
    failure: MatchboxError | None = None
    """The error because of which the box could not be opened."""


class WorkerPool:
    """Plays jobs in its processes, or in this process if it has none. One play at a time."""

    def __init__(self, box: Box | None, executor: ProcessPoolExecutor | None, workers: int) -> None:
        self._box = box
        self._executor = executor
        self._workers = workers

    @property
    def finished_bouts(self) -> int:
        """The number of finished bouts that the jobs have reported, also of unfinished jobs."""
        return sum(_Process.finished_bouts)

    def play(self, work: Work[Job, Done], jobs: Iterable[Job]) -> Generator[Done]:
        """The jobs' results, in the order of the jobs, which are made a little before they are
        needed. Once it is closed, no job begins, and those that run end at their next report.

        Raises the errors of a job, and Unavailable if a process died.
        """
        if self._executor is None:
            yield from (work(self._box, job) for job in jobs)
            return
        _Process.wanted.value += 1
        number, sent = _Process.wanted.value, deque[Future[Done]]()
        try:
            for job in jobs:
                sent.append(self._executor.submit(_run_job, (number, work, job)))
                if len(sent) > _AHEAD * self._workers:
                    yield sent.popleft().result()
            while sent:
                yield sent.popleft().result()
        except BrokenProcessPool as error:
            raise Unavailable("a process of this command was killed; start it again") from error
        finally:
            _Process.wanted.value += 1
            for one in sent:
                one.cancel()


def report(bouts: int) -> None:
    """Counts these finished bouts. Called by a job; ends it if nobody wants its result any more."""
    if _Process.is_busy and _Process.play != _Process.wanted.value:
        raise KeyboardInterrupt
    if _Process.finished_bouts is not None:
        _Process.finished_bouts[_Process.number] += bouts


@contextmanager
def worker_pool(kind: str, workers: int, settings: Settings = _USUAL) -> Iterator[WorkerPool]:
    """This many processes, each ready with a box of that kind; 1 means this process itself.

    At the end of the block they abandon their jobs. Raises BoxUnavailable, and Unavailable if a
    process does not start or is not ready in time.
    """
    if workers == 1:
        _Process.finished_bouts = [0]
        with cpu_affinity.claimed(), open_named(kind, settings) or nullcontext() as box:
            yield WorkerPool(box, None, 1)
        return
    spawn = multiprocessing.get_context("spawn")
    ready, _Process.wanted = spawn.Barrier(workers), spawn.RawValue("q")
    _Process.finished_bouts = spawn.RawArray("q", workers)
    setup = (kind, settings, os.getpid(), ready, _Process.wanted, _Process.finished_bouts)
    before = signal.signal(signal.SIGTERM, _exit)
    executor = ProcessPoolExecutor(workers, spawn, _start_process, setup)
    try:
        with _without_interrupts():
            waits = executor.map(_wait_until_ready, range(workers))
        list(waits)
        try:
            yield WorkerPool(None, executor, workers)
        finally:
            # This kills no process: a pool that loses one while jobs are cancelled may wait for
            # ever.
            _Process.wanted.value += 1
            for process in multiprocessing.active_children():
                process.terminate()
    except BrokenProcessPool as error:
        raise Unavailable("a process of this command did not start") from error
    finally:
        executor.shutdown(cancel_futures=True)
        signal.signal(signal.SIGTERM, before)


def _exit(number: int, _: object) -> None:
    """Ends this process in order. If the signal itself ended it, Python would warn of semaphores
    that nobody has deleted."""
    sys.exit(128 + number)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Delays a Ctrl-C until the block ends. Processes started meanwhile must unblock it
    themselves."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _start_process(
    kind: str, settings: Settings, parent: int, ready: Any, wanted: Any, finished_bouts: Any
) -> None:
    """Prepares a process of the pool. `_wait_until_ready` reports a box that cannot be opened."""
    child.tie_to(parent)
    # These are handlers, because bots would inherit an ignored signal.
    signal.signal(signal.SIGTERM, _abort_job)
    signal.signal(signal.SIGINT, lambda *_: None)  # Only the pool's owner reacts to Ctrl-C.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    _Process.core.enter_context(cpu_affinity.claimed())
    _Process.ready, _Process.wanted, _Process.finished_bouts = ready, wanted, finished_bouts
    try:
        _Process.box = open_named(kind, settings)
    except MatchboxError as error:
        _Process.failure = error


def _wait_until_ready(_: int) -> None:
    """Returns once every process of the pool is ready. Raises Unavailable if one takes too long,
    and the error of a box that this one could not open."""
    try:
        _Process.number = _Process.ready.wait(_PATIENCE_S)
    except BrokenBarrierError:
        raise Unavailable(
            f"the processes of this command were not all ready after {_PATIENCE_S:.0f} s: start "
            "it again, with fewer of them if the machine is busy"
        ) from None
    if _Process.failure is not None:
        raise _Process.failure


def _run_job(task: tuple[int, Work[Any, Any], Any]) -> Any:
    _Process.play, work, job = task
    _Process.is_busy = True
    try:
        if _Process.play != _Process.wanted.value:
            raise KeyboardInterrupt
        return work(_Process.box, job)
    except Exception as error:  # Outside of this process it has no traceback.
        if broken := registry.broken_game(error):
            raise broken from error
        raise
    finally:
        _Process.is_busy = False


def _abort_job(*_: object) -> None:
    """Ends the current job, if there is one."""
    if _Process.is_busy:
        raise KeyboardInterrupt

"""Processes that play jobs side by side, each with a box of its own, and a core while one is free.

Knows how they start and end; what they play is handed in. The results come in the order of the
jobs, so that nothing depends on how many there are.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager, nullcontext
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from cli import child
from cli.engine import open_box
from matchbox.errors import MatchboxError, Unavailable
from worker.arena import cpu_affinity

if TYPE_CHECKING:
    from sandbox.box import Box

Job = TypeVar("Job")
Done = TypeVar("Done")
Work = Callable[["Box | None", Job], Done]
"""Does a job in the box. Where there are several processes it is a module's own function."""

_PATIENCE_S: Final = 60.0


class _Place:
    """What a process of the crew has opened."""

    box: Box | None = None
    ready: Any = None
    stopped: Any = None
    """Set where no job is wanted any more."""
    is_busy = False
    over: Any = None
    """How many bouts are over in the whole crew; its `value` is changed under its lock."""
    core: Final = ExitStack()
    """Of its own, while one is free."""
    trouble: MatchboxError | None = None
    """Why it could not be opened."""


class Crew:
    """`play` gives the results of jobs in their order."""

    def __init__(self, box: Box | None, pool: ProcessPoolExecutor | None) -> None:
        self._box = box
        self._pool = pool

    @property
    def over(self) -> int:
        """How many bouts are over, also in jobs that are under way, as far as they `report` it."""
        return int(_Place.over.value)

    def play(self, work: Work[Job, Done], jobs: Sequence[Job]) -> Generator[Done]:
        """The results; where it is closed, no other job is begun.

        Raises what a job raised, Unavailable where a process died.
        """
        if self._pool is None:
            yield from (work(self._box, job) for job in jobs)
            return
        try:
            yield from self._pool.map(_do, [(work, job) for job in jobs])
        except BrokenProcessPool as error:
            raise Unavailable("a process of this command was killed; start it again") from error


def report(bouts: int) -> None:
    """Hears from a job that so many more bouts are over."""
    if bouts and _Place.over is not None:
        with _Place.over.get_lock():
            _Place.over.value += bouts


@contextmanager
def crew(kind: str, workers: int) -> Iterator[Crew]:
    """So many processes with a box of that kind, all ready; one alone is this very process.

    At its end they give up what they are doing. Raises BoxUnavailable.
    """
    if workers == 1:
        _Place.over = SimpleNamespace(value=0, get_lock=nullcontext)
        with cpu_affinity.claimed():
            box = open_box(kind)
            try:
                yield Crew(box, None)
            finally:
                if box is not None:
                    box.close()
        return
    spawn = multiprocessing.get_context("spawn")
    ready, stopped = spawn.Barrier(workers), spawn.Event()
    _Place.over = spawn.Value("q", 0)
    setup = (kind, os.getpid(), ready, stopped, _Place.over)
    pool = ProcessPoolExecutor(workers, spawn, _enter, setup)
    try:
        with _uninterrupted():
            waits = pool.map(_wait, range(workers))
        list(waits)
        try:
            yield Crew(None, pool)
        finally:
            # None is killed: a pool that loses one while jobs are cancelled may wait for ever.
            stopped.set()
            for process in multiprocessing.active_children():
                process.terminate()
    except BrokenProcessPool as error:
        raise Unavailable("a process of this command did not start") from error
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """A Ctrl-C is heard at its end alone; in the processes started meanwhile, once they ask."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _enter(kind: str, parent: int, ready: Any, stopped: Any, over: Any) -> None:
    """Raises nothing that a person has to hear: whoever asks for this process hears it."""
    child.tie_to(parent)
    # Handlers, for what is ignored here would be ignored by bots as well.
    signal.signal(signal.SIGTERM, _give_up)
    signal.signal(signal.SIGINT, lambda *_: None)  # That is for the process that began the crew.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    _Place.core.enter_context(cpu_affinity.claimed())
    _Place.ready, _Place.stopped, _Place.over = ready, stopped, over
    try:
        _Place.box = open_box(kind)
    except MatchboxError as error:
        _Place.trouble = error


def _wait(_: int) -> None:
    """Returns once every process of the crew is here. Raises what this one could not be opened
    for."""
    _Place.ready.wait(_PATIENCE_S)
    if _Place.trouble is not None:
        raise _Place.trouble


def _do(task: tuple[Work[Any, Any], Any]) -> Any:
    work, job = task
    _Place.is_busy = True
    try:
        if _Place.stopped.is_set():
            raise KeyboardInterrupt
        return work(_Place.box, job)
    finally:
        _Place.is_busy = False


def _give_up(*_: object) -> None:
    """Ends the job that is under way, if one is."""
    if _Place.is_busy:
        raise KeyboardInterrupt

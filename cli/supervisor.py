"""Keeps children running: starts them, restarts those that die, stops all of them in order.

Knows processes and log files, but no programs. A child dies with this process, even if this process
is killed.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from worker.child import tied

Notify = Callable[[str], None]

SOON_S: Final = 5.0
"""A child that lives for less than this many seconds is restarted after a pause."""
FIRST_PAUSE_S: Final = 0.5
LONGEST_PAUSE_S: Final = 30.0
_LOG_BYTES: Final = 10 << 20


def on_stop(handle: Callable[..., None]) -> None:
    """Has `handle` called by the signals that ask a command to stop.

    Under `nohup`, a terminal that is closed stops nothing. Unlike SIG_IGN, the handler that does
    nothing is not inherited by children.
    """
    ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    signal.signal(signal.SIGHUP, _do_nothing if ignored else handle)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, handle)


def _do_nothing(*_: object) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Program:
    """One child: its command, and the time that it has to stop."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    descriptors: tuple[int, ...] = ()
    patience_s: float = 10.0
    layer: int = 0
    """A program needs those on lower layers. The highest layer stops first, all its programs at
    once."""
    folder: Path | None = None
    """A folder that the program makes at its start. If it is removed, the program starts again."""


@dataclass
class Child:
    """A program that is kept running."""

    program: Program
    log: Path
    notify: Notify
    clock: Callable[[], float] = time.monotonic
    process: subprocess.Popen[bytes] | None = None
    pause_s: float = 0.0
    begun: float = 0.0
    restart_at: float = 0.0
    asked_at: float | None = None
    """The clock time at which it was asked to stop."""

    def start(self) -> None:
        """Starts the program, with its output appended to its log."""
        self.rotate()
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                tied(list(self.program.command)),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=dict(self.program.environment),
                pass_fds=self.program.descriptors,
                start_new_session=True,
            )
        self.begun, self.asked_at = self.clock(), None

    def rotate(self) -> None:
        """Moves the content of a long log to `.log.1` while the program writes to the log.

        The program continues with the emptied file; lines that it writes meanwhile are lost. On a
        full disk the old content is dropped.
        """
        older = self.log.with_suffix(".log.1")
        with suppress(OSError):  # No log is worth the programs.
            if self.log.stat().st_size <= _LOG_BYTES:
                return
            older.unlink(missing_ok=True)
            try:
                shutil.copyfile(self.log, older)
            except OSError:
                older.unlink(missing_ok=True)
            os.truncate(self.log, 0)

    def restart_dead(self) -> None:
        """Restarts the program if it has died: at once, or after a pause if it keeps dying."""
        self.rotate()
        now = self.clock()
        if self.process is not None and self.process.poll() is None:
            if self.pause_s and now - self.begun > 2 * LONGEST_PAUSE_S:
                self.pause_s = 0.0
            if self._has_lost_its_folder(now):
                self._end_within_its_time(now)
            return
        if self.process is not None:
            self._died(self.process.returncode, now)
        if now >= self.restart_at:
            try:
                self.start()
            except OSError as error:  # Such as too many processes, or too little memory.
                self._wait_longer(now)
                self.notify(
                    f"{self.program.name} cannot be started: {error}; it is tried again in "
                    f"{self.pause_s:.1f} s"
                )

    def end(self) -> None:
        """Asks it to stop."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.asked_at = self.clock()

    def wait(self) -> None:
        """Waits until it has stopped. If that takes too long, kills it and its process group."""
        if self.process is None:
            return
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(self.program.patience_s)
        self.kill()

    def kill(self) -> None:
        """Ends it and its process group now."""
        if self.process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None

    def _end_within_its_time(self, now: float) -> None:
        """Asks it to stop, once; kills it if it takes longer than it may."""
        if self.asked_at is None:
            self.end()
        elif now - self.asked_at > self.program.patience_s:
            self.kill()
            self.notify(f"{self.program.name} did not stop and was killed; it is started again")

    def _has_lost_its_folder(self, now: float) -> bool:
        folder = self.program.folder
        return folder is not None and now - self.begun > LONGEST_PAUSE_S and not folder.exists()

    def _wait_longer(self, now: float) -> None:
        self.pause_s = min(LONGEST_PAUSE_S, 2 * self.pause_s or FIRST_PAUSE_S)
        self.restart_at = now + self.pause_s

    def _died(self, code: int, now: float) -> None:
        soon = now - self.begun < SOON_S
        if soon:
            self._wait_longer(now)
        else:
            self.pause_s, self.restart_at = 0.0, now
        self.kill()
        ending = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
        if soon and self.pause_s > FIRST_PAUSE_S:
            self.notify(
                f"{self.program.name} {ending} right after its start (see {self.log}); it is tried "
                f"again in {self.pause_s:.0f} s"
            )
        else:
            self.notify(f"{self.program.name} {ending}; it is started again")


class Supervisor:
    """All children, in the order in which they start; they stop layer by layer."""

    def __init__(self, logs: Path, notify: Notify) -> None:
        self._logs = logs
        self._notify = notify
        self._children: list[Child] = []

    def add(self, program: Program) -> None:
        """Starts a program and keeps it running."""
        child = Child(program, self._logs / f"{program.name}.log", self._notify)
        self._children.append(child)
        child.start()

    def restart_dead(self) -> None:
        """Restarts the programs that have died."""
        for child in self._children:
            child.restart_dead()

    def stop(self) -> None:
        """Stops all programs, layer by layer from the highest."""
        for layer in sorted({child.program.layer for child in self._children}, reverse=True):
            children = [child for child in self._children if child.program.layer == layer]
            for child in children:
                child.end()
            for child in children:
                child.wait()

    def kill(self) -> None:
        """Kills all programs at once."""
        for child in self._children:
            child.kill()

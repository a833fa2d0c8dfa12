"""Measures the time of one question with the kernel's clocks of the process that answers it.

Knows how much time a process has used and waited, and how much a bot has left; knows no messages.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Final, NamedTuple

from matchbox.errors import SeatFault
from sandbox.policy import Limits

GRACE_MS: Final = 20
"""Milliseconds before the clocks are first read: most answers come sooner."""
FREE_SLEEP_MS: Final = 2
"""Less sleep than this during a question is not charged, so most answers cost no look at /proc."""
_LONGEST_CHECK_MS: Final = 500
_LOADS: Final = 16
"""A bot may be loaded for as long as a bank and this many of the longest loadings. One that keeps
state is loaded for every bout."""


def cpu_clock(pid: int) -> int:
    """The kernel's name for the processor clock of a whole process (see clock_getcpuclockid)."""
    return (~pid << 3) | 2


def run_delay_ns(pid: int | str) -> int:
    """How long the process was ready to run but got no processor, in nanoseconds.

    `pid` may be "thread-self", the calling thread.
    """
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1])


def is_asleep(pid: int) -> bool:
    """Whether the process waits for something other than a processor."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "R"


def too_long(used_ms: float, budget_ms: float) -> SeatFault:
    """The fault of a bot that has used more processor time for a question than it was allowed."""
    detail = f"used {used_ms:.1f} ms of processor time; it was allowed {budget_ms:.0f} ms"
    return SeatFault("timeout", detail)


class Bank:
    """The time that a bot has left, in milliseconds. All its seats of a match draw on one bank."""

    __slots__ = ("left_ms", "loading_ms")

    def __init__(self, limits: Limits) -> None:
        self.left_ms: float = limits.bank_ms
        self.loading_ms: float = limits.bank_ms + _LOADS * limits.start_cpu_ms
        """The time for loading that is left. Once it is used up, loading is paid as thinking is."""

    def pay_loading(self, used_ms: float) -> None:
        """Pays for one loading of the bot."""
        free = min(used_ms, max(0.0, self.loading_ms))
        self.loading_ms -= free
        self.left_ms -= used_ms - free


class Question(NamedTuple):
    """The readings at a question, in nanoseconds."""

    cpu_ns: int
    """The processor time of the process so far."""
    asked_ns: int
    """The time at which it was asked, by the monotonic clock."""
    delay_ns: int = 0
    """`delays_ns` at some time before: each reading takes a while."""


def delays_ns(pid: int) -> int:
    """How long the process, and the calling thread that waits for it, have waited for a processor
    so far, in nanoseconds."""
    return run_delay_ns(pid) + run_delay_ns("thread-self")


class Meter:
    """Charges one question to a seat. No clock is read before the first `check` or `slept_ms`.

    Time is not charged while the process, or the thread that waits for it, waits for a processor: a
    bot never pays for a busy machine. Of the wall time before the clocks are first read, at most
    GRACE_MS are charged: if that is late, the arena itself stood still. The bot is never allowed
    more wall time than its bank could pay for, or its processor time if that is more.
    """

    __slots__ = (
        *("_allowed", "_budget", "_early", "_first", "_first_ready", "_limits", "_pid"),
        *("_question", "delay_ns", "next_check_ms"),
    )

    def __init__(
        self,
        pid: int,
        question: Question,
        budget_ms: float,
        limits: Limits,
        left_ms: float = inf,
    ) -> None:
        self._pid = pid
        self._question = question
        self._budget = budget_ms
        self._limits = limits
        self._allowed = min(budget_ms * limits.wall_factor, max(budget_ms, left_ms))
        self._first: float | None = None
        self._first_ready = self._early = 0.0
        self.delay_ns = question.delay_ns
        """The last reading of `delays_ns`."""
        self.next_check_ms = min(GRACE_MS, int(budget_ms) + 1)

    def check(self, answered: Callable[[], bool] = lambda: False) -> None:
        """Reads the clocks, and sets `next_check_ms`. Raises SeatFault if the time is over.

        `answered` is called after the clocks are read: a bot that has answered by then is not
        judged.
        """
        cpu, wall, charged = time.clock_gettime_ns(cpu_clock(self._pid)), *self._waited()
        asleep = is_asleep(self._pid)
        if answered():
            return
        left = self.settle(cpu)
        allowed = self._allowed
        # The delay does not yet include a wait that still goes on. So a process that is over its
        # time but not asleep is left alone: it either waits for a processor, or is running and soon
        # uses up its processor time.
        if charged > allowed and asleep:
            raise SeatFault("timeout", f"no answer within {allowed:.0f} ms")
        # `allowed` is added, because a bot may be allowed to think for longer than our patience.
        # Then the machine is not at fault.
        if wall > allowed + self._limits.patience_ms:
            raise SeatFault("platform", f"the machine gave the bot no time for {wall:.0f} ms")
        self.next_check_ms = max(
            1, min(_LONGEST_CHECK_MS, int(left) + 1, int(allowed - charged) + 1)
        )

    def slept_ms(self, used_ms: float) -> float:
        """Milliseconds slept until now: the charged wall time less `used_ms` of processor time."""
        return max(0.0, self._waited()[1] - used_ms)

    def _waited(self) -> tuple[float, float]:
        """Milliseconds of wall time since the first call, and how many since the question are
        charged."""
        now = time.monotonic_ns() / 1e6
        self.delay_ns = delays_ns(self._pid)
        ready = now - self.delay_ns / 1e6
        if self._first is None:
            asked = self._question
            early = ready - (asked.asked_ns - asked.delay_ns) / 1e6
            self._first, self._first_ready = now, ready
            self._early = min(float(GRACE_MS), max(0.0, early))
        return now - self._first, self._early + ready - self._first_ready

    def settle(self, cpu_ns: int) -> float:
        """Milliseconds left of the budget at this reading. Raises SeatFault if it is used up."""
        used = (cpu_ns - self._question.cpu_ns) / 1e6
        if used > self._budget:
            raise too_long(used, self._budget)
        return self._budget - used

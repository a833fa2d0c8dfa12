"""The time of one question, by the kernel's own clocks of the process that answers it.

Knows what a process has used and what it was kept waiting for, and what is left of a bot's time;
knows no messages.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Final

from matchbox.errors import SeatFault
from sandbox.policy import Limits

GRACE_MS: Final = 20
"""So long nothing is looked at: most answers come at once."""
_LONGEST_LOOK_MS: Final = 500


def cpu_clock(pid: int) -> int:
    """The kernel's name for the processor clock of a whole process (see clock_getcpuclockid)."""
    return (~pid << 3) | 2


def run_delay_ns(pid: int | str) -> int:
    """How long the process was ready to run and no processor took it, in nanoseconds.

    `pid` may be "thread-self": the thread that asks.
    """
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1])


def is_asleep(pid: int) -> bool:
    """Whether the process waits for something other than a processor."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "R"


def too_long(used_ms: float, budget_ms: float) -> SeatFault:
    """The fault of who has used more processor time for a question than it had."""
    told = f"used {used_ms:.1f} ms of processor time; it was allowed {budget_ms:.0f} ms"
    return SeatFault("timeout", told)


class Bank:
    """What is left to a bot, in milliseconds. All its seats of a match draw from one."""

    __slots__ = ("left_ms",)

    def __init__(self, limits: Limits) -> None:
        self.left_ms: float = limits.bank_ms


class Meter:
    """Charges one question to a seat. Nothing is read before the first `look`.

    Wall time counts from the first look on, and only while neither the process nor the one that
    waits for it was kept waiting for a processor: a bot never pays for a busy machine. No more of
    it is allowed than the bank has left, which would be charged with it.
    """

    __slots__ = (
        *("_allowed", "_begun", "_budget", "_first", "_first_ready", "_limits", "_pid"),
        "next_look_ms",
    )

    def __init__(
        self, pid: int, begun_ns: int, budget_ms: float, limits: Limits, left_ms: float = inf
    ) -> None:
        self._pid = pid
        self._begun = begun_ns
        self._budget = budget_ms
        self._limits = limits
        self._allowed = min(budget_ms * limits.wall_factor, max(budget_ms, left_ms))
        self._first: float | None = None
        self._first_ready = 0.0
        self.next_look_ms = min(GRACE_MS, int(budget_ms) + 1)

    def look(self, answered: Callable[[], bool] = lambda: False) -> None:
        """Raises SeatFault where the time is over; else says when to look again.

        `answered` is asked once the clocks are read: who has answered by then is judged no more.
        """
        cpu, wall, charged = time.clock_gettime_ns(cpu_clock(self._pid)), *self._waited()
        asleep = is_asleep(self._pid)
        if answered():
            return
        left = self.settle(cpu)
        allowed = self._allowed
        # The wait that is going on is not yet in the delay. Who is ready to run when over is
        # either kept waiting, or running and soon at the end of its processor time.
        if charged > allowed and asleep:
            raise SeatFault("timeout", f"no answer within {allowed:.0f} ms")
        # Counted on top: who may think for longer than our patience is not the machine's fault.
        if wall > allowed + self._limits.patience_ms:
            raise SeatFault("platform", f"the machine gave the bot no time for {wall:.0f} ms")
        self.next_look_ms = max(1, min(_LONGEST_LOOK_MS, int(left) + 1, int(allowed - charged) + 1))

    def slept_ms(self, used_ms: float) -> float:
        """What was slept until now, beside that much processor time."""
        return 0.0 if self._first is None else max(0.0, self._waited()[1] - used_ms)

    def _waited(self) -> tuple[float, float]:
        """Milliseconds since the first look: by the wall, and those of them that are charged."""
        now = time.monotonic_ns() / 1e6
        ready = now - (run_delay_ns(self._pid) + run_delay_ns("thread-self")) / 1e6
        if self._first is None:
            self._first, self._first_ready = now, ready
        return now - self._first, ready - self._first_ready

    def settle(self, cpu_ns: int) -> float:
        """What is left of the budget, in ms, at this reading. Raises SeatFault at nothing."""
        used = (cpu_ns - self._begun) / 1e6
        if used > self._budget:
            raise too_long(used, self._budget)
        return self._budget - used

"""Finds the fault behind the end of a process. Knows exit codes and signals; no processes."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from typing import Final

from matchbox.errors import SeatFault
from sandbox.policy import MIB, NO_MEMORY, Limits

_NEAR: Final = 0.9
_STARVED: Final = (-signal.SIGKILL, -signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS)


@dataclass(frozen=True, slots=True)
class ExitStatus:
    """How a seat's process ended: wait status, processor time in ms, peak memory in bytes.

    `clean` is True if it left its zygote unchanged; `killed_by_host` is True if its host killed it.
    """

    status: int
    cpu_ms: float
    max_rss: int
    clean: bool
    killed_by_host: bool = False


def verdict(
    exit_status: ExitStatus, limits: Limits, cpu_allowed_ms: float, inherited_bytes: int = 0
) -> SeatFault:
    """The fault of a process that ended, or closed its channel, instead of answering.

    `cpu_allowed_ms` is the processor time of its life that it may have used by then;
    `inherited_bytes` is the memory that it began with, which no limit counts.
    """
    if exit_status.killed_by_host:
        return SeatFault("crash", "closed its channel instead of answering")
    code = os.waitstatus_to_exitcode(exit_status.status)
    most = limits.start_cpu_ms + limits.bank_ms
    if exit_status.cpu_ms > min(cpu_allowed_ms, most) or code == -signal.SIGXCPU:
        return SeatFault("timeout", f"used {exit_status.cpu_ms:.0f} ms of processor time in all")
    near = exit_status.max_rss - inherited_bytes > _NEAR * limits.memory_mb * MIB
    if code == NO_MEMORY or (near and code in _STARVED):
        return SeatFault("memory", f"needed more than {limits.memory_mb} MiB")
    if code == -signal.SIGKILL:
        return SeatFault("platform", "the bot was killed from outside")
    if code == -signal.SIGSYS:
        return SeatFault("crash", "made a system call of another architecture")
    if code < 0:
        return SeatFault("crash", f"ended by {_name(-code)}")
    return SeatFault("crash", f"ended with exit code {code} instead of answering")


def _name(number: int) -> str:
    return next((s.name for s in signal.Signals if s == number), f"signal {number}")

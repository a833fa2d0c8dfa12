"""The side at fault for a death, row by row."""

from __future__ import annotations

import signal

import pytest

from matchbox.errors import FaultKind
from sandbox.policy import MIB, NO_MEMORY, Limits
from sandbox.verdict import ExitStatus, verdict

LIMITS = Limits(memory_mb=100)


def exited(code: int) -> int:
    return code << 8


def death(
    status: int, cpu_ms: float = 10, rss_mb: int = 30, *, killed_by_host: bool = False
) -> ExitStatus:
    return ExitStatus(status, cpu_ms, rss_mb * MIB, clean=True, killed_by_host=killed_by_host)


@pytest.mark.parametrize(
    ("end", "kind"),
    [
        (death(exited(0)), "crash"),
        (death(exited(1)), "crash"),
        (death(exited(255)), "crash"),
        (death(signal.SIGSEGV), "crash"),
        (death(signal.SIGABRT), "crash"),
        (death(signal.SIGSYS), "crash"),
        (death(signal.SIGTERM), "crash"),
        (death(signal.SIGKILL, killed_by_host=True), "crash"),
        (death(signal.SIGKILL, cpu_ms=5000, rss_mb=95, killed_by_host=True), "crash"),
        (death(exited(NO_MEMORY)), "memory"),
        (death(signal.SIGSEGV, rss_mb=95), "memory"),
        (death(signal.SIGABRT, rss_mb=95), "memory"),
        (death(signal.SIGKILL, rss_mb=95), "memory"),
        (death(exited(1), rss_mb=95), "crash"),
        (death(signal.SIGKILL), "platform"),
        (death(signal.SIGKILL, cpu_ms=5000), "timeout"),
        (death(signal.SIGXCPU), "timeout"),
        (death(exited(0), cpu_ms=5000), "timeout"),
        (death(signal.SIGKILL, cpu_ms=5000, rss_mb=95), "timeout"),
    ],
)
def test_every_death_has_one_owner(end: ExitStatus, kind: FaultKind) -> None:
    assert verdict(end, LIMITS, cpu_allowed_ms=1000).kind == kind


@pytest.mark.parametrize(("held_mb", "kind"), [(105, "platform"), (115, "memory")])
def test_memory_that_a_seat_began_with_does_not_bring_it_near_its_limit(
    held_mb: int, kind: FaultKind
) -> None:
    end = death(signal.SIGKILL, rss_mb=held_mb)
    assert verdict(end, LIMITS, 1000, inherited_bytes=20 * MIB).kind == kind


def test_more_time_than_a_seat_ever_has_is_a_timeout_whatever_the_last_question_allowed() -> None:
    limits = Limits(start_cpu_ms=1000, bank_ms=3000)
    end = death(signal.SIGKILL, cpu_ms=4001)
    assert verdict(end, limits, cpu_allowed_ms=9000).kind == "timeout"


@pytest.mark.parametrize(
    ("end", "word"),
    [
        (death(exited(3)), "exit code 3"),
        (death(signal.SIGSEGV), "SIGSEGV"),
        (death(exited(NO_MEMORY)), "100 MiB"),
        (death(signal.SIGSYS), "system call"),
        (death(signal.SIGKILL), "outside"),
        (death(signal.SIGRTMIN + 1), "signal 35"),
    ],
)
def test_the_detail_tells_the_owner_what_happened(end: ExitStatus, word: str) -> None:
    assert word in verdict(end, LIMITS, cpu_allowed_ms=1000).detail

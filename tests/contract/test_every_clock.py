"""The knowledge of time that a seat can get, in each kind of box."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from math import inf
from pathlib import Path

import pytest

from matchbox.errors import SeatFault
from sandbox.box import Box, open_box
from sandbox.box_seat import BoxSeat
from sandbox.meter import cpu_clock
from sandbox.policy import Limits
from sandbox.selftest import selftest
from tests.contract.test_every_box import ENTRY, HERE, LIMITS, THINK, error, fault
from tests.installation import eventually
from tests.services import missing


@pytest.fixture(scope="module")
def box(kind: str) -> Iterator[Box]:
    with open_box(kind, preload=(), entry=ENTRY, paths=[HERE]) as opened:
        yield opened


@pytest.fixture
def timed(kind: str, box: Box) -> Iterator[BoxSeat]:
    """A seat with a clock of its own."""
    report = selftest(kind)
    if not report.layers["own_clock"]:
        lacking = [sentence for sentence in report.lacking if "own_clock" in sentence]
        assert lacking, "the self-test says so"
        missing(f"{kind}: {lacking[0]}")
    with contextlib.closing(box.seat(LIMITS)) as seat:
        yield seat


def test_every_clock_shows_the_processor_time_of_the_seat(timed: BoxSeat) -> None:
    code = """
import ctypes, time
EPOCH = 946_684_800
end = time.process_time() + 0.2
while time.process_time() < end: pass
wall = ctypes.c_long()
assert ctypes.CDLL(None).time(ctypes.byref(wall)) == wall.value == EPOCH
assert time.get_clock_info("monotonic").resolution == 0.001
told = [
    *(time.clock_gettime_ns(clock) for clock in (1, 2, 3, 4, 6, 7)),
    *(time.clock_gettime_ns(clock) - EPOCH * 10**9 for clock in (0, 5, 11)),
    *(time.perf_counter_ns(), time.monotonic_ns(), time.time_ns() - EPOCH * 10**9),
]
assert not any(ns % 10**6 for ns in told), told
reply = f"{min(told)} {max(told)}".encode()
"""
    least, most = map(int, timed.ask(code.encode()).split())
    assert 200e6 <= least <= most <= timed.cpu_ms * 1e6


@pytest.mark.parametrize(
    "code",
    [
        "time.sleep(3600)",
        "select.select([], [], [], 3600)",
        "select.select([3], [], [], 3600)",
        "threading.Event().wait(3600)",
        "lock = threading.Lock(); lock.acquire(); assert not lock.acquire(timeout=3600)",
        "libc.nanosleep((ctypes.c_long * 2)(3600, 0), None)",
        "libc.poll(None, 0, 3600_000)",
    ],
)
def test_nothing_waits_for_a_time(timed: BoxSeat, code: str) -> None:
    prelude = "import ctypes, select, threading, time; libc = ctypes.CDLL(None)\n"
    assert error(timed, prelude + code) == "none"


@pytest.mark.parametrize(
    "arguments",
    [
        *("228, 0, place", "228, 1, place", "228, ~1 << 3 | 2, place"),
        *("96, place, None", "201, None", "229, 0, place", "100, place"),
        *("36, 0, place", "38, 0, place, None", "37, 1"),
    ],
)
def test_the_kernel_tells_no_other_time(timed: BoxSeat, arguments: str) -> None:
    code = (
        "import ctypes; place = (ctypes.c_long * 16)()\n"
        f"reply = str(ctypes.CDLL(None).syscall({arguments})).encode()"
    )
    assert timed.ask(code.encode()) == b"-1"


@pytest.mark.parametrize(
    "instructions",
    ["0f31 c3", "0f01f9 c3", "48c7c0000460ff ffe0"],
    ids=["rdtsc", "rdtscp", "vsyscall"],
)
def test_native_code_finds_no_other_time(timed: BoxSeat, instructions: str) -> None:
    """The page of old system calls, if the kernel has it, asks the filter."""
    code = (
        "import ctypes, mmap\n"
        "page = mmap.mmap(-1, 4096, prot=7)\n"
        f"page.write(bytes.fromhex('{instructions}'))\n"
        "place = ctypes.addressof(ctypes.c_char.from_buffer(page))\n"
        "told = ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_void_p)(place)(None)\n"
        "reply = b'refused' if -4096 < told < 0 else b'told'\n"
    )
    try:
        answer = timed.ask(code.encode())
    except SeatFault as fault:
        assert "SIGSEGV" in fault.detail
    else:
        assert answer == b"refused"


# --- Between questions ----------------------------------------------------------------------


def has_used_more(seat: BoxSeat, seconds: float, within_s: float = 60) -> bool:
    """Whether the seat uses this many more seconds of processor time after its answer."""
    enough = seat.cpu_ms / 1000 + seconds
    with contextlib.suppress(AssertionError):
        return eventually(lambda: time.clock_gettime(cpu_clock(seat.pid)) > enough, within_s)
    return False


def works_on(box: Box, limits: Limits, within_s: float) -> bool:
    """Whether a seat that has worked between questions does so a second time."""
    with contextlib.closing(box.seat(limits)) as seat:
        seat.ask(THINK.format(seconds=0.1).encode())
        assert has_used_more(seat, 0.05)
        seat.ask(b"")
        seat.ask(THINK.format(seconds=60).encode())
        return has_used_more(seat, 0.2, within_s)


def test_a_bot_that_has_worked_while_it_was_not_asked_is_stopped_meanwhile(box: Box) -> None:
    assert not works_on(box, LIMITS, within_s=5)


def test_it_would_work_on_if_it_were_not_stopped(box: Box) -> None:
    assert works_on(box, replace(LIMITS, restless_ms=inf), within_s=60)


def test_a_bot_that_is_stopped_and_too_slow_can_still_say_where(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    stops: list[bool] = []
    monkeypatch.setattr(BoxSeat, "_stop", lambda seat, stopped: stops.append(stopped))
    with contextlib.closing(box.seat(replace(LIMITS, restless_ms=-1))) as seat:
        seat.ask(b"")
        assert stops == [True]
        now = seat._cpu_ns()
        clock = iter((now, now + 10**12))
        monkeypatch.setattr(seat, "_cpu_ns", lambda: next(clock))
        assert fault(seat, "").kind == "timeout"
    assert stops == [True]


def test_a_bot_that_is_stopped_after_each_answer_gives_them_all(box: Box) -> None:
    always = replace(LIMITS, restless_ms=-1)
    with contextlib.closing(box.seat(always)) as seat:
        for number in range(50):
            assert seat.ask(f"reply = b'{number}'".encode()) == str(number).encode()
        stat = Path(f"/proc/{seat.pid}/stat")
        assert eventually(lambda: stat.read_text().rpartition(")")[2].split()[0] == "T")
        os.kill(seat.pid, signal.SIGKILL)
        assert fault(seat, "").kind == "platform"

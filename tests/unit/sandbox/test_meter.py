"""The charge for a question, with the kernel's readings set by the test."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from math import inf

import pytest

from matchbox.errors import SeatFault
from sandbox import meter
from sandbox.meter import Meter, Question, cpu_clock, is_asleep, run_delay_ns
from sandbox.policy import Limits

LIMITS = Limits(wall_factor=4, patience_ms=10_000)
MS = 1_000_000


class Readings:
    """The clocks of a process, and our own delay, set by the test, all in ms."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.cpu = self.wall = self.delay = self.ours = 0
        self.asleep = True
        monkeypatch.setattr(time, "clock_gettime_ns", lambda _: self.cpu * MS)
        monkeypatch.setattr(time, "monotonic_ns", lambda: self.wall * MS)
        monkeypatch.setattr(meter, "run_delay_ns", lambda pid: self._delay(pid) * MS)
        monkeypatch.setattr(meter, "is_asleep", lambda _: self.asleep)

    def _delay(self, pid: int | str) -> int:
        return self.ours if pid == "thread-self" else self.delay


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> Readings:
    return Readings(monkeypatch)


def a_meter(budget_ms: float, limits: Limits, left_ms: float = inf) -> Meter:
    """The meter of a question at the time 0, to a process that has used no time yet."""
    return Meter(1, Question(0, 0), budget_ms, limits, left_ms)


def fault(one: Meter) -> SeatFault:
    with pytest.raises(SeatFault) as raised:
        one.check()
    return raised.value


def test_processor_time_over_the_budget_is_a_timeout(readings: Readings) -> None:
    one = a_meter(100, LIMITS)
    readings.cpu = 100
    one.check()
    readings.cpu = 101
    assert fault(one).kind == "timeout"


def test_processor_time_before_the_question_is_not_charged(readings: Readings) -> None:
    readings.cpu = 900
    Meter(1, Question(850 * MS, 0), 100, LIMITS).check()


def test_a_sleeper_is_charged_for_the_wall(readings: Readings) -> None:
    one = a_meter(100, LIMITS)
    one.check()
    readings.wall = 400
    one.check()
    readings.wall = 401
    assert fault(one).kind == "timeout"


@pytest.mark.parametrize(("left", "allowed"), [(20, 100), (250, 250), (1000, 400)])
def test_a_bot_may_sleep_for_no_longer_than_its_bank_pays_for_or_it_may_work(
    readings: Readings, left: float, allowed: int
) -> None:
    one = a_meter(100, LIMITS, left)
    one.check()
    readings.wall = allowed
    one.check()
    readings.wall = allowed + 1
    assert fault(one).kind == "timeout"


def test_a_starved_bot_is_not_charged_for_the_wall(readings: Readings) -> None:
    one = a_meter(100, LIMITS)
    one.check()
    readings.wall, readings.delay = 5000, 4700
    one.check()


def test_who_waits_for_a_processor_at_the_very_end_is_not_charged(readings: Readings) -> None:
    one = a_meter(100, LIMITS)
    one.check()
    readings.wall, readings.asleep = 450, False
    one.check()
    assert one.next_check_ms == 1
    readings.asleep = True
    assert fault(one).kind == "timeout"


def test_an_answer_that_came_while_the_clocks_were_read_is_no_timeout(readings: Readings) -> None:
    one = a_meter(100, LIMITS)
    one.check()
    readings.wall = 401
    one.check(lambda: True)
    assert fault(one).kind == "timeout"


@pytest.mark.parametrize(
    ("wall", "delay", "ours", "cpu", "slept"),
    [
        (300, 0, 0, 0, 300),
        (300, 0, 0, 40, 260),
        (300, 250, 0, 40, 10),
        (300, 0, 300, 0, 0),
        (300, 260, 0, 40, 0),
        (300, 290, 200, 40, 0),
    ],
)
def test_what_is_slept_costs_and_waiting_for_a_processor_does_not(
    readings: Readings, wall: int, delay: int, ours: int, cpu: int, slept: int
) -> None:
    one = a_meter(100, LIMITS)
    one.check()
    readings.wall, readings.delay, readings.ours = wall, delay, ours
    assert one.slept_ms(cpu) == slept


def test_what_is_slept_before_the_first_look_costs_as_well(readings: Readings) -> None:
    readings.wall = 19
    assert a_meter(100, LIMITS).slept_ms(3) == 16
    readings.delay, readings.ours = 5, 4
    one = Meter(1, Question(0, 3 * MS, 2 * MS), 100, LIMITS)
    assert one.slept_ms(3) == 19 - 3 - 7 - 3
    assert one.delay_ns == 9 * MS


def test_an_arena_that_stood_still_costs_no_more_than_the_time_of_the_first_look(
    readings: Readings,
) -> None:
    readings.wall = 5000
    one = a_meter(100, LIMITS)
    one.check()
    assert one.slept_ms(3) == 17
    readings.wall = 5100
    assert one.slept_ms(3) == 117


def test_a_machine_that_gives_no_time_at_all_is_the_platforms_fault(readings: Readings) -> None:
    one = a_meter(100, LIMITS)
    one.check()
    readings.wall, readings.delay = 10_400, 10_400
    one.check()
    readings.wall, readings.delay = 10_401, 10_401
    assert fault(one).kind == "platform"


def test_who_may_sleep_for_longer_than_our_patience_is_never_the_platforms_fault(
    readings: Readings,
) -> None:
    one = a_meter(100, Limits(wall_factor=4, patience_ms=300))
    one.check()
    readings.wall = 399
    one.check()
    readings.wall = 401
    assert fault(one).kind == "timeout"


def test_it_looks_again_when_the_budget_could_be_used_up(readings: Readings) -> None:
    one = a_meter(100, LIMITS)
    assert one.next_check_ms <= 21
    readings.cpu = 60
    one.check()
    assert one.next_check_ms == 41
    assert a_meter(5, LIMITS).next_check_ms == 6


def test_it_never_sleeps_long_over_a_great_budget(readings: Readings) -> None:
    one = a_meter(60_000, LIMITS)
    one.check()
    assert one.next_check_ms <= 500


def test_what_is_left_is_told(readings: Readings) -> None:
    assert Meter(1, Question(10 * MS, 0), 100, LIMITS).settle(40 * MS) == 70


def test_the_clock_of_this_process_is_the_kernels() -> None:
    before = time.process_time()
    assert time.clock_gettime(cpu_clock(os.getpid())) >= before


def test_this_process_is_awake() -> None:
    assert not is_asleep(os.getpid())


def test_the_run_delay_is_the_time_for_which_a_process_waits_for_a_processor() -> None:
    """Of two that spin on one processor, the one that gives way waits nearly always."""
    place = {min(os.sched_getaffinity(0))}
    spin = [sys.executable, "-Sc", "while True: pass"]
    with subprocess.Popen(spin) as quick, subprocess.Popen(spin) as slow:
        try:
            for one in (quick, slow):
                os.sched_setaffinity(one.pid, place)
            os.setpriority(os.PRIO_PROCESS, slow.pid, 19)
            clock = cpu_clock(slow.pid)
            used, waited = time.clock_gettime_ns(clock), run_delay_ns(slow.pid)
            deadline = time.monotonic() + 120
            while (more := run_delay_ns(slow.pid) - waited) < 1000 * MS:
                assert time.monotonic() < deadline
                time.sleep(0.02)
            assert time.clock_gettime_ns(clock) - used < more / 2
        finally:
            quick.kill()
            slow.kill()

"""In a real box, a bot's seats pay from the one bank of their match."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from matchbox.errors import SeatFault
from sandbox.box import Box, open_box
from sandbox.meter import Bank, cpu_clock
from sandbox.policy import Limits, Wall

ENTRY = "echo_entry:serve"
PATHS = [Path(__file__).parents[2] / "contract"]
LEAVE = b"\nimport os; os._exit(0)"
LIMITS = Limits(cpu_ms=600, wall_factor=4, bank_ms=900)
NAP = b"import time; time.sleep(0.6)"
"""A sleep takes no time in a seat with a clock of its own."""
SPIN = b"import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass"


@pytest.fixture(scope="module")
def box() -> Iterator[Box]:
    wall = Wall(drop=("own_clock",))
    with open_box("bwrap", preload=(), entry=ENTRY, paths=PATHS, wall=wall) as opened:
        yield opened


def answers(box: Box, bank: Bank, question: bytes, most: int = 50) -> int:
    """Returns how many questions a seat answers before its time is used up."""
    with contextlib.closing(box.seat(LIMITS, bank)) as seat:
        for count in range(most):
            try:
                seat.ask(question)
            except SeatFault as fault:
                assert (fault.kind, "for the match" in fault.detail) == ("timeout", True)
                return count
    return most


def test_a_bot_that_only_sleeps_uses_its_bank_up(box: Box) -> None:
    assert answers(box, Bank(LIMITS), NAP) == 1


def test_many_short_sleeps_are_paid_for_as_one_long_one_is(box: Box) -> None:
    bank = Bank(LIMITS)
    with contextlib.closing(box.seat(LIMITS, bank)) as seat:
        for _ in range(20):
            seat.ask(b"import time; time.sleep(0.014)")
    assert bank.left_ms < 900 - 20 * 10


def test_the_start_of_its_process_costs_a_bot_nothing(box: Box) -> None:
    bank = Bank(LIMITS)
    with contextlib.closing(box.seat(LIMITS, bank)) as seat:
        before = time.clock_gettime(cpu_clock(seat.pid)) * 1000
        seat.ask(b"pass")
        assert 900 - bank.left_ms < seat.cpu_ms - before + 0.001
    assert before > 0.1


def test_a_fresh_seat_of_the_same_bot_finds_its_bank_as_it_was(box: Box) -> None:
    bank = Bank(LIMITS)
    answers(box, bank, NAP)
    assert answers(box, bank, b"pass") == 0
    assert answers(box, Bank(LIMITS), b"pass") == 50


def test_loading_beyond_the_time_for_it_is_paid_from_the_bank(box: Box) -> None:
    bank = Bank(LIMITS)
    with contextlib.closing(box.seat(LIMITS, bank)) as seat:
        seat.ask(SPIN, start=True)
    assert bank.left_ms > 800
    bank.loading_ms = 100
    with contextlib.closing(box.seat(LIMITS, bank)) as seat:
        seat.ask(SPIN, start=True)
    assert (bank.loading_ms, 600 < bank.left_ms < 720) == (0, True)
    for loading_ms, told in ((0, " ms for the match, also for loading"), (1, " ms for the match$")):
        bank.left_ms, bank.loading_ms = 0, loading_ms
        seat = box.seat(LIMITS, bank)
        with contextlib.closing(seat), pytest.raises(SeatFault, match=f"used all of its 900{told}"):
            seat.ask(b"pass")
    assert Bank(Limits()).loading_ms == 140_000


def test_sleeping_while_it_is_loaded_is_paid_for_and_loading_is_not(box: Box) -> None:
    slept, worked = Bank(LIMITS), Bank(LIMITS)
    for bank, question in ((slept, NAP), (worked, SPIN)):
        with contextlib.closing(box.seat(LIMITS, bank)) as seat:
            seat.ask(question, start=True)
    assert slept.left_ms < 600 < 800 < worked.left_ms


@pytest.mark.parametrize(
    "question",
    [b"while True: pass", SPIN + LEAVE, NAP.replace(b"0.6", b"60"), NAP + LEAVE],
)
def test_a_question_without_an_answer_is_paid_for(box: Box, question: bytes) -> None:
    bank = Bank(LIMITS)
    with contextlib.closing(box.seat(LIMITS, bank)) as seat, pytest.raises(SeatFault):
        seat.ask(question)
    assert bank.left_ms < 620


def test_who_hangs_in_wide_frames_again_and_again_uses_its_bank_and_no_more(box: Box) -> None:
    """A frame's budget is the sum of its questions' budgets, but at most the rest of the match's
    bank."""
    limits, bank, used = replace(LIMITS, cpu_ms=100), Bank(LIMITS), 0.0
    for _ in range(5):
        seat = box.seat(limits, bank)
        with contextlib.closing(seat), pytest.raises(SeatFault, match="timeout"):
            seat.ask(b"while True: pass", decisions=5)
        used += seat.cpu_ms
    assert bank.left_ms <= 0
    assert used < 900 + 5 * 120


def test_who_sleeps_through_a_frame_is_waited_for_no_longer_than_its_bank_lasts(box: Box) -> None:
    begun = time.monotonic()
    with contextlib.closing(box.seat(LIMITS)) as seat, pytest.raises(SeatFault, match="timeout"):
        seat.ask(b"import time; time.sleep(60)", decisions=50)
    assert time.monotonic() - begun < 30


def test_a_crowded_machine_costs_an_honest_bot_its_processor_time_alone(box: Box) -> None:
    bank = Bank(LIMITS)
    loop = [sys.executable, "-uc", "print('busy')\nwhile True: pass"]
    before = os.sched_getaffinity(0)
    with contextlib.closing(box.seat(LIMITS, bank)) as seat, contextlib.ExitStack() as crowd:
        os.sched_setaffinity(0, {min(before)})
        crowd.callback(os.sched_setaffinity, 0, before)
        os.sched_setaffinity(seat.pid, {min(before)})
        for _ in range(4):
            neighbour = crowd.enter_context(subprocess.Popen(loop, stdout=subprocess.PIPE))
            crowd.callback(neighbour.kill)
            assert neighbour.stdout is not None
            assert neighbour.stdout.readline() == b"busy\n"
        seat.ask(SPIN)
    assert 400 < bank.left_ms <= 600

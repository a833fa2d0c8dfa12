"""What a bot's seats pay from the one bank of their match, in a real box."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from matchbox.errors import SeatFault
from sandbox.box import Box, open_box
from sandbox.meter import Bank
from sandbox.policy import Limits

ENTRY = "echo_entry:serve"
PATHS = [Path(__file__).parents[2] / "contract"]
LIMITS = Limits(cpu_ms=600, wall_factor=4, bank_ms=900)
NAP = b"import time; time.sleep(0.6)"
SPIN = b"import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass"


@pytest.fixture(scope="module")
def box() -> Iterator[Box]:
    with open_box("bwrap", preload=(), entry=ENTRY, paths=PATHS) as opened:
        yield opened


def answers(box: Box, bank: Bank, question: bytes, most: int = 50) -> int:
    """How many questions a seat answers before its time is used up."""
    with contextlib.closing(box.seat(LIMITS, bank)) as seat:
        for count in range(most):
            try:
                seat.ask(question)
            except SeatFault as fault:
                assert (fault.kind, "for the match" in fault.detail) == ("timeout", True)
                return count
    return most


def test_a_bot_that_only_sleeps_uses_its_bank_up(box: Box) -> None:
    assert 1 < answers(box, Bank(LIMITS), NAP) < 4


def test_a_fresh_seat_of_the_same_bot_finds_its_bank_as_it_was(box: Box) -> None:
    bank = Bank(LIMITS)
    answers(box, bank, NAP)
    assert answers(box, bank, b"pass") == 0
    assert answers(box, Bank(LIMITS), b"pass") == 50


def test_sleeping_while_it_is_loaded_is_paid_for_and_loading_is_not(box: Box) -> None:
    slept, worked = Bank(LIMITS), Bank(LIMITS)
    for bank, question in ((slept, NAP), (worked, SPIN)):
        with contextlib.closing(box.seat(LIMITS, bank)) as seat:
            seat.ask(question, start=True)
    assert slept.left_ms < 600 < 800 < worked.left_ms


def test_a_crowded_machine_costs_an_honest_bot_its_processor_time_alone(box: Box) -> None:
    bank = Bank(LIMITS)
    loop = [sys.executable, "-c", "while True: pass"]
    before = os.sched_getaffinity(0)
    with contextlib.closing(box.seat(LIMITS, bank)) as seat, contextlib.ExitStack() as crowd:
        os.sched_setaffinity(0, {min(before)})
        crowd.callback(os.sched_setaffinity, 0, before)
        os.sched_setaffinity(seat.pid, {min(before)})
        for _ in range(4):
            neighbour = crowd.enter_context(subprocess.Popen(loop))
            crowd.callback(neighbour.kill)
        seat.ask(SPIN)
    assert 400 < bank.left_ms <= 600

"""What a bot does in one rotation of a match, the platform does not let it see in the other.

Each of these bots once told its second rotation that it was the second one.
"""

from __future__ import annotations

import re

import pytest

from sandbox.box import Box
from sandbox.box_seat import BoxSeat
from tests.hostile.stage import HONEST, LIMITS, bot, played, witnessed

WIDTH = 20
SLOW = b"""
import time
from matchbox.games.bomb import *

class Slow(SimplePlayer):
    def turn(self, *told):
        end = time.process_time() + 0.04
        while time.process_time() < end:
            pass
        return super().turn(*told)

BOT = Slow
"""
"""An honest bot that leaves its rival time to work."""


def log_of(
    box: Box, attack: str, rival: bytes, limits: dict[str, int], *, deals: int, width: int
) -> str:
    """The bot's output in a match against that rival, the first rotation's first."""
    with witnessed(attack) as witness:
        attacker = bot(attack, witness)
    within = LIMITS | limits
    result = played(box, attack, attacker, rival, limits=within, deals=deals, width=width)
    assert not result.notes
    return result.logs[0]


def test_a_bot_that_worked_unasked_is_not_stopped_in_its_other_rotation(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped: list[int] = []
    stop = BoxSeat._stop

    def note(seat: BoxSeat, now: bool) -> None:
        stopped.extend([seat.pid] * now)
        stop(seat, now)

    monkeypatch.setattr(BoxSeat, "_stop", note)
    log = log_of(box, "works_unasked", SLOW, {"restless_ms": 5}, deals=2, width=1)
    assert re.findall(r"\w+ stops", log) == ["left stops"] * 2
    assert "refused:" not in log, "the bot could not work unasked"
    assert stopped, "nobody noticed that it did"


def test_a_bot_that_broke_a_wide_frame_is_asked_as_widely_in_its_other_rotation(box: Box) -> None:
    log = log_of(box, "breaks_its_frame", HONEST, {"cpu_ms": 100}, deals=40, width=WIDTH)
    assert re.findall(r"bouts (\d+)", log) == [str(WIDTH), "1"] * 2

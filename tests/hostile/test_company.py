"""Bouts that share a seat's process: a bot that fits alone plays the same at every width.

A bot that holds much memory for each bout reaches the seat's limit if many are in progress, but is
at fault in none. A bout that does not fit alone is lost, and no other. A bot that hangs does so in
one wide frame.
"""

from __future__ import annotations

from functools import cache

import pytest

from matchbox.match import record as records
from matchbox.match.record import Bout, Record
from matchbox.match.wire import MatchPlayed
from tests.builders import open_box
from tests.hostile.stage import HONEST, LIMITS, played

DEALS = 32
WIDTHS = (1, 16, 250)
HOLDER = """
import random

from matchbox.games.bomb import *


class Holder(SimplePlayer):
    def turn(self, game_data, play_a_card):
        if not hasattr(self, "kept"):
            self.kept = [bytearray(1 << 20) for _ in range({needs})]
            {litter}
        return super().turn(game_data, play_a_card)


BOT = Holder
"""
KEEPS = "Holder.all = [*vars(Holder).get('all', ()), bytes(1 << 21)]"
BOTS = {
    "holds 8 MiB a bout": ("8", "pass"),
    "leaves them to the collector": ("8", "self.kept.append(self)"),
    "keeps a little of every bout": ("8", KEEPS),
    "needs too much in some": ("200 if random.random() < 0.015 else 8", "pass"),
}
HANGING = """
import random

from matchbox.games.bomb import *


class Hanging(SimplePlayer):
    def turn(self, game_data, play_a_card):
        while {when}:
            pass
        return super().turn(game_data, play_a_card)


BOT = Hanging
"""
CPU_MS = 300


def holder(needs: str, litter: str) -> str:
    """A bot that holds so many MiB for a bout, and what it does with them."""
    return HOLDER.format(needs=needs, litter=litter)


@cache
def match(source: str, width: int, cpu_ms: int = LIMITS["cpu_ms"]) -> MatchPlayed:
    """A match of that bot against an honest one."""
    allowed = LIMITS | {"cpu_ms": cpu_ms}
    with open_box("bwrap") as box:
        return played(
            box, "company", source.encode(), HONEST, limits=allowed, deals=DEALS, width=width
        )


def bouts(result: MatchPlayed) -> list[Bout]:
    """The bouts of the match."""
    record: Record = records.unpack(result.record)
    return record.bouts


@pytest.mark.parametrize("kind", BOTS)
def test_who_needs_much_for_each_bout_plays_the_same_at_every_width(kind: str) -> None:
    needs, litter = BOTS[kind]
    calm = bouts(match(holder(f"0 * ({needs})", "pass"), 1))
    told = [match(holder(needs, litter), width) for width in WIDTHS]
    one, *others = map(bouts, told)
    assert all(other == one for other in others)
    lost = {(bout.deal, bout.rotation) for bout in one if bout.faults}
    assert {note.kind for result in told for note in result.notes} <= {"memory", "excluded"}
    assert 0 < len(lost) < len(one) if kind.startswith("needs") else not lost
    for bout, other in zip(one, calm, strict=True):
        if (bout.deal, bout.rotation) not in lost:
            assert (bout.moves, bout.places) == (other.moves, other.places)


@pytest.mark.parametrize("when", ["True", "random.random() < 0.01"])
@pytest.mark.parametrize("width", WIDTHS)
def test_who_hangs_costs_one_wide_frame_and_then_one_bouts_time_each(when: str, width: int) -> None:
    result = match(HANGING.format(when=when), width, CPU_MS)
    assert bouts(result) == bouts(match(HANGING.format(when=when), 1, CPU_MS))
    assert {note.kind for note in result.notes} <= {"timeout", "excluded"}
    assert result.cpu_ms[0] < CPU_MS * (10 + 6) + 1500

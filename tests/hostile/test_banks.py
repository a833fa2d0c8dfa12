"""A bot that makes its faults late has bouts replayed, and honest bots do not pay for them twice.

Behind a real wall and with the kernel's clocks; `tests/unit/worker/test_banks.py` has every game.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from matchbox.match.wire import MatchPlayed
from sandbox.box import Box
from tests.builders import open_box
from tests.hostile.stage import HERE, LIMITS, played
from worker.arena import play
from worker.arena.match_seats import MatchSeats

SEATS = 4
DEALS = 6
MARGIN = 1.15
"""A bank has this many times the time that an honest bot needs without the attacker."""
WORK_S = 0.004
"""The processor time of each decision. It is most of what a bot needs, so a busy machine, which
makes everything else slower, changes little."""
BUSY = """# entrant {entrant}
import time

from matchbox.games.skull import *


class Busy(RandomAgent):
    def select_move(self, game_state):
        end = time.process_time() + {work_s}
        while time.process_time() < end:
            pass
        return super().select_move(game_state)


BOT = Busy
"""
ATTACKER = (HERE / "drains_the_banks" / "bot.py").read_bytes()


@pytest.fixture(autouse=True)
def _worst_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gives the attacker the seat of its faults in the last rotation; otherwise chance would
    decide."""
    monkeypatch.setattr(play, "shuffled", tuple)


@pytest.fixture(scope="module")
def box() -> Iterator[Box]:
    """A walled box."""
    with open_box("bwrap") as opened:
        yield opened


@pytest.fixture
def bank_ms(box: Box) -> int:
    """A bank that honest bots do not use up among themselves."""
    calm = match(box, LIMITS["bank_ms"], *honest(range(SEATS)))
    assert not calm.notes
    return int(MARGIN * max(calm.cpu_ms))


def honest(entrants: range) -> list[bytes]:
    """Honest bots that think for a while; each entrant is a version of its own."""
    return [BUSY.format(entrant=entrant, work_s=WORK_S).encode() for entrant in entrants]


def match(box: Box, bank_ms: int, *bots: bytes) -> MatchPlayed:
    """The match of these bots with that bank."""
    limits = LIMITS | {"bank_ms": bank_ms}
    return played(box, "banks", *bots, limits=limits, game="skull", deals=DEALS, width=DEALS)


def test_honest_bots_forfeit_nothing_where_the_attacker_has_bouts_replayed(
    box: Box, bank_ms: int
) -> None:
    result = match(box, bank_ms, ATTACKER, *honest(range(1, SEATS)))
    assert {(note.entrant, note.kind) for note in result.notes} == {(0, "illegal"), (0, "excluded")}


def test_honest_bots_forfeit_where_replays_are_paid_from_the_same_banks(
    box: Box, bank_ms: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MatchSeats, "open_player", MatchSeats.open_alone)
    result = match(box, bank_ms, ATTACKER, *honest(range(1, SEATS)))
    assert {"timeout", "excluded"} <= {note.kind for note in result.notes if note.entrant}

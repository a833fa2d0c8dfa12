"""The attacks that make faults, in the midst of many bouts that are in flight at once.

The attacker attacks in few bouts of a match, and in the others plays as it does where it never
attacks. Those must be the very same bouts: nobody else pays for what it breaks, and it cannot play
one of them again.
"""

from __future__ import annotations

from functools import cache

import pytest

from matchbox.match import record as records
from matchbox.match.record import Bout, Record
from matchbox.match.wire import MatchPlayed
from sandbox.box import Box
from tests.builders import open_box
from tests.hostile.stage import HONEST, bot, expected, is_taken, limits, played, witnessed

DEALS = 48
WIDTH = 32
SHARE = 0.04
"""The share of the bouts that are attacked."""
ATTACKS = (
    *("answers_twice", "blames_others", "claims_no_memory", "close_channel", "empty_frames"),
    *("endless_turn", "exit_zero", "garbage_frames", "huge_reply", "late_bomb", "memory_hog"),
    *("moves_for_others", "raises_a_platform_fault", "segfault", "stale_callback", "wrong_types"),
)
SELDOM = """

import random


class Seldom(Attacker):
    def turn(self, game_data, play_a_card):
        if not hasattr(self, "attacks"):
            self.attacks = random.random() < {share}
        return super().turn(game_data, play_a_card) if self.attacks else None

    def defuse(self, game_data):
        return super().defuse(game_data) if self.attacks else 0


BOT = Seldom
"""


def match(box: Box, attack: str, share: float) -> MatchPlayed:
    """A wide match of the attacker, which attacks in that share of its bouts, and an honest bot."""
    with witnessed(attack) as witness:
        attacker = bot(attack, witness) + SELDOM.format(share=share).encode()
    allowed = limits(attack)
    if "cpu_ms" in expected(attack).get("limits", {}):
        allowed["cpu_ms"] = 60  # A frame has the time of all its questions.
    return played(box, "wide", attacker, HONEST, limits=allowed, deals=DEALS, width=WIDTH)


@cache
def undisturbed() -> dict[tuple[int, int], Bout]:
    """The bouts of the match without attacks."""
    with open_box("bwrap") as fresh:
        return by_order(records.unpack(match(fresh, "segfault", 0.0).record))


def by_order(record: Record) -> dict[tuple[int, int], Bout]:
    """The bouts by deal and rotation."""
    return {(bout.deal, bout.rotation): bout for bout in record.bouts}


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_in_a_wide_match_costs_the_attacker_alone(attack: str) -> None:
    calm = undisturbed()
    with open_box("bwrap") as box:
        result = match(box, attack, SHARE)
    assert is_taken(result)
    bouts = by_order(records.unpack(result.record))
    assert list(bouts) == list(calm)
    assert len(bouts) == 2 * DEALS
    broken = {order for order, bout in bouts.items() if bout.faults}
    assert all(fault.seat == at[1] for at in broken for fault in bouts[at].faults)
    assert {order: bouts[order] for order in bouts if order not in broken} == {
        order: bout for order, bout in calm.items() if order not in broken
    }
    assert 0 < len(broken) < len(bouts) / 2
    assert {note.entrant for note in result.notes} == {0}
    assert {note.kind for note in result.notes} <= {*expected(attack)["verdicts"], "excluded"}

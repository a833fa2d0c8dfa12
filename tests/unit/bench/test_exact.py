"""The exact figures of Skull's single challenge, worked out again for two players.

Every move of two random agents is followed through the rules, with its probability.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest

from bench.figures.skull import EXACT
from matchbox.games.skull.rules import GAME
from tests.fakes import RandomDice

POSITION = ("phase", "mover", "pile_sizes", "bids", "table", "top", "top_seat", "hands", "piles")
"""What the moves to come depend on."""
Worth = tuple[float, float]
"""How likely a skull ends the challenge, and how many moves there are to come."""


def worth(state: Any, known: dict[str, Worth]) -> Worth:
    """What random moves make of the position."""
    movers = GAME.to_move(state)
    if not movers:
        return float(not sum(state.points)), 0.0
    seat = movers[0]
    key = repr([getattr(state, name) for name in POSITION])
    if key not in known:
        after = []
        for move in GAME.legal(state, seat):
            tried = GAME.apply(copy.deepcopy(state), seat, move, RandomDice(1))
            after.append(worth(tried, known))
        skulls, moves = (sum(side) / len(after) for side in zip(*after, strict=True))
        known[key] = skulls, 1 + moves
    return known[key]


def test_the_exact_figures_of_two_players_are_those_of_the_rules() -> None:
    start = GAME.start(2, RandomDice(1), {"variant": "document"})
    skulls, moves = worth(start, {})
    assert (100 * skulls, moves) == pytest.approx(EXACT[2], abs=1e-4)

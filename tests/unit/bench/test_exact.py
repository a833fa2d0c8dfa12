"""Computes the exact figures of Skull's single challenge for two players in a second way.

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
"""The fields of a state on which the coming moves depend."""
Worth = tuple[float, float]
"""The probability that a skull ends the challenge, and the expected number of coming moves."""


def worth(state: Any, known: dict[str, Worth]) -> Worth:
    """Returns the worth of the position under random moves."""
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

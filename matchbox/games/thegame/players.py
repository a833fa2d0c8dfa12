"""The document's three strategies, unchanged, and players that keep to the rules.

They use nothing but a player's view. The first three do not check whether a play is allowed.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from matchbox.games.thegame.piles import BACK, plays
from matchbox.games.thegame.player import Piles, Player, Strategy, Table

RISING: Final = (0, 1)
FALLING: Final = (2, 3)


def random_strategy(game: Piles, hand: list[int]) -> tuple[int, int]:
    """Any valid play, never a backwards one; if there is none, an invalid play."""
    valid = plays(game, hand, False)
    return random.choice(valid) if valid else (0, 0)


def minimal_distance_strategy(game: Piles, hand: list[int]) -> tuple[int, int]:
    """The lowest card on the lower rising pile, or the highest on the higher falling one.

    It plays the nearer of both, even if that card lies on the wrong side of the pile.
    """
    lower = min(game[pile][-1] for pile in RISING)
    higher = max(game[pile][-1] for pile in FALLING)
    lowest, highest = min(hand), max(hand)
    if abs(lowest - lower) < abs(higher - highest):
        return _first(game, RISING, lower), hand.index(lowest)
    return _first(game, FALLING, higher), hand.index(highest)


def trick_strategy(game: Piles, hand: list[int]) -> tuple[int, int]:
    """A card ten away from the top of a pile; else half of a pair ten apart; else any play."""
    tricks = [
        (pile, place)
        for pile, cards in enumerate(game)
        for laid in cards
        for place, card in enumerate(hand)
        if abs(card - laid) == BACK
    ]
    if tricks:
        return random.choice(tricks)
    pairs = [
        (pile, place)
        for place, card in enumerate(hand)
        for other in hand[place + 1 :]
        if abs(card - other) == BACK
        for pile in (0, 1, 2)  # The document leaves out the last pile.
        if (card > game[pile][-1] if pile in RISING else card < game[pile][-1])
    ]
    return random.choice(pairs) if pairs else random_strategy(game, hand)


strategies: Final[dict[str, Strategy]] = {
    "random": random_strategy,
    "minimal": minimal_distance_strategy,
    "trick": trick_strategy,
}


class LegalMinimalPlayer(Player):
    """The allowed play with the least step: ten back counts less than any other."""

    def play(self, table: Table) -> tuple[int, int]:
        return least(table, lambda pile, card: table.step(pile, card))


class LegalTrickPlayer(Player):
    """Ten back wherever it can, else any allowed play."""

    def play(self, table: Table) -> tuple[int, int]:
        allowed = table.plays()
        back = [(p, c) for p, c in allowed if table.step(p, table.hand[c]) == -BACK]
        return random.choice(back or allowed)


def least(table: Table, cost: Callable[[int, int], float]) -> tuple[int, int]:
    """The allowed play of least `cost(pile, card)`; of equals the lower pile, the earlier card."""
    return min(table.plays(), key=lambda play: cost(play[0], table.hand[play[1]]))


def _first(game: Piles, piles: tuple[int, ...], top: int) -> int:
    return next(pile for pile in piles if game[pile][-1] == top)

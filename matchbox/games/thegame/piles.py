"""The four piles: where they start, which card fits on which, and the words for a hint.

Knows piles and cards; knows no turns, no players and no decks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

STARTS: Final = (1, 1, 100, 100)
"""The first number of each pile; the first two piles rise, the others fall."""
RISING: Final = (True, True, False, False)
CARDS: Final = range(2, 100)
BACK: Final = 10
"""A card exactly this far the wrong way may be laid if the rules allow the backwards play."""

RULES: Final = ("article", "backwards", "published")
WORDS: Final = ("none", "please leave it", "I can go close")
"""The words that a hint may use for a pile."""
SILENCE: Final = (WORDS[0],) * len(STARTS)


def step(pile: int, top: int, card: int) -> int:
    """Returns how far the card moves the pile in its direction; negative if it moves back."""
    return card - top if RISING[pile] else top - card


def fits(pile: int, top: int, card: int, backwards: bool) -> bool:
    """Whether the card may be laid on the pile with that top."""
    along = card - top if RISING[pile] else top - card
    return along > 0 or (backwards and along == -BACK)


def plays(
    piles: Sequence[Sequence[int]], hand: Sequence[int], backwards: bool
) -> list[tuple[int, int]]:
    """Every legal play as (pile, place in the hand), ordered by pile, then by place."""
    return [
        (pile, place)
        for pile, cards in enumerate(piles)
        for place, card in enumerate(hand)
        if fits(pile, cards[-1], card, backwards)
    ]

"""The dice of the module `random`, with which the source documents' programs play.

Never in a referee: their draws have no seed of a deal.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import MutableSequence, Sequence

    from matchbox.dice import Dice

T = TypeVar("T")


class _ModuleDice:
    """Looks the functions up at each draw, since a seat replaces them after the import."""

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1."""
        return random.randrange(n)

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Puts the items into another order."""
        random.shuffle(items)

    def choice(self, items: Sequence[T]) -> T:
        """One of the items."""
        return random.choice(items)


MODULE_DICE: Final[Dice] = _ModuleDice()

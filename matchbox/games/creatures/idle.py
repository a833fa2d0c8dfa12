"""A board that is only looked at, if at all: the opponent's, and that of one who sits nowhere.

Knows when to lay out its cards; what they are, and how they are shown, is the board's.
"""

from __future__ import annotations

from typing import Any, Final

from matchbox.games.creatures.board import GameControl
from matchbox.games.creatures.brief import read_other

_LAID: Final = frozenset(("hand", "field", "lands", "dpile", "playedland", "mana", "_creatures"))
"""What is there from the first look at any of it."""


class IdleBoard(GameControl):
    """A board where the player who sees it cannot act: its cards come when somebody looks."""

    def _lay_out(self) -> None:
        """Waits for somebody to look."""
        self.is_laid = False
        self._brief = b""

    def __getattr__(self, name: str) -> Any:
        """Lays out the cards when they are first looked at."""
        if name not in _LAID or self.is_laid:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        self.is_laid = True
        super()._lay_out()
        if self._brief:
            read_other(self._brief, self._side)
            self.show()
        return self.__dict__[name]

    def tell(self, brief: bytes) -> None:
        """Takes what is seen of the opponent's side now; it is read where somebody has looked."""
        self._brief = brief
        if self.is_laid:
            read_other(brief, self._side)

    def show(self, played: int = -1) -> None:
        """As every board, but nothing where nobody has looked yet."""
        if self.is_laid:
            super().show(played)


IdleBoard.__name__ = GameControl.__name__  # an author reads it in the errors of his own mistakes

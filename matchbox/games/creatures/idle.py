"""A board that is only looked at, if at all: the opponent's, and that of one who sits nowhere.

Knows when to lay out its cards; what they are, and how they are shown, is the layout's.
"""

from __future__ import annotations

from typing import Any, Final

from matchbox.games.creatures.board import NOTHING, GameControl
from matchbox.games.creatures.layout import Layout
from matchbox.games.creatures.state import Side

_LAID: Final = frozenset(("hand", "field", "playedland", "mana"))
"""What is there from the first look at any of it."""


class IdleBoard(GameControl):
    """A board where the player who sees it cannot act: its cards come when somebody looks."""

    def __init__(self, side: Side | None = None) -> None:
        """The board of what lies on that side."""
        if side is not None:
            self._layout = Layout(side, is_own=False)

    def __getattr__(self, name: str) -> Any:
        """Lays out the cards when they are first looked at."""
        if name == "_layout":
            self._layout = Layout(NOTHING, is_own=False)
            return self._layout
        if name not in _LAID or self._layout.is_laid:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        self._layout.lay_out(self)
        return self.__dict__[name]


IdleBoard.__name__ = GameControl.__name__  # an author reads it in the errors of his own mistakes

"""A board without actions: the opponent's, or that of a player who is not in a duel.

Decides when its cards are created; the layout knows the cards and how to show them.
"""

from __future__ import annotations

from typing import Any, Final

from matchbox.games.creatures.board import NOTHING, GameControl
from matchbox.games.creatures.layout import Layout
from matchbox.games.creatures.state import Side

_LAID: Final = frozenset(("hand", "field", "playedland", "mana"))
"""The attributes that are created at the first look at any of them."""


class IdleBoard(GameControl):
    """A board on which the player cannot act: its cards are created when somebody looks."""

    def __init__(self, side: Side | None = None) -> None:
        """The board of that side."""
        if side is not None:
            self._layout = Layout(side, is_own=False)

    def __getattr__(self, name: str) -> Any:
        """Creates the cards at the first look at them."""
        if name == "_layout":
            self._layout = Layout(NOTHING, is_own=False)
            return self._layout
        if name not in _LAID or self._layout.is_laid:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        self._layout.lay_out(self)
        return self.__dict__[name]


IdleBoard.__name__ = GameControl.__name__  # Authors read this name in error messages.

"""The moves of a turn in a row. Each row is made once, since most turns are alike.

Knows how a seat's moves are written; does not know which are allowed.
"""

from __future__ import annotations

from typing import Any, Final

from matchbox.games.creatures.kinds import LANDS, NAMES

LAND_MOVE: Final = 0
TAP_MOVE: Final = 1
"""The first number of the taps; the number of lands is added to it."""
SUMMON_MOVE: Final = TAP_MOVE + LANDS + 1
"""The first number of the summons; the card's number is added to it."""
ATTACK_MOVE: Final = SUMMON_MOVE + len(NAMES)
"""The first number of the attacks; the creature's number is added to it."""
_MOVES: Final[list[Any]] = [
    "land",
    *(["tap", lands] for lands in range(LANDS + 1)),
    *(["summon", name] for name in NAMES),
    *(["attack", number] for number in range(256)),
]
_MAX_CACHED: Final = 2000
"""At most this many rows are cached; further ones are made each time."""


class Row:
    """Moves that the seat makes one after another. Cached rows that are equal are one object.

    A row never changes.
    """

    __slots__ = ("_longer", "moves", "whole")

    def __init__(self, moves: tuple[Any, ...]) -> None:
        self.moves = moves
        self.whole: Any = (*moves, "done") if moves else "done"
        """The row and the end of the turn."""
        self._longer: dict[int, Row] = {}
        """Longer rows by their next move."""

    def then(self, move: int) -> Row:
        """This row with one more move."""
        return self._longer.get(move) or self._grown(move)

    def _grown(self, move: int) -> Row:
        row = Row((*self.moves, _MOVES[move]))
        if len(_kept) < _MAX_CACHED:
            _kept.append(row)
            self._longer[move] = row
        return row


_kept: Final[list[Row]] = []
NO_MOVES: Final = Row(())

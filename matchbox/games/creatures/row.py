"""The moves of a turn in a row, each row made once: most turns are one of few.

Knows how a seat's moves are written; does not know which are allowed.
"""

from __future__ import annotations

from typing import Any, Final

from matchbox.games.creatures.kinds import LANDS, NAMES

LAND_MOVE: Final = 0
TAP_MOVE: Final = 1
"""And so many lands."""
SUMMON_MOVE: Final = TAP_MOVE + LANDS + 1
"""And the card's number."""
ATTACK_MOVE: Final = SUMMON_MOVE + len(NAMES)
"""And the creature's number."""
_MOVES: Final[list[Any]] = [
    "land",
    *(["tap", lands] for lands in range(LANDS + 1)),
    *(["summon", name] for name in NAMES),
    *(["attack", number] for number in range(256)),
]
_MOST: Final = 2000
"""So many rows are kept; what would be more is made anew each time."""


class Row:
    """Moves that the seat makes one after another. An equal row is the same object, if it is kept.

    Nothing of a row is ever changed.
    """

    __slots__ = ("_longer", "moves", "whole")

    def __init__(self, moves: tuple[Any, ...]) -> None:
        self.moves = moves
        self.whole: Any = (*moves, "done") if moves else "done"
        """With the end of the turn."""
        self._longer: dict[int, Row] = {}
        """By what comes next."""

    def then(self, move: int) -> Row:
        """The row that is longer by this move."""
        return self._longer.get(move) or self._grown(move)

    def _grown(self, move: int) -> Row:
        row = Row((*self.moves, _MOVES[move]))
        if len(_kept) < _MOST:
            _kept.append(row)
            self._longer[move] = row
        return row


_kept: Final[list[Row]] = []
NO_MOVES: Final = Row(())

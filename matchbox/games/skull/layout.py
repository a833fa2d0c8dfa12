"""Where the numbers lie of which a position is made, and what they stand for. Knows no rules.

First the board, which everybody sees: single numbers, and rows with a place for every seat. Behind
it a brief has what the seat sees of itself: how many skulls and roses are in its hand, which seat
it is, how many cards it has lost, the kinds of those, and the kinds on its pile. Then the story.
"""

from __future__ import annotations

from typing import Final

from matchbox.games.skull import moves

PHASE, VARIANT, SEATS, MOVER, STARTER, INSIDE, POINTS = range(7)
CARDS, PILES, BIDS, TABLE = range(POINTS + moves.SEATS, POINTS + 5 * moves.SEATS, moves.SEATS)
TOP: Final = TABLE + 1
OWN: Final = TOP + 1
SKULLS, ROSES, ME, LOST, GONE = range(OWN, OWN + 5)

PLACING, BETTING, CHOICE, LOSE, START, OVER = range(len(moves.PHASES))
PUBLISHED, CHALLENGE, DOCUMENT = range(len(moves.VARIANTS))
SKULL, ROSE = range(len(moves.KINDS))
PASSED: Final = 255
"""The bid of whoever passed."""

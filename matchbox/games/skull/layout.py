"""The places and meanings of the numbers that make up a position. Knows no rules.

First comes the public board: single numbers, and rows with a place for every seat. In a brief the
seat's own part follows: the number of skulls and of roses in its hand, its own number, how many
cards it has lost, their kinds, and the kinds on its pile. Then comes the story.
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
"""The bid of a seat that has passed."""

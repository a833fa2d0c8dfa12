"""Moves as strings, and which of them are legal. Knows phases and numbers; keeps no state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

MAX_SEATS: Final = 6
"""The largest table."""
KINDS: Final = ("skull", "rose")
PHASES: Final = ("placing", "betting", "choice", "lose", "start", "over")
VARIANTS: Final = ("published", "challenge", "document")
PASSED_IN_VIEW: Final = -1
"""The bid of a seat that has passed, in a view."""
PASSED_BYTE: Final = 255
"""The bid of a seat that has passed, in a state and in a brief."""

PLACING, BETTING, CHOICE, LOSE, START, OVER = range(len(PHASES))
PUBLISHED, CHALLENGE, DOCUMENT = range(len(VARIANTS))
SKULL, ROSE = range(len(KINDS))

PASS: Final = "pass"
PLACES: Final = tuple(f"place {kind}" for kind in KINDS)
BETS: Final = tuple(f"bet {number}" for number in range(4 * MAX_SEATS + 1))
"""By number; nobody bids 0."""
CHOICES: Final = tuple(f"choose {seat}" for seat in range(MAX_SEATS))
LOSSES: Final = tuple(f"lose {kind}" for kind in KINDS)
LOSE_ANY: Final = "lose any"
STARTS: Final = tuple(f"start {seat}" for seat in range(MAX_SEATS))
START_ANY: Final = "start any"


def placing(skulls: int, roses: int, ready: bool, table: int) -> list[str]:
    """A card of each kind in the hand; if `ready`, also the bids up to `table`."""
    places = [text for text, held in zip(PLACES, (skulls, roses), strict=True) if held]
    return places + list(BETS[1 : table + 1]) if ready else places


def betting(top: int, table: int) -> list[str]:
    """The bids above the highest one, and passing."""
    return [*BETS[top + 1 : table + 1], PASS]


def choosing(piles: Sequence[int], challenger: int | None) -> list[str]:
    """The other seats that have a card on their pile; `piles` holds the sizes by seat."""
    return [CHOICES[seat] for seat, size in enumerate(piles) if size and seat != challenger]

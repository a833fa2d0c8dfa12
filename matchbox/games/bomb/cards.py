"""The cards of bomb as numbers, and the layout of a brief. Knows no rule."""

from __future__ import annotations

from typing import Final

KINDS: Final = ("defuse", "skip", "bottom", "shuffle", "see", "nothing", "bomb")
"""All kinds. Internally a card is the number of its kind in this order, as in player.brief_of."""
NUMBERS: Final = {kind: number for number, kind in enumerate(KINDS)}
DEFUSE: Final = NUMBERS["defuse"]
SKIP: Final = NUMBERS["skip"]
BOTTOM: Final = NUMBERS["bottom"]
SHUFFLE: Final = NUMBERS["shuffle"]
SEE: Final = NUMBERS["see"]
NOTHING: Final = NUMBERS["nothing"]
BOMB: Final = NUMBERS["bomb"]
DECK: Final = bytes([SKIP] * 4 + [BOTTOM] * 4 + [SHUFFLE] * 4 + [SEE] * 8 + [NOTHING] * 4)
ADDED: Final = bytes((DEFUSE, DEFUSE, BOMB))
"""The cards that are added to the draw pile after the deal."""
HAND: Final = 5
SEEN: Final = 3

AT_ASKS: Final = 0
AT_PILE: Final = 1
AT_OTHER: Final = 2
AT_SEEN: Final = 3
AT_COUNTS: Final = 4
AT_CARDS: Final = AT_COUNTS + len(KINDS)
"""The places of these numbers in a brief, as in player.py."""

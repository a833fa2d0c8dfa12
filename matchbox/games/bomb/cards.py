"""The cards of bomb, as numbers. Knows no rule."""

from __future__ import annotations

from typing import Final

KINDS: Final = ("defuse", "skip", "bottom", "shuffle", "see", "nothing", "bomb")
"""All kinds. Inside the game, a card is the number of its kind in this order."""
NUMBERS: Final = {kind: number for number, kind in enumerate(KINDS)}
DEFUSE: Final = NUMBERS["defuse"]
SKIP: Final = NUMBERS["skip"]
BOTTOM: Final = NUMBERS["bottom"]
SHUFFLE: Final = NUMBERS["shuffle"]
SEE: Final = NUMBERS["see"]
NOTHING: Final = NUMBERS["nothing"]
BOMB: Final = NUMBERS["bomb"]
DECK: Final = bytes([SKIP] * 4 + [BOTTOM] * 4 + [SHUFFLE] * 4 + [SEE] * 8 + [NOTHING] * 4)
"""The cards that are shuffled and dealt."""
ADDED: Final = bytes((DEFUSE, DEFUSE, BOMB))
"""The cards that are added to the draw pile after the deal."""
DEALT: Final = 5
"""The number of cards that each player is dealt, in addition to a defuse card."""
SEEN: Final = 3
"""The number of cards that a see card shows."""

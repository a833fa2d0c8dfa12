"""The table of the creature duel as a value: both sides, whose turn it is, and the last move.

Knows the places of the cards; does not know which moves are allowed. A card is the number of its
kind, as in kinds.NAMES.
"""

from __future__ import annotations

from typing import Final

LIFE: Final = 20
NOBODY: Final = -1
"""The place of the attacker if there is none."""
UNTAPPED: Final = 0
ATTACKED: Final = 1
BLOCKED: Final = 2
NO_LIFE: Final = "no life left"
NO_CARD: Final = "no card to draw"
MARKS: Final = ("", "attacked", "blocked")
"""The action that tapped a creature, by its mark."""


class Side:
    """The cards and the life of one seat. The end of `deck` is its top.

    The creatures on the field are three rows of bytes: their numbers among the owner's summons,
    their cards, and their marks. Unseen cards are present in the right number, all face down.
    """

    __slots__ = (
        "deck", "discard", "hand", "kinds", "lands", "life", "mana", "marks", "numbers", "played",
        "tapped",
    )  # fmt: skip

    def __init__(self, deck: bytearray) -> None:
        self.deck = deck
        self.hand = bytearray()
        self.numbers = bytearray()
        self.kinds = bytearray()
        self.marks = bytearray()
        self.discard = bytearray()
        self.life = LIFE
        self.lands = 0
        self.tapped = 0
        """The number of tapped lands."""
        self.mana = 0
        self.played = False
        """Whether the turn's land has been played."""

    def facts(self) -> tuple[object, ...]:
        """Everything that can be seen of the side, for comparison."""
        return (
            self.life, self.deck, self.hand, self.lands, self.tapped, self.mana, self.played,
            self.numbers, self.kinds, self.marks, self.discard,
        )  # fmt: skip


class State:
    """The table: both sides, and whose turn it is."""

    __slots__ = (
        "attacker", "last", "loser", "mover", "movers", "sides", "turn", "why",
    )  # fmt: skip

    def __init__(self, sides: tuple[Side, Side]) -> None:
        self.sides = sides
        self.mover = 0
        """Whose turn it is."""
        self.movers: tuple[int, ...] = (0,)
        """The seat that owes a move."""
        self.turn = 0
        """The number of turns of both seats that have begun."""
        self.attacker = NOBODY
        """The attacking creature's place on its field, while the other seat chooses a blocker."""
        self.last: tuple[str, int, int, bool] = ("", 0, 0, False)
        """The last move: its kind; its object (the amount of mana or the card), and the creature's
        number or the blocker's card; and whether it took life."""
        self.loser: int | None = None
        self.why = ""

    def copy(self) -> State:
        """A copy that shares nothing with this state."""
        other = State((_copy(self.sides[0]), _copy(self.sides[1])))
        for name in ("attacker", "last", "loser", "mover", "movers", "turn", "why"):
            setattr(other, name, getattr(self, name))
        return other


def _copy(side: Side) -> Side:
    """A copy that shares nothing with this side."""
    other = Side(side.deck.copy())
    for name in ("discard", "hand", "kinds", "marks", "numbers"):
        setattr(other, name, getattr(side, name).copy())
    for name in ("lands", "life", "mana", "played", "tapped"):
        setattr(other, name, getattr(side, name))
    return other

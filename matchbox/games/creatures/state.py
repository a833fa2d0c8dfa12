"""The table of the creature duel as a value: both sides, whose turn it is, and the last move.

Knows what lies where; does not know which moves are allowed.
"""

from __future__ import annotations

from typing import Any, Final

LIFE: Final = 20


class Side:
    """What belongs to one seat. The end of `deck` is its top."""

    __slots__ = (
        "deck", "discard", "field", "hand", "lands", "life", "mana", "played", "summoned", "tapped",
    )  # fmt: skip

    def __init__(self, deck: list[str]) -> None:
        self.deck = deck
        self.hand: list[str] = []
        self.field: list[list[Any]] = []
        self.discard: list[str] = []
        self.life = LIFE
        self.lands = 0
        self.tapped = 0
        """How many of the lands are tapped."""
        self.mana = 0
        self.played = False
        """Whether the turn's land has been played."""
        self.summoned = 0


class State:
    """What lies on the table."""

    __slots__ = ("attacker", "last", "loser", "mover", "sides", "turn", "why")

    def __init__(self, sides: tuple[Side, Side]) -> None:
        self.sides = sides
        self.mover = 0
        """Whose turn it is."""
        self.turn = 0
        """How many turns have begun, of both seats together."""
        self.attacker: list[Any] | None = None
        """The attacking creature, while the other seat chooses a blocker."""
        self.last: dict[str, Any] = {}
        """What the last move was and did, as everybody saw it."""
        self.loser: int | None = None
        self.why = ""

    def copy(self) -> State:
        """The same state, of which nothing is shared."""
        other = State((_copy(self.sides[0]), _copy(self.sides[1])))
        for name in ("last", "loser", "mover", "turn", "why"):
            setattr(other, name, getattr(self, name))
        if self.attacker is not None:
            field = other.sides[self.mover].field
            other.attacker = next(one for one in field if one[0] == self.attacker[0])
        return other


def _copy(side: Side) -> Side:
    """The same side, of which nothing is shared."""
    other = Side(side.deck.copy())
    other.hand, other.discard = side.hand.copy(), side.discard.copy()
    other.field = [creature.copy() for creature in side.field]
    for name in ("lands", "life", "mana", "played", "summoned", "tapped"):
        setattr(other, name, getattr(side, name))
    return other

"""What a player of Addition War is written against, and the driver that puts the question to it.

Knows a player's view of the table; does not know the rules. The source document has no players:
these names are ours.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from typing import Any, Final, NamedTuple

from matchbox.errors import IllegalMove

ALIASES: Final[dict[str, str]] = {}
"""Module names of the source document that players import; the notebook has none."""

Ask = Callable[[Any], Any]
Cards = tuple[int, int]


class Play(NamedTuple):
    """A play that is over."""

    own: Cards
    """The own two cards, the higher first."""
    other: Cards
    """The other player's two cards."""
    taken: bool | None
    """Whether you took them; None while nobody has, after a tie."""


class Position:
    """What the player knows before it lays two cards. Every list is a copy, its own."""

    __slots__ = ("_brief", "hand", "open_plays", "other_hand", "other_points", "points")

    def __init__(self, view: dict[str, Any] | bytes) -> None:
        """The position of a view, or of its brief."""
        brief = view if type(view) is bytes else brief_of(view)  # type: ignore[arg-type]
        own, other = _HEAD + brief[0], _HEAD + brief[0] + brief[1]
        self._brief = brief
        self.hand = list(brief[_HEAD:own])
        """The own cards, from 13 down to 1."""
        self.other_hand = list(brief[own:other])
        """The other player's cards, which anybody who has counted knows."""
        self.points = brief[5] << 8 | brief[6]
        self.other_points = brief[7] << 8 | brief[8]
        self.open_plays = brief[4]
        """How many of the last plays were ties, and now wait for whoever wins next."""

    @property
    def _played(self) -> tuple[bytes, bytes]:
        """The cards that each has laid, two a play."""
        brief = self._brief
        start = _HEAD + brief[0] + brief[1]
        return brief[start : start + brief[2]], brief[start + brief[2] : start + 2 * brief[2]]

    @property
    def plays(self) -> list[Play]:
        """All plays so far, the oldest first."""
        own, other = (list(zip(cards[::2], cards[1::2], strict=True)) for cards in self._played)
        took = self._brief[-self._brief[3] :] if self._brief[3] else b""
        return list(map(Play, own, other, map(_TOOK.__getitem__, took)))

    @property
    def open_points(self) -> int:
        """The sum of the cards that lie open after ties, beside those of this play."""
        if not self.open_plays:
            return 0
        return sum(sum(cards[-2 * self.open_plays :]) for cards in self._played)

    def __str__(self) -> str:
        lines = [
            f"You have {_listed(self.hand)}, and {self.points} points.",
            f"The other player has {_listed(self.other_hand)}, and {self.other_points} points.",
        ]
        if self.open_plays:
            lines.append(f"After a tie, {self.open_points} points lie open.")
        return "\n".join(lines)


class Player:
    """The base class of all players: write this method."""

    def lay(self, position: Position) -> Cards:
        """Two cards of `position.hand`, in any order. The other player lays at the same time."""
        raise NotImplementedError("a player must have a method lay(position)")


# --- The driver ------------------------------------------------------------------------------


def answer(player: Player, view: dict[str, Any], ask: Ask) -> Any:
    """The player's move for this view: two cards, the higher first, such as "13 2".

    Raises IllegalMove where the player returns something that is no pair of cards.
    """
    return answer_brief(player, brief_of(view), ask)


def brief_of(view: dict[str, Any]) -> bytes:
    """The view of a seat that is to lay in as many bytes as it has numbers: how long its lists are
    (hand, other hand, cards played by each, plays) and how many plays are open, both totals in two
    bytes each, and the lists."""
    hand, other, played = view["hand"], view["other"], view["played"]
    totals = b"".join(points.to_bytes(2, "big") for points in view["points"])
    head = bytes((len(hand), len(other), len(played[0]), len(view["took"]), view["open"]))
    took = [_TOOK.index(taken) for taken in view["took"]]
    return head + totals + bytes([*hand, *other, *played[0], *played[1], *took])


_HEAD: Final = 9
_TOOK: Final = (False, True, None)


def answer_brief(player: Player, brief: bytes, ask: Ask) -> Any:
    """The same as `answer`, for a view as `brief_of` writes it."""
    chosen: object = player.lay(Position(brief))
    if type(chosen) not in (tuple, list):
        raise IllegalMove(f"lay() returned {_named(chosen)}; return two cards of your hand")
    assert isinstance(chosen, tuple | list)
    if len(chosen) != 2:
        raise IllegalMove(f"lay() returned {len(chosen)} cards; return two cards of your hand")
    low, high = sorted(map(_card, chosen))
    return f"{high} {low}"


def _card(chosen: object) -> int:
    """The card as an int. Numpy's integers count; bool and other kinds of int do not."""
    if type(chosen) is int:
        return chosen
    if type(chosen).__module__ == "numpy":
        try:
            return index(chosen)  # type: ignore[arg-type]
        except TypeError:
            pass
    raise IllegalMove(f"lay() returned {_named(chosen)} as a card; a card is an int from 1 to 13")


def _named(thing: object) -> str:
    """What a player handed over, in a few words that none of its own code has a hand in."""
    if type(thing) in (int, bool, type(None)):
        return f"{thing!r:.40}"
    return f"something of type {type(thing).__name__:.40}"


def _listed(cards: list[int]) -> str:
    return " ".join(map(str, cards)) or "no cards"

"""What a player of Addition War is written against, and the driver that puts the question to it.

Knows a player's view of the table; does not know the rules. The source document has no players:
these names are ours.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from struct import Struct
from typing import Any, Final, NamedTuple

from matchbox.errors import IllegalMove

ALIASES: Final[dict[str, str]] = {}
"""Module names of the source document that players import; the notebook has none."""

Ask = Callable[[Any], Any]
Cards = tuple[int, int]

HEAD: Final = Struct(">BBBBHH")
"""How a brief begins: the numbers of cards in the own hand, in the other one and laid by each, how
many plays are open, and both totals."""
_CARDS: Final = HEAD.size
_NUMBERS: Final = {"open_plays": 3, "points": 4, "other_points": 5}
"""Where the numbers of a position stand in HEAD."""
_TOOK: Final = (False, True, None)
_TEXTS: Final = {
    (one, two): f"{max(one, two)} {min(one, two)}" for one in range(1, 14) for two in range(1, 14)
}
"""The move of every pair of cards, in any order."""


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

    hand: list[int]
    """The own cards, from 13 down to 1."""
    other_hand: list[int]
    """The other player's cards, which anybody who has counted knows."""
    points: int
    other_points: int
    open_plays: int
    """How many of the last plays were ties, and now wait for whoever wins next."""

    def __init__(self, view: dict[str, Any] | bytes) -> None:
        """The position of a view, or of its brief."""
        self._brief = brief = brief_of(view) if isinstance(view, dict) else view
        self.hand = [*brief[_CARDS : _CARDS + brief[0]]]

    def __getattr__(self, name: str) -> Any:
        """Reads another attribute out of the brief when it is first looked at."""
        brief = self._brief
        if name == "other_hand":
            start = _CARDS + brief[0]
            value: Any = [*brief[start : start + brief[1]]]
        elif name in _NUMBERS:
            value = HEAD.unpack_from(brief)[_NUMBERS[name]]
        else:
            message = f"{type(self).__name__!r} object has no attribute {name!r}"
            raise AttributeError(message, name=name, obj=self)
        setattr(self, name, value)
        return value

    @property
    def _played(self) -> tuple[bytes, bytes]:
        """The cards that each has laid, two a play."""
        hand, other, laid, *_ = HEAD.unpack_from(self._brief)
        start = _CARDS + hand + other
        return self._brief[start : start + laid], self._brief[start + laid : start + 2 * laid]

    @property
    def plays(self) -> list[Play]:
        """All plays so far, the oldest first."""
        own, other = (list(zip(cards[::2], cards[1::2], strict=True)) for cards in self._played)
        took = self._brief[-len(own) :] if own else b""
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
    """The view of a seat that is to lay: HEAD, and in a byte each the cards of both hands, those
    that each has laid, and for every play whether the seat took it, by number: no, yes, not yet."""
    hand, other, played = view["hand"], view["other"], view["played"]
    head = HEAD.pack(len(hand), len(other), len(played[0]), view["open"], *view["points"])
    took = [_TOOK.index(taken) for taken in view["took"]]
    return head + bytes([*hand, *other, *played[0], *played[1], *took])


def answer_brief(player: Player, brief: bytes, ask: Ask) -> Any:
    """The same as `answer`, for a view as `brief_of` writes it."""
    position = _new(Position)
    position._brief = brief
    position.hand = [*brief[_CARDS : _CARDS + brief[0]]]
    chosen: Any = player.lay(position)
    if type(chosen) is tuple and len(chosen) == 2:
        one, two = chosen
        if type(one) is int and type(two) is int:
            text = _TEXTS.get(chosen)
            if text is not None:
                return text
    return _move(chosen)


_new: Final = object.__new__


def _move(chosen: object) -> str:
    """What a player returned as a move. Raises IllegalMove where it is no pair of cards."""
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

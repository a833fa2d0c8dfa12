"""The classes for authors of Addition War players, and the driver that puts the questions to them.

Knows a player's view of the table; does not know the rules. The source document has no players:
these names are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from operator import add, index
from typing import Any, Final, NamedTuple

from matchbox.errors import IllegalMove
from matchbox.games.war.codec import brief_of, hand_of, laid_of, other_hand_of
from matchbox.match.fault_text import value_text

ALIASES: Final[dict[str, str]] = {}
"""Module names of the source document that players import; the notebook has none."""

Ask = Callable[[Any], Any]
Cards = tuple[int, int]

_TEXTS: Final = {
    (one, two): f"{max(one, two)} {min(one, two)}" for one in range(1, 14) for two in range(1, 14)
}
"""The move of every pair of cards, in any order."""


class Play(NamedTuple):
    """A finished play."""

    own: Cards
    """Your two cards, the higher first."""
    other: Cards
    """The other player's two cards."""
    taken: bool | None
    """Whether you took them; None while nobody has because of a tie."""


class Position:
    """The player's knowledge before it lays two cards. Every list is its own copy."""

    hand: list[int]
    """Your cards, from 13 down to 1."""

    def __init__(self, view: dict[str, Any] | bytes) -> None:
        """The position of a view, or of its brief."""
        self._brief = brief = brief_of(view) if isinstance(view, dict) else view
        self.hand = hand_of(brief)

    @cached_property
    def other_hand(self) -> list[int]:
        """The other player's cards, as many as yours; anybody can work them out by counting."""
        return other_hand_of(self._brief)

    @cached_property
    def points(self) -> int:
        """Your points."""
        return self._points(True)

    @cached_property
    def other_points(self) -> int:
        """The other player's points."""
        return self._points(False)

    @cached_property
    def open_plays(self) -> int:
        """How many plays in a row, up to the last one, were ties; the next winner takes them."""
        return taken(*laid_of(self._brief)).count(None)

    @property
    def plays(self) -> list[Play]:
        """All plays so far, the oldest first."""
        own, other = laid_of(self._brief)
        laid = zip(own[::2], own[1::2], strict=True), zip(other[::2], other[1::2], strict=True)
        return [*map(Play, *laid, taken(own, other))]

    @property
    def open_points(self) -> int:
        """The sum of the cards that lie open after ties, without the cards of this play."""
        return self._points(None)

    def _points(self, wanted: bool | None) -> int:
        """The sum of the cards in all plays with this result."""
        own, other = laid_of(self._brief)
        plays = zip(sums(own), sums(other), taken(own, other), strict=True)
        return sum(one + two for one, two, took in plays if took is wanted)

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

    Raises IllegalMove if the player returns anything but a pair of cards.
    """
    return answer_brief(player, brief_of(view), ask)


def answer_brief(player: Player, brief: bytes, ask: Ask) -> Any:
    """The same as `answer`, for a brief as `brief_of` writes it."""
    position = Position.__new__(Position)
    position._brief = brief
    position.hand = hand_of(brief)
    chosen: Any = player.lay(position)
    try:
        if type(chosen) is tuple:
            text = _TEXTS[chosen]
            one, two = chosen
            if type(one) is int and type(two) is int:
                return text
    except (KeyError, TypeError):
        pass
    return _move(chosen)


def taken(own: bytes | bytearray, other: bytes | bytearray) -> list[bool | None]:
    """For each play, whether the owner of the first cards took it; None while nobody has."""
    took: list[bool | None] = []
    waiting = 0
    for one, two in zip(sums(own), sums(other), strict=True):
        waiting += 1
        if one != two:
            took += [one > two] * waiting
            waiting = 0
    return took + [None] * waiting


def sums(cards: bytes | bytearray) -> Iterator[int]:
    """The sum of the two cards of each play."""
    return map(add, cards[::2], cards[1::2])


def _move(chosen: object) -> str:
    """The move for a player's answer. Raises IllegalMove if that is not a pair of cards."""
    if type(chosen) not in (tuple, list):
        raise IllegalMove(f"lay() returned {value_text(chosen)}; return two cards of your hand")
    assert isinstance(chosen, tuple | list)
    if len(chosen) != 2:
        raise IllegalMove(f"lay() returned {len(chosen)} cards; return two cards of your hand")
    low, high = sorted(map(_card, chosen))
    return f"{high} {low}"


def _card(chosen: object) -> int:
    """The card as an int. Numpy's integers count; bool and other kinds of int do not."""
    if type(chosen) is int and chosen.bit_length() <= 128:
        return chosen
    if type(chosen).__module__ == "numpy":
        try:
            return index(chosen)  # type: ignore[arg-type]
        except TypeError:
            pass
    raise IllegalMove(
        f"lay() returned {value_text(chosen)} as a card; a card is an int from 1 to 13"
    )


def _listed(cards: list[int]) -> str:
    return " ".join(map(str, cards)) or "no cards"

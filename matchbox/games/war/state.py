"""The table of Addition War, and the effect of a play on it.

Knows the cards; does not know which moves are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from matchbox.dice import Dice
from matchbox.game import Outcome
from matchbox.games.war.player import sums, taken

HIGHEST: Final = 13
DECK: Final = tuple(value for value in range(1, HIGHEST + 1) for _ in range(4))
HAND: Final = len(DECK) // 2
PAIRS: Final = {
    f"{high} {low}": (high, low) for high in range(HIGHEST, 0, -1) for low in range(high, 0, -1)
}
"""The cards of every move, the higher first."""
CHOOSE: Final = "choose"
DEALT: Final = "dealt"


class State:
    """The cards on the table. If nobody chooses, hands are laid from their first card on."""

    __slots__ = ("chooses", "hands", "laid", "played")

    def __init__(self, hands: tuple[bytearray, bytearray], chooses: bool) -> None:
        self.hands = hands
        """The hands; until both have laid, also the cards that lie face down."""
        self.chooses = chooses
        self.laid: list[Sequence[int] | None] = [None, None]
        """The cards that wait face down for the other player's."""
        self.played = (bytearray(), bytearray())
        """All cards that each has laid, two per play. Everything else follows from these."""

    @property
    def initial(self) -> tuple[int, int]:
        """The points that each player was dealt."""
        first, second = (
            sum(hand) + sum(played) for hand, played in zip(self.hands, self.played, strict=True)
        )
        return first, second

    @property
    def took(self) -> list[int | None]:
        """The seat that took the cards of each play; None for a tie whose cards nobody has taken
        yet."""
        return [None if own is None else 1 - own for own in taken(*self.played)]

    @property
    def open(self) -> int:
        """The number of ties at the end of the plays so far, whose cards nobody has taken yet."""
        return self.took.count(None)

    @property
    def points(self) -> list[int]:
        """The points that each player has taken. A tie at the end gives each its own cards back."""
        points, pot = [0, 0], 0
        for mine, theirs in zip(*map(sums, self.played), strict=True):
            pot += mine + theirs
            if mine != theirs:
                points[1 if mine < theirs else 0] += pot
                pot = 0
        if not self.hands[0]:
            points[0] += pot // 2
            points[1] += pot // 2
        return points


def begin(hands: tuple[list[int], list[int]], play: str) -> State:
    """The state of two hands before the first card is laid."""
    first, second = hands
    if play == CHOOSE:
        first, second = sorted(first, reverse=True), sorted(second, reverse=True)
    return State((bytearray(first), bytearray(second)), play == CHOOSE)


def deal(dice: Dice, play: str) -> State:
    """The cards dealt: the first 26 to seat 0, the others to seat 1."""
    deck = list(DECK)
    dice.shuffle(deck)
    return begin((deck[:HAND], deck[HAND:]), play)


def holds(state: State, seat: int, pair: Sequence[int]) -> bool:
    """Whether the seat holds both cards."""
    hand = state.hands[seat]
    high, low = pair[0], pair[1]
    return high in hand and low in hand and (high != low or hand.count(high) > 1)


def settle(state: State, *pairs: Sequence[int]) -> None:
    """Moves each pair from its hand to the cards that were laid."""
    for hand, played, pair in zip(state.hands, state.played, pairs, strict=True):
        for card in pair:
            hand.remove(card)
            played.append(card)


def outcome(state: State) -> Outcome:
    """The end of a bout: the higher total wins; equal totals draw."""
    first, second = state.points
    mine, theirs = state.played
    tie = sum(mine[-2:]) == sum(theirs[-2:])
    why = "the cards ran out in a tie" if tie else "all cards are played"
    return Outcome((1 + (first < second), 1 + (second < first)), (first, second), why)

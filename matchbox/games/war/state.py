"""What lies on the table of Addition War, and what a play does to it.

Knows the cards; does not know which moves are refused, or how.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from matchbox.dice import Dice
from matchbox.game import Outcome
from matchbox.games.war.player import NUMBERS

HIGHEST: Final = 13
DECK: Final = tuple(value for value in range(1, HIGHEST + 1) for _ in range(4))
HAND: Final = len(DECK) // 2
TOTAL: Final = sum(DECK)
PAIRS: Final = {
    f"{high} {low}": (high, low) for high in range(HIGHEST, 0, -1) for low in range(high, 0, -1)
}
"""The cards of every move, the higher first."""
CHOOSE: Final = "choose"
DEALT: Final = "dealt"
LOST: Final = 0
TAKEN: Final = 1
OPEN: Final = 2
"""Whether a seat took the cards of a play; nobody did yet after a tie."""
PLAY: Final = 5
"""Bytes of a play for a seat: its cards, the other's, and whether it took them."""
_TAKERS: Final = (1, 0, None)
"""Who took the cards of a play, by the number of what seat 0 did."""


class State:
    """What lies on the table. The first card of a hand is laid first, where nobody chooses."""

    __slots__ = ("chooses", "hands", "laid", "open", "plays", "points", "pot")

    def __init__(self, hands: tuple[bytearray, bytearray], chooses: bool) -> None:
        self.hands = hands
        """Until both have laid, also the cards that lie face down."""
        self.chooses = chooses
        self.laid: list[Sequence[int] | None] = [None, None]
        """What waits for the other's cards, face down."""
        self.plays = (bytearray(), bytearray())
        """For each seat, PLAY bytes a play."""
        self.open = 0
        """How many of the last plays were equal, so that nobody has taken them yet."""
        self.pot = 0
        """The points of those cards that each of the two has laid."""
        self.points = [0, 0]

    @property
    def initial(self) -> tuple[int, int]:
        """The points that each was dealt."""
        first, second = (
            sum(hand) + sum(played) for hand, played in zip(self.hands, self.played, strict=True)
        )
        return first, second

    @property
    def played(self) -> list[list[int]]:
        """All cards that each has laid, two a play."""
        return [
            [card for at in range(0, len(plays), PLAY) for card in plays[at : at + 2]]
            for plays in self.plays
        ]

    @property
    def took(self) -> list[int | None]:
        """Who took the cards of each play."""
        return [_TAKERS[number] for number in self.plays[0][PLAY - 1 :: PLAY]]


def table(hands: tuple[list[int], list[int]], play: str) -> State:
    """The state of two hands before the first card is laid."""
    first, second = hands
    if play == CHOOSE:
        first, second = sorted(first, reverse=True), sorted(second, reverse=True)
    return State((bytearray(first), bytearray(second)), play == CHOOSE)


def dealt(dice: Dice, play: str) -> State:
    """The cards dealt: the first 26 to seat 0, the others to seat 1."""
    deck = list(DECK)
    dice.shuffle(deck)
    return table((deck[:HAND], deck[HAND:]), play)


def holds(state: State, seat: int, pair: Sequence[int]) -> bool:
    """Whether the seat holds both cards."""
    hand = state.hands[seat]
    high, low = pair[0], pair[1]
    return high in hand and low in hand and (high != low or hand.count(high) > 1)


def brief(state: State, seat: int) -> bytes:
    """What a seat is told that is to lay, as player.brief_of writes it."""
    hand, theirs = state.hands
    if seat:
        hand, theirs = theirs, hand
    return b"".join((NUMBERS[len(hand)], hand, theirs, state.plays[seat]))


def settle(state: State, first: Sequence[int], second: Sequence[int]) -> None:
    """Both pairs leave the hands, and the higher sum takes all that lies open."""
    one, another = first[0], first[1]
    three, four = second[0], second[1]
    hand, other = state.hands
    hand.remove(one)
    hand.remove(another)
    other.remove(three)
    other.remove(four)
    mine, theirs = one + another, three + four
    if mine == theirs:
        _note(state.plays[0], one, another, three, four, OPEN)
        _note(state.plays[1], three, four, one, another, OPEN)
        _tie(state, mine)
        return
    _note(state.plays[0], one, another, three, four, TAKEN if mine > theirs else LOST)
    _note(state.plays[1], three, four, one, another, TAKEN if mine < theirs else LOST)
    taker = 0 if mine > theirs else 1
    state.points[taker] += 2 * state.pot + mine + theirs
    if state.open:
        _take_open(state, taker)


def outcome(state: State) -> Outcome:
    """The end of a bout: the higher total wins; equal totals are a draw."""
    first, second = state.points
    why = "the cards ran out in a tie" if state.open else "all cards are played"
    return Outcome((1 + (first < second), 1 + (second < first)), (first, second), why)


def _note(plays: bytearray, one: int, another: int, three: int, four: int, took: int) -> None:
    """A play as the seat sees it that has laid the first two cards."""
    plays.append(one)
    plays.append(another)
    plays.append(three)
    plays.append(four)
    plays.append(took)


def _tie(state: State, total: int) -> None:
    """Equal sums stay open, and go back where they were the last cards."""
    state.open += 1
    state.pot += total
    if not state.hands[0]:
        state.points[0] += state.pot
        state.points[1] += state.pot


def _take_open(state: State, taker: int) -> None:
    """The ties before the last play go to whoever has won that."""
    winner, loser = state.plays[taker], state.plays[1 - taker]
    for back in range(1, state.open + 1):
        winner[-1 - back * PLAY] = TAKEN
        loser[-1 - back * PLAY] = LOST
    state.open = state.pot = 0

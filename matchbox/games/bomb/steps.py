"""The state of a game of bomb, the deal, and the effect of every move. Knows no player and no
view."""

from __future__ import annotations

from typing import Final

from matchbox.dice import Dice
from matchbox.errors import IllegalMove
from matchbox.game import Outcome, Plain
from matchbox.games.bomb.cards import (
    ADDED,
    BOMB,
    BOTTOM,
    DEALT,
    DECK,
    DEFUSE,
    KINDS,
    SEE,
    SEEN,
    SHUFFLE,
    SKIP,
)
from matchbox.games.bomb.codec import Sheet, sheet_of

ENDED: Final = (Outcome((2, 1), (0, 1), "explosion"), Outcome((1, 2), (1, 0), "explosion"))
"""The outcome, by the seat that exploded."""


class State:
    """The draw pile, what each player knows, and whose turn it is. The end of `pile` is its top."""

    __slots__ = ("asks", "last", "loser", "mover", "pile", "sheets")

    def __init__(self, pile: bytearray, sheets: tuple[Sheet, Sheet]) -> None:
        self.pile = pile
        self.sheets = sheets
        """By seat: its hand and everything else that its player knows, such as the discard pile."""
        self.mover = 0
        self.asks = "turn"
        """"turn"; "defuse" if the mover is to put the bomb back; "over" at the end."""
        self.last: str | None = None
        """The last move; "place" if the bomb was put back."""
        self.loser: int | None = None

    @property
    def hands(self) -> tuple[bytes, bytes]:
        """Each seat's number of cards of each kind."""
        return self.sheets[0].hand, self.sheets[1].hand

    @property
    def discard(self) -> bytes:
        """The cards played, oldest first."""
        return self.sheets[0].discard


def holding(pile: bytearray, *hands: bytes | bytearray, discard: bytes = b"") -> State:
    """A state with these cards and no move made."""
    first, second = hands
    mine = sheet_of(first, sum(second), discard)
    return State(pile, (mine, sheet_of(second, sum(first), discard)))


def deal(dice: Dice) -> State:
    """The cards dealt, and seat 0 to move."""
    pile = bytearray(DECK)
    dice.shuffle(pile)
    sheets = _deal_sheet(pile), _deal_sheet(pile)
    pile += ADDED
    dice.shuffle(pile)
    return State(pile, sheets)


def make(state: State, move: Plain, dice: Dice) -> None:
    """Makes the mover's move. Raises IllegalMove before anything has changed."""
    mine = state.sheets[state.mover]
    if state.asks == "defuse":
        _put_back(state, move)
        move = "place"
    elif move == "draw":
        _take(state, state.pile.pop())
    elif move == "skip":
        _play(state, SKIP)
        _end_turn(state)
    elif move == "see":
        _play(state, SEE)
        mine.see(state.pile[: -SEEN - 1 : -1])
    elif move == "shuffle":
        _play(state, SHUFFLE)
        dice.shuffle(state.pile)
    elif move == "bottom":
        _play(state, BOTTOM)
        _take(state, state.pile.pop(0))
    else:
        raise IllegalMove(_refusal(move))
    if move != "see":
        mine.forget()
    state.last = move


def _deal_sheet(pile: bytearray) -> Sheet:
    """A hand of a defuse card and the top cards of the pile; the other hand gets as many."""
    sheet = Sheet()
    sheet.gain(DEFUSE)
    sheet.other_gains()
    for _ in range(DEALT):
        sheet.gain(pile.pop())
        sheet.other_gains()
    return sheet


def _play(state: State, card: int) -> None:
    """Moves the card from the mover's hand to the discard pile. Raises IllegalMove."""
    mine, theirs = state.sheets[state.mover], state.sheets[1 - state.mover]
    if not mine.holds(card):
        raise IllegalMove(f"you hold no {KINDS[card]} card")
    mine.play(card)
    theirs.other_plays(card)


def _take(state: State, card: int) -> None:
    """Takes the drawn card into the hand; the bomb is defused or explodes."""
    mine, theirs = state.sheets[state.mover], state.sheets[1 - state.mover]
    if card != BOMB:
        mine.gain(card)
        theirs.other_gains()
        _end_turn(state)
    elif mine.holds(DEFUSE):
        _play(state, DEFUSE)
        mine.set_asks_for_place(True)
        state.asks = "defuse"
    else:
        state.loser = state.mover
        state.asks = "over"


def _put_back(state: State, move: Plain) -> None:
    """Puts the bomb into the pile, below `move` cards; the turn ends."""
    size = len(state.pile)
    if type(move) is not int or not 0 <= move <= size:
        raise IllegalMove(
            f"{_quoted(move)} is not a place for the bomb; choose an int from 0 to {size}"
        )
    state.pile.insert(size - move, BOMB)
    state.sheets[state.mover].set_asks_for_place(False)
    state.asks = "turn"
    _end_turn(state)


def _end_turn(state: State) -> None:
    state.mover = 1 - state.mover


def _refusal(move: Plain) -> str:
    return (
        f"{_quoted(move)} is not a move of a turn; the moves are draw, bottom, skip, see and "
        "shuffle"
    )


def _quoted(move: Plain) -> str:
    return f"{move}"[:60] if type(move) is str else f"{move!r}"[:60]

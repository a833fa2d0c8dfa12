"""Many bouts of bomb side by side, as matchbox.game.Batch asks for it.

Plays the moves that rules.py plays, with the same cards and dice, in one loop. Knows no fault:
what the rules would refuse goes back to where it came from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from matchbox.game import Outcome
from matchbox.games.bomb.cards import (
    AT_ASKS,
    AT_CARDS,
    AT_COUNTS,
    AT_OTHER,
    AT_PILE,
    AT_SEEN,
    BOMB,
    BOTTOM,
    DEFUSE,
    NUMBERS,
    SEE,
    SEEN,
    SHUFFLE,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matchbox.dice import SeededDice
    from matchbox.game import Answers, Plain
    from matchbox.games.bomb.rules import State

_PLAYED: Final = {kind: NUMBERS[kind] for kind in ("see", "skip", "shuffle", "bottom")}
"""The moves that play a card."""
_ENDED: Final = (Outcome((2, 1), (0, 1), "explosion"), Outcome((1, 2), (1, 0), "explosion"))
"""By the seat that exploded."""
_OVER: Final = -1
_REFUSED: Final = -2


class _Bout:
    """What lies on the table of one bout, as in rules.State, and the moves that led to it."""

    __slots__ = ("dice", "moves", "number", "pile", "seeds", "seen", "told")

    def __init__(self, number: int, dice: SeededDice, seeds: list[str], state: State) -> None:
        self.number = number
        self.dice = dice
        self.seeds: list[str | None] = list(seeds)
        """What each seat has not been sent yet."""
        self.pile = state.pile
        self.told = state.told
        self.seen: bytearray | None = None
        self.moves: list[Plain] = []


class Batch:
    """Bouts of two, and what each seat is to be asked next."""

    def __init__(self, deal: Callable[[SeededDice], State]) -> None:
        self._deal = deal
        self._owing: list[list[_Bout]] = [[], []]
        self._questions: list[list[Any]] = [[], []]
        """What is asked in the bouts of `_owing`."""
        self._over: list[tuple[int, list[Plain], Outcome]] = []

    def start(self, bout: int, dice: SeededDice, seeds: list[str]) -> None:
        """Deals a bout; seat 0 begins."""
        self._ask(_Bout(bout, dice, seeds, self._deal(dice)), 0)

    def ask(self, seat: int) -> list[tuple[int, Any, str | None]]:
        """What the seat owes an answer to."""
        return self._questions[seat]

    def take(self, seat: int, answers: Sequence[Any]) -> list[tuple[int, list[Plain], Answers]]:
        """Makes the moves; gives back the bouts where the answer is none."""
        bouts, self._owing[seat], self._questions[seat] = self._owing[seat], [], []
        back: list[tuple[int, list[Plain], Answers]] = []
        for bout, move in zip(bouts, answers, strict=True):
            mover = _move(bout, seat, move)
            if mover == _REFUSED:
                back.append((bout.number, bout.moves, {seat: move}))
                continue
            bout.moves.append(move)
            if mover == _OVER:
                self._over.append((bout.number, bout.moves, _ENDED[seat]))
            else:
                self._ask(bout, mover)
        return back

    def over(self) -> list[tuple[int, list[Plain], Outcome]]:
        """The bouts in which somebody exploded since the last time."""
        over, self._over = self._over, []
        return over

    def leave(self) -> list[tuple[int, list[Plain], Answers]]:
        """All bouts under way."""
        left: list[tuple[int, list[Plain], Answers]] = []
        for bout in (*self._owing[0], *self._owing[1]):
            left.append((bout.number, bout.moves, {}))
        self._owing, self._questions = [[], []], [[], []]
        return left

    def _ask(self, bout: _Bout, seat: int) -> None:
        """Lets that seat owe the next move."""
        told, seen = bout.told[seat], bout.seen
        told[AT_PILE] = len(bout.pile)
        if seen is not None:
            head = told[:AT_CARDS]
            head[AT_SEEN] = len(seen)
            told = head + seen + told[AT_CARDS:]
            bout.seen = None
        seed = bout.seeds[seat]
        if seed is not None:
            bout.seeds[seat] = None
        self._owing[seat].append(bout)
        self._questions[seat].append((bout.number, told, seed))


def _move(bout: _Bout, seat: int, move: Any) -> int:
    """Makes the move; who moves next, or what else came of it."""
    mine = bout.told[seat]
    if mine[AT_ASKS]:
        return _place(bout, seat, move)
    if type(move) is not str:
        return _REFUSED
    if move == "draw":
        return _take(bout, seat, bout.pile.pop())
    card = _PLAYED.get(move, BOMB)
    if not mine[AT_COUNTS + card]:
        return _REFUSED
    _play(bout, seat, card)
    if card == SEE:
        bout.seen = bout.pile[: -SEEN - 1 : -1]
        return seat
    if card == SHUFFLE:
        bout.dice.at(len(bout.moves) + 1).shuffle(bout.pile)
        return seat
    if card == BOTTOM:
        return _take(bout, seat, bout.pile.pop(0))
    return 1 - seat


def _play(bout: _Bout, seat: int, card: int) -> None:
    """The card from that seat's hand onto the discard pile."""
    mine, theirs = bout.told[seat], bout.told[1 - seat]
    mine[AT_COUNTS + card] -= 1
    theirs[AT_OTHER] -= 1
    mine.append(card)
    theirs.append(card)


def _take(bout: _Bout, seat: int, card: int) -> int:
    """The drawn card into the hand; the bomb is defused, or explodes. Who moves next, or _OVER."""
    mine = bout.told[seat]
    if card != BOMB:
        theirs = bout.told[1 - seat]
        mine[AT_COUNTS + card] += 1
        theirs[AT_OTHER] += 1
        return 1 - seat
    if not mine[AT_COUNTS + DEFUSE]:
        return _OVER
    _play(bout, seat, DEFUSE)
    mine[AT_ASKS] = 1
    return seat


def _place(bout: _Bout, seat: int, move: Any) -> int:
    """The bomb into the pile, with `move` cards above it. Who moves next, or _REFUSED."""
    size = len(bout.pile)
    if type(move) is not int or not 0 <= move <= size:
        return _REFUSED
    bout.pile.insert(size - move, BOMB)
    mine = bout.told[seat]
    mine[AT_ASKS] = 0
    return 1 - seat

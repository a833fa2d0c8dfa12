"""Many bouts of Addition War side by side, as matchbox.game.Batch asks for it.

Plays what rules.py plays where both choose. Seat 0 is asked first in every play, which seat 1
cannot tell. Knows no fault: what the rules would refuse goes back to where it came from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from matchbox.games.war.state import CHOOSE, PAIRS, State, brief, dealt, holds, outcome, settle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matchbox.dice import SeededDice
    from matchbox.game import Answers, Outcome, Plain

_LAID: Final = {move: (move, pair) for move, pair in PAIRS.items()}
"""Every move and its cards: one text for all bouts, and not another from each frame."""


class _Bout:
    """What lies on the table of one bout, and the moves that led to it."""

    __slots__ = ("first", "moves", "number", "seed", "state")

    def __init__(self, number: int, state: State, seed: str) -> None:
        self.number = number
        self.state = state
        self.seed: str | None = seed
        """What seat 1 has not been sent yet."""
        self.first: tuple[str, tuple[int, int]] | None = None
        """What seat 0 has laid, face down."""
        self.moves: list[Plain] = []


class Batch:
    """Bouts of two who choose their cards, and what each seat is to be asked next."""

    def __init__(self) -> None:
        self._owing: list[list[_Bout]] = [[], []]
        self._questions: list[list[tuple[int, Any, str | None]]] = [[], []]
        """What is asked in the bouts of `_owing`."""
        self._over: list[tuple[int, list[Plain], Outcome]] = []

    def start(self, bout: int, dice: SeededDice, seeds: list[str]) -> None:
        """Deals a bout."""
        first, second = seeds
        begun = _Bout(bout, dealt(dice, CHOOSE), second)
        self._owing[0].append(begun)
        self._questions[0].append((bout, brief(begun.state, 0), first))

    def ask(self, seat: int) -> list[tuple[int, Any, str | None]]:
        """What the seat owes an answer to."""
        return self._questions[seat]

    def take(self, seat: int, answers: Sequence[Any]) -> list[tuple[int, list[Plain], Answers]]:
        """Lays the cards, and compares them once both lie there; gives back the bouts where the
        answer is no pair that the seat holds."""
        bouts, self._owing[seat], self._questions[seat] = self._owing[seat], [], []
        other = 1 - seat
        owing, questions = self._owing[other], self._questions[other]
        back: list[tuple[int, list[Plain], Answers]] = []
        for bout, move in zip(bouts, answers, strict=True):
            laid = _LAID.get(move) if type(move) is str else None
            if laid is None or not holds(bout.state, seat, laid[1]):
                back.append((bout.number, bout.moves, _given(bout) | {seat: move}))
                continue
            seed = None
            if seat:
                _compare(bout, laid)
                if not bout.state.hands[0]:
                    self._over.append((bout.number, bout.moves, outcome(bout.state)))
                    continue
            else:
                bout.first = laid
                seed, bout.seed = bout.seed, None
            owing.append(bout)
            questions.append((bout.number, brief(bout.state, other), seed))
        return back

    def over(self) -> list[tuple[int, list[Plain], Outcome]]:
        """The bouts that have ended since the last time."""
        over, self._over = self._over, []
        return over

    def leave(self) -> list[tuple[int, list[Plain], Answers]]:
        """All bouts under way."""
        (first, second), self._owing, self._questions = self._owing, [[], []], [[], []]
        return [(bout.number, bout.moves, _given(bout)) for bout in (*first, *second)]


def _compare(bout: _Bout, second: tuple[str, tuple[int, int]]) -> None:
    """Seat 1 has laid, too."""
    first = bout.first
    assert first is not None
    bout.first = None
    bout.moves.append(first[0])
    bout.moves.append(second[0])
    settle(bout.state, first[1], second[1])


def _given(bout: _Bout) -> dict[int, Any]:
    """What has been answered in this play, where only seat 0 has."""
    return {} if bout.first is None else {0: bout.first[0]}

"""Many bouts of Skull side by side, as matchbox.game.Batch asks for it.

Makes the same moves as rules.py, by the same steps. Knows no fault: it hands back a bout with a
move that the rules would refuse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matchbox.games.skull.layout import MOVER
from matchbox.games.skull.steps import STEPS, outcome, started
from matchbox.games.skull.views import brief

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matchbox.dice import SeededDice
    from matchbox.game import Answers, Outcome, Plain
    from matchbox.games.skull.challenge import State


class _Bout:
    """The table of one bout, and its moves so far."""

    __slots__ = ("dice", "moves", "number", "seeds", "state")

    def __init__(self, number: int, dice: SeededDice, seeds: list[str], state: State) -> None:
        self.number = number
        self.dice = dice
        self.seeds: list[str | None] = list(seeds)
        """The seed of each seat, until it has answered."""
        self.state = state
        self.moves: list[Plain] = []


class Batch:
    """Bouts at tables of one size, and the next question to each seat."""

    def __init__(self, seats: int, variant: str) -> None:
        self._seats = seats
        self._variant = variant
        self._owing: list[list[_Bout]] = [[] for _ in range(seats)]
        self._over: list[tuple[int, list[Plain], Outcome]] = []

    def start(self, bout: int, dice: SeededDice, seeds: list[str]) -> None:
        """Starts a bout; draws the starter by lot."""
        state = started(self._seats, self._variant, dice)
        self._owing[state.board[MOVER]].append(_Bout(bout, dice, seeds, state))

    def ask(self, seat: int) -> list[tuple[int, Any, str | None]]:
        """The questions to that seat."""
        return [
            (bout.number, brief(bout.state, seat), bout.seeds[seat]) for bout in self._owing[seat]
        ]

    def take(self, seat: int, answers: Sequence[Any]) -> list[tuple[int, list[Plain], Answers]]:
        """Makes the moves; hands back the bouts in which the answer is no legal move."""
        bouts, self._owing[seat] = self._owing[seat], []
        owing = self._owing
        back: list[tuple[int, list[Plain], Answers]] = []
        for bout, move in zip(bouts, answers, strict=True):
            step = STEPS.get(move) if type(move) is str else None
            state, dice, made = bout.state, bout.dice, bout.moves
            if step is not None and step[2]:
                dice.at(len(made) + 1)
            if step is None or not step[0](state, seat, step[1], dice):
                back.append((bout.number, made, {seat: move}))
                continue
            made.append(move)
            bout.seeds[seat] = None
            if state.ended is None:
                owing[state.board[MOVER]].append(bout)
            else:
                self._over.append((bout.number, made, outcome(state)))
        return back

    def over(self) -> list[tuple[int, list[Plain], Outcome]]:
        """The bouts that have ended since the last call."""
        over, self._over = self._over, []
        return over

    def leave(self) -> list[tuple[int, list[Plain], Answers]]:
        """Hands back all bouts in progress."""
        left = [bout for owing in self._owing for bout in owing]
        self._owing = [[] for _ in range(self._seats)]
        return [(bout.number, bout.moves, {}) for bout in left]

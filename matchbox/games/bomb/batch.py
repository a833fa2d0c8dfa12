"""Many bouts of bomb side by side, as matchbox.game.Batch asks for it.

Makes the same moves as rules.py, by the same steps. Knows no fault: it hands back a bout with a
move that the rules refuse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matchbox.errors import IllegalMove
from matchbox.games.bomb.steps import ENDED, State, dealt, make
from matchbox.match import frame_codec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matchbox.dice import SeededDice
    from matchbox.game import Answers, Outcome, Plain
    from matchbox.games.bomb.codec import Sheet


class _Bout:
    """The table of one bout, and its moves so far."""

    __slots__ = ("dice", "moves", "number", "seeds", "state")

    def __init__(self, number: int, dice: SeededDice, seeds: list[str], state: State) -> None:
        self.number = number
        self.dice = dice
        self.seeds: list[str | None] = list(seeds)
        """Each seat's seed, until it was sent."""
        self.state = state
        self.moves: list[Plain] = []


class Batch:
    """Bouts for two, and the next question to each seat."""

    def __init__(self) -> None:
        self._owing: list[list[_Bout]] = [[], []]
        self._questions: list[Any] = _no_questions()
        """The questions in the bouts of `_owing`."""
        self._over: list[tuple[int, list[Plain], Outcome]] = []

    def start(self, bout: int, dice: SeededDice, seeds: list[str]) -> None:
        """Deals a bout; seat 0 begins."""
        self._ask(_Bout(bout, dice, seeds, dealt(dice)))

    def ask(self, seat: int) -> Sequence[tuple[int, Any, str | None]]:
        """The questions to that seat."""
        asked: Sequence[tuple[int, Any, str | None]] = self._questions[seat]
        return asked

    def take(self, seat: int, answers: Sequence[Any]) -> list[tuple[int, list[Plain], Answers]]:
        """Makes the moves; hands back the bouts in which an answer is no legal move."""
        bouts, self._owing[seat] = self._owing[seat], []
        self._questions[seat].clear()
        back: list[tuple[int, list[Plain], Answers]] = []
        for bout, move in zip(bouts, answers, strict=True):
            state, moves = bout.state, bout.moves
            try:
                make(state, move, bout.dice.at(len(moves) + 1))
            except IllegalMove:
                back.append((bout.number, moves, {seat: move}))
                continue
            moves.append(move)
            if state.loser is None:
                self._ask(bout)
            else:
                self._over.append((bout.number, moves, ENDED[seat]))
        return back

    def over(self) -> list[tuple[int, list[Plain], Outcome]]:
        """The bouts that have ended since the last call."""
        over, self._over = self._over, []
        return over

    def leave(self) -> list[tuple[int, list[Plain], Answers]]:
        """Hands back all bouts in progress."""
        left = [bout for owing in self._owing for bout in owing]
        self._owing, self._questions = [[], []], _no_questions()
        return [(bout.number, bout.moves, {}) for bout in left]

    def _ask(self, bout: _Bout) -> None:
        """Adds a question to the mover, whose brief may change after its answer."""
        state = bout.state
        seat = state.mover
        sheet: Sheet = state.sheets[seat]
        brief = sheet.brief(len(state.pile))
        seed, bout.seeds[seat] = bout.seeds[seat], None
        self._owing[seat].append(bout)
        if frame_codec.COMPILED:
            asking: frame_codec.Asking = self._questions[seat]
            asking.add(bout.number, brief, seed)
        else:
            self._questions[seat].append((bout.number, brief, seed))


def _no_questions() -> list[Any]:
    """Returns no questions for either seat; compiled code encodes questions as they are added."""
    return [frame_codec.Asking(), frame_codec.Asking()] if frame_codec.COMPILED else [[], []]

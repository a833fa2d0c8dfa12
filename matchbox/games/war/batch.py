"""Many bouts of Addition War side by side, as matchbox.game.Batch asks for it.

Plays as rules.py does if both players choose. Seat 0 is always asked first; seat 1 cannot notice
this. Knows no fault: it hands back a bout with a move that the rules would refuse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from matchbox.games.war.codec import write
from matchbox.games.war.state import CHOOSE, PAIRS, State, deal, outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matchbox.dice import SeededDice
    from matchbox.game import Answers, Outcome, Plain

_LAID: Final = {move: (move, *pair) for move, pair in PAIRS.items()}
"""Every move with its cards: one string for all bouts, instead of a new one from each frame."""


class _Bout:
    """The table of one bout, and its moves so far."""

    __slots__ = ("moves", "number", "state")

    def __init__(self, number: int, state: State) -> None:
        self.number = number
        self.state = state
        self.moves: list[Plain] = []


class Batch:
    """Bouts of two who choose their cards, and the next question to each seat."""

    def __init__(self) -> None:
        self._bouts: list[_Bout] = []
        self._questions: list[list[tuple[int, Any, str | None]]] = [[], []]
        """The briefs of both seats, made before either lays."""
        self._over: list[tuple[int, list[Plain], Outcome]] = []

    def start(self, bout: int, dice: SeededDice, seeds: list[str]) -> None:
        """Deals a bout."""
        begun = _Bout(bout, deal(dice, CHOOSE))
        self._bouts.append(begun)
        for questions, brief, seed in zip(
            self._questions, _briefs(begun.state), seeds, strict=True
        ):
            questions.append((bout, brief, seed))

    def ask(self, seat: int) -> list[tuple[int, Any, str | None]]:
        """The questions to that seat."""
        return self._questions[seat]

    def take(self, seat: int, answers: Sequence[Any]) -> list[tuple[int, list[Plain], Answers]]:
        """Lays the cards; hands back the bouts in which an answer is not a pair of the seat's
        cards.

        See `matchbox.game.Batch.take`.
        """
        self._questions[seat] = []
        back: list[tuple[int, list[Plain], Answers]] = []
        for bout, move in zip(self._bouts, answers, strict=True):
            state = bout.state
            try:
                move, high, low = _LAID[move]
                hand = state.hands[seat]
                hand.remove(high)
                hand.remove(low)
            except (KeyError, TypeError, ValueError):
                back.append(_left(bout, {seat: move}))
                continue
            played = state.played[seat]
            played.append(high)
            played.append(low)
            bout.moves.append(move)
        if back:
            self._drop({number for number, *_ in back})
        if seat:
            self._go_on()
        return back

    def over(self) -> list[tuple[int, list[Plain], Outcome]]:
        """The bouts that have ended since the last call; see `matchbox.game.Batch.over`."""
        over, self._over = self._over, []
        return over

    def leave(self) -> list[tuple[int, list[Plain], Answers]]:
        """Hands back all bouts in progress, as `take` does."""
        bouts, self._bouts, self._questions = self._bouts, [], [[], []]
        return [_left(bout, {}) for bout in bouts]

    def _drop(self, left: set[int]) -> None:
        """Forgets these bouts."""
        self._bouts = [bout for bout in self._bouts if bout.number not in left]
        self._questions[1] = [
            question for question in self._questions[1] if question[0] not in left
        ]

    def _go_on(self) -> None:
        """Asks both seats again after both have laid, in every bout with cards left."""
        bouts, self._bouts = self._bouts, []
        first, second = self._questions
        for bout in bouts:
            state = bout.state
            if not state.hands[0]:
                self._over.append((bout.number, bout.moves, outcome(state)))
                continue
            one, other = _briefs(state)
            first.append((bout.number, one, None))
            second.append((bout.number, other, None))
            self._bouts.append(bout)


def _left(bout: _Bout, given: dict[int, Any]) -> tuple[int, list[Plain], Answers]:
    """A bout to hand back: its finished plays, and the answers given in the last one."""
    if len(bout.moves) % 2:
        given = {0: bout.moves.pop()} | given
    return bout.number, bout.moves, given


def _briefs(state: State) -> tuple[bytes, bytes]:
    """The briefs of both seats before they lay."""
    (first, second), (mine, theirs) = state.hands, state.played
    return write(first, second, mine, theirs), write(second, first, theirs, mine)

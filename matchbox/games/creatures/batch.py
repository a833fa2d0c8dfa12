"""Many duels side by side, as matchbox.game.Batch asks for it.

Makes a row of moves in one loop, in the order and with the effects of the rules. Knows no fault: it
hands back a bout with a move that the rules would refuse.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from matchbox.games.creatures.codec import brief
from matchbox.games.creatures.plan import DONE, PLANS, Plan, plan_of
from matchbox.games.creatures.state import NOBODY, UNTAPPED, State
from matchbox.games.creatures.steps import play_land, summon, tap, untapped
from matchbox.games.creatures.turn_order import (
    attack,
    block,
    charge,
    end_turn,
    let_through,
    outcome,
)

if TYPE_CHECKING:
    from matchbox.dice import SeededDice
    from matchbox.game import Answers, Outcome, Plain


class _Bout:
    """One bout: its state, and its moves so far."""

    __slots__ = ("number", "said", "seeds", "state")

    def __init__(self, number: int, seeds: list[str], state: State) -> None:
        self.number = number
        self.seeds: list[str | None] = list(seeds)
        """Each seat's seed, until it was sent."""
        self.state = state
        self.said: list[tuple[Plain, ...]] = []
        """The moves of each answer."""


class Batch:
    """Duels, and the next question to each seat."""

    def __init__(self, deal: Callable[[SeededDice], State]) -> None:
        self._deal = deal
        self._owing: list[list[_Bout]] = [[], []]
        self._questions: list[list[Any]] = [[], []]
        """The questions in the bouts of `_owing`."""
        self._over: list[tuple[int, list[Plain], Outcome]] = []

    def start(self, bout: int, dice: SeededDice, seeds: list[str]) -> None:
        """Deals a bout; seat 0 begins."""
        self._go_on(_Bout(bout, seeds, self._deal(dice)))

    def ask(self, seat: int) -> list[tuple[int, Any, str | None]]:
        """The questions to that seat."""
        return self._questions[seat]

    def take(self, seat: int, answers: Sequence[Any]) -> list[tuple[int, list[Plain], Answers]]:
        """Makes the moves; hands back the bouts in which an answer is not legal.

        See `matchbox.game.Batch.take`.
        """
        bouts, self._owing[seat], self._questions[seat] = self._owing[seat], [], []
        back: list[tuple[int, list[Plain], Answers]] = []
        for bout, answer in zip(bouts, answers, strict=True):
            if bout.state.attacker != NOBODY:
                made = self._block(bout, answer)
            else:
                plan = PLANS.get(id(answer))
                if plan is None or plan.answer is not answer:
                    plan = plan_of(answer)
                made = self._turn(bout, plan)
            if made:
                self._go_on(bout)
            else:
                back.append((bout.number, _answers(bout), {seat: answer}))
        return back

    def over(self) -> list[tuple[int, list[Plain], Outcome]]:
        """The bouts that have ended since the last call; see `matchbox.game.Batch.over`."""
        over, self._over = self._over, []
        return over

    def leave(self) -> list[tuple[int, list[Plain], Answers]]:
        """Hands back all bouts in progress, as `take` does."""
        left, self._owing, self._questions = self._owing, [[], []], [[], []]
        return [(bout.number, _answers(bout), {}) for owing in left for bout in owing]

    def _go_on(self, bout: _Bout) -> None:
        """Asks the seat to move, or notes the outcome."""
        state = bout.state
        ended = outcome(state)
        if ended is not None:
            moves = list(chain.from_iterable(bout.said))
            self._over.append((bout.number, moves, ended))
            return
        seat = state.movers[0]
        seed, bout.seeds[seat] = bout.seeds[seat], None
        self._owing[seat].append(bout)
        self._questions[seat].append((bout.number, brief(state, seat), seed))

    def _turn(self, bout: _Bout, plan: Plan) -> bool:
        """Makes moves of a turn; returns False if one of them is not possible."""
        state, moves = bout.state, plan.moves
        side, other = state.sides[state.mover], state.sides[1 - state.mover]
        for land, lands, card, attackers, end, at in plan.stages:
            if (
                (land and play_land(side) < 0)
                or (lands and not tap(side, lands))
                or (card and summon(side, card) < 0)
            ):
                return False
            if not attackers:
                pass
            elif UNTAPPED not in other.marks:
                made = charge(state, attackers)
                if made < 0:
                    return False
                at += made
            else:
                place = untapped(side, attackers[0])
                if place < 0 or at + 1 < len(moves):
                    return False
                attack(state, place)
            if end and state.movers:
                if end != DONE:
                    return False
                end_turn(state)
                at += 1
                if state.movers and at < len(moves):
                    return False
            if not state.movers:  # The duel is over: later moves have no effect.
                moves = moves[:at]
                break
        bout.said.append(moves)
        return True

    def _block(self, bout: _Bout, move: Any) -> bool:
        """Settles the attack by the defender's answer; returns False if that is not possible."""
        state = bout.state
        if move == "pass":
            let_through(state)
        elif type(move) is list and len(move) == 2 and move[0] == "block" and type(move[1]) is int:
            place = untapped(state.sides[1 - state.mover], move[1])
            if place < 0:
                return False
            block(state, place)
        else:
            return False
        bout.said.append((move,))
        return True


def _answers(bout: _Bout) -> list[Any]:
    """The answers of the seats: a move or a row of moves each."""
    return [moves if len(moves) > 1 else moves[0] for moves in bout.said]

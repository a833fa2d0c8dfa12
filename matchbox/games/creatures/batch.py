"""Many duels side by side, as matchbox.game.Batch asks for it.

Plays like rules.py, by the same steps, with a row of moves in one loop. Knows no fault: it hands
back a bout with a move that the rules would refuse.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from matchbox.game import Outcome
from matchbox.games.creatures.codec import BLOCK, TURN, write, written
from matchbox.games.creatures.plan import DONE, PLANS, Plan, plan_of
from matchbox.games.creatures.state import NO_CARD, NO_LIFE, NOBODY, UNTAPPED, Side, State
from matchbox.games.creatures.steps import (
    attack,
    begin_turn,
    charge,
    fight,
    hit,
    play_land,
    summon,
    tap,
    untapped,
)
from matchbox.match import frame_codec

if TYPE_CHECKING:
    from matchbox.dice import SeededDice
    from matchbox.game import Answers, Plain

_OVER: Final = -1
_REFUSED: Final = -2
_ENDED: Final = {
    why: (Outcome((2, 1), (0, 1), why), Outcome((1, 2), (1, 0), why)) for why in (NO_LIFE, NO_CARD)
}
"""The outcome, by the reason for the end and the seat that lost."""
_BOTH: Final = 2
"""After this many turns both seats have been asked."""


class _Bout:
    """The table of one bout, as in state.State, and its moves so far."""

    __slots__ = ("attacker", "number", "said", "seeds", "sides", "turn")

    def __init__(self, number: int, seeds: list[str], sides: tuple[Side, Side]) -> None:
        self.number = number
        self.seeds: list[str | None] = list(seeds)
        """Each seat's seed, until it was sent."""
        self.sides = sides
        self.turn = 1
        self.attacker = NOBODY
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
        self._ask(_Bout(bout, seeds, self._deal(dice).sides), 0)

    def ask(self, seat: int) -> list[tuple[int, Any, str | None]]:
        """The questions to that seat."""
        return self._questions[seat]

    def take(self, seat: int, answers: Sequence[Any]) -> list[tuple[int, list[Plain], Answers]]:
        """Makes the moves; hands back the bouts in which an answer is not legal."""
        bouts, self._owing[seat], self._questions[seat] = self._owing[seat], [], []
        back: list[tuple[int, list[Plain], Answers]] = []
        for bout, answer in zip(bouts, answers, strict=True):
            if bout.attacker == NOBODY:
                plan = PLANS.get(id(answer))
                if plan is None or plan.answer is not answer:
                    plan = plan_of(answer)
                mover = self._turn(bout, seat, plan)
            else:
                mover = self._block(bout, seat, answer)
            if mover >= 0:
                self._ask(bout, mover)
            elif mover == _REFUSED:
                back.append((bout.number, _answers(bout), {seat: answer}))
        return back

    def over(self) -> list[tuple[int, list[Plain], Outcome]]:
        """The bouts that have ended since the last call."""
        over, self._over = self._over, []
        return over

    def leave(self) -> list[tuple[int, list[Plain], Answers]]:
        """Hands back all bouts in progress."""
        left, self._owing, self._questions = self._owing, [[], []], [[], []]
        return [(bout.number, _answers(bout), {}) for owing in left for bout in owing]

    def _ask(self, bout: _Bout, seat: int) -> None:
        """Asks that seat for the next move."""
        own, other = bout.sides[seat], bout.sides[1 - seat]
        asked, attacker = TURN, 0
        if bout.attacker != NOBODY:
            asked, attacker = BLOCK, other.numbers[bout.attacker]
        if frame_codec.COMPILED:
            brief = written(asked, seat, bout.turn, attacker, own, other)
        else:
            brief = write(asked, seat, bout.turn, attacker, own, other)
        seed = None
        if bout.turn <= _BOTH:
            seed, bout.seeds[seat] = bout.seeds[seat], None
        self._owing[seat].append(bout)
        self._questions[seat].append((bout.number, brief, seed))

    def _turn(self, bout: _Bout, seat: int, plan: Plan) -> int:
        """Makes moves of a turn. Returns the next mover, or another result."""
        side, other, moves = bout.sides[seat], bout.sides[1 - seat], plan.moves
        mover = seat
        for land, lands, card, attackers, end, at in plan.stages:
            if (
                (land and play_land(side) < 0)
                or (lands and not tap(side, lands))
                or (card and summon(side, card) < 0)
            ):
                return _REFUSED
            if not attackers:
                pass
            elif UNTAPPED not in other.marks:
                made = charge(side, other, attackers)
                if made < 0:
                    return _REFUSED
                at += made
                if other.life <= 0:  # Later moves have no effect.
                    return self._end(bout, moves[:at], 1 - seat, NO_LIFE)
            else:
                place = untapped(side, attackers[0])
                if place < 0 or at + 1 < len(moves):
                    return _REFUSED
                attack(side, other, place)
                bout.attacker = place
                mover = 1 - seat
            if end:
                if end != DONE:
                    return _REFUSED
                mover = 1 - seat
                side.mana = 0
                bout.turn += 1
                if not begin_turn(other):
                    return self._end(bout, moves[: at + 1], mover, NO_CARD)
                if at + 1 < len(moves):
                    return _REFUSED
        bout.said.append(moves)
        return mover

    def _block(self, bout: _Bout, seat: int, move: Any) -> int:
        """Settles the attack by the defender's answer. Returns the next mover or another result."""
        side, other = bout.sides[seat], bout.sides[1 - seat]
        if move == "pass":
            hit(side, other.kinds[bout.attacker])
        elif type(move) is list and len(move) == 2 and move[0] == "block" and type(move[1]) is int:
            place = untapped(side, move[1])
            if place < 0:
                return _REFUSED
            fight(other, bout.attacker, side, place)
        else:
            return _REFUSED
        bout.attacker = NOBODY
        if side.life <= 0:
            return self._end(bout, (move,), seat, NO_LIFE)
        bout.said.append((move,))
        return 1 - seat

    def _end(self, bout: _Bout, last: tuple[Plain, ...], loser: int, why: str) -> int:
        """Ends the bout with these last moves."""
        bout.said.append(last)
        moves = list(chain.from_iterable(bout.said))
        self._over.append((bout.number, moves, _ENDED[why][loser]))
        return _OVER


def _answers(bout: _Bout) -> list[Any]:
    """The answers of the seats: a move or a row of moves each."""
    return [moves if len(moves) > 1 else moves[0] for moves in bout.said]

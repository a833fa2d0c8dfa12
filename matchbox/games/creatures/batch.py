"""Many duels side by side, as matchbox.game.Batch asks for it.

Plays what rules.py plays, by the same steps, a row of moves in one loop. Knows no fault: what the
rules would refuse goes back to where it came from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from matchbox.game import Outcome
from matchbox.games.creatures.brief import BLOCK, TURN, write
from matchbox.games.creatures.kinds import LAND_CARD, LANDS, NUMBERS
from matchbox.games.creatures.state import NO_CARD, NO_LIFE, NOBODY, Side, State
from matchbox.games.creatures.steps import (
    attack,
    begin_turn,
    fight,
    hit,
    play_land,
    summon,
    tap,
    untapped,
)

if TYPE_CHECKING:
    from matchbox.dice import SeededDice
    from matchbox.game import Answers, Plain

_OVER: Final = -1
_REFUSED: Final = -2
_ENDED: Final = {
    why: (Outcome((2, 1), (0, 1), why), Outcome((1, 2), (1, 0), why)) for why in (NO_LIFE, NO_CARD)
}
"""By what ended it and by who lost."""

# A move of these is one object in all bouts, and not another from each frame.
_TAPS: Final[list[Plain]] = [["tap", lands] for lands in range(LANDS + 1)]
_ATTACKS: Final[list[Plain]] = [["attack", number] for number in range(256)]
_SUMMONS: Final[dict[str, tuple[int, Plain]]] = {
    name: (card, ["summon", name]) for name, card in NUMBERS.items() if card != LAND_CARD
}


class _Bout:
    """What lies on the table of one bout, as in state.State, and the moves that led to it."""

    __slots__ = ("attacker", "moves", "number", "rows", "seeds", "sides", "turn")

    def __init__(self, number: int, seeds: list[str], sides: tuple[Side, Side]) -> None:
        self.number = number
        self.seeds: list[str | None] = list(seeds)
        """What each seat has not been sent yet."""
        self.sides = sides
        self.turn = 1
        self.attacker = NOBODY
        self.moves: list[Plain] = []
        self.rows: list[int] = []
        """How many of the moves each answer held."""


class Batch:
    """Duels, and what each seat is to be asked next."""

    def __init__(self, deal: Callable[[SeededDice], State]) -> None:
        self._deal = deal
        self._owing: list[list[_Bout]] = [[], []]
        self._questions: list[list[Any]] = [[], []]
        """What is asked in the bouts of `_owing`."""
        self._over: list[tuple[int, list[Plain], Outcome]] = []

    def start(self, bout: int, dice: SeededDice, seeds: list[str]) -> None:
        """Deals a bout; seat 0 begins."""
        self._ask(_Bout(bout, seeds, self._deal(dice).sides), 0)

    def ask(self, seat: int) -> list[tuple[int, Any, str | None]]:
        """What the seat owes an answer to."""
        return self._questions[seat]

    def take(self, seat: int, answers: Sequence[Any]) -> list[tuple[int, list[Plain], Answers]]:
        """Makes the moves; gives back the bouts where an answer holds one that is none."""
        bouts, self._owing[seat], self._questions[seat] = self._owing[seat], [], []
        back: list[tuple[int, list[Plain], Answers]] = []
        for bout, answer in zip(bouts, answers, strict=True):
            moves = bout.moves
            before = len(moves)
            if bout.attacker == NOBODY:
                mover = self._turn(bout, seat, answer if type(answer) is tuple else (answer,))
            else:
                mover = self._block(bout, seat, answer)
            if mover == _REFUSED:
                del moves[before:]
                back.append((bout.number, _answers(bout), {seat: answer}))
                continue
            bout.rows.append(len(moves) - before)
            if mover != _OVER:
                self._ask(bout, mover)
        return back

    def over(self) -> list[tuple[int, list[Plain], Outcome]]:
        """The bouts in which somebody has lost since the last time."""
        over, self._over = self._over, []
        return over

    def leave(self) -> list[tuple[int, list[Plain], Answers]]:
        """All bouts under way."""
        left, self._owing, self._questions = self._owing, [[], []], [[], []]
        return [(bout.number, _answers(bout), {}) for owing in left for bout in owing]

    def _ask(self, bout: _Bout, seat: int) -> None:
        """Lets that seat owe the next move."""
        own, other = bout.sides[seat], bout.sides[1 - seat]
        if bout.attacker == NOBODY:
            brief = write(TURN, seat, bout.turn, 0, own, other)
        else:
            brief = write(BLOCK, seat, bout.turn, other.numbers[bout.attacker], own, other)
        seed = bout.seeds[seat]
        if seed is not None:
            bout.seeds[seat] = None
        self._owing[seat].append(bout)
        self._questions[seat].append((bout.number, brief, seed))

    def _turn(self, bout: _Bout, seat: int, row: tuple[Any, ...]) -> int:
        """Makes moves of a turn. Who moves next, or what else came of it."""
        side, other, moves = bout.sides[seat], bout.sides[1 - seat], bout.moves
        whole = len(moves) + len(row)
        for move in row:
            if type(move) is list and len(move) == 2:
                kind, what = move
                if kind == "attack" and type(what) is int:
                    place = untapped(side, what)
                    if place < 0:
                        return _REFUSED
                    moves.append(_ATTACKS[what])
                    if not attack(side, other, place):
                        bout.attacker = place
                        break
                    if other.life <= 0:  # What comes after that is nobody's any more.
                        return self._end(bout, 1 - seat, NO_LIFE)
                elif kind == "tap" and type(what) is int and tap(side, what):
                    moves.append(_TAPS[what])
                elif kind == "summon" and type(what) is str and what in _SUMMONS:
                    card, said = _SUMMONS[what]
                    if summon(side, card) < 0:
                        return _REFUSED
                    moves.append(said)
                else:
                    return _REFUSED
            elif move == "land" and play_land(side) >= 0:
                moves.append("land")
            elif move == "done":
                moves.append("done")
                side.mana = 0
                bout.turn += 1
                if not begin_turn(other):
                    return self._end(bout, 1 - seat, NO_CARD)
                break
            else:
                return _REFUSED
        else:
            return seat
        return 1 - seat if len(moves) == whole else _REFUSED

    def _block(self, bout: _Bout, seat: int, move: Any) -> int:
        """Settles the attack as the attacked wants it. Who moves next, or what else came of it."""
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
        bout.moves.append(move)
        return 1 - seat if side.life > 0 else self._end(bout, seat, NO_LIFE)

    def _end(self, bout: _Bout, loser: int, why: str) -> int:
        self._over.append((bout.number, bout.moves, _ENDED[why][loser]))
        return _OVER


def _answers(bout: _Bout) -> list[Any]:
    """What the seats have answered: a move, or a row of them."""
    moves = iter(bout.moves)
    return [
        tuple(next(moves) for _ in range(size)) if size > 1 else next(moves) for size in bout.rows
    ]

"""Rows of moves as a batch plays them: what a seat says, read once and then known by itself.

Knows how moves are written; whether they are possible the table alone tells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from matchbox.games.creatures.kinds import LAND_CARD, LANDS, NUMBERS

if TYPE_CHECKING:
    from matchbox.game import Plain

LAND: Final = 0
TAP: Final = 1
SUMMON: Final = 2
ATTACK: Final = 3
DONE: Final = 4
NO_MOVE: Final = 5
"""What is done in a step of a turn."""
_MOST: Final = 2000
"""So many rows are known at once,"""
_LONGEST: Final = 50
"""each of so many moves at the most."""

# A move of these is one object in all bouts, and not another from each frame.
_TAPS: Final[list[Plain]] = [["tap", lands] for lands in range(LANDS + 1)]
_ATTACKS: Final[list[Plain]] = [["attack", number] for number in range(256)]
_SUMMONS: Final[dict[str, tuple[int, Plain]]] = {
    name: (card, ["summon", name]) for name, card in NUMBERS.items() if card != LAND_CARD
}


class Plan:
    """What a row of moves does. An answer that a seat gives again has the same plan."""

    __slots__ = ("answer", "moves", "steps")

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        """What was said: a move, or a tuple of moves. It is never changed."""
        read = [_read(move) for move in (answer if type(answer) is tuple else (answer,))]
        self.moves: tuple[Plain, ...] = tuple([move for _, _, move in read])
        self.steps: list[tuple[int, Any, int]] = []
        """Each with what it does, what with, and the place of its first move; attacks that follow
        each other are one, with the numbers of the creatures."""
        attackers: list[int] = []
        for place, (step, what, _) in enumerate(read):
            if step != ATTACK:
                attackers = []
                self.steps.append((step, what, place))
            elif attackers:
                attackers.append(what)
            else:
                attackers = [what]
                self.steps.append((step, attackers, place))


PLANS: Final[dict[int, Any]] = {}
"""What is known, by the identity of the answer; whether it is the same one, its plan tells."""


def plan_of(answer: Any) -> Plan:
    """The plan of what a seat has said; from now on it is known, if it holds nothing but moves."""
    plan = Plan(answer)
    if len(plan.moves) <= _LONGEST and all(step != NO_MOVE for step, _, _ in plan.steps):
        if len(PLANS) >= _MOST:
            PLANS.clear()
        PLANS[id(answer)] = plan
    return plan


def _read(move: Any) -> tuple[int, int, Plain]:
    """What the move does, what with, and the move as all bouts share it."""
    if type(move) is list and len(move) == 2:
        kind, what = move
        if type(what) is int:
            if kind == "attack" and 0 < what < len(_ATTACKS):
                return ATTACK, what, _ATTACKS[what]
            if kind == "tap" and 0 < what < len(_TAPS):
                return TAP, what, _TAPS[what]
        elif kind == "summon" and type(what) is str and what in _SUMMONS:
            card, said = _SUMMONS[what]
            return SUMMON, card, said
    elif move == "land":
        return LAND, 0, "land"
    elif move == "done":
        return DONE, 0, "done"
    return NO_MOVE, 0, move

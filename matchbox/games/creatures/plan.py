"""Rows of moves as a batch plays them: each answer is decoded once and then found by its identity.

Knows how moves are written; does not know whether they are possible.
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
"""The actions in one stage of a turn."""
_MAX_CACHED: Final = 2000
"""At most this many answers are cached."""
_LONGEST: Final = 50
"""An answer with more moves than this is not cached."""

# Each of these moves is one object in all bouts, instead of a new one from each frame.
_TAPS: Final[list[Plain]] = [["tap", lands] for lands in range(LANDS + 1)]
_ATTACKS: Final[list[Plain]] = [["attack", number] for number in range(256)]
_SUMMONS: Final[dict[str, tuple[int, Plain]]] = {
    name: (card, ["summon", name]) for name, card in NUMBERS.items() if card != LAND_CARD
}


class Plan:
    """The actions of a row of moves. An answer that a seat hands over again has the same plan."""

    __slots__ = ("answer", "moves", "stages")

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        """The answer: a move, or a tuple of moves. It is never changed."""
        read = [_read(move) for move in (answer if type(answer) is tuple else (answer,))]
        self.moves: tuple[Plain, ...] = tuple([move for _, _, move in read])
        self.stages = [tuple(stage) for stage in _stages(read)]
        """The stages; the actions of each are done in this order: whether a land is played, how
        many lands are tapped, the card that is summoned, the numbers of the attackers, the end
        of the turn (DONE or NO_MOVE). The last item is the place of the first attack, or of the
        last move if there is no attack. An action that is not done is 0 or empty."""


PLANS: Final[dict[int, Any]] = {}
"""The plans by the identity of the answer. A plan keeps its answer, to compare it."""


def plan_of(answer: Any) -> Plan:
    """The plan of an answer; cached if the answer is short and holds nothing but moves."""
    plan = Plan(answer)
    if len(plan.moves) <= _LONGEST and NO_MOVE not in [stage[DONE] for stage in plan.stages]:
        if len(PLANS) >= _MAX_CACHED:
            PLANS.clear()
        PLANS[id(answer)] = plan
    return plan


def _stages(read: list[tuple[int, int, Plain]]) -> list[list[Any]]:
    stages: list[list[Any]] = []
    last = NO_MOVE
    for place, (step, what, _) in enumerate(read):
        if last >= DONE or step < last or (step == last and step != ATTACK):
            stages.append([0, 0, 0, [], 0, 0])
        stage, last = stages[-1], step
        if not stage[ATTACK]:
            stage[-1] = place
        if step == ATTACK:
            stage[ATTACK].append(what)
        else:
            stage[min(step, DONE)] = what
    return stages


def _read(move: Any) -> tuple[int, int, Plain]:
    """Returns the action, its object, and the move as all bouts share it."""
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
        return LAND, 1, "land"
    elif move == "done":
        return DONE, DONE, "done"
    return NO_MOVE, NO_MOVE, move

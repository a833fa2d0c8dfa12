"""The course of a turn of the creature duel: the seat to move, the end of an attack, and the loser.

The rules and the batch both use these functions. None checks whether the move is possible.
"""

from __future__ import annotations

from typing import Final

from matchbox.game import Outcome
from matchbox.games.creatures import steps
from matchbox.games.creatures.state import NO_CARD, NO_LIFE, NOBODY, State

_SEATS: Final = ((0,), (1,))
_ENDED: Final = {
    why: (Outcome((2, 1), (0, 1), why), Outcome((1, 2), (1, 0), why)) for why in (NO_LIFE, NO_CARD)
}
"""The outcome, by the reason for the end and the seat that lost."""


def begin_turn(state: State) -> None:
    """Begins the mover's turn; without a card to draw the mover has lost."""
    state.movers = _SEATS[state.mover]
    state.turn += 1
    side = state.sides[state.mover]
    if not steps.begin_turn(side):
        _lose(state, state.mover, NO_CARD)


def end_turn(state: State) -> None:
    """Ends the mover's turn; mana that was not used is lost."""
    side = state.sides[state.mover]
    side.mana = 0
    state.mover = 1 - state.mover
    begin_turn(state)


def attack(state: State, place: int) -> bool:
    """Attacks with the mover's untapped creature at that place.

    Returns False if the other seat must first choose a blocker.
    """
    mover = state.mover
    if steps.attack(state.sides[mover], state.sides[1 - mover], place):
        _look_at_life(state)
        return True
    state.attacker = place
    state.movers = _SEATS[1 - mover]
    return False


def charge(state: State, numbers: list[int]) -> int:
    """Attacks with the mover's creatures of these numbers, which nobody can block.

    Returns how many attacked until the other seat had no life left, or NOWHERE if one could not.
    """
    mover = state.mover
    made = steps.charge(state.sides[mover], state.sides[1 - mover], numbers)
    _look_at_life(state)
    return made


def let_through(state: State) -> None:
    """Lets the attacker through; its attack is settled."""
    mover = state.mover
    side = state.sides[mover]
    steps.hit(state.sides[1 - mover], side.kinds[state.attacker])
    _settle(state)
    _look_at_life(state)


def block(state: State, place: int) -> None:
    """Blocks the attacker with the untapped creature at that place; the attack is settled."""
    mover = state.mover
    steps.fight(state.sides[mover], state.attacker, state.sides[1 - mover], place)
    _settle(state)


def outcome(state: State) -> Outcome | None:
    """The outcome; None as long as nobody has lost."""
    return None if state.loser is None else _ENDED[state.why][state.loser]


def _settle(state: State) -> None:
    """Continues the mover's turn after an attack."""
    state.attacker = NOBODY
    state.movers = _SEATS[state.mover]


def _look_at_life(state: State) -> None:
    """Ends the duel if the seat that was attacked has no life left."""
    attacked = 1 - state.mover
    side = state.sides[attacked]
    if side.life <= 0:
        _lose(state, attacked, NO_LIFE)


def _lose(state: State, seat: int, why: str) -> None:
    state.loser, state.why = seat, why
    state.movers = ()

"""The beginning of a game of Skull, the effect of every move, and the outcome.

Knows the state and the moves that it refuses; does not know the players.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from matchbox.dice import Dice
from matchbox.game import Outcome
from matchbox.games.skull import challenge, moves, story
from matchbox.games.skull.challenge import State
from matchbox.games.skull.moves import (
    BETTING,
    CHOICE,
    LOSE,
    PASSED_BYTE,
    PLACING,
    ROSE,
    SKULL,
    START,
)


def started(seats: int, variant: str, dice: Dice) -> State:
    """All cards in their owners' hands, and a starter drawn by lot."""
    state = State(seats, moves.VARIANTS.index(variant))
    challenge.new_round(state, dice.below(seats))
    return state


def outcome(state: State) -> Outcome:
    """Winners come first, all others second; a failed single challenge has several winners."""
    assert state.ended is not None
    first, seats = len(state.winners), len(state.owned)
    places = tuple(1 if seat in state.winners else 1 + first for seat in range(seats))
    return Outcome(places, tuple(state.points[:seats]), state.ended)


def _place(state: State, seat: int, kind: int, dice: Dice) -> bool:
    hand = state.hands[seat]
    if state.phase != PLACING or not hand[kind]:
        return False
    challenge.place(state, seat, kind)
    return True


def _bet(state: State, seat: int, number: int, dice: Dice) -> bool:
    if not state.top < number <= state.table:
        return False
    if state.phase != BETTING and (state.phase != PLACING or state.table < len(state.inside)):
        return False
    challenge.speak(state, seat, number)
    return True


def _pass(state: State, seat: int, nothing: int, dice: Dice) -> bool:
    if state.phase != BETTING:
        return False
    challenge.speak(state, seat, PASSED_BYTE)
    return True


def _choose(state: State, seat: int, owner: int, dice: Dice) -> bool:
    if state.phase != CHOICE or owner == seat or not state.pile_sizes[owner]:
        return False
    challenge.choose(state, seat, owner, dice)
    return True


def _lose(state: State, seat: int, kind: int, dice: Dice) -> bool:
    if state.phase != LOSE:
        return False
    challenge.lose(state, seat, seat, dice.choice(_KINDS) if kind == _ANY else kind)
    return True


def _start(state: State, seat: int, starter: int, dice: Dice) -> bool:
    if state.phase != START or (starter != _ANY and starter not in state.inside):
        return False
    chosen = dice.choice(state.inside) if starter == _ANY else starter
    state.story.append(story.NAMES + seat)
    state.story.append(chosen)
    challenge.end_round(state, chosen)
    return True


_KINDS: Final = (SKULL, ROSE)
_ANY: Final = -1
STEPS: Final[dict[str, tuple[Callable[[State, int, int, Dice], bool], int]]] = {
    moves.PASS: (_pass, _ANY),
    moves.LOSE_ANY: (_lose, _ANY),
    moves.START_ANY: (_start, _ANY),
    **{text: (_place, kind) for kind, text in enumerate(moves.PLACES)},
    **{text: (_lose, kind) for kind, text in enumerate(moves.LOSSES)},
    **{text: (_bet, number) for number, text in enumerate(moves.BETS) if number},
    **{text: (_choose, seat) for seat, text in enumerate(moves.CHOICES)},
    **{text: (_start, seat) for seat, text in enumerate(moves.STARTS)},
}
"""Every move: its function, which returns False if the move is illegal now, and its number."""

"""The beginning of a game of Skull, the effect of every move, and the outcome.

Knows the state and which moves it refuses; does not know who plays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from matchbox.dice import Dice
from matchbox.game import Outcome
from matchbox.games.skull import challenge, moves, story
from matchbox.games.skull.challenge import State
from matchbox.games.skull.layout import (
    BETTING,
    CHOICE,
    INSIDE,
    LOSE,
    PASSED,
    PHASE,
    PILES,
    PLACING,
    POINTS,
    ROSE,
    SKULL,
    START,
    TABLE,
    TOP,
)


def started(seats: int, variant: str, dice: Dice) -> State:
    """All cards in their owners' hands, and a starter drawn by lot."""
    state = State(seats, moves.VARIANTS.index(variant))
    challenge.new_round(state, dice.below(seats))
    return state


def outcome(state: State) -> Outcome:
    """Winners come first, all others second; a failed single challenge has several winners."""
    assert state.ended is not None
    first, seats = len(state.winners), len(state.own)
    places = tuple(1 if seat in state.winners else 1 + first for seat in range(seats))
    return Outcome(places, tuple(state.board[POINTS : POINTS + seats]), state.ended)


def _place(state: State, seat: int, kind: int, dice: Dice) -> bool:
    own = state.own[seat]
    if state.board[PHASE] != PLACING or not own[kind]:
        return False
    challenge.place(state, seat, kind)
    return True


def _bet(state: State, seat: int, number: int, dice: Dice) -> bool:
    board = state.board
    if not board[TOP] < number <= board[TABLE]:
        return False
    if board[PHASE] != BETTING and (board[PHASE] != PLACING or board[TABLE] < board[INSIDE]):
        return False
    challenge.speak(state, seat, number)
    return True


def _pass(state: State, seat: int, nothing: int, dice: Dice) -> bool:
    if state.board[PHASE] != BETTING:
        return False
    challenge.speak(state, seat, PASSED)
    return True


def _choose(state: State, seat: int, owner: int, dice: Dice) -> bool:
    board = state.board
    if board[PHASE] != CHOICE or owner == seat or not board[PILES + owner]:
        return False
    challenge.choose(state, seat, owner, dice)
    return True


def _lose(state: State, seat: int, kind: int, dice: Dice) -> bool:
    if state.board[PHASE] != LOSE:
        return False
    challenge.lose(state, seat, seat, dice.choice(_KINDS) if kind == _ANY else kind)
    return True


def _start(state: State, seat: int, starter: int, dice: Dice) -> bool:
    if state.board[PHASE] != START or (starter != _ANY and starter not in state.inside):
        return False
    chosen = dice.choice(state.inside) if starter == _ANY else starter
    state.story.append(story.NAMES + seat)
    state.story.append(chosen)
    challenge.end_round(state, chosen)
    return True


_KINDS: Final = (SKULL, ROSE)
_ANY: Final = -1
STEPS: Final[dict[str, tuple[Callable[[State, int, int, Dice], bool], int, bool]]] = {
    moves.PASS: (_pass, _ANY, False),
    moves.LOSE_ANY: (_lose, _ANY, True),
    moves.START_ANY: (_start, _ANY, True),
    **{text: (_place, kind, False) for kind, text in enumerate(moves.PLACES)},
    **{text: (_lose, kind, False) for kind, text in enumerate(moves.LOSSES)},
    **{text: (_bet, number, False) for number, text in enumerate(moves.BETS) if number},
    **{text: (_choose, seat, True) for seat, text in enumerate(moves.CHOICES)},
    **{text: (_start, seat, False) for seat, text in enumerate(moves.STARTS)},
}
"""Every move: its function, which returns False if the move is illegal now; its number; and whether
it may need dice."""

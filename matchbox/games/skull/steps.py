"""How a game of Skull begins, what every move does, and how it came out.

Knows the state and which moves it refuses; does not know who plays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from matchbox.dice import Dice
from matchbox.game import Outcome
from matchbox.games.skull import challenge, moves, story
from matchbox.games.skull.challenge import PASSED, ROSE, SKULL, State


def started(seats: int, variant: str, dice: Dice) -> State:
    """All cards in their owners' hands, and a starter drawn by lot."""
    state = State(seats, variant)
    challenge.new_round(state, dice.below(seats))
    return state


def outcome(state: State) -> Outcome:
    """The winner first, and all others second; a failed single challenge has many winners."""
    assert state.ended is not None
    first = len(state.winners)
    places = tuple(1 if seat in state.winners else 1 + first for seat in range(state.seats))
    return Outcome(places, tuple(state.points), state.ended)


def _place(state: State, seat: int, kind: int, dice: Dice) -> bool:
    if state.phase != "placing" or not state.hands[kind][seat]:
        return False
    challenge.place(state, seat, kind)
    return True


def _bet(state: State, seat: int, number: int, dice: Dice) -> bool:
    if not state.top_bid < number <= state.table:
        return False
    opens = state.phase == "placing" and state.table >= len(state.inside)
    if not opens and state.phase != "betting":
        return False
    challenge.speak(state, seat, number)
    return True


def _pass(state: State, seat: int, nothing: int, dice: Dice) -> bool:
    if state.phase != "betting":
        return False
    challenge.speak(state, seat, PASSED)
    return True


def _choose(state: State, seat: int, owner: int, dice: Dice) -> bool:
    if state.phase != "choice" or owner == state.top_seat:
        return False
    if owner >= state.seats or not state.sizes[owner]:
        return False
    challenge.choose(state, seat, owner, dice)
    return True


def _lose(state: State, seat: int, kind: int, dice: Dice) -> bool:
    if state.phase != "lose":
        return False
    challenge.lose(state, seat, seat, dice.choice(_KINDS) if kind == _ANY else kind)
    return True


def _start(state: State, seat: int, starter: int, dice: Dice) -> bool:
    if state.phase != "start" or (starter != _ANY and starter not in state.inside):
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
"""What every move does, False where it may not be made now; with what number; and whether chance
may have a hand in it."""

"""Views of Skull, and states that look alike. Knows the state; changes none."""

from __future__ import annotations

import copy
from typing import Any, Final

from matchbox.dice import Dice
from matchbox.games.skull import story
from matchbox.games.skull.challenge import State
from matchbox.games.skull.layout import (
    BIDS,
    CARDS,
    GONE,
    MOVER,
    OWN,
    PASSED,
    PHASE,
    PILES,
    POINTS,
    ROSE,
    SEATS,
    SKULL,
    STARTER,
    VARIANT,
)
from matchbox.games.skull.moves import KINDS, PHASES, VARIANTS
from matchbox.games.skull.moves import PASSED as SAID_PASS

_ASKS: Final = {
    "placing": "move", "betting": "move", "choice": "move", "lose": "lose", "start": "start",
    "over": "over",
}  # fmt: skip


def view(state: State, seat: int | None) -> dict[str, Any]:
    """The public part, and for a seat its hand, its pile and its lost cards.

    The events are two strings, to keep questions short: those of this round, separated by commas,
    and those of earlier rounds, one line each.
    """
    board, over = state.board, state.ended is not None
    phase, mover = PHASES[board[PHASE]], board[MOVER]
    seen: dict[str, Any] = {
        "ask": _ASKS[phase] if seat is None or seat == mover or over else "wait",
        "variant": VARIANTS[board[VARIANT]],
        "phase": phase,
        "mover": mover,
        "starter": board[STARTER],
        "points": _by_seat(board, POINTS),
        "cards": _by_seat(board, CARDS),
        "piles": _by_seat(board, PILES),
        "bids": [SAID_PASS if bid == PASSED else bid for bid in _by_seat(board, BIDS)],
        "log": story.told(state.story[state.round_at :].rstrip(_END)),
        "rounds": "".join(f"{events}\n" for events in rounds(state)),
    }
    if seat is None:
        seen["events"] = story.happened(state.story[state.moved :])
        seen["winners"] = state.winners.copy()
    else:
        own, owned = state.own[seat], state.owned[seat]
        seen["me"] = seat
        seen["hand"] = dict(zip(KINDS, own, strict=False))
        seen["pile"] = [KINDS[kind] for kind in own[len(own) - board[PILES + seat] :]]
        seen["lost"] = [KINDS[kind] for kind in owned[_GONE:]]
    return seen


def _by_seat(board: bytearray, start: int) -> list[int]:
    """The row of the board that begins at `start`."""
    return list(board[start : start + board[SEATS]])


def rounds(state: State) -> list[str]:
    """The events of every finished round, as text."""
    return story.rounds(state.story)


def brief(state: State, seat: int) -> bytes:
    """The view of the seat to move as player.brief_of writes it, made without the view."""
    return b"".join((state.board, state.own[seat], state.story))


def resampled(state: State, seat: int | None, dice: Dice) -> State:
    """Deals the other seats' cards again, so that everything that everybody saw stays true."""
    other = copy.deepcopy(state)
    for one in range(len(state.own)):
        if one != seat and one in state.inside:
            _deal_anew(other, one, dice)
    return other


def _deal_anew(state: State, seat: int, dice: Dice) -> None:
    """Redraws the lost kind if nobody can know it, and the seat's cards that are hidden."""
    board, known = state.board, state.known[seat]
    has_skull = dice.below(2) == 0 if known is None else known
    shown = [state.turned.count(2 * seat + kind) for kind in (SKULL, ROSE)]
    number, lost = board[CARDS + seat], len(state.owned[seat]) - _GONE
    skulls_lost = int(not has_skull)
    gone = [seat, lost, *[ROSE] * (lost - skulls_lost), *[SKULL] * skulls_lost]
    hidden = [SKULL] * (has_skull - shown[SKULL])
    hidden += [ROSE] * (number - sum(shown) - len(hidden))
    dice.shuffle(hidden)
    size = board[PILES + seat]
    held = hidden[size:]
    state.owned[seat] = bytearray([has_skull, number - has_skull, *gone])
    state.own[seat] = bytearray([held.count(SKULL), held.count(ROSE), *gone, *hidden[:size]])


_END: Final = bytes([story.END])
_GONE: Final = GONE - OWN

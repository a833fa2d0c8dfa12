"""Views of Skull, and states that look alike. Knows the state; changes none."""

from __future__ import annotations

import copy
from typing import Any, Final

from matchbox.dice import Dice
from matchbox.games.skull import codec, story
from matchbox.games.skull.challenge import State
from matchbox.games.skull.moves import (
    KINDS,
    PASSED_BYTE,
    PASSED_IN_VIEW,
    PHASES,
    ROSE,
    SKULL,
    VARIANTS,
)

_ASKS: Final = {
    "placing": "move", "betting": "move", "choice": "move", "lose": "lose", "start": "start",
    "over": "over",
}  # fmt: skip


def view(state: State, seat: int | None) -> dict[str, Any]:
    """The public part, and for a seat its hand, its pile and its lost cards.

    The events are two strings, to keep questions short: those of this round, separated by commas,
    and those of earlier rounds, one line each.
    """
    over = state.ended is not None
    phase, mover = PHASES[state.phase], state.mover
    seen: dict[str, Any] = {
        "ask": _ASKS[phase] if seat is None or seat == mover or over else "wait",
        "variant": VARIANTS[state.variant],
        "phase": phase,
        "mover": mover,
        "starter": state.starter,
        "points": _by_seat(state, state.points),
        "cards": _by_seat(state, state.cards),
        "piles": _by_seat(state, state.pile_sizes),
        "bids": [
            PASSED_IN_VIEW if bid == PASSED_BYTE else bid for bid in _by_seat(state, state.bids)
        ],
        "log": story.round_text(state.story[state.round_at :].rstrip(_END)),
        "rounds": "".join(f"{events}\n" for events in rounds(state)),
    }
    if seat is None:
        seen["events"] = story.event_texts(state.story[state.moved :])
        seen["winners"] = state.winners.copy()
    else:
        seen["me"] = seat
        seen["hand"] = dict(zip(KINDS, state.hands[seat], strict=True))
        seen["pile"] = [KINDS[kind] for kind in state.piles[seat]]
        seen["lost"] = [KINDS[kind] for kind in state.lost[seat]]
    return seen


def _by_seat(state: State, row: bytearray) -> list[int]:
    """The row without the seats that this table does not have."""
    return list(row[: len(state.owned)])


def rounds(state: State) -> list[str]:
    """The events of every finished round, as text."""
    return story.round_texts(state.story)


def brief(state: State, seat: int) -> bytes:
    """The view of the seat to move as player.brief_of writes it, made without the view."""
    skulls, roses = state.hands[seat]
    return codec.write(
        phase=state.phase,
        variant=state.variant,
        seats=len(state.owned),
        mover=state.mover,
        starter=state.starter,
        inside=len(state.inside),
        points=state.points,
        cards=state.cards,
        pile_sizes=state.pile_sizes,
        bids=state.bids,
        table=state.table,
        top=state.top,
        skulls=skulls,
        roses=roses,
        me=seat,
        lost=state.lost[seat],
        pile=state.piles[seat],
        story=state.story,
    )


def resampled(state: State, seat: int | None, dice: Dice) -> State:
    """Deals the other seats' cards again, so that everything that everybody saw stays true."""
    other = copy.deepcopy(state)
    for one in range(len(state.owned)):
        if one != seat and one in state.inside:
            _deal_anew(other, one, dice)
    return other


def _deal_anew(state: State, seat: int, dice: Dice) -> None:
    """Redraws the lost kind if nobody can know it, and the seat's cards that are hidden."""
    known, number, lost = state.known[seat], state.cards[seat], len(state.lost[seat])
    has_skull = dice.below(2) == 0 if known is None else known
    shown = [state.turned.count(2 * seat + kind) for kind in (SKULL, ROSE)]
    skulls_lost = int(not has_skull)
    hidden = [SKULL] * (has_skull - shown[SKULL])
    hidden += [ROSE] * (number - sum(shown) - len(hidden))
    dice.shuffle(hidden)
    size = state.pile_sizes[seat]
    held = hidden[size:]
    state.lost[seat] = bytearray([*[ROSE] * (lost - skulls_lost), *[SKULL] * skulls_lost])
    state.owned[seat] = bytearray([has_skull, number - has_skull])
    state.hands[seat] = bytearray([held.count(SKULL), held.count(ROSE)])
    state.piles[seat] = bytearray(hidden[:size])


_END: Final = bytes([story.END])

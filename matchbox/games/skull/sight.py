"""Who sees what in Skull: views, and states that look alike. Knows the state; changes none."""

from __future__ import annotations

import copy
from typing import Any, Final

from matchbox.dice import Dice
from matchbox.games.skull import story
from matchbox.games.skull.challenge import PASSED, ROSE, SKULL, State
from matchbox.games.skull.layout import (
    LOST,
    ME,
    MOVER,
    PHASE,
    ROSES,
    SKULLS,
    TABLE,
    TOP,
)
from matchbox.games.skull.moves import KINDS, PHASES
from matchbox.games.skull.moves import PASSED as SAID_PASS

_ASKS: Final = {
    "placing": "move", "betting": "move", "choice": "move", "lose": "lose", "start": "start",
    "over": "over",
}  # fmt: skip


def view(state: State, seat: int | None) -> dict[str, Any]:
    """What is public, and for a seat its hand, its pile and the cards that it lost.

    What happened is two texts, for they are sent with every question: the events of this round
    after commas, and those of earlier rounds, a line each.
    """
    over = state.ended is not None
    seen: dict[str, Any] = {
        "ask": _ASKS[state.phase] if seat is None or seat == state.mover or over else "wait",
        "variant": state.variant,
        "phase": state.phase,
        "mover": state.mover,
        "starter": state.starter,
        "points": list(state.points),
        "cards": list(state.cards),
        "piles": list(state.sizes),
        "bids": [SAID_PASS if bid == PASSED else bid for bid in state.bids],
        "log": story.told(state.story[state.round_at :].rstrip(_END)),
        "rounds": "".join(f"{events}\n" for events in rounds(state)),
    }
    if seat is None:
        seen["events"] = story.happened(state.story[state.moved :])
        seen["winners"] = state.winners.copy()
    else:
        seen["me"] = seat
        seen["hand"] = {kind: hands[seat] for kind, hands in zip(KINDS, state.hands, strict=True)}
        seen["pile"] = [KINDS[kind] for kind in state.piles[seat]]
        seen["lost"] = [KINDS[kind] for kind in state.lost[seat]]
    return seen


def rounds(state: State) -> list[str]:
    """The events of every round that has ended, as text."""
    return story.rounds(state.story)


def brief(state: State, seat: int) -> bytes:
    """The view of the seat to move as player.brief_of writes it, without the view."""
    skulls, roses = state.hands
    lost = state.lost[seat]
    head = state.head
    head[PHASE] = _PHASES[state.phase]
    head[ME] = head[MOVER] = seat
    head[SKULLS], head[ROSES], head[LOST] = skulls[seat], roses[seat], len(lost)
    head[TABLE], head[TOP] = state.table, state.top_bid
    return b"".join(
        (
            head, state.points, state.cards, state.sizes, state.bids, state.piles[seat], lost,
            state.story,
        )
    )  # fmt: skip


def resampled(state: State, seat: int | None, dice: Dice) -> State:
    """The other seats' cards dealt anew, so that all that everybody saw stays true."""
    other = copy.deepcopy(state)
    for one in range(state.seats):
        if one != seat and one in state.inside:
            _deal_anew(other, one, dice)
    return other


def _deal_anew(state: State, seat: int, dice: Dice) -> None:
    """Another kind lost, where nobody can know which, and other cards face down and in hand."""
    known = state.known[seat]
    has_skull = dice.below(2) == 0 if known is None else known
    shown = [state.turned.count(2 * seat + kind) for kind in (SKULL, ROSE)]
    number, lost = state.cards[seat], len(state.lost[seat])
    state.owned[SKULL][seat], state.owned[ROSE][seat] = has_skull, number - has_skull
    skulls_lost = int(not has_skull)
    state.lost[seat] = bytearray([ROSE] * (lost - skulls_lost) + [SKULL] * skulls_lost)
    hidden = [SKULL] * (has_skull - shown[SKULL])
    hidden += [ROSE] * (number - sum(shown) - len(hidden))
    dice.shuffle(hidden)
    size = state.sizes[seat]
    state.piles[seat] = bytearray(hidden[:size])
    for kind in (SKULL, ROSE):
        state.hands[kind][seat] = hidden[size:].count(kind)


_END: Final = bytes([story.END])
_PHASES: Final = {name: number for number, name in enumerate(PHASES)}

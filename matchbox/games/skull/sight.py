"""Who sees what in Skull: views, and states that look alike. Knows the state; changes none."""

from __future__ import annotations

import copy
from typing import Any, Final

from matchbox.dice import Dice
from matchbox.games.skull.challenge import State

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
        "points": state.points.copy(),
        "cards": [own["skull"] + own["rose"] for own in state.owned],
        "piles": list(map(len, state.piles)),
        "bids": state.bids.copy(),
        "log": ", ".join(state.log),
        "rounds": state.rounds,
    }
    if seat is None:
        seen["events"] = state.last.copy()
        seen["winners"] = state.winners.copy()
    else:
        seen["me"] = seat
        seen["hand"] = state.hands[seat].copy()
        seen["pile"] = state.piles[seat].copy()
        seen["lost"] = state.lost[seat].copy()
    return seen


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
    shown = [kind for owner, kind in state.turned if owner == seat]
    number, lost = state.cards(seat), len(state.lost[seat])
    state.owned[seat] = {"skull": int(has_skull), "rose": number - has_skull}
    state.lost[seat] = ["rose"] * (lost - (not has_skull)) + ["skull"] * (not has_skull)
    hidden = ["skull"] * (has_skull - shown.count("skull"))
    hidden += ["rose"] * (number - len(shown) - len(hidden))
    dice.shuffle(hidden)
    size = len(state.piles[seat])
    state.piles[seat] = hidden[:size]
    rest = hidden[size:]
    state.hands[seat] = {"skull": rest.count("skull"), "rose": rest.count("rose")}

"""The views of a duel for seats and spectators, and moves in words.

Hides what a seat may not know; changes nothing.
"""

from __future__ import annotations

from typing import Any, Final

from matchbox.games.creatures.codec import ASKS, BLOCK, OVER, TURN, WAIT
from matchbox.games.creatures.kinds import NAMES, POWERS
from matchbox.games.creatures.state import MARKS, NOBODY, Side, State


def from_outside(state: State) -> dict[str, Any]:
    """The spectator's view."""
    return {
        "ask": ASKS[_ask_of(state, state.movers[0] if state.movers else 0)],
        "mover": state.mover,
        "turn": state.turn,
        "attacker": _attacker(state),
        "sides": [_public(side) for side in state.sides],
        "last": _last(state),
        "loser": state.loser,
    }


def from_seat(state: State, seat: int) -> dict[str, Any]:
    """A seat's view: both sides of the table, and its own hand and mana."""
    own = state.sides[seat]
    me = _public(own)
    me["hand"], me["mana"], me["played"] = _names(own.hand), own.mana, own.played
    return {
        "ask": ASKS[_ask_of(state, seat)],
        "seat": seat,
        "turn": state.turn,
        "attacker": _attacker(state),
        "me": me,
        "other": _public(state.sides[1 - seat]),
    }


def describe_last(view: Any) -> str:
    """The last move in this view of a spectator, one event per line."""
    last = view["last"]
    return "\n".join([_DESCRIPTIONS[last["did"]].format_map(last), *_consequences(last, view)])


_DESCRIPTIONS: Final = {
    "land": "plays a land",
    "tap": "taps for {amount} mana",
    "summon": "summons {card}",
    "attack": "attacks with {card}",
    "pass": "does not block {card}",
    "block": "blocks {card} with {blocker}",
    "done": "ends the turn",
}


def _consequences(last: dict[str, Any], view: dict[str, Any]) -> list[str]:
    lines = []
    if "damage" in last:
        lines.append(f"{last['card']} does {last['damage']} damage, {last['left']} life is left")
    if "fallen" in last:
        fallen = " and ".join(last["fallen"])
        lines.append(f"{fallen} {'is' if len(last['fallen']) == 1 else 'are'} destroyed")
    if last["did"] == "done" and view["loser"] is not None:
        lines.append("the other player has no card to draw")
    return lines


def _ask_of(state: State, seat: int) -> int:
    """The question to the seat: its index in ASKS."""
    if state.loser is not None:
        return OVER
    if seat not in state.movers:
        return WAIT
    return TURN if state.attacker == NOBODY else BLOCK


def _public(side: Side) -> dict[str, Any]:
    """The public part of a side."""
    field = zip(side.numbers, side.kinds, side.marks, strict=True)
    return {
        "life": side.life,
        "hand": len(side.hand),
        "deck": len(side.deck),
        "field": [[number, NAMES[card], MARKS[mark]] for number, card, mark in field],
        "lands": side.lands,
        "tapped": side.tapped,
        "discard": _names(side.discard),
    }


def _attacker(state: State) -> list[Any] | None:
    """The number and the name of the attacking creature; None if there is none."""
    if state.attacker == NOBODY:
        return None
    side = state.sides[state.mover]
    return [side.numbers[state.attacker], NAMES[side.kinds[state.attacker]]]


def _last(state: State) -> dict[str, Any]:
    """The last move and its effect, as everybody saw it."""
    did, about, more, hit = state.last  # What `about` and `more` hold depends on the kind.
    last: dict[str, Any] = {"did": did} if did else {}
    if did == "tap":
        last["amount"] = about
    elif did not in ("", "land", "done"):
        last["card"] = NAMES[about]
    if did in ("summon", "attack"):
        last["number"] = more
    elif did == "block":
        last["blocker"] = NAMES[more]
        last["fallen"] = [NAMES[about]] if POWERS[about] <= POWERS[more] else []
        last["fallen"] += [NAMES[more]] if POWERS[more] <= POWERS[about] else []
    if hit:
        last["damage"], last["left"] = POWERS[about], state.sides[1 - state.mover].life
    return last


def _names(cards: bytearray) -> list[str]:
    return [NAMES[card] for card in cards]

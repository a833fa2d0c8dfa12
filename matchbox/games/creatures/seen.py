"""What of a duel is seen: the views of seats and spectators, and moves in words.

Knows what is hidden; changes nothing.
"""

from __future__ import annotations

from typing import Any, Final

from matchbox.games.creatures.state import Side, State


def from_outside(state: State) -> dict[str, Any]:
    """What everybody sees."""
    return {
        "ask": "over" if state.loser is not None else "block" if state.attacker else "turn",
        "mover": state.mover,
        "turn": state.turn,
        "attacker": _attacker(state),
        "sides": [_public(side) for side in state.sides],
        "last": {key: _copied(value) for key, value in state.last.items()},
        "loser": state.loser,
    }


def from_seat(state: State, seat: int) -> dict[str, Any]:
    """What a seat sees: both sides as they lie on the table, its own hand and mana."""
    own = state.sides[seat]
    me = _public(own)
    me["hand"], me["mana"], me["played"] = own.hand.copy(), own.mana, own.played
    return {
        "ask": _asked(state, seat),
        "seat": seat,
        "turn": state.turn,
        "attacker": _attacker(state),
        "me": me,
        "other": _public(state.sides[1 - seat]),
    }


def told(view: Any) -> str:
    """The last move that this view of a spectator shows, an event a line."""
    last = view["last"]
    return "\n".join([_TOLD[last["did"]].format_map(last), *_consequences(last, view)])


_TOLD: Final = {
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


def _asked(state: State, seat: int) -> str:
    if state.loser is not None:
        return "over"
    if state.attacker is not None:
        return "wait" if seat == state.mover else "block"
    return "turn" if seat == state.mover else "wait"


def _public(side: Side) -> dict[str, Any]:
    """What everybody sees of a side."""
    return {
        "life": side.life,
        "hand": len(side.hand),
        "deck": len(side.deck),
        "field": [creature.copy() for creature in side.field],
        "lands": side.lands,
        "tapped": side.tapped,
        "discard": side.discard.copy(),
    }


def _attacker(state: State) -> list[Any] | None:
    """The number and the name of the attacking creature."""
    return state.attacker[:2] if state.attacker else None


def _copied(value: Any) -> Any:
    return value.copy() if isinstance(value, list) else value

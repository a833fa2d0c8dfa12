"""What everybody saw of a game of Skull, in a byte or two an event, and as text. Knows no rules.

A byte is what happened to which seat, as PLACE + seat; after BET, CHOOSE and NAMES another byte is
the number or the seat that the event is about. END stands behind the events of a round.
"""

from __future__ import annotations

from typing import Final

from matchbox.games.skull.moves import BETS, SEATS

END: Final = 31
_WHAT: Final = (
    "place", "bet", "pass", "choose", "rose", "skull", "met", "failed", "lost", "out", "names",
    "gone",
)  # fmt: skip
PLACE, BET, PASS, CHOOSE, ROSE, SKULL, MET, FAILED, LOST, OUT, NAMES, GONE = range(
    32, 32 + SEATS * len(_WHAT), SEATS
)
_FINAL: Final = bytes([END])
_PARTS: Final = {
    **{number: f" {number}" for number in range(len(BETS))},
    **{
        32 + SEATS * place + seat: f", {seat} {what}"
        for place, what in enumerate(_WHAT)
        for seat in range(SEATS)
    },
}
"""The text of a byte."""
_NUMBERS: Final = {str(number): bytes([number]) for number in range(len(BETS))}
_EVENTS: Final = {
    text[2:]: bytes([byte]) for byte, text in _PARTS.items() if byte not in range(len(BETS))
}


def told(events: bytes | bytearray) -> str:
    """The events of a round as text, after commas."""
    return "".join(map(_PARTS.__getitem__, events))[2:]


def happened(events: bytes | bytearray) -> list[str]:
    """The events one by one, whichever rounds they belong to."""
    text = told(events.replace(_FINAL, b""))
    return text.split(", ") if text else []


def rounds(events: bytes | bytearray) -> list[str]:
    """The text of every round that has ended."""
    return [told(one) for one in events.split(_FINAL)[:-1]]


def this_round(events: bytes) -> bytes:
    """The events of the round that has not ended."""
    return events.rpartition(_FINAL)[2]


def written(text: str) -> bytes:
    """The events of a round, read back from their text."""
    parts = [event.split() for event in text.split(", ")] if text else []
    return b"".join(
        _EVENTS[f"{seat} {what}"] + b"".join(map(_NUMBERS.__getitem__, number))
        for seat, what, *number in parts
    )


def all_written(ended: str, running: str) -> bytes:
    """A whole story, from a line for each round that has ended and the text of this one."""
    return b"".join(written(line) + _FINAL for line in ended.splitlines()) + written(running)

"""The public events of a game of Skull, in one or two bytes each, and as text. Knows no rules.

A byte is a kind of event plus its seat, such as PLACE + seat. After BET, CHOOSE and NAMES a second
byte is the event's number or second seat. END follows the last event of a round.
"""

from __future__ import annotations

from typing import Final

from matchbox.games.skull.moves import BETS, MAX_SEATS

END: Final = 31
_WHAT: Final = (
    "place", "bet", "pass", "choose", "rose", "skull", "met", "failed", "lost", "out", "names",
    "gone",
)  # fmt: skip
PLACE, BET, PASS, CHOOSE, ROSE, SKULL, MET, FAILED, LOST, OUT, NAMES, GONE = range(
    32, 32 + MAX_SEATS * len(_WHAT), MAX_SEATS
)
_FINAL: Final = bytes([END])
_PARTS: Final = {
    **{number: f" {number}" for number in range(len(BETS))},
    **{
        32 + MAX_SEATS * place + seat: f", {seat} {what}"
        for place, what in enumerate(_WHAT)
        for seat in range(MAX_SEATS)
    },
}
"""The text of each byte."""
_NUMBERS: Final = {str(number): bytes([number]) for number in range(len(BETS))}
_EVENTS: Final = {
    text[2:]: bytes([byte]) for byte, text in _PARTS.items() if byte not in range(len(BETS))
}


def round_text(events: bytes | bytearray) -> str:
    """The events of a round as text, separated by commas."""
    return "".join(map(_PARTS.__getitem__, events))[2:]


def event_texts(events: bytes | bytearray) -> list[str]:
    """The events one by one, of all rounds."""
    text = round_text(events.replace(_FINAL, b""))
    return text.split(", ") if text else []


def round_texts(events: bytes | bytearray) -> list[str]:
    """The text of every finished round."""
    return [round_text(one) for one in events.split(_FINAL)[:-1]]


def this_round(events: bytes) -> bytes:
    """The events of the unfinished round."""
    return events.rpartition(_FINAL)[2]


def encode_round(text: str) -> bytes:
    """Encodes the events of a round from their text."""
    parts = [event.split() for event in text.split(", ")] if text else []
    return b"".join(
        _EVENTS[f"{seat} {what}"] + b"".join(map(_NUMBERS.__getitem__, number))
        for seat, what, *number in parts
    )


def encode_story(ended: str, running: str) -> bytes:
    """Encodes a whole story, from one line per finished round and the text of the current one."""
    return b"".join(encode_round(line) + _FINAL for line in ended.splitlines()) + encode_round(
        running
    )

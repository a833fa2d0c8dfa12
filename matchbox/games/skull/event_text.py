"""Skull in words: events as lines of a transcript, and the reasons why moves are refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from matchbox.game import Plain

_DONE: Final = {
    "place": "places a card",
    "bet": "bids {with_what}",
    "pass": "passes",
    "choose": "turns over a card of seat {with_what}",
    "names": "names seat {with_what} to start",
}
"""A seat's action; the seat's name stands before it."""
_HAPPENED: Final = {
    "rose": "the card of seat {seat} is a rose",
    "skull": "the card of seat {seat} is a skull",
    "met": "seat {seat} has met its challenge: a point",
    "failed": "seat {seat} has failed",
    "lost": "seat {seat} loses a card for good",
    "out": "seat {seat} has no card left and is out",
    "gone": "seat {seat} leaves the game",
}
"""The effect of an action, on whichever seat."""
_WANTED: Final = {
    "placing": "place a card that you hold, or bid from 1 to the {table} cards on the table once "
    "everybody has placed one",
    "betting": "bid more than {top}, up to the {table} cards on the table, or pass",
    "choice": "choose another seat that has a card on its pile",
    "lose": "choose a skull or a rose to lose",
    "start": "name a seat that still has cards",
    "over": "there is nothing to choose",
}


def describe_events(events: Sequence[str]) -> str:
    """The events, one per line, under a heading that names the seat."""
    return "\n".join(_filled(event, "") for event in events)


def sentence(event: str) -> str:
    """One event as a sentence, with its seat."""
    return _filled(event, f"seat {event.split()[0]} ")


def _filled(event: str, doer: str) -> str:
    seat, what, *rest = event.split()
    if what in _DONE:
        return doer + _DONE[what].format(with_what="".join(rest))
    return _HAPPENED[what].format(seat=seat)


def refusal(move: Plain, phase: str, table: int, top: int) -> str:
    """The reason why a move is refused, with the moves that are possible."""
    quoted = f"{move}"[:40] if type(move) is str else f"{move!r}"[:40]
    wanted = _WANTED[phase].format(table=table, top=top)
    return f"{quoted} is not possible now; {wanted}"

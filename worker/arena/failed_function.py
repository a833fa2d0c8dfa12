"""Finds the function of a bot that was called when the bot failed, with a fresh program of the bot.

That program gets the same question again, and stops before the function's first line:
matchbox/match/called_function.py finds it there.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from matchbox.errors import SeatFault
from matchbox.match import frames

if TYPE_CHECKING:
    from matchbox.match.frames import View
    from worker.arena.match_seats import Opener


class CalledFunction(NamedTuple):
    """A function of a bot, by its file, the line where it begins, and its name."""

    file: str
    line: int
    name: str


def find_failed_function(view: View, load: bytes, open_channel: Opener) -> CalledFunction | None:
    """The function that answers the question with this view or brief, in a program that this frame
    loads; `__init__` if no player can be made. None if it cannot be found."""
    for question in (view, None):
        try:
            with closing(open_channel()) as channel:
                frames.read_loaded(channel.ask(load, start=True))
                found = frames.read_where(channel.ask(frames.where_frame(question)))
        except SeatFault:
            continue
        return CalledFunction(*found) if found else None
    return None

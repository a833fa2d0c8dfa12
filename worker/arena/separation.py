"""The order of a match's rotations, and the pauses between them.

Draws from the system's source of chance, never from the match's seeds. Knows no rules and no bots.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from matchbox.match.seat import Channel
    from matchbox.match.wire import PlayMatch
    from sandbox.box import Box, FirstSeat

SHORTEST_S: Final = 0.5
LONGEST_S: Final = 2.0
"""Bounds, in seconds, of the pause before a rotation in leagues that ask for strong separation."""
_KEEP_ALIVE_S: Final = 0.25
_RANDOM: Final = secrets.SystemRandom()


def shuffled(rotations: Iterable[int]) -> tuple[int, ...]:
    """The rotations in an order that no bot can know.

    So a seat that finds no note from an earlier rotation learns nothing: that rotation may not have
    been played yet.
    """
    order = list(rotations)
    _RANDOM.shuffle(order)
    return tuple(order)


class Separation:
    """Keeps the rotations of a match apart: fresh zygotes for each, and a random pause before it.

    The pause also separates a match from the one before, which may share its deals.
    """

    def __init__(self, box: Box, seats: int, keep_alive: Callable[[], None]) -> None:
        """`seats` is their number at the table. `keep_alive` is called several times a second in a
        pause, and may raise to end it."""
        self._box = box
        self._seats = seats
        self._fresh = 0
        """How many of the next seats start a zygote of their own."""
        self._spent_s = 0.0
        self._first_seats: list[FirstSeat] = []
        """Those of fresh zygotes. Whether their bots want libraries is only known later."""
        self._keep_alive = keep_alive
        self._current: int | None = None
        self._started: set[int] = set()

    def open(self, rotation: int, open_seat: Callable[[], Channel]) -> Channel:
        """A seat of that rotation, from `open_seat`. The seats of the rotation before it must be
        closed."""
        begun = time.monotonic()
        if rotation != self._current:
            self._current, self._fresh = rotation, self._seats
            self._box.renew()
            # A bout that is replayed after a third fault does not wait again: a match with many
            # such bouts would hold its arena for hours.
            if rotation not in self._started:
                self._started.add(rotation)
                self._pause(_RANDOM.uniform(SHORTEST_S, LONGEST_S))
        channel = open_seat()
        if self._fresh:
            self._fresh -= 1
            self._spent_s += time.monotonic() - begun
            if isinstance(channel, _first_seat()):
                self._first_seats.append(channel)
        return channel

    @property
    def spent_s(self) -> float:
        """Seconds spent on pauses and on fresh zygotes so far, which no deal takes."""
        return self._spent_s + sum(seat.replaced_s for seat in self._first_seats)

    def _pause(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self._keep_alive()
            time.sleep(min(left, _KEEP_ALIVE_S))


def _first_seat() -> type[FirstSeat]:
    from sandbox.box import FirstSeat  # Without a box it is not needed, and so not loaded.

    return FirstSeat


def separation_of(
    job: PlayMatch, box: Box | None, report: Callable[[int], None]
) -> Separation | None:
    """The separation of the job's rotations, or None without a box, or if the league asks for none.

    `report` is called with 0 several times a second during a pause.
    """
    if job.separation != "strong" or box is None:
        return None
    return Separation(box, len(job.seats), lambda: report(0))

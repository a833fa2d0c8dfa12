"""Verifies a match: lets its bots play it again in their boxes, and compares the records.

Gives the bots their seats; matchbox/match/verification.py compares the records.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from msgspec.structs import replace

from matchbox.match import record as records
from matchbox.match.verification import Verifier
from matchbox.match.wire import Verified
from sandbox.policy import LIBRARIES
from worker.arena.match_seats import MatchSeats
from worker.arena.separation import shuffled

if TYPE_CHECKING:
    from matchbox.match.seat import Seat
    from matchbox.match.verification import Files, Find, Seats
    from matchbox.match.wire import PlayMatch, Verify
    from sandbox.box import Box


def verify(
    job: Verify,
    record: bytes,
    bundle: Find,
    memory: Find,
    box: Box | None,
    report: Callable[[int], None] = lambda bouts: None,
) -> Verified:
    """Plays the match with this packed record again; returns the result.

    `bundle` and `memory` take a digest and return bytes, or None. `report` is called with the
    number of bouts that have ended since last time. Raises SeatFault("platform") if the platform
    failed, and BadRecord if the record cannot be read.
    """
    seats = seats_in(box, job.limits)
    verifier = Verifier(bundle, memory, seats, shuffled, report, library_versions(box))
    found = verifier.examine(records.unpack(record), job.digest, job.classes)
    bout, move = found.differs or (None, None)
    return Verified(
        verification=job.verification,
        attempt=job.attempt,
        token=job.token,
        finding=found.finding,
        bout=bout,
        move=move,
        why=found.why,
    )


def seats_in(box: Box | None, limits: Mapping[str, int]) -> Seats:
    """Returns a function that opens the seats of a match in the box, with these limits."""

    def seats(job: PlayMatch, bundles: Files, memories: Files) -> Callable[[int, int], Seat]:
        limited = replace(job, limits=dict(limits))
        return MatchSeats(limited, bundles, box, memories=memories).open_player

    return seats


def library_versions(box: Box | None) -> dict[str, str]:
    """The version of each library that bots may import in the box; "" for one that they may not."""
    found = dict.fromkeys(LIBRARIES, "")
    for name in LIBRARIES if box is None else box.libraries:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found

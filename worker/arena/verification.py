"""Verifies a match: lets its bots play it again in their boxes, and compares the records.

Gives the bots their seats; matchbox/match/verification.py compares the records.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from matchbox import registry
from matchbox.bundle import read_bundle
from matchbox.errors import SeatFault
from matchbox.match import frames
from matchbox.match import record as records
from matchbox.match.libraries import named
from matchbox.match.verification import Verifier
from matchbox.match.wire import Verified
from sandbox.policy import LIBRARIES
from worker.arena.match_seats import MatchSeats, parse_limits, seat_limits
from worker.arena.separation import shuffled

if TYPE_CHECKING:
    from matchbox.match.seat import Seat
    from matchbox.match.verification import Files, Find, OpenSeats, ReadNames
    from matchbox.match.wire import PlayMatch, Verify
    from sandbox.box import Box

_NO_SEED: Final = "0"
"""The seed of random numbers while a file is loaded only to learn what it names."""


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
    found = verifier(bundle, memory, box, job.limits, report).examine(
        records.unpack(record), job.digest, job.classes
    )
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


def verifier(
    bundle: Find,
    memory: Find,
    box: Box | None,
    limits: Mapping[str, int],
    report: Callable[[int], None] = lambda bouts: None,
) -> Verifier:
    """A verifier that plays in the box with these limits; see `verify`."""
    return Verifier(
        bundle,
        memory,
        _seats_in(box, limits),
        order=shuffled,
        on_progress=report,
        libraries=library_versions(box),
        read_names=name_reader(box, limits),
    )


def _seats_in(box: Box | None, limits: Mapping[str, int]) -> OpenSeats:
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


def name_reader(box: Box | None, limits: Mapping[str, int]) -> ReadNames:
    """Returns a function that finds the libraries that a bundle's code names.

    A seat of the box with these limits compiles the code. It has none of the libraries and is
    offered them all, so it says which ones its bot wants before it runs a line of it. A bot that
    breaks the seat names none.
    """

    def read_names(game: str, bundle: bytes, libraries: Sequence[str]) -> Sequence[str]:
        files = read_bundle(bundle).files
        if box is None:
            return named(files, libraries)
        package = registry.package_of(game)
        frame = frames.load_frame(package, files, None, _NO_SEED, libraries=libraries)
        with closing(box.seat(parse_limits(seat_limits(game, limits)))) as seat:
            try:
                return frames.read_wanted(seat.ask(frame, start=True), libraries)
            except SeatFault as fault:
                if fault.kind == "platform":
                    raise
                return ()

    return read_names

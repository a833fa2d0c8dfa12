"""Packs the counts behind a standing's figures, and reads them again.

Makes them once for each computed standing, so that no page counts matches. Knows no page.
"""

from __future__ import annotations

import zlib
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import msgspec

from matchbox.league.meetings import SeatTally, meetings
from server.db.models import BoardCounts

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sqlalchemy.orm import Session

    from matchbox.league.counts import Counts


class Pair(msgspec.Struct, frozen=True, array_like=True):
    """Two versions that have met, by row number; the fields as in matchbox.league.meetings."""

    first: int
    second: int
    bouts: int
    half_points: int
    deals: int
    variance: float


class Seat(msgspec.Struct, frozen=True, array_like=True):
    """A seat of a table of this size."""

    size: int
    seat: int
    tally: SeatTally


class Kept(msgspec.Struct, frozen=True, array_like=True):
    """The counts of one scope."""

    pairs: list[Pair] = []
    """With at least one version that the standing shows."""
    seats: list[Seat] = []
    lengths: dict[int, int] = {}
    """The number of bouts by their number of moves."""


def pack(
    counts: Counts,
    lengths: Mapping[int, int],
    versions: Mapping[str, int],
    shown: Collection[str],
) -> bytes:
    """Returns the counts as stored. `versions` has the row number of every entrant."""
    pairs = [
        Pair(versions[one.first], versions[one.second], *one[2:])
        for one in meetings(counts.compared)
        if one.first in shown or one.second in shown
    ]
    seats = [Seat(size, seat, tally) for (size, seat), tally in counts.seats.items()]
    return zlib.compress(msgspec.msgpack.encode(Kept(pairs, seats, dict(sorted(lengths.items())))))


def read(session: Session, scope: str) -> Kept:
    """Returns the counts of the scope; empty if there are none yet."""
    row = session.get(BoardCounts, scope)
    return _unpacked(row.data) if row else Kept()


def keep(session: Session, scope: str, rows_digest: str, data: bytes) -> None:
    """Stores the counts in place of the last ones."""
    row = session.get(BoardCounts, scope)
    if row is None:
        session.add(BoardCounts(scope=scope, rows_digest=rows_digest, data=data))
    else:
        row.rows_digest, row.data = rows_digest, data


@lru_cache(maxsize=4)
def _unpacked(data: bytes) -> Kept:
    return _DECODER.decode(zlib.decompress(data))


_DECODER: Final = msgspec.msgpack.Decoder(Kept)

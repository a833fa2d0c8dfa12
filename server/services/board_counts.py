"""Packs the counts behind a standing's figures, and reads them again.

Makes them once for each computed standing, so that no page counts matches. Knows no page.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import msgspec
from sqlalchemy import select

from matchbox.league.meetings import SeatTally, meetings
from server.db.models import BoardCounts, Standing
from server.services.cache import Cache

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from sqlalchemy.orm import Session

    from matchbox.league.counts import Counts


SORTED: Final = 32
"""The number of versions of a board for which the order of their pairs is stored."""


class Pair(msgspec.Struct, frozen=True, array_like=True):
    """Two versions that have met, by row number; the fields as in matchbox.league.meetings."""

    first: int
    second: int
    bouts: int
    half_points: int
    deals: int
    variance: float

    def halves(self, version: int) -> int:
        """The half points that this one of the two took from the other."""
        return self.half_points if self.first == version else 2 * self.bouts - self.half_points


class SeatCount(msgspec.Struct, frozen=True, array_like=True):
    """A seat of a table of this size."""

    size: int
    seat: int
    tally: SeatTally


class Packed(msgspec.Struct, frozen=True, array_like=True):
    """The counts of one scope."""

    pairs: list[Pair] = []
    """With at least one version that the standing shows."""
    seats: list[SeatCount] = []
    lengths: dict[int, int] = {}
    """The number of bouts by their number of moves."""


def pack(
    counts: Counts, lengths: Mapping[int, int], versions: Mapping[str, int], shown: Collection[str]
) -> bytes:
    """Returns the counts as stored. `versions` has the row number of every entrant."""
    pairs = [
        Pair(versions[one.first], versions[one.second], *one[2:])
        for one in meetings(counts.pairwise)
        if one.first in shown or one.second in shown
    ]
    seats = [SeatCount(size, seat, tally) for (size, seat), tally in counts.seats.items()]
    packed = Packed(pairs, seats, dict(sorted(lengths.items())))
    return zlib.compress(msgspec.msgpack.encode(packed))


class Counted:
    """The counts of one scope, with the pairs of each version at hand."""

    def __init__(self, packed: Packed) -> None:
        self.pairs = packed.pairs
        self.seats = packed.seats
        self.lengths = packed.lengths
        self._kept = lru_cache(maxsize=SORTED)(self._hardest_first)
        self._of: defaultdict[int, list[int]] = defaultdict(list)
        for place, one in enumerate(packed.pairs):
            self._of[one.first].append(place)
            self._of[one.second].append(place)

    def met(self, version: int) -> bool:
        """Whether the version has met another."""
        return version in self._of

    def pairs_of(self, version: int) -> list[Pair]:
        """The pairs that the version is in, those of the least share of its points first."""
        return self._kept(version)

    def _hardest_first(self, version: int) -> list[Pair]:
        found = (self.pairs[place] for place in self._of.get(version, ()))
        return sorted(found, key=lambda one: one.halves(version) / one.bouts)

    def pairs_among(self, versions: Collection[int]) -> Iterator[Pair]:
        """The pairs of which both are among these, in the order in which they are stored."""
        of_few = 2 * len(versions) < len(self._of)
        found = self._pairs_with(versions) if of_few else self.pairs
        return (one for one in found if one.first in versions and one.second in versions)

    def _pairs_with(self, versions: Collection[int]) -> list[Pair]:
        places = sorted({place for one in versions for place in self._of.get(one, ())})
        return [self.pairs[place] for place in places]


def read(session: Session, scope: str) -> Counted:
    """Returns the counts of the scope; empty if there are none yet."""

    def unpacked() -> Counted:
        row = session.get(BoardCounts, scope)
        return Counted(_DECODER.decode(zlib.decompress(row.data)) if row else Packed())

    return _kept.get(session, scope, stamp(session, scope), unpacked)


def stamp(session: Session, scope: str) -> tuple[object, ...]:
    """Returns a value that changes whenever the scope's standing is computed again, or marked to
    be."""
    columns = (Standing.rows_digest, Standing.field, Standing.computed_at)
    return tuple(session.execute(select(*columns).where(Standing.scope == scope)).first() or ())


def store(session: Session, scope: str, rows_digest: str, data: bytes) -> None:
    """Stores the counts in place of the last ones, with the digest of the rows behind them."""
    row = session.get(BoardCounts, scope)
    if row is None:
        session.add(BoardCounts(scope=scope, rows_digest=rows_digest, data=data))
    else:
        row.rows_digest, row.data = rows_digest, data


_DECODER: Final = msgspec.msgpack.Decoder(Packed)
_kept: Final = Cache[Counted](most=4)

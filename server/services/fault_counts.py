"""Counts faults by hour, version and kind, for operators. Suspends and tells nobody.

Faults of every match count: also those of the house's bots, of comparisons, and of matches that are
void later. A week and a day are kept.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, func, select

from matchbox.match import record as records
from server.db.models import FaultCount
from server.db.session import rows_changed
from server.times import HOUR_MS

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.match.record import Record
    from server.db.models import Match, Version

KEPT_MS: Final = 8 * 24 * HOUR_MS
PLATFORM: Final = "platform"
"""The kind of a platform fault at which a version was present; it is not to blame."""
EXCLUDED: Final = "excluded"
"""The kind of the bouts that a version lost because it was out of the match after three faults."""


def book(session: Session, match: Match, record: Record, *, now: int) -> None:
    """Counts the faults of a match that was just recorded."""
    bouts: Counter[tuple[int, str]] = Counter()
    for bout in record.bouts:
        for fault in bout.faults:
            if fault.kind != PLATFORM:
                entrant = records.entrant(fault.seat, bout.rotation, len(match.seats))
                bouts[match.seats[entrant].version_id, fault.kind] += 1
    for (version, kind), count in sorted(bouts.items()):
        _add(session, version, kind, match, count, now)


def book_platform(session: Session, match: Match, *, now: int) -> None:
    """Counts a platform fault for every version of this match."""
    for version in sorted({seat.version_id for seat in match.seats}):
        _add(session, version, PLATFORM, match, 1, now)


def kinds(session: Session, version: Version) -> dict[str, int]:
    """Returns the kept numbers of a version's own faults by kind, from the hour on in which it was
    last reinstated."""
    since = (version.counted_from or 0) - HOUR_MS
    own = (FaultCount.version_id == version.id, FaultCount.kind != PLATFORM)
    total = func.sum(FaultCount.bouts)
    query = select(FaultCount.kind, total).where(*own, FaultCount.hour > since)
    found = session.execute(query.group_by(FaultCount.kind).order_by(FaultCount.kind))
    return {kind: int(count) for kind, count in found}


def trim(session: Session, *, now: int) -> int:
    """Deletes the counts that are too old to be shown; returns how many."""
    old = FaultCount.hour <= now - KEPT_MS
    return rows_changed(session, delete(FaultCount).where(old))


def _add(session: Session, version: int, kind: str, match: Match, bouts: int, now: int) -> None:
    hour = now - now % HOUR_MS
    row = session.get(FaultCount, (hour, version, kind))
    if row is None:
        row = FaultCount(hour=hour, version_id=version, kind=kind, bouts=0, matches=0)
        session.add(row)
    row.bouts += bouts
    row.matches += 1
    row.match_id = match.id

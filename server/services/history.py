"""Keeps the history of ratings in a continuous league, as points for each version.

Takes the ratings from the lines of a standing, and computes none. A version gets a point when it is
first rated, when it has played a quarter more matches than at its last point, and on each day on
which it has played. So there are many points while the rating moves fast, and few enough to be kept
for good.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from server.db.models import League, Rating, RatingPoint
from server.services.ratings import ratings_of
from server.times import DAY_MS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.orm import Session

GROWTH: Final = 1.25
"""A version gets another point once its number of matches has grown by this factor."""


def note(session: Session, league_id: int, lines: Sequence[Mapping[str, Any]], *, now: int) -> None:
    """Adds a point for every version that is due one. `lines` are those of the league's
    standing."""
    league = session.get_one(League, league_id)
    versions = [line["version_id"] for line in lines]
    known = {row.version_id: row for row in ratings_of(session, league_id, versions)}
    for line in lines:
        row, interval = known.get(line["version_id"]), line["ci95"] or line["score_ci95"]
        if row is None or interval is None or not _is_due(row, line["matches"], now):
            continue
        row.noted_at, row.noted_matches = now, line["matches"]
        point = RatingPoint(
            league_id=league_id,
            version_id=row.version_id,
            rules=league.rules,
            at=now,
            matches=line["matches"],
            value=line["elo"] if line["elo"] is not None else line["score"],
            low=interval[0],
            high=interval[1],
        )
        session.add(point)


def _is_due(row: Rating, matches: int, now: int) -> bool:
    if row.noted_at is None:
        return matches > 0
    another_day = now // DAY_MS != row.noted_at // DAY_MS  # also before: the clock was ahead
    return matches > row.noted_matches and (another_day or matches >= GROWTH * row.noted_matches)

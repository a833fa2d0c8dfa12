"""The course of a season: its matches by round, with results that may be read.

A result never changes and never becomes secret again, so each process reads it once. Whether the
match still counts is asked every time.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from weakref import WeakKeyDictionary

from sqlalchemy import select

from matchbox.answers.courses import Course, Fixture
from server.db.models import Match, MatchSeat, MatchState
from server.queries.embargo import closed
from server.services.leagues import is_cooperative
from server.services.lookup import find_season
from server.services.season_progress import stands

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlalchemy.orm import Session

    from server.db.models import Season, User

MOST: Final = 5000
"""The most matches of a course; of a longer season, the newest are listed."""
AT_ONCE: Final = 500
KEPT: Final = 100_000
"""The most results that a process remembers of one database."""


class _Taken(NamedTuple):
    """The result of a match: each seat's share of the points, or the team's score."""

    points: list[float | None]
    score: float | None


_results: WeakKeyDictionary[Any, dict[str, _Taken]] = WeakKeyDictionary()
"""The results that were read, by database and match."""


def course(session: Session, name: int | str, viewer: User | None = None) -> Course:
    """Returns the course of the season with that number or name. Raises NotFound."""
    season = find_season(session, name, viewer)
    found = _matches(session, season)
    places = {
        entry.version_id: at
        for at, entry in enumerate(season.entries)
        if entry.version_id is not None
    }
    seats = {
        match: len(versions)
        for match, (_, state, versions) in found.items()
        if state == MatchState.FINISHED
    }
    results = _read(session, season, seats)
    return Course(
        bots=[entry.bot.full_name for entry in season.entries],
        fixtures=[
            _fixture(match, number, state, [places[one] for one in versions], results.get(match))
            for match, (number, state, versions) in found.items()
        ][-MOST:],
        whole=len(found) <= MOST,
    )


def _matches(session: Session, season: Season) -> dict[str, tuple[int, Any, list[int]]]:
    """Returns round, state and versions by match, in order: at most one more than are listed."""
    newest = select(Match.id).where(*stands(season)).order_by(Match.number.desc()).limit(MOST + 1)
    rows = session.execute(
        select(Match.id, Match.round, Match.state, MatchSeat.version_id)
        .join(MatchSeat, MatchSeat.match_id == Match.id)
        .where(Match.id.in_(newest.scalar_subquery()))
        .order_by(Match.number, MatchSeat.seat)
    )
    found: dict[str, tuple[int, Any, list[int]]] = {}
    for match, number, state, version in rows:
        found.setdefault(match, (number, state, []))[2].append(version)
    return found


def _fixture(
    match: str, number: int, state: Any, seats: list[int], taken: _Taken | None
) -> Fixture:
    points: list[float | None] = taken.points if taken else [None] * len(seats)
    score = taken.score if taken else None
    return Fixture(match=match, round=number, state=state, seats=seats, points=points, score=score)


def _read(session: Session, season: Season, seats: Mapping[str, int]) -> dict[str, _Taken]:
    """Returns the results that may be read of these finished matches, given with their seats."""
    kept = _results.setdefault(session.get_bind(), {})
    if len(kept) > KEPT:
        kept.clear()
    team = is_cooperative(season.league.game)
    fresh = (one for one in seats if one not in kept)
    for part in _parts(fresh):
        hidden = closed(session, part)
        wanted = (
            select(Match.id, Match.score, MatchSeat.points)
            .join(MatchSeat, MatchSeat.match_id == Match.id)
            .where(Match.id.in_(part))
            .order_by(Match.id, MatchSeat.seat)
        )
        for match, score, points in session.execute(wanted):
            if match not in hidden:
                taken = kept.setdefault(match, _Taken([], score if team else None))
                taken.points.append(None if team else points)
    return {one: kept[one] for one in seats if one in kept}


def _parts(names: Iterator[str]) -> Iterator[list[str]]:
    while part := list(islice(names, AT_ONCE)):
        yield part

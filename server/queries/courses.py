"""The course of a season: its matches by round, with results that may be read.

A result never changes and never becomes secret again, so each process reads it once, and a match's
seats as well. The state of each match, and whether it still counts, are asked every time.
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
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy.orm import Session

    from server.db.models import Season, User

MOST: Final = 5000
"""The most matches of a course; of a longer season, the newest are listed."""
AT_ONCE: Final = 500
KEPT: Final = 20_000
"""The most matches that a process remembers of one database."""


class _Result(NamedTuple):
    """The result of a match: each seat's share of the points, or the team's score."""

    points: list[float | None]
    score: float | None


class _Known(NamedTuple):
    """A match as it was last listed, with the row numbers of its versions by seat."""

    versions: list[int]
    fixture: Fixture


_known: WeakKeyDictionary[Any, dict[str, _Known]] = WeakKeyDictionary()
"""The matches that were listed, by database and id."""


def course(session: Session, name: int | str, viewer: User | None = None) -> Course:
    """Returns the course of the season with that number or name. Raises NotFound."""
    season = find_season(session, name, viewer)
    found = _matches(session, season)
    places = {
        entry.version_id: at
        for at, entry in enumerate(season.entries)
        if entry.version_id is not None
    }
    kept = _known.setdefault(session.get_bind(), {})
    known = {name: one for name, *_ in found if (one := kept.get(name)) is not None}
    versions = {name: one.versions for name, one in known.items()}
    versions |= _versions(session, [name for name, *_ in found if name not in known])
    changed = {
        name: (number, state)
        for name, number, state in found
        if name not in known or not _is_same(known[name], state, places)
    }
    over = [name for name, (_, state) in changed.items() if state == MatchState.FINISHED]
    results = _results(session, season, over)
    for name, now in changed.items():
        seats = [places[one] for one in versions[name]]
        known[name] = _Known(versions[name], _fixture(name, *now, seats, results))
    if len(kept) > KEPT:
        kept.clear()
    kept.update(known)
    return Course(
        bots=[entry.bot.full_name for entry in season.entries],
        fixtures=[known[name].fixture for name, *_ in found][-MOST:],
        whole=len(found) <= MOST,
    )


def _is_same(known: _Known, state: Any, places: Mapping[int, int]) -> bool:
    """Whether the match would be listed as before. A result that was hidden may be read now."""
    fixture = known.fixture
    hidden = state == MatchState.FINISHED and fixture.score is None and fixture.points[0] is None
    seats = [places[one] for one in known.versions]
    return fixture.state == state and not hidden and fixture.seats == seats


def _matches(session: Session, season: Season) -> list[tuple[str, int, Any]]:
    """Returns id, round and state of each match, in order: at most one more than are listed."""
    newest = select(Match.id, Match.round, Match.state).where(*stands(season))
    rows = session.execute(newest.order_by(Match.number.desc()).limit(MOST + 1)).all()
    return [(name, number, state) for name, number, state in reversed(rows)]


def _versions(session: Session, matches: Sequence[str]) -> dict[str, list[int]]:
    """Returns the row numbers of the versions by match, each in the order of the seats."""
    versions: dict[str, list[int]] = {}
    for part in _parts(matches):
        query = select(MatchSeat.match_id, MatchSeat.version_id).order_by(MatchSeat.seat)
        for name, version in session.execute(query.where(MatchSeat.match_id.in_(part))):
            versions.setdefault(name, []).append(version)
    return versions


def _fixture(
    match: str, number: int, state: Any, seats: list[int], results: Mapping[str, _Result]
) -> Fixture:
    result = results.get(match, _Result([None] * len(seats), None))
    return Fixture(
        match=match,
        round=number,
        state=state,
        seats=seats,
        points=result.points,
        score=result.score,
    )


def _results(session: Session, season: Season, matches: Sequence[str]) -> dict[str, _Result]:
    """Returns the results that may be read of these finished matches."""
    team = is_cooperative(season.league.game)
    results: dict[str, _Result] = {}
    for part in _parts(matches):
        hidden = closed(session, part)
        wanted = (
            select(Match.id, Match.score, MatchSeat.points)
            .join(MatchSeat, MatchSeat.match_id == Match.id)
            .where(Match.id.in_(part))
            .order_by(Match.id, MatchSeat.seat)
        )
        for match, score, points in session.execute(wanted):
            if match not in hidden:
                result = results.setdefault(match, _Result([], score if team else None))
                result.points.append(None if team else points)
    return results


def _parts(names: Sequence[str]) -> Iterator[list[str]]:
    left = iter(names)
    while part := list(islice(left, AT_ONCE)):
        yield part

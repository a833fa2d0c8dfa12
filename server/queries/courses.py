"""The course of a season: its matches by round, with results that may be read.

A result never changes and never becomes secret again, so each process reads it once, and a match's
seats as well. The state of each match, and whether it still counts, are asked every time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple
from weakref import WeakKeyDictionary

from sqlalchemy import select

from matchbox.answers.courses import Course, Fixture
from server.db.models import Match, MatchSeat, MatchState
from server.db.session import in_parts
from server.queries.embargo import closed
from server.services.leagues import is_cooperative
from server.services.lookup import find_season
from server.services.season_progress import stands

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Row
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


class _Listed(NamedTuple):
    """The matches of a season as they were last listed, by id."""

    places: dict[int, int]
    """The place among the bots by the version's row number."""
    fixtures: dict[str, Fixture]
    states: dict[str, Any]
    """The state of each match; None if it had a result that was not to be read."""


_listed: WeakKeyDictionary[Any, dict[int, _Listed]] = WeakKeyDictionary()
"""What was listed, by database and the season's number."""


def course(session: Session, name: int | str, viewer: User | None = None) -> Course:
    """Returns the course of the season with that number or name. Raises NotFound."""
    season = find_season(session, name, viewer)
    found = _matches(session, season)
    places = {
        entry.version_id: at
        for at, entry in enumerate(season.entries)
        if entry.version_id is not None
    }
    kept = _listed.setdefault(session.get_bind(), {})
    before = kept.get(season.id)
    if before is None or before.places != places:
        before = _Listed(places, {}, {})
    listed = kept[season.id] = _list(session, season, found, before)
    if sum(len(one.fixtures) for one in kept.values()) > KEPT:
        kept.clear()
    return Course(
        bots=[entry.bot.full_name for entry in season.entries],
        fixtures=[listed.fixtures[name] for name, *_ in found][-MOST:],
        whole=len(found) <= MOST,
    )


def _list(
    session: Session, season: Season, found: Sequence[Row[str, int, str]], before: _Listed
) -> _Listed:
    """Lists these matches. Reads only those that have changed, or that have a hidden result."""
    changed = [one for one in found if before.states.get(one[0]) != one[2]]
    if not changed:
        return before
    known = before.fixtures
    seats = _seats(session, [name for name, *_ in changed if name not in known], before.places)
    seats |= {name: known[name].seats for name, *_ in changed if name in known}
    over = [name for name, _, state in changed if state == MatchState.FINISHED]
    results = _results(session, season, over)
    hidden = set(over) - set(results)
    fixtures = known | {
        name: _fixture(name, number, state, seats[name], results) for name, number, state in changed
    }
    return _Listed(
        before.places,
        {name: fixtures[name] for name, *_ in found},
        {name: None if name in hidden else state for name, _, state in found},
    )


def _matches(session: Session, season: Season) -> Sequence[Row[str, int, str]]:
    """Returns id, round and state of each match, in order: at most one more than are listed."""
    newest = select(Match.id, Match.round, Match.state).where(*stands(season))
    asked = newest.order_by(Match.number.desc()).limit(MOST + 1)
    rows = session.connection().execute(asked).all()  # The session makes more of each row.
    return rows[::-1]


def _seats(
    session: Session, matches: Sequence[str], places: Mapping[int, int]
) -> dict[str, list[int]]:
    """Returns the places of the entrants by match, each in the order of the seats."""
    seats: dict[str, list[int]] = {}
    for part in in_parts(matches, AT_ONCE):
        query = select(MatchSeat.match_id, MatchSeat.version_id).order_by(MatchSeat.seat)
        for name, version in session.execute(query.where(MatchSeat.match_id.in_(part))):
            seats.setdefault(name, []).append(places[version])
    return seats


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
    for part in in_parts(matches, AT_ONCE):
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

"""The course of a season: its matches by round, with results that may be read, and its pairs.

A result never changes and never becomes secret again, so each process reads it only once, as it
does a match's seats. It reads the state of each match, and whether the match still counts, every
time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple
from weakref import WeakKeyDictionary
from zlib import crc32

from sqlalchemy import Integer, case, cast, func, select
from sqlalchemy.orm import aliased

from matchbox.answers.courses import Course, Fixture, Meeting, Stamp
from matchbox.errors import NotFound
from matchbox.league.meetings import share_of
from matchbox.registry import is_cooperative
from server.db.models import (
    UNDER_WAY,
    UNFINISHED,
    Entry,
    League,
    Lesson,
    LessonState,
    Match,
    MatchSeat,
    MatchState,
    Season,
    SeasonState,
)
from server.db.session import in_parts
from server.services import board_counts
from server.services.board_counts import Pair
from server.services.cache import Cache
from server.services.embargo import embargoed_matches
from server.services.lookup import find_season
from server.services.season_progress import unreplaced_matches
from server.services.standings import scope_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlalchemy import ScalarSelect
    from sqlalchemy.orm import Session

    from server.db.models import User

QUERY_CHUNK: Final = 500
"""The number of matches that are read with one statement."""
KEPT: Final = 20_000
"""The most matches that a process caches for one database."""


class _Result(NamedTuple):
    """The result of a match: each seat's share of the points, or the team's score."""

    points: list[float | None]
    score: float | None


class _Listed(NamedTuple):
    """The matches of a round as they were last listed, by id."""

    places: dict[int, int]
    """The place among the bots by the version's row number."""
    fixtures: dict[str, Fixture]
    states: dict[str, str | None]
    """The state of each match; None if it had a result that was not public."""


_listed: WeakKeyDictionary[Any, dict[tuple[int, int], _Listed]] = WeakKeyDictionary()
"""The cached lists, by database, then by season number and round."""
_met: Final = Cache[dict[tuple[int, int], Pair]](most=8)


def course(session: Session, viewer: User | None, name: int | str) -> Course:
    """Returns the course of the season with that number or name. Raises NotFound."""
    season = find_season(session, name, viewer)
    unfinished = (Match.season_id == season.id, Match.state.in_(UNFINISHED))
    query = select(Match.round, func.count()).where(*unfinished).group_by(Match.round)
    lessons, parked = _lessons(session, season.id)
    return Course(
        bots=[entry.bot.full_name for entry in season.entries],
        seats=season.league.seats,
        left={number + 1: count for number, count in session.execute(query)},
        lessons=lessons,
        parked_lessons=parked,
    )


def fixtures(
    session: Session, viewer: User | None, name: int | str, rounds: Collection[int]
) -> list[Fixture]:
    """Returns the matches of these rounds, from 0, of the season with that number or name.

    They are in their order, without those that were played again. Raises NotFound.
    """
    season = find_season(session, name, viewer)
    places = {
        entry.version_id: at
        for at, entry in enumerate(season.entries)
        if entry.version_id is not None
    }
    kept = _listed.setdefault(session.get_bind(), {})
    shown = []
    for number in sorted(set(rounds)):
        found = _matches(session, season, number)
        before = kept.get((season.id, number))
        if before is None or before.places != places:
            before = _Listed(places, {}, {})
        listed = kept[season.id, number] = _list(session, season, number, found, before)
        shown += [listed.fixtures[match] for match, _ in found]
    # Another thread may list a round meanwhile.
    if sum(len(one.fixtures) for one in list(kept.values())) > KEPT:
        kept.clear()
    return shown


def meetings(
    session: Session,
    viewer: User | None,
    name: int | str,
    rows: Collection[int],
    columns: Collection[int],
) -> list[Meeting]:
    """Returns the pairs of one version of `rows` and one of `columns` that have met, from the
    season's last standing.

    Raises NotFound.
    """
    season = find_season(session, name, viewer)
    stamp = board_counts.stamp(session, scope_of(season))
    met = _met.get(session, season.id, stamp, lambda: _all_met(session, season))
    found = []
    for first in rows:
        for second in columns:
            one = met.get((min(first, second), max(first, second)))
            if one is not None:
                share, ci95 = share_of(one.bouts, one.halves(first), one.deals, one.variance)
                found.append(
                    Meeting(
                        first=first,
                        second=second,
                        bouts=one.bouts,
                        share=share,
                        ci95=ci95 if one.deals else None,
                    )
                )
    return found


def stamp(session: Session, viewer: User | None, number: int) -> Stamp:
    """Returns the season's stamp: it changes with its start, entrants, matches, rounds, lessons,
    state, trouble and standing.

    It also changes when the league is paused, or opens, starts, pauses or ends another season.
    Reads no match. Raises NotFound.
    """
    columns = (
        Season.state, Season.round, Season.league_id, Season.starts_at, Season.trouble,
    )  # fmt: skip
    query = select(*columns, *_also_shown(number)).where(Season.id == number)
    found = session.execute(query).first()
    if found is None:
        raise NotFound(f"there is no season '{number}'")
    if found.state == SeasonState.DRAFT:
        find_season(session, number, viewer)
    counts = select(Match.state, func.count()).where(Match.season_id == number)
    states = dict(session.execute(counts.group_by(Match.state)).all())
    newer = (func.coalesce(Season.league_id, 0) == found.league_id, Season.id > number)
    following = session.scalar(
        select(func.max(Season.id)).where(*newer, Season.state == SeasonState.OPEN)
    )
    counted = (states.get(one, 0) for one in MatchState)
    parts = [found.state, found.starts_at, found.round, *counted, following or 0]
    parts.append(crc32(found.trouble.encode()))
    parts += found[len(columns) :]
    computed = board_counts.stamp(session, f"season:{number}")
    return Stamp(
        course="-".join(str(part) for part in parts),
        standing="-".join(str(part)[:16] for part in computed),
    )


def _also_shown(number: int) -> list[ScalarSelect[int]]:
    """Selects the other figures of a season's page: the numbers of its entrants, of its lessons
    that are not over, and of those that are parked; whether its league is paused; and how many of
    the league's seasons are being played, and how many are paused."""
    other = aliased(Season)
    lessons = select(func.count()).where(Lesson.season_id == number)
    waiting = lessons.where(Lesson.state == LessonState.WAITING)
    others = select(func.count()).select_from(other).where(other.league_id == Season.league_id)
    counted = (
        select(func.count()).where(Entry.season_id == number, Entry.out == ""),
        waiting,
        waiting.where(Lesson.deadline.is_(None)),
        select(cast(League.paused, Integer)).where(League.id == Season.league_id),
        *(others.where(other.state == state) for state in UNDER_WAY),
    )
    return [one.correlate(Season).scalar_subquery() for one in counted]


def _lessons(session: Session, number: int) -> tuple[int, int]:
    """The number of the season's lessons that are not over, and of those that are parked."""
    waiting = (Lesson.season_id == number, Lesson.state == LessonState.WAITING)
    parked = func.count(case((Lesson.deadline.is_(None), 1)))
    found = session.execute(select(func.count(Lesson.id), parked).where(*waiting)).one()
    return found[0], found[1]


def _matches(session: Session, season: Season, number: int) -> Sequence[tuple[str, str]]:
    """Returns id and state of each match of the round, in order."""
    # The query names each state, so that SQLite uses the index of season, state and round.
    its_own = (Match.round == number, Match.state.in_(tuple(MatchState)))
    query = select(Match.number, Match.id, Match.state).where(*unreplaced_matches(season), *its_own)
    rows = session.connection().execute(query).all()  # Rows from the session would take longer.
    return [(match, state) for _, match, state in sorted(rows)]


def _list(
    session: Session, season: Season, number: int, found: Sequence[tuple[str, str]], before: _Listed
) -> _Listed:
    """Lists these matches. Reads only those that have changed or had a result that was not
    public."""
    changed = [one for one in found if before.states.get(one[0]) != one[1]]
    if not changed:
        return before
    known = before.fixtures
    seats = _seats(session, [name for name, _ in changed if name not in known], before.places)
    seats |= {name: known[name].seats for name, _ in changed if name in known}
    over = [name for name, state in changed if state == MatchState.FINISHED]
    results = _results(session, season, over)
    hidden = set(over) - set(results)
    listed = known | {
        name: _fixture(name, number, state, seats[name], results) for name, state in changed
    }
    return _Listed(
        before.places,
        {name: listed[name] for name, _ in found},
        {name: None if name in hidden else state for name, state in found},
    )


def _seats(
    session: Session, matches: Sequence[str], places: Mapping[int, int]
) -> dict[str, list[int]]:
    """Returns the places of the entrants by match, each in the order of the seats."""
    seats: dict[str, list[int]] = {}
    for part in in_parts(matches, QUERY_CHUNK):
        query = select(MatchSeat.match_id, MatchSeat.version_id).order_by(MatchSeat.seat)
        for name, version in session.execute(query.where(MatchSeat.match_id.in_(part))):
            seats.setdefault(name, []).append(places[version])
    return seats


def _fixture(
    match: str, number: int, state: str, seats: list[int], results: Mapping[str, _Result]
) -> Fixture:
    result = results.get(match, _Result([None] * len(seats), None))
    return Fixture(
        match=match,
        round=number,
        state=MatchState(state).value,
        seats=seats,
        points=result.points,
        score=result.score,
    )


def _results(session: Session, season: Season, matches: Sequence[str]) -> dict[str, _Result]:
    """Returns the results that may be read of these finished matches."""
    team = is_cooperative(season.league.game)
    results: dict[str, _Result] = {}
    for part in in_parts(matches, QUERY_CHUNK):
        hidden = embargoed_matches(session, part)
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


def _all_met(session: Session, season: Season) -> dict[tuple[int, int], Pair]:
    """Returns the pairs by their two row numbers, the lower one first."""
    pairs = board_counts.read(session, scope_of(season)).pairs or _counted(session, season)
    return {(min(one.first, one.second), max(one.first, one.second)): one for one in pairs}


def _counted(session: Session, season: Season) -> list[Pair]:
    """Counts the pairs of a season that ended before standings stored them."""
    one, other = aliased(MatchSeat), aliased(MatchSeat)
    ahead = case((one.points > other.points, 1.0), (one.points == other.points, 0.5), else_=0.0)
    share = one.points if season.league.seats == 2 else ahead
    bouts = Match.deal_count * season.league.seats
    out = {entry.version_id for entry in season.entries if entry.out == "disqualified"}
    query = (
        select(one.version_id, other.version_id, func.sum(bouts), func.sum(bouts * share))
        .select_from(Match)
        .join(one, one.match_id == Match.id)
        .join(other, other.match_id == Match.id)
        .where(Match.season_id == season.id, Match.state == MatchState.FINISHED)
        .where(one.version_id < other.version_id)
        .group_by(one.version_id, other.version_id)
    )
    return [
        Pair(first, second, played, round(2 * taken), deals=0, variance=0.0)
        for first, second, played, taken in session.execute(query)
        if taken is not None and not out & {first, second}
    ]

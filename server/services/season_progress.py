"""Reads a season as matchbox.league needs it: its format, its entrants and its results so far.

Decides nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from sqlalchemy import func, select
from sqlalchemy.orm import joinedload

from matchbox import registry
from matchbox.league import course
from matchbox.league.counts import count
from matchbox.league.format import Format, read
from matchbox.league.rows import half_points
from matchbox.league.season import Field, MatchResult, Progress, Round
from server.db.models import (
    UNFINISHED,
    Bot,
    Entry,
    Match,
    MatchSeat,
    MatchState,
    Role,
    Season,
    SeasonState,
    User,
    Version,
)
from server.db.session import count_rows
from server.services import ratings, replacements

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from matchbox.league.counts import Counts
    from matchbox.league.rows import Row


def format_of(season: Season) -> Format:
    """Returns the season's format."""
    return read(Format, {"cycles": season.cycles, **season.format})


def field_of(session: Session, season: Season) -> Field:
    """Returns the season's entrants, and the seats and deals of their matches.

    Raises UnknownGame if the game is not installed.
    """
    spec = registry.game(season.league.game).spec
    inside = select(Entry.version_id).where(Entry.season_id == season.id)
    with_owner = joinedload(Version.bot).joinedload(Bot.owner)
    query = select(Version).where(Version.id.in_(inside)).options(with_owner)
    fixed = {version.id: version for version in session.scalars(query)}
    versions = [fixed[entry.version_id] for entry in season.entries if entry.version_id in fixed]
    bots = {version.bot_id: version.entrant for version in versions}
    return Field(
        entrants=tuple(version.entrant for version in versions),
        seed=season.seed,
        seats=season.league.seats,
        deals=season.deals,
        cooperative=spec.cooperative,
        owner={
            version.entrant: version.bot.owner.name
            for version in versions
            if version.bot.owner.role != Role.HOUSE
        },
        newcomers=frozenset(bots.values()) - {bots[bot] for bot in _known(session, season, bots)},
        drawn=tuple(season.rounds[0].get("order", ())) if season.rounds else (),
    )


def progress_of(session: Session, season: Season, plan: Format) -> Progress:
    """Returns the rounds and results so far. For a round robin it leaves out the results, since no
    round depends on them."""
    entrants = {row: name for name, row in rows_of(season).items()}
    gone = {entry.version_id: entry.out for entry in season.entries if entry.out}
    disqualified = frozenset(
        entrants[row] for row, out in gone.items() if row and out == "disqualified"
    )
    rows = (
        ratings.played(session, *unreplaced_matches(season)).rows
        if plan.kind != "round-robin"
        else []
    )
    taken: dict[str, dict[str, int]] = {}
    for row in rows:
        mine = taken.setdefault(row.match, dict.fromkeys(row.seats, 0))
        for name, half in zip(row.seats, half_points(row), strict=True):
            mine[name] += half
    found = session.execute(
        select(Match.id, Match.round, MatchSeat.version_id)
        .join(MatchSeat, MatchSeat.match_id == Match.id)
        .where(*unreplaced_matches(season))
        .order_by(Match.number, MatchSeat.seat)
    )
    seats: dict[str, list[str]] = {}
    where: dict[str, int] = {}
    for match, number, version in found:
        where[match] = number
        seats.setdefault(match, []).append(entrants[version])
    return Progress(
        rounds=tuple(msgspec.convert(one, Round) for one in season.rounds),
        matches=tuple(
            MatchResult(where[match], tuple(table), taken.get(match))
            for match, table in seats.items()
        ),
        counts=lambda rounds: _counts(season, rows, where, disqualified, rounds),
        out=frozenset(entrants[row] for row in gone if row),
        disqualified=disqualified,
    )


def fingerprint(session: Session, season: Season) -> tuple[object, ...]:
    """Returns a value that changes if an entrant leaves, comes back, is reinstated or gets another
    name, or a result becomes void.

    It holds the version, since when its forfeits count, the owner's name and `out` of each entry,
    the number of finished matches, and the highest number of a match: the match that replaces a
    void one may be finished, too.
    """
    entries = select(Entry.version_id, Version.counted_from, User.name, Entry.out)
    entries = entries.outerjoin(Entry.version).join(Entry.bot).join(Bot.owner)
    found = session.execute(entries.where(Entry.season_id == season.id).order_by(Entry.id))
    own = Match.season_id == season.id
    return (
        [tuple(entry) for entry in found],
        count_rows(session, Match, own, Match.state == MatchState.FINISHED),
        session.scalar(select(func.max(Match.number)).where(own)),
    )


def rounds_over(session: Session, season: Season) -> int:
    """Returns how many of the first rounds have only final matches."""
    unfinished = (Match.season_id == season.id, Match.state.in_(UNFINISHED))
    first = session.scalar(select(func.min(Match.round)).where(*unfinished))
    return season.round if first is None else first


def rows_of(season: Season) -> dict[str, int]:
    """Returns the row number of each entrant's version, by the entrant's name."""
    versions = [entry.version for entry in season.entries if entry.version is not None]
    return {version.entrant: version.id for version in versions}


def places_of(session: Session, season: Season) -> list[int]:
    """Returns the final order of a knock-out, as row numbers of versions.

    Empty for other formats, and before somebody has won.
    """
    plan = format_of(season)
    if plan.kind != "knock-out" or not season.round:
        return []
    order = course.final_order(plan, field_of(session, season), progress_of(session, season, plan))
    rows = rows_of(season)
    return [rows[name] for name in order or ()]


def _known(session: Session, season: Season, bots: Collection[int]) -> set[int]:
    """The row numbers of bots that had played a whole season of the league when this one began."""
    earlier = (Season.league_id == season.league_id, Season.finished_at <= season.started_at)
    done = (Season.state == SeasonState.FINISHED, Entry.bot_id.in_(bots))
    query = select(Entry.bot_id).join(Season).where(*earlier, *done, Entry.version_id.is_not(None))
    return set(session.scalars(query))


def _counts(
    season: Season,
    rows: Sequence[Row],
    where: dict[str, int],
    disqualified: frozenset[str],
    rounds: Collection[int],
) -> Counts:
    spec = registry.game(season.league.game).spec
    standing = [
        row for row in rows if where[row.match] in rounds and disqualified.isdisjoint(row.seats)
    ]
    return count(standing, seat_term=not spec.balanced, cooperative=spec.cooperative)


def unreplaced_matches(season: Season) -> tuple[ColumnElement[bool], ...]:
    """Returns the conditions for the season's matches, without those that were replaced."""
    return (Match.season_id == season.id, replacements.unreplaced())

"""Leagues and seasons: their settings, the start of the next season, the winners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import joinedload

from matchbox.answers.leagues import Division, LeagueLine, Round, SeasonEntrant, SeasonLine, Trophy
from matchbox.answers.leagues import League as AnsweredLeague
from matchbox.answers.leagues import Season as AnsweredSeason
from matchbox.errors import NotFound
from matchbox.league.format import Format, read, write
from server.db.models import (
    OVER,
    Bot,
    Entry,
    Invitation,
    League,
    Match,
    MatchState,
    Season,
    SeasonState,
    Standing,
    User,
    Version,
    VersionState,
)
from server.queries.lessons import newest_verification
from server.queries.pagination import iso, sees, title_of
from server.services import admission, divisions
from server.services.leagues import UPCOMING, admission_of, format_of, schedule_of
from server.services.lookup import find_season
from server.services.standings import scope_of

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


def leagues(session: Session) -> list[LeagueLine]:
    """Returns all leagues."""
    return [LeagueLine(**_league(row, at)) for row, at in _with_starts(session)]


def league(session: Session, name: str, viewer: User | None = None) -> AnsweredLeague:
    """Returns the league with this name. Raises NotFound."""
    named = [(row, at) for row, at in _with_starts(session) if row.name == name]
    if not named:
        raise NotFound(f"there is no league {name!r}")
    row, starts_at = named[0]
    known = select(User.name).join(Invitation, Invitation.user_id == User.id)
    names = session.scalars(known.where(Invitation.league_id == row.id).order_by(User.name)).all()
    return AnsweredLeague(
        **_league(row, starts_at),
        seasons=_seasons(session, viewer, Season.league_id == row.id),
        invited=list(names) if viewer is not None and viewer.operator else None,
    )


def _with_starts(session: Session) -> list[tuple[League, int | None]]:
    """Returns every league with the start of its next season, or None."""
    waiting = (Season.state.in_(UPCOMING), Season.starts_at.is_not(None))
    query = select(Season.league_id, func.min(Season.starts_at)).where(*waiting)
    starts = {row[0]: row[1] for row in session.execute(query.group_by(Season.league_id))}
    rows = session.scalars(select(League).order_by(League.id))
    return [(row, starts.get(row.id)) for row in rows]


def seasons(session: Session, viewer: User | None = None, *, over: bool = True) -> list[SeasonLine]:
    """Returns all seasons, or those that are not over, newest first; only operators see drafts."""
    return _seasons(session, viewer, *(() if over else (Season.state.not_in(OVER),)))


def season(session: Session, name: int | str, viewer: User | None = None) -> AnsweredSeason:
    """Returns the season with that number or name. Raises NotFound."""
    row = find_season(session, name, viewer)
    (line,) = _season_fields(session, viewer, Season.id == row.id)
    siblings = divisions.of_edition(session, row)
    return AnsweredSeason(
        **line,
        entrants=[_entrant(entry, viewer) for entry in row.entries],
        newer=_newer(session, row),
        editions=[Division(id=one.id, name=one.name, division=one.division) for one in siblings],
        admission=write(admission_of(row.league)),
        schedule=write(schedule_of(row.league)),
        paused=row.league.paused,
        may_enter=viewer is not None and admission.may_enter(session, row.league, viewer),
        trophy=_trophy(session, row),
        rounds=_rounds(row),
        verified=newest_verification(session, row),
    )


def _seasons(
    session: Session, viewer: User | None, *which: ColumnElement[bool]
) -> list[SeasonLine]:
    return [SeasonLine(**fields) for fields in _season_fields(session, viewer, *which)]


def _season_fields(
    session: Session, viewer: User | None, *which: ColumnElement[bool]
) -> list[dict[str, Any]]:
    """Returns the fields of a SeasonLine for each season."""
    query = select(Season).options(joinedload(Season.league)).where(*which)
    if viewer is None or not viewer.operator:
        query = query.where(Season.state != SeasonState.DRAFT)
    rows = session.scalars(query.order_by(Season.id.desc())).all()
    shown = [row.id for row in rows]
    entries = _count_by(session, Entry.season_id, shown)
    gone = (Match.state == MatchState.VOID, Match.void_why != "")
    every = _count_by(session, Match.season_id, shown)
    void = _count_by(session, Match.season_id, shown, *gone)
    done = _count_by(session, Match.season_id, shown, Match.state == MatchState.FINISHED)
    parts = select(Season.league_id, Season.edition, func.count())
    made = session.execute(parts.group_by(Season.league_id, Season.edition))
    size = {(league, edition): count for league, edition, count in made}
    return [
        {
            **_season(row),
            "divisions": size[row.league_id, row.edition],
            "entries": entries.get(row.id, 0),
            "matches": every.get(row.id, 0) - void.get(row.id, 0),
            "finished": done.get(row.id, 0),
        }
        for row in rows
    ]


def _season(row: Season) -> dict[str, Any]:
    return {
        "id": row.id,
        "name": row.name,
        "game": row.league.game,
        "title": title_of(row.league.game),
        "league": row.league.name,
        "state": row.state,
        "edition": row.edition,
        "division": row.division,
        "format": write(read(Format, {**row.format, "cycles": row.cycles})),
        "cycles": row.cycles,
        "round": row.round,
        "deals": row.deals,
        "paced": row.paced,
        "seed": row.seed if row.state in OVER else None,
        "created_at": iso(row.created_at),
        "starts_at": iso(row.starts_at),
        "started_at": iso(row.started_at),
        "finished_at": iso(row.finished_at),
        "trouble": row.trouble,
    }


def _league(row: League, starts_at: int | None) -> dict[str, Any]:
    """Returns the fields of a LeagueLine."""
    names = ("id", "name", "game", "rules", "options", "seats", "deals", "paced")
    return {
        **{name: getattr(row, name) for name in names},
        "separation": row.separation,
        "continuous": row.continuous,
        "paused": row.paused,
        "title": title_of(row.game),
        "created_at": iso(row.created_at),
        "format": write(format_of(row)),
        "admission": write(admission_of(row)),
        "schedule": write(schedule_of(row)),
        "next_start": None if row.paused else iso(starts_at),
    }


def _entrant(entry: Entry, viewer: User | None) -> SeasonEntrant:
    version = entry.version
    return SeasonEntrant(
        bot=entry.bot.full_name,
        owner=entry.bot.owner.name,
        name=entry.bot.name,
        version=version.number if version else None,
        version_id=entry.version_id,
        digest=version.digest if version else None,
        class_name=(version.class_name or None) if version else None,
        out=entry.out,
        out_at=iso(entry.out_at),
        out_why=entry.out_why,
        mine=sees(viewer, entry.bot.owner_id),
    )


def _newer(session: Session, row: Season) -> dict[str, int]:
    """Returns, by bot, the number of an active version that is newer than the one that entered."""
    fixed = {entry.bot_id: entry.version_id for entry in row.entries if entry.version_id}
    query = select(Version).where(Version.bot_id.in_(fixed), Version.state == VersionState.ACTIVE)
    with_owner = query.options(joinedload(Version.bot).joinedload(Bot.owner))
    return {
        version.bot.full_name: version.number
        for version in session.scalars(with_owner)
        if version.id > (fixed[version.bot_id] or 0)
    }


def _trophy(session: Session, row: Season) -> Trophy | None:
    standing = session.get(Standing, scope_of(row))
    if row.state != SeasonState.FINISHED or standing is None:
        return None
    won = [
        version
        for version in row.places
        if version in {line["version_id"] for line in standing.lines}
    ]
    if won:
        return Trophy(champion=_names(session, won[:1])[0], shared=[])
    first = [line for line in standing.lines if line["rank_range"][0] == 1]
    bots = _names(session, [line["version_id"] for line in first])
    sole = len(first) == 1 and first[0]["rank_range"] == [1, 1]
    return Trophy(champion=bots[0] if sole else None, shared=[] if sole else bots)


def _rounds(row: Season) -> list[Round]:
    bots = {entry.version.entrant: entry.bot.full_name for entry in row.entries if entry.version}
    return [
        Round(
            stage=one["stage"],
            rests=[bots[name] for name in one.get("rests", ())],
            ties=[[bots[name] for name in tie] for tie in one.get("ties", ())],
        )
        for one in row.rounds
    ]


def _names(session: Session, versions: Sequence[int]) -> list[str]:
    query = select(Version).where(Version.id.in_(versions))
    found = {one.id: one.bot.full_name for one in session.scalars(query)}
    return [found[version] for version in versions]


def _count_by(
    session: Session, season: Any, shown: Sequence[int], *which: ColumnElement[bool]
) -> dict[int, int]:
    query = select(season, func.count()).where(season.in_(shown), *which).group_by(season)
    return {row[0]: row[1] for row in session.execute(query)}

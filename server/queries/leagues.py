"""Leagues and seasons: their settings, the start of the next season, the winners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import defer, joinedload, selectinload

from matchbox.answers.leagues import (
    Division,
    LeagueLine,
    Round,
    SeasonEntrant,
    SeasonLine,
    Seasons,
    Trophy,
)
from matchbox.answers.leagues import League as AnsweredLeague
from matchbox.answers.leagues import Season as AnsweredSeason
from matchbox.league.format import Format, read
from server.db.models import (
    OVER,
    UPCOMING,
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
    VoidCause,
)
from server.db.session import count_rows
from server.queries.lessons import newest_verification
from server.queries.pagination import numbers, page_size, sees, split, title_of
from server.services import admission, divisions
from server.services.league_settings import admission_of, format_of, schedule_of
from server.services.lookup import find_league, find_season
from server.services.standings import scope_of
from server.times import iso

if TYPE_CHECKING:
    from sqlalchemy.orm import InstrumentedAttribute, Session

NEWEST: Final = 20
"""A league's answer has this many of its newest seasons, and of its newest that are not over."""
_NOT_OVER: Final = tuple(state for state in SeasonState if state not in OVER)


def leagues(session: Session) -> list[LeagueLine]:
    """Returns all leagues."""
    starts = _next_starts(session)
    rows = session.scalars(select(League).order_by(League.id))
    return [_league(row, starts.get(row.id)) for row in rows]


def league(session: Session, viewer: User | None, name: str) -> AnsweredLeague:
    """Returns the league with this name. Raises NotFound."""
    row = find_league(session, name)
    starts_at = _next_starts(session, Season.league_id == row.id).get(row.id)
    known = select(User.name).join(Invitation, Invitation.user_id == User.id)
    names = session.scalars(known.where(Invitation.league_id == row.id).order_by(User.name)).all()
    return AnsweredLeague(
        **vars(_league(row, starts_at)),
        seasons=_newest_of(session, viewer, row.id),
        season_count=_count_of(session, viewer, row.id),
        invited=list(names) if viewer is not None and viewer.operator else None,
    )


def _next_starts(session: Session, *which: ColumnElement[bool]) -> dict[int, int]:
    """Returns when the next season of each league starts, by the league's row number.

    With `which`, only of the seasons that it selects. A draft has no start yet.
    """
    coming = (SeasonState.OPEN, SeasonState.FROZEN)
    waiting = (Season.state.in_(coming), Season.starts_at.is_not(None))
    query = select(Season.league_id, func.min(Season.starts_at)).where(*waiting, *which)
    found = session.execute(query.group_by(Season.league_id))
    return {league: at for league, at in found if at is not None}


def seasons(
    session: Session,
    viewer: User | None = None,
    *,
    league: str | None = None,
    over: bool = True,
    cursor: str | None = None,
    limit: int = 50,
) -> Seasons:
    """Returns a page of the seasons, newest first; only operators see drafts.

    `league` narrows it to a league, `over=False` to seasons that are not over. Raises BadOption for
    a bad cursor or limit.
    """
    which: list[ColumnElement[bool]] = []
    if league is not None:
        number = session.scalar(select(League.id).where(League.name == league)) or 0
        which.append(Season.league_id == number if over else _among_few(number))
    if not over:
        which.append(Season.state.in_(_NOT_OVER))
    if cursor is not None:
        which.append(Season.id < numbers(cursor, 1)[0])
    found = _rows(session, viewer, page_size(limit) + 1, *which)
    shown, following = split(found, limit, lambda row: str(row.id))
    return Seasons(items=_lines(session, shown), next=following)


def season(session: Session, viewer: User | None, name: int | str) -> AnsweredSeason:
    """Returns the season with that number or name. Raises NotFound."""
    row = find_season(session, name, viewer)
    (line,) = _lines(session, [row])
    siblings = divisions.divisions_of(session, row)
    return AnsweredSeason(
        **vars(line),
        entrants=[_entrant(entry, viewer) for entry in row.entries],
        newer=_newer(session, row),
        editions=[Division(id=one.id, name=one.name, division=one.division) for one in siblings],
        admission=admission_of(row.league),
        schedule=schedule_of(row.league),
        paused=row.league.paused,
        may_enter=viewer is not None and admission.may_enter(session, row.league, viewer),
        trophy=_trophy(session, row),
        rounds=_rounds(row),
        verified=newest_verification(session, row),
    )


def following(session: Session, number: int) -> SeasonLine | None:
    """Returns the newest season of the same league that takes bots, if it came after this one."""
    league = session.scalar(select(Season.league_id).where(Season.id == number)) or 0
    newer = (_among_few(league), Season.id > number, Season.state == SeasonState.OPEN)
    rows = _rows(session, None, 1, *newer)
    return _lines(session, rows)[0] if rows else None


def _newest_of(session: Session, viewer: User | None, league: int) -> list[SeasonLine]:
    """Returns the league's newest seasons and its newest that are not over, newest first."""
    not_over = (_among_few(league), Season.state.in_(_NOT_OVER))
    found = [
        *_rows(session, viewer, NEWEST, Season.league_id == league),
        *_rows(session, viewer, NEWEST, *not_over),
    ]
    newest = {row.id: row for row in found}
    return _lines(session, [newest[number] for number in sorted(newest, reverse=True)])


def _count_of(session: Session, viewer: User | None, league: int) -> int:
    """Returns the number of the league's seasons that the viewer may see."""
    every = count_rows(session, Season, Season.league_id == league)
    if _sees_drafts(viewer):
        return every
    return every - count_rows(
        session, Season, _among_few(league), Season.state == SeasonState.DRAFT
    )


def _among_few(league: int) -> ColumnElement[bool]:
    """Returns the condition that a season is of that league, for queries with a state as well.

    Almost all seasons are over, so with its index of leagues SQLite would read all seasons of the
    league.
    """
    return func.coalesce(Season.league_id, 0) == league


def _sees_drafts(viewer: User | None) -> bool:
    return viewer is not None and viewer.operator


def _rows(
    session: Session, viewer: User | None, limit: int, *which: ColumnElement[bool]
) -> Sequence[Season]:
    """Returns the newest of these seasons that the viewer may see, without their rounds."""
    query = select(Season).where(*which).order_by(Season.id.desc()).limit(limit)
    if not _sees_drafts(viewer):
        query = query.where(Season.state != SeasonState.DRAFT)
    rounds = (defer(Season.rounds), defer(Season.places))
    return session.scalars(query.options(selectinload(Season.league), *rounds)).all()


def _lines(session: Session, rows: Sequence[Season]) -> list[SeasonLine]:
    shown = [row.id for row in rows]
    entries = _count_by(session, Entry.season_id, shown)
    gone = (Match.state == MatchState.VOID, Match.void_cause != VoidCause.CANCELLED)
    void = _count_by(session, Match.season_id, shown, *gone)
    done = func.count().filter(Match.state == MatchState.FINISHED)
    counted = select(Match.season_id, func.count(), done).where(Match.season_id.in_(shown))
    matches = {row[0]: row[1:] for row in session.execute(counted.group_by(Match.season_id))}
    divided = _divisions(session, rows)
    return [
        _line(
            row,
            *divided[row.league_id, row.edition],
            entries=entries.get(row.id, 0),
            matches=matches.get(row.id, (0, 0))[0] - void.get(row.id, 0),
            finished=matches.get(row.id, (0, 0))[1],
        )
        for row in rows
    ]


def _line(
    row: Season, divided: int, going_on: int, *, entries: int, matches: int, finished: int
) -> SeasonLine:
    waits = row.league.paused and row.state in UPCOMING
    return SeasonLine(
        id=row.id,
        name=row.name,
        game=row.league.game,
        title=title_of(row.league.game),
        league=row.league.name,
        seats=row.league.seats,
        state=SeasonState(row.state).value,
        edition=row.edition,
        division=row.division,
        format=read(Format, {**row.format, "cycles": row.cycles}),
        divisions=divided,
        entries=entries,
        matches=matches,
        finished=finished,
        cycles=row.cycles,
        round=row.round,
        deals=row.deals,
        paced=row.paced,
        seed=None if divisions.hides_deals(row, going_on) else row.seed,
        created_at=iso(row.created_at),
        starts_at=None if waits else iso(row.starts_at),
        started_at=iso(row.started_at),
        finished_at=iso(row.finished_at),
        trouble=row.trouble,
    )


def _divisions(session: Session, rows: Sequence[Season]) -> dict[tuple[int, int], tuple[int, int]]:
    """Returns the number of divisions by league and edition, for the editions of these seasons; and
    how many of them are not over."""
    which = (
        Season.league_id.in_({row.league_id for row in rows}),
        Season.edition.in_({row.edition for row in rows}),
    )
    not_over = func.count().filter(Season.state.in_(_NOT_OVER))
    query = select(Season.league_id, Season.edition, func.count(), not_over).where(*which)
    made = session.execute(query.group_by(Season.league_id, Season.edition))
    return {(league, edition): (count, left) for league, edition, count, left in made}


def _league(row: League, starts_at: int | None) -> LeagueLine:
    return LeagueLine(
        id=row.id,
        name=row.name,
        game=row.game,
        rules=row.rules,
        options=row.options,
        seats=row.seats,
        deals=row.deals,
        paced=row.paced,
        separation=row.separation,
        continuous=row.continuous,
        paused=row.paused,
        title=title_of(row.game),
        created_at=iso(row.created_at),
        format=format_of(row),
        admission=admission_of(row),
        schedule=schedule_of(row),
        next_start=None if row.paused else iso(starts_at),
    )


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
    """Returns the numbers of active versions that are newer than the entered ones, by bot."""
    fixed = {entry.bot_id: entry.version_id for entry in row.entries if entry.version_id}
    query = select(Version).where(Version.bot_id.in_(fixed), Version.state == VersionState.ACTIVE)
    with_owner = query.options(joinedload(Version.bot).joinedload(Bot.owner), defer(Version.report))
    return {
        version.bot.full_name: version.number
        for version in session.scalars(with_owner)
        if version.id > (fixed[version.bot_id] or 0)
    }


def _trophy(session: Session, row: Season) -> Trophy | None:
    if row.state != SeasonState.FINISHED:
        return None
    standing = session.get(Standing, scope_of(row))
    if standing is None:
        return None
    shown = {line["version_id"] for line in standing.lines}
    won = [version for version in row.places if version in shown]
    if won:
        return Trophy(champion=_names(session, won[:1])[0], shared=[])
    if row.format.get("kind") == "knock-out":  # It ended without a final.
        return None
    played = [line for line in standing.lines if line["matches"]]
    first = [line for line in played if line["rank_range"][0] == 1]
    bots = _names(session, [line["version_id"] for line in first])
    sole = len(first) == 1 and first[0]["rank_range"] == [1, 1]
    return Trophy(champion=bots[0] if sole else None, shared=[] if sole else bots)


def _rounds(row: Season) -> list[Round]:
    """Returns the rounds. Equal ones are one object, since a cycle may have thousands of them."""
    bots = {entry.version.entrant: entry.bot.full_name for entry in row.entries if entry.version}
    made: dict[object, Round] = {}
    rounds = []
    for one in row.rounds:
        rests = tuple(bots[name] for name in one.get("rests", ()))
        ties = tuple(tuple(bots[name] for name in tie) for tie in one.get("ties", ()))
        key = one["stage"], rests, ties
        if key not in made:
            made[key] = Round(stage=key[0], rests=list(rests), ties=[list(tie) for tie in ties])
        rounds.append(made[key])
    return rounds


def _names(session: Session, versions: Sequence[int]) -> list[str]:
    query = select(Version).where(Version.id.in_(versions))
    found = {one.id: one.bot.full_name for one in session.scalars(query)}
    return [found[version] for version in versions]


def _count_by(
    session: Session,
    season: InstrumentedAttribute[Any],
    shown: Sequence[int],
    *which: ColumnElement[bool],
) -> dict[int, int]:
    query = select(season, func.count()).where(season.in_(shown), *which).group_by(season)
    return dict(session.execute(query).all())

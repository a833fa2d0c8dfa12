"""Games, leagues, seasons and their standings as they are read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import joinedload, selectinload

from matchbox import registry
from matchbox.errors import NotFound
from matchbox.match import record as records
from server.db.models import (
    Bot,
    Entry,
    League,
    Match,
    MatchState,
    Result,
    Season,
    SeasonState,
    Standing,
    User,
    Version,
    VersionState,
)
from server.queries.edge import iso, sees, title_of
from server.services.leagues import is_cooperative
from server.services.standings import scope_of

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.match.record import Record


def games(session: Session) -> list[dict[str, Any]]:
    """name, title, seats, rules, cooperative, hidden, options (name: default, help, choices), bots
    (how many are active), matches (how many are finished)."""
    active = (Version.state == VersionState.ACTIVE, Bot.retired_at.is_(None))
    bots = _count_by(session, Bot.game, Version.id, *active)
    played = _count_by(session, League.game, Match.id, Match.state == MatchState.FINISHED)
    return [
        {
            "name": name,
            "title": game.spec.title,
            "seats": list(game.spec.seats),
            "rules": game.spec.rules,
            "cooperative": game.spec.cooperative,
            "hidden": game.spec.hidden,
            "options": {
                option: {"default": one.default, "help": one.help, "choices": list(one.choices)}
                for option, one in game.spec.options.items()
            },
            "bots": bots.get(name, 0),
            "matches": played.get(name, 0),
        }
        for name, game in registry.games().items()
    ]


def leaderboard(session: Session, game: str) -> dict[str, Any]:
    """The standing of the game's default league: game, title, league, cooperative, matches,
    computed_at, rows_digest, lines: rank, rank_range, bot (owner/name), owner, name, version (its
    number), version_id, elo, ci95, matches, wins, draws, losses, forfeits, provisional, score,
    score_ci95, p_champion, p_better (than the next line), nash. elo and ci95 are None on a
    cooperative board and for who has not played; nash and elsewhere score are None where Elo ranks.

    Raises UnknownGame or NotFound.
    """
    registry.package_of(game)
    row = session.scalar(select(League).where(League.name == game, League.continuous.is_(True)))
    if row is None:
        raise NotFound(f"{game} has no league yet; the platform makes one when it starts")
    return _board(session, row, row, title_of(game))


def leagues(session: Session) -> list[dict[str, Any]]:
    """id, name, game, title, rules, options, seats, deals, continuous, paused, created_at."""
    return [_league(row) for row in session.scalars(select(League).order_by(League.id))]


def league(session: Session, name: str) -> dict[str, Any]:
    """One of `leagues`. Raises NotFound."""
    row = session.scalar(select(League).where(League.name == name))
    if row is None:
        raise NotFound(f"there is no league {name!r}")
    return _league(row)


def seasons(session: Session) -> list[dict[str, Any]]:
    """id, name, game, title, league, state, cycles, deals, entries, matches, finished (how many),
    created_at, started_at, finished_at, seed (None until it is over); newest first."""
    query = select(Season).options(joinedload(Season.league)).order_by(Season.id.desc())
    entries = _count_by(session, Entry.season_id, Entry.id)
    matches = _count_by(session, Match.season_id, Match.id)
    done = _count_by(session, Match.season_id, Match.id, Match.state == MatchState.FINISHED)
    return [
        {
            **_season(row),
            "entries": entries.get(row.id, 0),
            "matches": matches.get(row.id, 0),
            "finished": done.get(row.id, 0),
        }
        for row in session.scalars(query)
    ]


def season(session: Session, name: int | str, viewer: User | None = None) -> dict[str, Any]:
    """The season of that number or name: one of `seasons`, and entrants: bot, owner, name, version
    (number, or None before the start), version_id, digest, class_name, mine, out (suspended or
    disqualified, or ""), out_at, out_why. Raises NotFound.
    """
    row = find_season(session, name)
    mine = (Match.season_id == row.id,)
    done = (*mine, Match.state == MatchState.FINISHED)
    return {
        **_season(row),
        "entries": len(row.entries),
        "matches": session.scalar(select(func.count()).where(*mine)) or 0,
        "finished": session.scalar(select(func.count()).where(*done)) or 0,
        "entrants": [
            {
                "bot": entry.bot.full_name,
                "owner": entry.bot.owner.name,
                "name": entry.bot.name,
                "version": entry.version.number if entry.version else None,
                "version_id": entry.version_id,
                "digest": entry.version.digest if entry.version else None,
                "class_name": (entry.version.class_name or None) if entry.version else None,
                "mine": sees(viewer, entry.bot.owner_id),
                "out": entry.out,
                "out_at": iso(entry.out_at),
                "out_why": entry.out_why,
            }
            for entry in row.entries
        ],
    }


def season_standings(session: Session, name: int | str) -> dict[str, Any]:
    """As `leaderboard`; title is the season's name. Raises NotFound."""
    row = find_season(session, name)
    return _board(session, row.league, row, row.name)


def season_records(session: Session, name: int | str) -> Iterator[tuple[str, Record]]:
    """The digest on the books and the record of every finished match of a season that is over,
    by number; of a season still running nothing yet. Raises NotFound.
    """
    row = find_season(session, name)
    over = row.state in (SeasonState.FINISHED, SeasonState.CANCELLED)
    query = select(Result.digest, Result.record).join(Result.match).order_by(Match.number)
    stands = (Match.season_id == row.id, Match.state == MatchState.FINISHED)
    found = session.execute(query.where(*stands)) if over else ()
    for digest, record in found:
        yield digest, records.unpack(record)


def find_season(session: Session, name: int | str) -> Season:
    """The season's row, with its league and entries. Raises NotFound."""
    text = str(name)
    number = text.isascii() and text.isdecimal() and len(text) < 10
    wanted = Season.id == int(text) if number else Season.name == text
    entries = selectinload(Season.entries)
    row = session.scalar(
        select(Season)
        .where(wanted)
        .options(
            joinedload(Season.league),
            entries.joinedload(Entry.bot).joinedload(Bot.owner),
            entries.joinedload(Entry.version),
        )
    )
    if row is None:
        raise NotFound(f"there is no season {name!r}")
    return row


def lines_of(session: Session, standing: Standing) -> list[dict[str, Any]]:
    """The lines of a standing with the bots' names; as in `leaderboard`."""
    wanted = [line["version_id"] for line in standing.lines]
    with_owner = joinedload(Version.bot).joinedload(Bot.owner)
    query = select(Version).where(Version.id.in_(wanted)).options(with_owner)
    versions = {version.id: version for version in session.scalars(query)}
    return [_line(line, versions[line["version_id"]]) for line in standing.lines]


def _board(session: Session, row: League, subject: League | Season, title: str) -> dict[str, Any]:
    standing = session.get(Standing, scope_of(subject))
    return {
        "game": row.game,
        "title": title,
        "league": row.name,
        "cooperative": is_cooperative(row.game),
        "matches": standing.matches if standing else 0,
        "computed_at": iso(standing.computed_at) if standing else None,
        "rows_digest": standing.rows_digest if standing else None,
        "lines": lines_of(session, standing) if standing else [],
    }


def _line(line: dict[str, Any], version: Version) -> dict[str, Any]:
    untold = dict.fromkeys(("p_champion", "p_better", "nash"))  # of a standing kept before these
    shown = {
        **untold,
        **line,
        "bot": version.bot.full_name,
        "owner": version.bot.owner.name,
        "name": version.bot.name,
        "version": version.number,
    }
    if not line["matches"]:
        shown |= {"elo": None, "ci95": None}
    return shown


def _league(row: League) -> dict[str, Any]:
    names = ("id", "name", "game", "rules", "options", "seats", "deals", "continuous", "paused")
    shown = {name: getattr(row, name) for name in names}
    return {**shown, "title": title_of(row.game), "created_at": iso(row.created_at)}


def _season(row: Season) -> dict[str, Any]:
    over = row.state in (SeasonState.FINISHED, SeasonState.CANCELLED)
    return {
        "id": row.id,
        "name": row.name,
        "game": row.league.game,
        "title": title_of(row.league.game),
        "league": row.league.name,
        "state": row.state,
        "cycles": row.cycles,
        "round": row.round,
        "deals": row.deals,
        "seed": row.seed if over else None,
        "created_at": iso(row.created_at),
        "started_at": iso(row.started_at),
        "finished_at": iso(row.finished_at),
    }


def _count_by(
    session: Session, group: Any, what: Any, *which: ColumnElement[bool]
) -> dict[Any, int]:
    query = select(group, func.count()).select_from(what.class_)
    if what.class_ is not group.class_:
        query = query.join(group.class_)
    return dict(session.execute(query.where(*which).group_by(group)).all())

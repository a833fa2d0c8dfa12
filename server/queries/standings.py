"""Standings as they are read: who stands where, and what that rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import select
from sqlalchemy.orm import joinedload

from matchbox import registry
from matchbox.errors import NotFound
from server.db.models import Bot, League, Season, Standing, User, Version
from server.queries.games import find_season
from server.queries.pagination import iso, title_of
from server.services.leagues import is_cooperative
from server.services.standings import scope_of

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

_LATER: Final = (
    "p_champion",
    "p_better",
    "nash",
    "mixed_rank",
    "mixed_range",
    "mixed_score",
    "mixed_ci95",
)
"""What a line of a standing that was kept long ago may not tell."""


def leaderboard(session: Session, name: str) -> dict[str, Any]:
    """The standing of the continuous league of this name; a game's own bears the game's name.

    game, title, league, cooperative, matches, computed_at, rows_digest; by: what ranks (elo, borda
    or score); deals: how many were played; lack (of fit, None where nothing tells): chi_square,
    freedom, p, worst: first, first_version, second, second_version, games, share, expected, z.
    lines: rank, rank_range, bot (owner/name), owner, name, version (its number), version_id, elo,
    ci95, matches, wins, draws, losses, forfeits, provisional, score, score_ci95, p_champion,
    p_better (than the next line), nash, mixed_rank, mixed_range, mixed_score, mixed_ci95 (of a
    cooperative game's mixed teams), out ("" or suspended). elo and ci95 are None on a cooperative
    board and for who has not played; nash and elsewhere score are None where Elo ranks.

    Raises UnknownGame or NotFound.
    """
    row = session.scalar(select(League).where(League.name == name, League.continuous.is_(True)))
    if row is None:
        registry.package_of(name)
        raise NotFound(f"{name} has no league yet; the platform makes one when it starts")
    own = title_of(row.game)
    return _board(session, row, row, own if row.name == row.game else f"{own}, {row.name}")


def season_standings(
    session: Session, name: int | str, viewer: User | None = None
) -> dict[str, Any]:
    """As `leaderboard`; title is the season's name. Raises NotFound."""
    row = find_season(session, name, viewer)
    return _board(session, row.league, row, row.name)


def lines_of(session: Session, standing: Standing) -> list[dict[str, Any]]:
    """The lines of a standing with the bots' names; as in `leaderboard`, without `out`."""
    wanted = [line["version_id"] for line in standing.lines]
    with_owner = joinedload(Version.bot).joinedload(Bot.owner)
    query = select(Version).where(Version.id.in_(wanted)).options(with_owner)
    versions = {version.id: version for version in session.scalars(query)}
    return [_line(line, versions[line["version_id"]]) for line in standing.lines]


def _board(session: Session, row: League, subject: League | Season, title: str) -> dict[str, Any]:
    standing = session.get(Standing, scope_of(subject))
    facts = standing.facts if standing else {}
    entries = subject.entries if isinstance(subject, Season) else []
    out = {entry.version_id: entry.out for entry in entries}
    lines = lines_of(session, standing) if standing else []
    return {
        "game": row.game,
        "title": title,
        "league": row.name,
        "cooperative": is_cooperative(row.game),
        "matches": standing.matches if standing else 0,
        "computed_at": iso(standing.computed_at) if standing else None,
        "rows_digest": standing.rows_digest if standing else None,
        "by": facts.get("by", "score" if is_cooperative(row.game) else "elo"),
        "deals": facts.get("deals"),
        "lack": facts.get("lack"),
        "lines": [{**line, "out": out.get(line["version_id"], "")} for line in lines],
    }


def _line(line: dict[str, Any], version: Version) -> dict[str, Any]:
    shown = {
        **dict.fromkeys(_LATER),
        **line,
        "bot": version.bot.full_name,
        "owner": version.bot.owner.name,
        "name": version.bot.name,
        "version": version.number,
    }
    if not line["matches"]:
        shown |= {"elo": None, "ci95": None}
    return shown

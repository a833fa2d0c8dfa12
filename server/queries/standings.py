"""Standings: the bots' places, and the evidence for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select
from sqlalchemy.orm import joinedload

from matchbox import registry
from matchbox.answers.standings import Board, BoardLine, LackOfFit, Upset
from matchbox.errors import NotFound
from server.db.models import Bot, League, Season, Standing, User, Version
from server.queries.pagination import iso, title_of
from server.services.leagues import is_cooperative
from server.services.lookup import find_season
from server.services.standings import scope_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sqlalchemy.orm import Session


def leaderboard(session: Session, name: str) -> Board:
    """Returns the standing of the continuous league with this name.

    The default league of a game has the game's name. Raises UnknownGame or NotFound.
    """
    row = continuous(session, name)
    own = title_of(row.game)
    return _board(session, row, row, own if row.name == row.game else f"{own}, {row.name}")


def board_digest(session: Session, name: str) -> str | None:
    """Returns the digest of the rows of that league's standing. Raises UnknownGame or NotFound."""
    scope = scope_of(continuous(session, name))
    return session.scalar(select(Standing.rows_digest).where(Standing.scope == scope))


def continuous(session: Session, name: str) -> League:
    """Returns the continuous league with this name. Raises UnknownGame or NotFound."""
    row = session.scalar(select(League).where(League.name == name, League.continuous.is_(True)))
    if row is None:
        registry.package_of(name)
        raise NotFound(f"{name} has no league yet; the platform makes one when it starts")
    return row


def season_standings(session: Session, name: int | str, viewer: User | None = None) -> Board:
    """Returns the season's standing, with the season's name as the title. Raises NotFound."""
    row = find_season(session, name, viewer)
    return _board(session, row.league, row, row.name)


def lines_of(
    session: Session,
    standing: Standing,
    out: Mapping[int | None, str] | None = None,
    only: Collection[int] | None = None,
) -> list[BoardLine]:
    """Returns the lines of a standing with the bots' names, best first.

    `out` says by version row who is suspended or disqualified. With `only`, the lines of these
    version rows alone.
    """
    lines = [one for one in standing.lines if only is None or one["version_id"] in only]
    wanted = [line["version_id"] for line in lines]
    with_owner = joinedload(Version.bot).joinedload(Bot.owner)
    query = select(Version).where(Version.id.in_(wanted)).options(with_owner)
    versions = {version.id: version for version in session.scalars(query)}
    gone = out or {}
    return [
        _line(line, versions[line["version_id"]], gone.get(line["version_id"], ""))
        for line in lines
    ]


def _board(session: Session, row: League, subject: League | Season, title: str) -> Board:
    standing = session.get(Standing, scope_of(subject))
    facts = standing.facts if standing else {}
    lack = facts.get("lack")
    entries = subject.entries if isinstance(subject, Season) else []
    out = {entry.version_id: entry.out for entry in entries}
    return Board(
        game=row.game,
        title=title,
        league=row.name,
        cooperative=is_cooperative(row.game),
        matches=standing.matches if standing else 0,
        computed_at=iso(standing.computed_at) if standing else None,
        rows_digest=standing.rows_digest if standing else None,
        by=facts.get("by", "score" if is_cooperative(row.game) else "elo"),
        deals=facts.get("deals"),
        lack=LackOfFit.model_validate(lack) if lack else None,
        upsets=[Upset.model_validate(one) for one in facts.get("upsets", [])],
        lines=lines_of(session, standing, out) if standing else [],
    )


def _line(line: dict[str, Any], version: Version, out: str) -> BoardLine:
    unrated = {} if line["matches"] else {"elo": None, "ci95": None}
    names = {"bot": version.bot.full_name, "owner": version.bot.owner.name}
    return BoardLine(
        **{**line, **unrated, **names}, name=version.bot.name, version=version.number, out=out
    )

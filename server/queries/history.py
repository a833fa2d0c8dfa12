"""The history of a bot's ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from matchbox.answers.standings import RatingPoint
from matchbox.registry import is_cooperative
from server.db.models import Bot, League, Version
from server.db.models import RatingPoint as StoredPoint
from server.queries.standings import leaderboard
from server.services.lookup import find_bot, versions_of
from server.times import iso

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session


def ratings(session: Session, owner: str, name: str) -> list[RatingPoint]:
    """Returns the ratings of a bot's versions in the default league of its game.

    Only ratings under the present rules are included. The points come version by version, oldest
    first. The last point of a version on the leaderboard equals the leaderboard's figure, which
    also moves with the results of others. Raises NotFound.
    """
    bot = find_bot(session, f"{owner}/{name}")
    league = session.scalar(select(League).where(League.name == bot.game))
    if league is None:
        return []
    cooperative = is_cooperative(bot.game)
    board = leaderboard(session, league.name) if league.continuous else None
    lines = {line.version_id: line for line in board.lines} if board else {}
    stored = _stored(session, league, bot)
    found: list[RatingPoint] = []
    for version in versions_of(session, bot):
        points = stored.get(version.id, [])
        for one in points:
            shown = (one.value, (one.low, one.high))
            found.append(_point(version, iso(one.at), one.matches, shown, cooperative=cooperative))
        line = lines.get(version.id)
        if board and line and points:
            value, interval = (
                (line.score, line.score_ci95) if cooperative else (line.elo, line.ci95)
            )
            if value is not None and interval is not None and board.computed_at is not None:
                at, shown = board.computed_at, (value, interval)
                now = _point(version, at, line.matches, shown, cooperative=cooperative)
                if now.model_copy(update={"at": found[-1].at}) != found[-1]:
                    found.append(now)
    return found


def _stored(session: Session, league: League, bot: Bot) -> dict[int, list[StoredPoint]]:
    """The stored points of the bot's versions under the league's rules, oldest first."""
    its_own = select(Version.id).where(Version.bot_id == bot.id)
    here = (StoredPoint.league_id == league.id, StoredPoint.rules == league.rules)
    query = select(StoredPoint).where(*here, StoredPoint.version_id.in_(its_own))
    found: dict[int, list[StoredPoint]] = {}
    for point in session.scalars(query.order_by(StoredPoint.id)):
        found.setdefault(point.version_id, []).append(point)
    return found


def _point(
    version: Version,
    at: str,
    matches: int,
    shown: tuple[float, Sequence[float]],
    *,
    cooperative: bool,
) -> RatingPoint:
    """Returns a point with a value and its interval."""
    value, (low, high) = shown
    return RatingPoint(
        version=version.number,
        at=at,
        matches=matches,
        elo=None if cooperative else value,
        ci95=None if cooperative else (low, high),
        score=value if cooperative else None,
        score_ci95=(low, high) if cooperative else None,
    )

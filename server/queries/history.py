"""How a bot's rating has moved, as it is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from server.db.models import League, RatingPoint, Standing, Version
from server.queries.pagination import iso
from server.services.leagues import is_cooperative
from server.services.standings import scope_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from server.db.models import Bot


def ratings(session: Session, bot: Bot) -> list[dict[str, Any]]:
    """The points of the bot's versions in its game's own league, under the rules of now: version
    by version, oldest first. The last of who is on the board is what the board shows.

    version (its number), at, matches, elo, ci95, score, score_ci95: the last two of a cooperative
    game, the two before of all others, else None.
    """
    league = session.scalar(select(League).where(League.name == bot.game))
    if league is None:
        return []
    cooperative, standing = is_cooperative(bot.game), session.get(Standing, scope_of(league))
    lines = {line["version_id"]: line for line in standing.lines} if standing else {}
    here = (RatingPoint.league_id == league.id, RatingPoint.rules == league.rules)
    told: list[dict[str, Any]] = []
    for version in bot.versions:
        its_own = select(RatingPoint).where(*here, RatingPoint.version_id == version.id)
        points = session.scalars(its_own.order_by(RatingPoint.id)).all()
        for one in points:
            shown = (one.value, (one.low, one.high))
            told.append(_point(version, one.at, one.matches, shown, cooperative=cooperative))
        line = lines.get(version.id)
        if standing and line and points and line["matches"] > points[-1].matches:
            now = (
                (line["score"], line["score_ci95"]) if cooperative else (line["elo"], line["ci95"])
            )
            if now[1] is not None:
                at, matches = standing.computed_at, line["matches"]
                told.append(_point(version, at, matches, now, cooperative=cooperative))
    return told


def _point(
    version: Version,
    at: int,
    matches: int,
    shown: tuple[float, Sequence[float]],
    *,
    cooperative: bool,
) -> dict[str, Any]:
    """A point with a value and its interval."""
    measures = ("score", "score_ci95") if cooperative else ("elo", "ci95")
    return {
        "version": version.number,
        "at": iso(at),
        "matches": matches,
        **dict.fromkeys(("elo", "ci95", "score", "score_ci95")),
        measures[0]: shown[0],
        measures[1]: list(shown[1]),
    }

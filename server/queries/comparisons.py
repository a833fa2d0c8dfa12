"""Comparisons as they are read: by who asked for them, and by operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from matchbox.errors import Forbidden
from matchbox.league.sprt import CAP_GAMES
from server.db.models import Bot, Comparison, Match, MatchState, User, Version
from server.queries.pagination import iso, numbers, page, page_size, sees
from server.services import comparisons as services
from server.services.leagues import is_cooperative

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings


def comparisons(
    session: Session,
    viewer: User,
    *,
    bot: str | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> dict[str, Any]:
    """A page of the viewer's comparisons, of one bot (owner/name) where asked, newest first.

    Items: id, bot, game, challenger and defender (version numbers), field (how many others),
    bounds, games (bouts played), most, state, verdict, llr, elo, ci95, difference, difference_ci95
    (the latter two None where the two meet each other), why (it was ended), created_at,
    finished_at.
    """
    query = select(Comparison).where(Comparison.owner_id == viewer.id)
    if bot is not None:
        owner, _, name = bot.partition("/")
        its_own = (
            select(Version.id).join(Bot).join(User).where(User.name == owner, Bot.name == name)
        )
        query = query.where(Comparison.challenger_id.in_(its_own))
    if cursor is not None:
        query = query.where(Comparison.id < numbers(cursor, 1)[0])
    query = query.order_by(Comparison.id.desc()).limit(page_size(limit) + 1)
    return page(session.scalars(query).all(), limit, _item, lambda row: str(row.id))


def comparison(session: Session, number: int, viewer: User | None) -> dict[str, Any]:
    """An item of `comparisons`, and: owner (who asked), opponents (bot, version, version_id,
    difference against each or None), looks ([bouts, llr or difference], one after each batch),
    pairs, llr_bounds, alpha, beta, p_better, deals (None where they do not apply), forfeits (bot,
    version, bouts), matches and finished (how many). Raises NotFound, Forbidden.
    """
    row = services.find(session, number)
    if not sees(viewer, row.owner_id):
        raise Forbidden("only who asked for a comparison and operators may see it")
    found = row.result or {}
    against = found.get("by_opponent") or {}
    known = {one.id: one for one in session.scalars(_everybody(row))}
    done = func.count().filter(Match.state == MatchState.FINISHED)
    counted = select(func.count(), done).where(Match.comparison_id == row.id)
    matches, finished = session.execute(counted.select_from(Match)).one()
    optional = ("pairs", "llr_bounds", "alpha", "beta", "p_better", "deals")
    return {
        **_item(row),
        "owner": row.owner.name,
        "opponents": [
            {**_named(known[one]), "difference": against.get(str(one))} for one in row.field
        ],
        "looks": found.get("looks", []),
        **{name: found.get(name) for name in optional},
        "forfeits": [
            {**_named(known[int(one)]), "bouts": bouts}
            for one, bouts in (found.get("forfeits") or {}).items()
        ],
        "matches": matches,
        "finished": finished,
    }


def comparable(
    session: Session, owner: str, name: str, viewer: User, *, settings: Settings, now: int
) -> dict[str, Any]:
    """What the form of a bot's page offers: versions (numbers, newest first), challenger and
    defender (what it begins with), left and budget (bouts a day), most (of one comparison), others
    (the largest field), cooperative."""
    accepted = (
        select(Version.number)
        .join(Bot)
        .join(User)
        .where(User.name == owner, Bot.name == name, Version.state.in_(services.COMPARED))
    )
    found = list(session.scalars(accepted.order_by(Version.number.desc())))
    active = session.scalar(accepted.where(Version.state == services.COMPARED[0]))
    challenger, defender = services.usual(found, active)
    game = session.scalar(select(Bot.game).join(User).where(User.name == owner, Bot.name == name))
    return {
        "versions": found,
        "challenger": challenger,
        "defender": defender,
        "left": services.left_today(session, viewer, settings, now=now),
        "budget": settings.comparison_games,
        "most": CAP_GAMES,
        "others": services.MOST_OTHERS,
        "cooperative": is_cooperative(game or ""),
    }


def _item(row: Comparison) -> dict[str, Any]:
    found = row.result or {}
    bot = row.challenger.bot
    told = ("verdict", "llr", "elo", "ci95", "difference", "difference_ci95")
    return {
        "id": row.id,
        "bot": bot.full_name,
        "game": bot.game,
        "challenger": row.challenger.number,
        "defender": row.defender.number,
        "field": len(row.field),
        "bounds": row.bounds,
        "games": row.games,
        "most": row.most,
        "state": row.state,
        **{name: found.get(name) for name in told},
        "why": found.get("why", ""),
        "created_at": iso(row.created_at),
        "finished_at": iso(row.finished_at),
    }


def _everybody(row: Comparison) -> Any:
    return select(Version).where(Version.id.in_((row.challenger_id, row.defender_id, *row.field)))


def _named(version: Version) -> dict[str, Any]:
    return {
        "bot": version.bot.full_name,
        "version": version.number,
        "version_id": version.id,
    }

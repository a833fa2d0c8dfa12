"""Comparisons, for their authors and for operators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select
from sqlalchemy.orm import joinedload

from matchbox.answers import Interval
from matchbox.answers import comparisons as answers
from matchbox.errors import Forbidden
from matchbox.league.sprt import MAX_BOUTS
from matchbox.registry import is_cooperative
from server.db.models import (
    Comparison,
    ComparisonState,
    Match,
    MatchState,
    User,
    Version,
    VersionState,
)
from server.queries.match_filters import version_rows
from server.queries.pagination import newest, sees
from server.services import comparisons as services
from server.services.interim_results import result_of
from server.services.lookup import find_bot, find_comparison
from server.times import iso

if TYPE_CHECKING:
    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings


def comparisons(
    session: Session,
    viewer: User,
    *,
    bot: str | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> answers.Comparisons:
    """Returns a page of the viewer's comparisons, newest first; `bot`, owner/name, narrows it.

    Raises BadOption.
    """
    versions = joinedload(Comparison.challenger), joinedload(Comparison.defender)
    query = select(Comparison).where(Comparison.owner_id == viewer.id).options(*versions)
    if bot is not None:
        query = query.where(Comparison.challenger_id.in_(version_rows(bot)))
    shown, following = newest(session, query, Comparison, cursor, limit)
    items = [_item(row) for row in shown]
    return answers.Comparisons(items=items, next=following)


def comparison(session: Session, viewer: User | None, number: int) -> answers.Comparison:
    """Returns the comparison, to its author or an operator. Raises NotFound or Forbidden."""
    row = find_comparison(session, number)
    if not sees(viewer, row.owner_id):
        raise Forbidden("only the author who asked for a comparison and operators may see it")
    found = result_of(row)
    against = found.get("by_opponent", {})
    known = {one.id: one for one in session.scalars(_everybody(row))}
    forfeits = [(known[int(one)], bouts) for one, bouts in found["forfeits"].items()]
    done = func.count().filter(Match.state == MatchState.FINISHED)
    mine = (Match.comparison_id == row.id, Match.state != MatchState.VOID)
    counted = select(func.count(), done).where(*mine)
    matches, finished = session.execute(counted.select_from(Match)).one()
    return answers.Comparison(
        **vars(_item(row)),
        owner=row.owner.name,
        opponents=[
            answers.Opponent(
                bot=one.bot.full_name,
                version=one.number,
                version_id=one.id,
                difference=against.get(str(one.id)),
            )
            for one in map(known.__getitem__, row.field)
        ],
        looks=found["looks"],
        pairs=found.get("pairs"),
        llr_bounds=_interval(found.get("llr_bounds")),
        alpha=found.get("alpha"),
        beta=found.get("beta"),
        p_better=found.get("p_better"),
        deals=found.get("deals"),
        forfeits=[
            answers.Forfeits(
                bot=one.bot.full_name, version=one.number, version_id=one.id, bouts=bouts
            )
            for one, bouts in forfeits
        ],
        matches=matches,
        finished=finished,
    )


def comparable(
    session: Session, viewer: User, owner: str, name: str, *, settings: Settings, now: int
) -> answers.Comparable:
    """Returns the choices in the form on the bot's page."""
    bot = find_bot(session, f"{owner}/{name}")
    accepted = select(Version.number).where(
        Version.bot_id == bot.id, Version.state.in_(services.COMPARED)
    )
    found = list(session.scalars(accepted.order_by(Version.number.desc())))
    active = session.scalar(accepted.where(Version.state == VersionState.ACTIVE))
    challenger, defender = services.default_versions(found, active)
    return answers.Comparable(
        versions=found,
        challenger=challenger,
        defender=defender,
        left=services.left_today(session, viewer, settings, now=now),
        budget=settings.comparison_games,
        most=MAX_BOUTS,
        others=services.MAX_OTHERS,
        cooperative=is_cooperative(bot.game),
    )


def _item(row: Comparison) -> answers.ComparisonLine:
    found = result_of(row)
    bot = row.challenger.bot
    return answers.ComparisonLine(
        id=row.id,
        bot=bot.full_name,
        game=bot.game,
        challenger=row.challenger.number,
        defender=row.defender.number,
        field=len(row.field),
        bounds=row.bounds,
        games=row.games,
        most=row.most,
        state=ComparisonState(row.state).value,
        verdict=found["verdict"],
        llr=found["llr"],
        elo=found["elo"],
        ci95=_interval(found["ci95"]),
        difference=found.get("difference"),
        difference_ci95=_interval(found.get("difference_ci95")),
        why=found["why"],
        created_at=iso(row.created_at),
        finished_at=iso(row.finished_at),
    )


def _interval(bounds: list[float] | None) -> Interval | None:
    if bounds is None:
        return None
    low, high = bounds
    return low, high


def _everybody(row: Comparison) -> Select[Version]:
    return select(Version).where(Version.id.in_((row.challenger_id, row.defender_id, *row.field)))

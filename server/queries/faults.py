"""The faults of the last day or week by kind and by bot, for operators. Changes nothing.

Reads hourly counts by their index, and never the history.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from sqlalchemy import func, select
from sqlalchemy.orm import joinedload

from matchbox.answers import faults as answers
from matchbox.errors import BadOption
from server.db.models import Bot, FaultCount, Version
from server.services.accounts import require_operator_to_see
from server.services.fault_counts import PLATFORM
from server.times import CLOCKS_MS, HOUR_MS, iso

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from server.db.models import User

MAX_VERSIONS: Final = 100
"""The most versions that are listed."""
DAYS: Final = (1, 7)


def faults(session: Session, viewer: User | None, *, days: int = 1, now: int) -> answers.Faults:
    """Returns the faults of the last 1 or 7 days, to the hour.

    Raises Forbidden unless the viewer is an operator, and BadOption for another number of days.
    """
    require_operator_to_see(viewer)
    if days not in DAYS:
        raise BadOption("faults are counted over 1 or 7 days")
    since = now - now % HOUR_MS - (24 * days - 1) * HOUR_MS
    lately = FaultCount.hour.between(since, now + CLOCKS_MS)  # not of a clock that was ahead
    total = func.sum(FaultCount.bouts)
    bots = func.count(FaultCount.version_id.distinct())
    kinds = select(FaultCount.kind, total, bots).where(lately).group_by(FaultCount.kind)
    own = select(FaultCount.version_id).where(lately, FaultCount.kind != PLATFORM)
    found = own.add_columns(total).group_by(FaultCount.version_id)
    found = found.order_by(total.desc(), FaultCount.version_id)
    counted = session.execute(select(func.count()).select_from(found.subquery())).scalar_one()
    worst = [version for version, _ in session.execute(found.limit(MAX_VERSIONS))]
    return answers.Faults(
        days=days,
        since=iso(since),
        kinds=[
            answers.FaultKind(kind=kind, faults=count, bots=versions)
            for kind, count, versions in sorted(session.execute(kinds), key=lambda row: -row[1])
        ],
        bots=_bots(session, worst, lately),
        found=counted,
    )


def _bots(
    session: Session, versions: list[int], lately: ColumnElement[bool]
) -> list[answers.BotFaults]:
    rows = select(FaultCount).where(FaultCount.version_id.in_(versions), lately)
    counts: defaultdict[int, list[FaultCount]] = defaultdict(list)
    for row in session.scalars(rows.order_by(FaultCount.hour.desc(), FaultCount.kind)):
        counts[row.version_id].append(row)
    with_owner = joinedload(Version.bot).joinedload(Bot.owner)
    named = session.scalars(select(Version).where(Version.id.in_(versions)).options(with_owner))
    by_id = {row.id: row for row in named}
    return [_line(by_id[number], counts[number]) for number in versions]


def _line(version: Version, rows: list[FaultCount]) -> answers.BotFaults:
    own = [row for row in rows if row.kind != PLATFORM]
    kinds: defaultdict[str, int] = defaultdict(int)
    for row in rows:
        kinds[row.kind] += row.bouts
    return answers.BotFaults(
        bot=version.bot.full_name,
        version=version.number,
        state=version.state,
        faults=sum(row.bouts for row in own),
        kinds=dict(sorted(kinds.items())),
        last_match=own[0].match_id,
        last_hour=iso(own[0].hour),
    )

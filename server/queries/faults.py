"""The faults of the last day or week by kind and by bot, for operators. Changes nothing.

Reads hourly counts by their index, and never the history.
"""

from __future__ import annotations

from collections import defaultdict
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from sqlalchemy import func, select
from sqlalchemy.orm import defer, joinedload

from matchbox.answers import faults as answers
from matchbox.errors import BadOption
from server.db.models import Bot, FaultCount, Match, Version
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
    needed = (joinedload(Version.bot).joinedload(Bot.owner), defer(Version.report))
    named = session.scalars(select(Version).where(Version.id.in_(versions)).options(*needed))
    by_id = {row.id: row for row in named}
    newest = {number: _newest_hour(counts[number]) for number in versions}
    ids = {row.match_id for own in newest.values() for row in own}
    ended = select(Match.id, Match.finished_at).where(Match.id.in_(ids))
    times = {match: at for match, at in session.execute(ended) if at is not None}
    lines = []
    for number, own in newest.items():
        ended_at = [(times.get(row.match_id, row.hour), row) for row in own]
        at, last = max(ended_at, key=itemgetter(0))
        lines.append(_line(by_id[number], counts[number], last, at))
    return lines


def _newest_hour(rows: list[FaultCount]) -> list[FaultCount]:
    """The counts of a version's own faults in the last hour that has some, of all its `rows`."""
    own = [row for row in rows if row.kind != PLATFORM]
    return [row for row in own if row.hour == own[0].hour]


def _line(
    version: Version, rows: list[FaultCount], newest: FaultCount, at: int
) -> answers.BotFaults:
    kinds: defaultdict[str, int] = defaultdict(int)
    for row in rows:
        kinds[row.kind] += row.bouts
    return answers.BotFaults(
        bot=version.bot.full_name,
        version=version.number,
        state=version.state,
        faults=sum(row.bouts for row in rows if row.kind != PLATFORM),
        kinds=dict(sorted(kinds.items())),
        last_match=newest.match_id,
        last_hour=iso(newest.hour),
        last_at=iso(at),
    )

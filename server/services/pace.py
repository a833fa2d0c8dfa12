"""How long a league's matches take, by those on the books, and so how many deals the next has.

A match is one task of an arena: a short one spends its time in the queue, a long one holds an arena
for too long. Its size is decided when it is scheduled, and stays with it.
"""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING, Final

from sqlalchemy import func, select

from server.db.models import Match, MatchDeal, MatchSeat, MatchState, Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from matchbox.settings import Settings
    from server.db.models import League

RECENT: Final = 100
"""So many of the league's last ranked matches tell how fast its bots are now."""


class Pace:
    """Seconds that a deal takes: each version's own processor time in a seat, and all the rest.

    Medians, so that a machine that stood still for once changes nothing.
    """

    def __init__(self, session: Session, league: League) -> None:
        ranked = (
            Match.league_id == league.id,
            Match.season_id.is_(None),
            Match.comparison_id.is_(None),
            Match.rules == league.rules,
            Match.state == MatchState.FINISHED,
        )
        last = select(Match.id).where(*ranked).order_by(Match.number.desc()).limit(RECENT)
        recent = list(session.scalars(last))
        count = select(MatchDeal.match_id, func.count()).where(MatchDeal.match_id.in_(recent))
        deals = dict(session.execute(count.group_by(MatchDeal.match_id)).all())
        seats = select(MatchSeat.match_id, MatchSeat.version_id).where(
            MatchSeat.match_id.in_(recent)
        )
        tables: defaultdict[str, list[int]] = defaultdict(list)
        for match, version in session.execute(seats.order_by(MatchSeat.seat)):
            tables[match].append(version)
        spent = select(Result.match_id, Result.seconds, Result.cpu_ms)
        own: defaultdict[int, list[float]] = defaultdict(list)
        rest: list[float] = []
        for match, seconds, cpu_ms in session.execute(spent.where(Result.match_id.in_(recent))):
            for version, ms in zip(tables[match], cpu_ms, strict=False):
                own[version].append(ms / 1000 / deals[match])
            rest.append(max(0.0, seconds - sum(cpu_ms) / 1000) / deals[match])
        self._own = {version: median(found) for version, found in own.items()}
        self._rest = median(rest) if rest else 0.0
        self._usual = league.deals

    def deals(self, tables: Sequence[Sequence[int]], settings: Settings) -> int:
        """How many deals make the longest match of these tables, of version rows, as long as is
        wished for; the league's own number while one of them has not played."""
        known = self._own.keys() >= {version for table in tables for version in table}
        if not settings.match_seconds or not known:
            return self._usual
        longest = self._rest + max(sum(self._own[one] for one in table) for table in tables)
        fitting = settings.match_seconds / longest if longest else settings.most_deals
        return min(settings.most_deals, max(settings.fewest_deals, round(fitting)))

"""Chooses how many deals a league's matches have, by how long its earlier matches took.

A match is one task of an arena. A short match spends most of its time in the queue; a long one
holds an arena for too long. The number of deals is fixed when a match is scheduled, or when its
season or comparison begins.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import bindparam, select

from server.db.models import League, Match, MatchSeat, MatchState, Result, Version
from server.db.session import in_parts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from typing import TypeAlias

    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings

    _Spent: TypeAlias = tuple[float, int]
    """Seconds per deal, and the number of deals over which they were measured."""

RECENT: Final = 100
"""The number of the league's last ranked matches that show the present speed of its bots."""
OWN: Final = 10
"""How many of a version's own last matches show its speed, if it is in none of the others."""
MAX_TIMES: Final = 2.5
"""The longest match of a season may take this many times `match_seconds`."""
_QUERY_CHUNK: Final = 1000
"""The number of matches whose times are read with one query."""


class MatchSizer:
    """Estimates how many seconds a deal takes: the processor time of each seat, plus the rest."""

    def __init__(self, session: Session, league: League) -> None:
        ranked = (
            Match.league_id == league.id,
            Match.is_ranked,
            Match.rules == league.rules,
            Match.state == MatchState.FINISHED,
        )
        last = select(Match.id).where(*ranked).order_by(Match.number.desc()).limit(RECENT)
        self._session, self._league = session, league
        self._rests: list[_Spent] = []
        self._last: dict[int, list[str]] = {}
        self._timed: dict[str, _Timed] = {}
        found = self._read(list(session.scalars(last)))
        self._own: dict[int, float | None] = {row: _median(own) for row, own in found.items()}

    def prepare(self, versions: Iterable[int]) -> None:
        """Reads the matches of these versions together, so that `deals` reads none singly."""
        for row in dict.fromkeys(versions):
            if row not in self._own and row not in self._last:
                self._last[row] = self._last_of(row)
        self._time({match for matches in self._last.values() for match in matches})

    def deals(self, tables: Sequence[Sequence[int]], settings: Settings) -> int:
        """Returns the number of deals with which the longest match takes `match_seconds`.

        A table is the versions' row numbers. Returns the league's own number of deals if the speed
        of a version is unknown, or if `match_seconds` is 0.
        """
        times = [self._seconds(table) for table in tables]
        known = [time for time in times if time is not None]
        if not settings.match_seconds or len(known) < len(times):
            return self._league.deals
        return self._fitting(max(known), settings)

    def deals_of_all(
        self, versions: Sequence[int], settings: Settings, *, teams: bool, most: int
    ) -> int:
        """Returns the number of deals, up to `most`, for all matches between these row numbers.

        A match between versions of median speed takes `match_seconds`, unless the longest match
        would take more than MAX_TIMES times that. With `teams`, one version has all seats of a
        table.
        Returns the league's own number of deals if the speed of a version is unknown, or if
        `match_seconds` is 0.
        """
        seats = self._league.seats
        if not settings.match_seconds or self._seconds(versions) is None:
            return self._league.deals
        order = sorted(versions, key=lambda row: self._own[row] or 0.0)
        usual = self._seconds([order[len(order) // 2]] * seats) or 0.0
        longest = self._seconds([order[-1]] * seats if teams else order[-seats:]) or 0.0
        return min(self._fitting(max(usual, longest / MAX_TIMES), settings), most)

    def _fitting(self, seconds: float, settings: Settings) -> int:
        """The number of deals that take `match_seconds`, within the settings' limits.

        Try-outs only measure processor time. Until a match has shown the rest, a match has no more
        deals than the league's own number.
        """
        fitting = settings.match_seconds / seconds if seconds else settings.most_deals
        most = settings.most_deals if self._rests else self._league.deals
        return min(most, settings.most_deals, max(settings.fewest_deals, round(min(fitting, most))))

    def _seconds(self, table: Sequence[int]) -> float | None:
        """The seconds that a deal takes at this table; None if a version's speed is unknown."""
        for row in table:
            if row not in self._own:
                self._own[row] = self._looked_up(row)
        known = [own for own in (self._own[row] for row in table) if own is not None]
        rest = _median(self._rests) if self._rests else 0.0
        return rest + sum(known) if len(known) == len(table) else None

    def _looked_up(self, row: int) -> float | None:
        """A version's seconds per deal in its last matches under these rules, or else in its
        try-out."""
        found = self._read(self._last[row] if row in self._last else self._last_of(row))
        if row in found:
            return _median(found[row])
        report = self._session.scalar(select(Version.report).where(Version.id == row)) or {}
        ms = report.get("cpu_ms_per_deal", 0)
        return ms / 1000 or None if _is_time(ms) else None

    def _last_of(self, row: int) -> list[str]:
        """The ids of the version's last matches under the league's present rules, at most OWN."""
        return [name for *_, name in self._session.execute(self._lasts, {"version": row})]

    @cached_property
    def _lasts(self) -> Select[int, int, str]:
        """Selects the last matches of the version `version` under the league's present rules, at
        most OWN."""
        mine = (MatchSeat.version_id == bindparam("version"), Match.league_id.in_(self._kin))
        played = (Match.rules == self._league.rules, Match.state == MatchState.FINISHED)
        order = (MatchSeat.created_at, MatchSeat.number, MatchSeat.match_id)
        query = select(*order).join(Match, Match.id == MatchSeat.match_id).where(*mine, *played)
        return query.distinct().order_by(*(column.desc() for column in order)).limit(OWN)

    @cached_property
    def _kin(self) -> list[int]:
        """The leagues that play the same game with the same options and seats."""
        league = self._league
        alike = select(League).where(League.game == league.game, League.seats == league.seats)
        return [one.id for one in self._session.scalars(alike) if one.options == league.options]

    def _read(self, matches: Sequence[str]) -> dict[int, list[_Spent]]:
        """The processor time of each version per deal in these matches, by row number.

        Adds the rest of each match's time to `_rests`.
        """
        self._time(matches)
        own: defaultdict[int, list[_Spent]] = defaultdict(list)
        for versions, deals, seconds, cpu_ms in filter(None, map(self._timed.get, matches)):
            if not all(map(_is_time, (seconds, *cpu_ms))):
                continue
            for row, ms in zip(versions, cpu_ms, strict=False):
                own[row].append((ms / 1000 / deals, deals))
            rest = max(0.0, seconds - sum(cpu_ms) / 1000)
            self._rests.append((rest / deals, deals))
        return own

    def _time(self, matches: Collection[str]) -> None:
        """Reads the times of the matches that have not been read yet."""
        fresh = [one for one in matches if one not in self._timed]
        columns = (MatchSeat.version_id, Match.deal_count, Result.seconds, Result.cpu_ms)
        query = (
            select(MatchSeat.match_id, *columns)
            .join(Match, Match.id == MatchSeat.match_id)
            .join(Result, Result.match_id == MatchSeat.match_id)
            .order_by(MatchSeat.match_id, MatchSeat.seat)
        )
        for part in in_parts(fresh, _QUERY_CHUNK):
            own = query.where(MatchSeat.match_id.in_(part))
            for match, version, deals, seconds, cpu_ms in self._session.execute(own):
                timed = self._timed.setdefault(match, _Timed([], deals, seconds, cpu_ms))
                timed.versions.append(version)


class _Timed(NamedTuple):
    """How long a match took."""

    versions: list[int]
    """The row numbers in its seats."""
    deals: int
    seconds: float
    cpu_ms: Sequence[float]
    """The processor time in each seat."""


def _is_time(amount: float) -> bool:
    """Whether this can be a time: old databases hold values that an arena made up, such as NaN."""
    return isfinite(amount) and amount >= 0


def _median(spent: Sequence[_Spent]) -> float:
    """The median of the seconds per deal, weighted by deals.

    A machine that once stood still does not change it. Short matches, which spend most of their
    time starting, change it little.
    """
    left = sum(deals for _, deals in spent) / 2
    for seconds, deals in sorted(spent):
        left -= deals
        if left <= 0:
            return seconds
    return 0.0

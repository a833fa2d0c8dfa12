"""Counts the results of a league's or season's matches, and keeps the counts between refits.

Reads only the rows of new matches. The counts are a cache of one process. Each time they are
compared with the database; if a counted match is no longer finished there, all are counted again.
They are also counted again if an account was deleted, since the counts hold the owners' names.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import func, select

from matchbox.league.counts import CountedInBoth, Counts, add, count
from server.db.models import Match, MatchState, User
from server.db.session import in_parts
from server.services import ratings

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from sqlalchemy import ColumnExpressionArgument
    from sqlalchemy.orm import Session

    from matchbox.league.rows import Row

QUERY_CHUNK: Final = 1000
"""The number of matches that are read before they are counted: rows take much more memory than
counts."""


class Tallied(NamedTuple):
    """Counts, and the row number of every version in them by its name."""

    counts: Counts
    versions: Mapping[str, int]
    lengths: Counter[int]
    """The number of bouts by their number of moves, of the matches that store it."""


class PairCountCache:
    """A cache of the counts of each scope. A process has one."""

    def __init__(self) -> None:
        self._kept: dict[str, Tallied] = {}
        self._renamed = 0
        """How many accounts had been deleted, which gave their bots other full names."""

    def of(
        self,
        session: Session,
        scope: str,
        *which: ColumnExpressionArgument[bool],
        seat_term: bool,
        cooperative: bool,
    ) -> Tallied:
        """Returns the counts of all finished matches that `which` selects."""
        renamed = session.scalar(select(func.count(User.deleted_at))) or 0
        if renamed != self._renamed:
            self.forget()
            self._renamed = renamed
        query = select(Match.id).where(Match.state == MatchState.FINISHED, *which)
        ids = list(session.scalars(query.order_by(Match.number)))
        kept = self._kept.get(scope)
        counter = _Counter(session, seat_term, cooperative)
        if kept is None or not kept.counts.matches.keys() <= set(ids):
            kept = counter.nothing()
        fresh = [one for one in ids if one not in kept.counts.matches]
        try:
            found = counter.add(kept, fresh)
        except CountedInBoth:
            found = counter.whole(ids)
        self._kept[scope] = found
        return found

    def forget(self) -> None:
        """Empties the cache; the next call counts everything again."""
        self._kept.clear()

    def forget_others(self, scopes: Collection[str]) -> None:
        """Forgets all other scopes, such as seasons that have ended since."""
        self._kept = {scope: kept for scope, kept in self._kept.items() if scope in scopes}


class _Counter:
    """Counts matches, given by id."""

    def __init__(self, session: Session, seat_term: bool, cooperative: bool) -> None:
        self._session = session
        self._seat_term = seat_term
        self._cooperative = cooperative

    def nothing(self) -> Tallied:
        return Tallied(self._count([]), {}, Counter())

    def add(self, kept: Tallied, fresh: Sequence[str]) -> Tallied:
        """The counts with these matches added.

        Raises CountedInBoth if one of them shares a deal with a counted match: then all must be
        counted together. Counts of similar size are added first, so that none is copied often.
        """
        found = [kept]
        for part in in_parts(fresh, QUERY_CHUNK):
            read = ratings.played_of(self._session, part)
            found.append(Tallied(self._count(read.rows), read.versions, read.lengths))
            while len(found) > 1 and _size(found[-2]) < 2 * _size(found[-1]):
                _add_last(found)
        while len(found) > 1:
            _add_last(found)
        return found[0]

    def whole(self, ids: Sequence[str]) -> Tallied:
        parts = [ratings.played_of(self._session, part) for part in in_parts(ids, QUERY_CHUNK)]
        versions = {name: row for part in parts for name, row in part.versions.items()}
        lengths = sum((part.lengths for part in parts), Counter[int]())
        return Tallied(self._count([row for part in parts for row in part.rows]), versions, lengths)

    def _count(self, rows: Iterable[Row]) -> Counts:
        return count(rows, seat_term=self._seat_term, cooperative=self._cooperative)


def _size(tallied: Tallied) -> int:
    return len(tallied.counts.matches)


def _add_last(found: list[Tallied]) -> None:
    """Puts the sum of the last two in their place. Raises CountedInBoth."""
    other, one = found.pop(), found.pop()
    versions = {**one.versions, **other.versions}
    found.append(Tallied(add(one.counts, other.counts), versions, one.lengths + other.lengths))

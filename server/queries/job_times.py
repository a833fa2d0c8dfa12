"""The pace of the jobs of a kind, from the rows of those that were done last.

The time between two jobs counts only while a job was wanted, so an idle hour does not make the next
estimate longer. Reads the newest rows by an index, and never the history.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import func, select

from server.db.models import Draft, Lesson, Match, MatchState, Version
from server.times import CLOCKS_MS, lately

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.orm import Session

LATELY_MS: Final = 1_800_000
"""Jobs that were done longer ago do not count."""
MAX_JOBS: Final = 200
"""The most jobs that count."""
ENOUGH: Final = 5
"""The least number of jobs that show the present pace."""
Span = tuple[int, int]
"""The times at which a job was made and at which it was done, in ms."""


class Pace(NamedTuple):
    """The number of jobs that were done lately, and the mean ms between two of them; None if
    unknown."""

    done: int
    each_ms: float | None

    def seconds(self, jobs: int) -> int | None:
        """Returns how many whole seconds `jobs` jobs take, at least 1; None if unknown."""
        return None if self.each_ms is None else max(1, round(self.each_ms * jobs / 1000))


def of_matches(session: Session, *, now: int) -> Pace:
    """Returns the pace of all matches together, without void ones."""
    # Almost all matches are finished, so with the index of states SQLite would read all of them.
    played = func.coalesce(Match.state, MatchState.QUEUED) == MatchState.FINISHED
    ended = select(Match.created_at, Match.finished_at).where(
        lately(Match.finished_at, LATELY_MS, now), played
    )
    rows = session.execute(ended.order_by(Match.finished_at.desc()).limit(MAX_JOBS + 1))
    under_way = select(func.min(Match.created_at)).where(Match.state == MatchState.RUNNING)
    return pace([(made, done) for made, done in rows if done], session.scalar(under_way), now)


def of_tryouts(session: Session, *tables: type[Version | Draft], now: int) -> Pace:
    """Returns the pace of the try-outs in these tables, or of versions and drafts together."""
    spans: list[Span] = []
    waits: list[int] = []
    for table in tables or (Version, Draft):
        recent = lately(table.created_at, LATELY_MS, now)
        done = select(table.created_at, table.settled_at).where(recent)
        done = done.where(table.settled_at.is_not(None)).order_by(table.created_at.desc())
        rows = session.execute(done.limit(MAX_JOBS))
        spans += [(made, settled) for made, settled in rows if settled is not None]
        unfinished = (recent, table.settled_at.is_(None), table.deadline.is_not(None))
        oldest = session.scalar(select(func.min(table.created_at)).where(*unfinished))
        waits += [oldest] if oldest is not None else []
    return pace(spans, min(waits, default=None), now)


def of_lessons(session: Session, *, now: int) -> Pace:
    """Returns the pace of lessons."""
    newest = select(Lesson.created_at, Lesson.settled_at).order_by(Lesson.id.desc()).limit(MAX_JOBS)
    spans = [(made, done) for made, done in session.execute(newest) if done is not None]
    return pace(spans, None, now)


def pace(spans: Iterable[Span], waits_since: int | None, now: int) -> Pace:
    """Returns the pace of jobs that were wanted and done in these spans of time.

    `waits_since` is the time at which the oldest unfinished job was made; the time since then
    counts, too. Of more than MAX_JOBS jobs, the last ones count, from the end of the one before.
    If the jobs since the oldest unfinished one was made took longer than all, only these count: a
    burst of jobs is slower than those of a quiet hour before it.
    """
    begin, end = now - LATELY_MS, now + CLOCKS_MS  # A later end is that of a clock that was ahead.
    kept = sorted((one for one in spans if begin < one[1] <= end), key=lambda one: one[1])
    if not kept:
        return Pace(0, None)
    begin = max(begin, min(made for made, _ in kept))
    if len(kept) > MAX_JOBS:
        begin, kept = kept[-MAX_JOBS - 1][1], kept[-MAX_JOBS:]
    wanted = [*kept, (waits_since, now)] if waits_since is not None else kept
    busy, reached = 0, begin
    for made, done in sorted(wanted):
        busy += max(0, done - max(made, reached))
        reached = max(reached, done)
    return Pace(len(kept), max(busy / len(kept), _present(kept, waits_since, begin, now)))


def _present(kept: Sequence[Span], waits_since: int | None, begin: int, now: int) -> float:
    """The mean ms between jobs since the oldest unfinished one was made; 0 for too few of them."""
    if waits_since is None:
        return 0.0
    since = max(begin, waits_since)
    count = sum(done > since for _, done in kept)
    return (now - since) / count if count >= ENOUGH else 0.0

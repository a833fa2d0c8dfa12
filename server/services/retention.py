"""Removes what is older than the settings keep it, some rows at a time.

Each kind of row has a number of days for which it is kept, a query for its old rows, and a function
that removes them. Records are in `record_removal`; nothing here changes a result or a rating.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import delete, func, or_, select, update
from sqlalchemy.orm import aliased

from server.db.models import (
    IDLE,
    OVER,
    Bot,
    BrowserSession,
    Bundle,
    Delivery,
    Entry,
    Event,
    Lesson,
    MatchSeat,
    Notice,
    Role,
    Season,
    Setting,
    User,
    Version,
    VersionState,
)
from server.db.session import rows_changed
from server.services import play, record_removal
from server.services.record_removal import GONE
from server.times import DAY_MS, HOUR_MS, has_passed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings

BATCH: Final = 100
"""The most rows of a kind that are removed in one transaction, and so at one tick."""
EVERY_MS: Final = HOUR_MS
"""The pause between two searches for old rows, in ms."""
NAME: Final = "retention"
"""The name of the setting's row that stores when a search last found nothing."""
_REMOVED: Final = "(removed after {} days)"
"""Stands in the place of the output of a lesson."""


class Kind(NamedTuple):
    """A kind of row that is removed by its age."""

    name: str
    setting: str
    """The setting with the number of days for which it is kept; 0: for ever."""
    old: Callable[[int], Select[Any]]
    """Selects the keys of the rows from before a time, UTC in ms."""
    remove: Callable[[Session, Sequence[Any], int], int]
    """Removes the rows with these keys, which were kept for that many days; returns how many."""

    def select_old(self, settings: Settings, now: int) -> Select[Any] | None:
        """Selects the keys of the rows to remove now; None if they are kept for ever."""
        days = self.days(settings)
        return self.old(now - days * DAY_MS) if days else None

    def days(self, settings: Settings) -> int:
        """Returns the number of days for which such rows are kept; 0: for ever."""
        days: int = getattr(settings, self.setting)
        return days


def count(session: Session, settings: Settings, *, now: int) -> dict[str, int | None]:
    """Returns the number of rows of each kind that would be removed now; None if the kind is kept
    for ever."""
    counts: dict[str, int | None] = {}
    for kind in KINDS:
        old = kind.select_old(settings, now)
        found = None if old is None else select(func.count()).select_from(old.subquery())
        counts[kind.name] = None if found is None else session.scalar(found)
    return counts


def find(session: Session, kind: Kind, settings: Settings, *, now: int) -> Sequence[Any]:
    """Returns the keys of the next old rows of this kind, at most BATCH."""
    old = kind.select_old(settings, now)
    return [] if old is None else session.scalars(old.limit(BATCH)).all()


def remove(session: Session, kind: Kind, settings: Settings, *, now: int) -> int:
    """Removes the next old rows of this kind, at most BATCH; returns how many."""
    keys = find(session, kind, settings, now=now)
    return kind.remove(session, keys, kind.days(settings)) if keys else 0


def is_due(session: Session, *, now: int) -> bool:
    """Whether old rows should be looked for now."""
    last = session.scalar(select(Setting.changed_at).where(Setting.name == NAME))
    return last is None or has_passed(EVERY_MS, last, now)


def note_nothing_left(session: Session, *, now: int) -> None:
    """Notes that nothing more was found, so that there is no search for EVERY_MS."""
    session.merge(Setting(name=NAME, value={}, changed_at=now))


def _delete(column: Any) -> Callable[[Session, Sequence[Any], int], int]:
    def remove_rows(session: Session, keys: Sequence[Any], days: int) -> int:
        return rows_changed(session, delete(column.class_).where(column.in_(keys)))

    return remove_rows


def _old_events(before: int) -> Select[Any]:
    return select(Event.id).where(Event.at < before).order_by(Event.id)


def _old_notices(before: int) -> Select[Any]:
    waits = select(Delivery.id).where(Delivery.notice_id == Notice.id).exists()
    return select(Notice.id).where(Notice.at < before, ~waits).order_by(Notice.id)


def _old_deliveries(before: int) -> Select[Any]:
    return select(Delivery.id).join(Delivery.notice).where(Notice.at < before).order_by(Delivery.id)


def _unused_sessions(before: int) -> Select[Any]:
    unused = select(BrowserSession.id).where(BrowserSession.seen_at < before)
    return unused.order_by(BrowserSession.id)


def _old_tryouts(before: int) -> Select[Any]:
    old = (Version.log_days.is_(None), Version.settled_at < before, Version.state.in_(IDLE))
    return select(Version.id).where(*old)


def _remove_logs(session: Session, keys: Sequence[Any], days: int) -> int:
    """Removes the logs of these versions' try-outs; the verdicts and their reasons stay."""
    for version in session.scalars(select(Version).where(Version.id.in_(keys))):
        version.log_days = days
        if version.report and version.report.get("log"):  # else nothing was printed
            version.report = {**version.report, "log": None}
    return len(keys)


def _old_files(before: int) -> Select[Any]:
    """Selects the digests of the files that only refused versions have, which were in no match."""
    refused = (Version.state == VersionState.REFUSED, Version.settled_at < before)
    there = (func.length(Bundle.data) > 0, ~_is_needed(before))
    return select(Bundle.digest).join(Version).where(*refused, *there).distinct()


def _is_needed(before: int) -> ColumnElement[bool]:
    """Whether a version with the file plays, may play or has played, or is the house's."""
    other = aliased(Version)
    query = select(other.id).join(Bot, Bot.id == other.bot_id).join(User, User.id == Bot.owner_id)
    needs = or_(
        *(other.state != VersionState.REFUSED, other.settled_at >= before),
        *(
            User.role == Role.HOUSE,
            select(MatchSeat).where(MatchSeat.version_id == other.id).exists(),
        ),
        select(Entry.id).where(Entry.version_id == other.id).exists(),
    )
    return query.where(other.digest == Bundle.digest, needs).exists()


def _remove_files(session: Session, keys: Sequence[Any], days: int) -> int:
    """Empties these files: the rows stay, since versions refer to them."""
    return rows_changed(session, update(Bundle).where(Bundle.digest.in_(keys)).values(data=GONE))


def _old_lessons(before: int) -> Select[Any]:
    over = (Season.state.in_(OVER), Lesson.settled_at < before)
    output = (Lesson.log != "", Lesson.log_days.is_(None))
    return select(Lesson.id).join(Lesson.season).where(*over, *output).order_by(Lesson.id)


def _remove_output(session: Session, keys: Sequence[Any], days: int) -> int:
    """Removes the output of bots in these lessons; their memories stay."""
    lessons = update(Lesson).where(Lesson.id.in_(keys))
    return rows_changed(session, lessons.values(log=_REMOVED.format(days), log_days=days))


KINDS: Final = (
    Kind("events", "keep_event_days", _old_events, _delete(Event.id)),
    Kind("deliveries", "keep_delivery_days", _old_deliveries, _delete(Delivery.id)),
    Kind("notices", "keep_notice_days", _old_notices, _delete(Notice.id)),
    Kind("sessions", "keep_session_days", _unused_sessions, _delete(BrowserSession.id)),
    Kind("tables", "play_keep_days", play.old_tables, play.delete_tables),
    Kind("tryouts", "keep_tryout_days", _old_tryouts, _remove_logs),
    Kind("refused", "keep_refused_days", _old_files, _remove_files),
    Kind(
        "output", "keep_output_days", record_removal.old_output, record_removal.remove_output
    ),
    Kind("lessons", "keep_output_days", _old_lessons, _remove_output),
    Kind(
        "records", "keep_record_days", record_removal.old_records, record_removal.remove_records
    ),
    Kind(
        "season-records", "keep_season_record_days",
        record_removal.old_season_records, record_removal.remove_records,
    ),
)  # fmt: skip
"""Every kind; deliveries before the notices that they deliver."""

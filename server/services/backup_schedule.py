"""Decides when the next backup on the schedule is due, and stores the results of the last ones.

Makes no backup itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from server.db.models import Setting
from server.services import signs
from server.services.events import storable
from server.times import HOUR_MS, has_passed

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings

NAME: Final = "backups"
"""The setting's row in which the state is stored."""
GOES_ON_MS: Final = 60_000
"""A backup that is being made is noted as going on after each of these times, in ms."""
AGAIN_MS: Final = 900_000
"""The pause in ms after an attempt that failed, or whose process died."""
MAX_TROUBLE: Final = 500


class Backups(msgspec.Struct, frozen=True):
    """The results of the backups on the schedule. Times are UTC in ms."""

    since: int
    """When the first attempt began."""
    tried_at: int
    """When the last attempt began, or was last known to go on."""
    done_at: int | None = None
    """When the last backup that succeeded began."""
    size: int = 0
    """The size of that backup, in bytes."""
    trouble: str = ""
    """Why the last attempt that ended failed; "" if it succeeded, or if none has ended."""


def backups(session: Session) -> Backups | None:
    """Returns the results of the backups; None if none was ever tried."""
    row = session.get(Setting, NAME)
    return None if row is None else msgspec.convert(dict(row.value), Backups)


def is_due(session: Session, settings: Settings, *, now: int) -> bool:
    """Whether a backup should be made now."""
    if not settings.backup_every_hours:
        return False
    state = backups(session)
    if state is None:
        return True
    done_at, interval = state.done_at, settings.backup_every_hours * HOUR_MS
    waited = done_at is None or has_passed(interval, done_at, now)
    return waited and has_passed(AGAIN_MS, state.tried_at, now)


def begin(session: Session, settings: Settings, *, now: int) -> Backups | None:
    """Notes that a backup is begun; returns the state before that, or None if none is due now."""
    if not is_due(session, settings, now=now):
        return None
    state = backups(session) or Backups(since=now, tried_at=now)
    _note(session, now, tried_at=now)
    return state


def go_on(session: Session, *, now: int) -> None:
    """Notes that the backup is still being made, so that no other ledger begins one."""
    _note(session, now, tried_at=now)


def stopped(session: Session, *, now: int) -> None:
    """Notes that the backup was given up because its ledger stops: another is due at once."""
    _note(session, now, tried_at=0)


def succeeded(session: Session, size: int, *, begun_at: int, now: int) -> None:
    """Notes that the backup begun at `begun_at` has been made; `size` is in bytes."""
    _note(session, now, done_at=begun_at, size=size, trouble="")


def failed(session: Session, why: str, *, now: int) -> None:
    """Notes why the backup could not be made."""
    _note(session, now, trouble=storable(why, MAX_TROUBLE), tried_at=now)


def overdue_ms(session: Session, settings: Settings, *, now: int) -> int | None:
    """Returns the age of the newest backup if twice the interval has passed since; else None.

    Before the first backup, it is the time since the first attempt. None is overdue soon after a
    start of the platform, which may have been off for long.
    """
    state = backups(session)
    if not settings.backup_every_hours or state is None:
        return None
    if not has_passed(AGAIN_MS, signs.begun_at(session), now):
        return None
    age = now - (state.since if state.done_at is None else state.done_at)
    return age if age > 2 * settings.backup_every_hours * HOUR_MS else None


def _note(session: Session, now: int, **changes: object) -> None:
    """Stores the state with these fields of `Backups` changed."""
    state = backups(session) or Backups(since=now, tried_at=now)
    value = msgspec.to_builtins(msgspec.structs.replace(state, **changes))
    session.merge(Setting(name=NAME, value=value, changed_at=now))
    session.flush()

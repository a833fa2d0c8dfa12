"""An attempt at a job: its secret, derived and never stored; its deadline; compare and set."""

from __future__ import annotations

import hmac
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import ColumnElement

from server.db.models import Lesson, Match, MatchState, Version
from server.db.session import compare_and_set
from server.services.events import storable

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy.orm import Session

    from matchbox.settings import Settings

MOST_ATTEMPTS: Final = 20
"""A job sent so often that never came back is parked: it may be what kills the arenas."""
_AT_ONCE: Final = 3
"""So many attempts are sent after a lease each."""


def subject_of(row: Match | Version | Lesson) -> str:
    """What the token of a row speaks of: a match's id, one bot's version, or a lesson.

    A try-out's messages name the bundle's digest, which two bots may share; their tokens differ.
    """
    match row:
        case Match():
            return row.id
        case Version():
            return f"version:{row.id}"
    return f"lesson:{row.id}"


def token_of(settings: Settings, row: Match | Version | Lesson, attempt: int) -> str:
    """64 hex digits that only the server can make."""
    text = f"{subject_of(row)}:{attempt}".encode()
    return hmac.new(settings.secret_key.encode(), text, sha256).hexdigest()


def is_of(settings: Settings, row: Match | Version | Lesson, attempt: int, token: str) -> bool:
    """True where the token is that of an attempt of this row that was really made."""
    right = token_of(settings, row, attempt)
    return 1 <= attempt <= row.attempt and hmac.compare_digest(
        right.encode(), token.encode("utf-8", "replace")
    )


def next_deadline(settings: Settings, now: int, attempt: int = 1) -> int:
    """When an attempt that begins or is renewed now has to be back, in ms.

    One that is sent again and again waits longer each time: behind slow bots a queue may take
    longer than any lease, and nobody's match may be parked for that.
    """
    leases = max(1, attempt - _AT_ONCE)
    return now + settings.lease_minutes * 60_000 * leases


def faulted(row: Version | Lesson, why: str, settings: Settings) -> dict[str, Any]:
    """What a platform fault changes in a try-out or lesson: one more, and after too many parked."""
    faults = row.platform_faults + 1
    told = {"platform_faults": faults, "trouble": storable(why, 500)}
    return told if faults < settings.attempts else {**told, "deadline": None}


def change(
    session: Session,
    match: Match,
    before: Collection[MatchState],
    values: dict[str, Any],
    *so_far: ColumnElement[bool],
) -> bool:
    """Compare and set on a match in one of these states; False where somebody was first."""
    return compare_and_set(session, match, values, Match.state.in_(before), *so_far)

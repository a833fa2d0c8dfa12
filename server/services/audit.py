"""The audit log: services write it, operators read it.

Lines are added and never changed. This module does not know what the actions mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from server.db.models import Audit

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from server.db.models import User


def note(
    session: Session,
    actor: User | None,
    action: str,
    subject: str,
    detail: dict[str, Any] | None = None,
    *,
    now: int,
) -> None:
    """Adds a line to the audit log.

    `actor` is None for the schedule. `action` is a name such as season.start, and `subject` names
    what it changes, such as season:<id> or arena:<name>. `detail` is plain data: the arguments and
    the reason, but no secrets.
    """
    row = Audit(
        at=now,
        actor_id=actor.id if actor is not None else None,
        action=action,
        subject=subject,
        detail=detail or {},
    )
    session.add(row)

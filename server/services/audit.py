"""The audit log: services write it, operators read it.

Lines are added and never changed. Knows no meaning of any action.
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
    """Writes a line: actor (None for the schedule), action (such as season.start) and subject.

    The subject is league:<id>, season:<id>, match:<id>, version:<id>, bot:<id> or user:<id>; the
    detail is plain data: the arguments and the reason, and no secret.
    """
    row = Audit(
        at=now,
        actor_id=actor.id if actor is not None else None,
        action=action,
        subject=subject,
        detail=detail or {},
    )
    session.add(row)

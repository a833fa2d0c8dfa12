"""The audit log: services write it, operators read it.

Lines are added and never changed. This module does not know what the actions mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

from server.db.models import Audit

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from server.db.models import User

Action: TypeAlias = Literal[
    "arena-key.drain", "arena-key.make", "arena-key.remove", "arena-key.undrain", "arena.go-on",
    "arena.stop", "arena.void", "bot.retire", "comparison.cancel", "league.code", "league.create",
    "league.edit", "league.invite", "league.join", "league.pause", "league.recompute",
    "league.resume", "league.uncode", "league.uninvite", "lesson.requeue", "lesson.skip",
    "match.again", "match.requeue", "match.void", "platform.log-out", "season.cancel",
    "season.create", "season.disqualify", "season.enter", "season.freeze", "season.leave",
    "season.open", "season.pause", "season.put-off", "season.recompute", "season.reinstate",
    "season.rerun", "season.resume", "season.start", "season.suspend", "season.verify",
    "table.close", "user.claim", "user.close", "user.create", "user.delete", "user.email",
    "user.export", "user.note", "user.openid-link", "user.openid-signup", "user.openid-unlink",
    "user.password", "user.password-link", "user.reopen", "user.reset", "user.role",
    "user.session", "user.token", "version.activate", "version.quarantine", "version.reinstate",
    "version.requeue", "version.suspend",
]  # fmt: skip
"""What is done, and to what kind of thing."""
ACTIONS: Final[tuple[Action, ...]] = get_args(Action)


def note(
    session: Session,
    actor: User | None,
    action: Action,
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

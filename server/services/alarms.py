"""Notifies the operators when a fault of the platform begins, and when it is over.

Remembers which findings were reported, so that each is reported once. A finding is reported only
after it has lasted for some time, and is over only after some time without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
from sqlalchemy import select

from server.db.models import Role, Setting, User
from server.services import signs
from server.services.notices import notify_account

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from matchbox.answers.health import Finding

NAME: Final = "alarms"
LASTS_MS: Final = 30_000
"""A finding is reported once it has lasted for this long."""
OVER_MS: Final = 120_000
"""A finding is over when it has stayed away for this long. One that was not reported yet is over
after one round of checks: ledgers on several machines check in turn, and only one of them finds
that its own disk is full."""


class Alarm(msgspec.Struct, frozen=True):
    """A finding that is present now, or was until lately. Times are UTC in ms."""

    text: str
    since: int
    told: bool = False
    gone_at: int | None = None


def key_of(finding: Finding) -> str:
    """Returns the name of the finding, which stays the same while its text changes."""
    return f"{finding.kind}:{finding.about}"


def alarms(session: Session) -> dict[str, Alarm]:
    """Returns the findings at the last check by name, including those that are not over yet."""
    row = session.get(Setting, NAME)
    return msgspec.convert(dict(row.value) if row is not None else {}, dict[str, Alarm])


def note(session: Session, findings: Sequence[Finding], *, now: int) -> int:
    """Stores the present findings, and notifies the operators of those that have begun or are over.

    Returns the number of findings in these notices.
    """
    before = alarms(session)
    present = {key_of(one): one for one in findings}
    after: dict[str, Alarm] = {}
    count = 0
    for name, finding in present.items():
        known = before.get(name)
        if known is None or (not known.told and _is_over(known, now)):
            known = Alarm(finding.text, now)
        since = min(known.since, now)  # It is later than now if the clock was ahead.
        due = not known.told and now - since >= LASTS_MS
        if due:
            notify_operators(session, finding.kind, f"{finding.text} {finding.remedy}", now=now)
            count += 1
        after[name] = Alarm(finding.text, since, told=known.told or due)
    for name, known in before.items():
        if name in present:
            continue
        gone_at = now if known.gone_at is None else min(known.gone_at, now)
        gone = msgspec.structs.replace(known, gone_at=gone_at)
        if not _is_over(gone, now):
            after[name] = gone
        elif known.told:
            text, kind = f"This is over: {known.text}", name.partition(":")[0]
            notify_operators(session, kind, text, over=True, now=now)
            count += 1
    if after != before:
        session.merge(Setting(name=NAME, value=msgspec.to_builtins(after), changed_at=now))
    return count


def _is_over(known: Alarm, now: int) -> bool:
    """Whether the finding has stayed away for long enough."""
    most = OVER_MS if known.told else signs.EVERY_MS
    return known.gone_at is not None and now - known.gone_at >= most


def notify_operators(
    session: Session, finding: str, text: str, *, over: bool = False, now: int
) -> None:
    """Writes a notice about a kind of finding to every operator whose account is open."""
    subject = f"platform:{finding}"
    open_ones = (User.role == Role.OPERATOR, User.closed_at.is_(None))
    for user in session.scalars(select(User.id).where(*open_ones).order_by(User.id)):
        notify_account(session, user, "finding-over" if over else "finding", subject, text, now=now)

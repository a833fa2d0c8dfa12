"""What the platform keeps of itself: tasks to send, news to tell, small facts."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from server.db.models.tables import Table


class Outbox(Table):
    """A task to be sent once its transaction is in; deleted when the broker has it."""

    __tablename__ = "outbox"

    id: Mapped[int] = mapped_column(primary_key=True)
    task: Mapped[str] = mapped_column(String(32))
    message: Mapped[dict[str, Any]]
    taken_at: Mapped[int | None] = mapped_column(BigInteger)
    """When a process began to send it; another may try after a while."""


class Event(Table):
    """A piece of public news, for pages that are being watched; trimmed from its old end."""

    __tablename__ = "event"
    __table_args__ = {"sqlite_autoincrement": True}  # noqa: RUF012

    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(String(32))
    """match.running, match.finished, version.settled, standing.refreshed, season.started, ..."""
    subject: Mapped[str] = mapped_column(String(64))
    at: Mapped[int] = mapped_column(BigInteger)


class Setting(Table):
    """Small facts, such as what walls the arenas report."""

    __tablename__ = "setting"

    name: Mapped[str] = mapped_column(String(32), primary_key=True)
    value: Mapped[dict[str, Any]]
    changed_at: Mapped[int] = mapped_column(BigInteger)


class Audit(Table):
    """Who did what to what, and when; never changed, never trimmed."""

    __tablename__ = "audit"

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[int] = mapped_column(BigInteger)
    actor_id: Mapped[int | None] = mapped_column(ForeignKey("user.id"))
    """None if the schedule did it."""
    action: Mapped[str] = mapped_column(String(32))
    """season.start, match.void, entry.disqualify, ..."""
    subject: Mapped[str] = mapped_column(String(64), index=True)
    """league:<id>, season:<id>, match:<id>, version:<id> or user:<id>."""
    detail: Mapped[dict[str, Any]] = mapped_column(default=dict)
    """What was asked for, and why."""


class Verification(Table):
    """The outcome of replaying a season's records."""

    __tablename__ = "verification"

    id: Mapped[int] = mapped_column(primary_key=True)
    season_id: Mapped[int] = mapped_column(ForeignKey("season.id"), index=True)
    actor_id: Mapped[int | None] = mapped_column(ForeignKey("user.id"))
    at: Mapped[int] = mapped_column(BigInteger)
    matches: Mapped[int]
    """How many were played again."""
    out_of: Mapped[int]
    """How many there were."""
    same: Mapped[int]
    different: Mapped[list[Any]]
    """Match ids, as the two after it."""
    unrepeatable: Mapped[list[Any]]
    replayed_only: Mapped[list[Any]]
    lessons: Mapped[dict[str, Any]]
    """How the lessons came out: lessons, same, different, unrepeatable, not_repeated."""
    standing: Mapped[str] = mapped_column(String(16))
    """same or different: the standing computed again from the rows."""


class PlatformFault(Table):
    """A version that was present when the platform failed at a match; kept for a day."""

    __tablename__ = "platform_fault"

    id: Mapped[int] = mapped_column(primary_key=True)
    version_id: Mapped[int] = mapped_column(ForeignKey("version.id"), index=True)
    match_id: Mapped[str] = mapped_column(ForeignKey("match.id"))
    at: Mapped[int] = mapped_column(BigInteger, index=True)

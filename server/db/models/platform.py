"""The platform's own data: tasks to send, events, settings, keys of arenas, the audit log, reports
of verifications, and counts of faults."""

from __future__ import annotations

from typing import Any, Literal

from sqlalchemy import BigInteger, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from server.db.models.declarative import MANY, Base


class Outbox(Base):
    """A task to send after its transaction is committed; deleted when the broker has it."""

    __tablename__ = "outbox"

    id: Mapped[int] = mapped_column(MANY, primary_key=True)
    task: Mapped[str] = mapped_column(String(32))
    message: Mapped[dict[str, Any]]
    taken_at: Mapped[int | None] = mapped_column(BigInteger)
    """When a process began to send it. After a while another process may try."""


class Event(Base):
    """A public event, for pages that are being watched. The oldest events are deleted."""

    __tablename__ = "event"
    __table_args__ = {"sqlite_autoincrement": True}  # noqa: RUF012

    id: Mapped[int] = mapped_column(MANY, primary_key=True)
    kind: Mapped[str] = mapped_column(String(32))
    """match.running, match.finished, version.settled, standing.refreshed, season.started, ..."""
    subject: Mapped[str] = mapped_column(String(64))
    at: Mapped[int] = mapped_column(BigInteger)


class Setting(Base):
    """A small fact, such as the arenas' reports about their walls."""

    __tablename__ = "setting"

    name: Mapped[str] = mapped_column(String(32), primary_key=True)
    value: Mapped[dict[str, Any]]
    changed_at: Mapped[int] = mapped_column(BigInteger)


class ArenaKey(Base):
    """The key with which the arenas of another host ask for jobs. It is never deleted."""

    __tablename__ = "arena_key"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(24), unique=True)
    """Part of its arenas' names, so no other key ever gets it."""
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[int] = mapped_column(BigInteger)
    draining: Mapped[bool] = mapped_column(default=False)
    """True while its arenas get no new jobs."""
    revoked_at: Mapped[int | None] = mapped_column(BigInteger)


class ArenaPart(Base):
    """A part of a result that an arena with a key is about to hand in."""

    __tablename__ = "arena_part"

    arena: Mapped[str] = mapped_column(String(64), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    data: Mapped[bytes]


class Audit(Base):
    """A line of the audit log: an action, its actor, its subject and its time. Never changed, never
    deleted."""

    __tablename__ = "audit"

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[int] = mapped_column(BigInteger)
    actor_id: Mapped[int | None] = mapped_column(ForeignKey("user.id"))
    """None for an action of the schedule."""
    action: Mapped[str] = mapped_column(String(32))
    """season.start, match.void, entry.disqualify, ..."""
    subject: Mapped[str] = mapped_column(String(64), index=True)
    """What was changed, such as season:<id> or arena:<name>."""
    detail: Mapped[dict[str, Any]] = mapped_column(default=dict)
    """The arguments of the action, and the reason for it."""


class Verification(Base):
    """The outcome of replaying a season's records."""

    __tablename__ = "verification"

    id: Mapped[int] = mapped_column(primary_key=True)
    season_id: Mapped[int] = mapped_column(ForeignKey("season.id"), index=True)
    actor_id: Mapped[int | None] = mapped_column(ForeignKey("user.id"))
    at: Mapped[int] = mapped_column(BigInteger)
    matches: Mapped[int]
    """The number of matches that were replayed."""
    out_of: Mapped[int]
    """The number of matches in the season."""
    same: Mapped[int]
    different: Mapped[list[Any]]
    """The ids of the first matches with a different result; the next two columns hold ids too."""
    unrepeatable: Mapped[list[Any]]
    replayed_only: Mapped[list[Any]]
    lessons: Mapped[dict[str, Any]]
    """The results of the lessons: lessons, same, different, unrepeatable, not_repeated."""
    standing: Mapped[Literal["same", "different"]] = mapped_column(String(16))
    """same or different: the result of computing the standing again from the rows."""
    counts: Mapped[dict[str, Any] | None]
    """The number of matches by finding, if the three lists may lack some; and of lessons, below."""
    lesson_counts: Mapped[dict[str, Any] | None]


class PlatformFault(Base):
    """A version that took part when the platform failed at a match; kept for a day."""

    __tablename__ = "platform_fault"

    id: Mapped[int] = mapped_column(primary_key=True)
    version_id: Mapped[int] = mapped_column(ForeignKey("version.id"), index=True)
    match_id: Mapped[str] = mapped_column(ForeignKey("match.id"))
    at: Mapped[int] = mapped_column(BigInteger, index=True)


class FaultCount(Base):
    """The number of faults of one kind that a version made in an hour; kept for a little more than
    a week."""

    __tablename__ = "fault_count"

    hour: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    """When the hour began."""
    version_id: Mapped[int] = mapped_column(ForeignKey("version.id"), primary_key=True)
    kind: Mapped[str] = mapped_column(String(16), primary_key=True)
    bouts: Mapped[int]
    matches: Mapped[int]
    match_id: Mapped[str] = mapped_column(String(32))
    """The newest of these matches."""

"""What versions remember from round to round of a season, and the lessons that made it so."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.db.models.bots import Version
from server.db.models.leagues import Season
from server.db.models.tables import Table


class LessonState(StrEnum):
    """The life of a lesson. Final: learned, failed."""

    WAITING = "waiting"
    """Sent, or to be sent, to an arena."""
    LEARNED = "learned"
    FAILED = "failed"
    """The bot made a fault: its old memory stays."""


class Memory(Table):
    """Bytes that a version remembers, once per digest."""

    __tablename__ = "memory"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    data: Mapped[bytes]


class Lesson(Table):
    """A version's learning after a round of a season."""

    __tablename__ = "lesson"
    __table_args__ = (
        UniqueConstraint("season_id", "round", "version_id"),
        Index(None, "state", "deadline"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    season_id: Mapped[int] = mapped_column(ForeignKey("season.id"))
    version_id: Mapped[int] = mapped_column(ForeignKey("version.id"), index=True)
    round: Mapped[int]
    """The round that was over, from 0."""
    state: Mapped[str] = mapped_column(String(16), default=LessonState.WAITING)
    attempt: Mapped[int] = mapped_column(default=0)
    deadline: Mapped[int | None] = mapped_column(BigInteger)
    """When the sweeper sends it again; None once it is final."""
    platform_faults: Mapped[int] = mapped_column(default=0)
    trouble: Mapped[str] = mapped_column(String(500), default="")
    played: Mapped[list[Any]]
    """What it is learned from: [match, which of its entrants the version was], by match id."""
    before: Mapped[str | None] = mapped_column(ForeignKey("memory.digest"))
    after: Mapped[str | None] = mapped_column(ForeignKey("memory.digest"))
    """What it remembers from then on; None if that is nothing."""
    records: Mapped[int] = mapped_column(default=0)
    """How many bouts it was told."""
    fault: Mapped[str] = mapped_column(String(500), default="")
    """The fault that left the old memory, as "kind: detail"."""
    log: Mapped[str] = mapped_column(default="")
    """What the bot printed, for its owner."""
    created_at: Mapped[int] = mapped_column(BigInteger)
    settled_at: Mapped[int | None] = mapped_column(BigInteger)
    season: Mapped[Season] = relationship()
    version: Mapped[Version] = relationship()

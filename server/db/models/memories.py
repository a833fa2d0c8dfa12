"""The memories of versions between the rounds of a season, and the lessons that made them."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.db.models.bots import Version
from server.db.models.declarative import Base, JobColumns
from server.db.models.leagues import Season


class LessonState(StrEnum):
    """The life of a lesson. Final: learned, failed."""

    WAITING = "waiting"
    """Sent to an arena, or about to be sent."""
    LEARNED = "learned"
    FAILED = "failed"
    """The bot made a fault, so it keeps its old memory."""


class Memory(Base):
    """A memory's bytes, stored once for each digest."""

    __tablename__ = "memory"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    data: Mapped[bytes]


class Lesson(JobColumns, Base):
    """A lesson: a version learns after a round of a season."""

    __tablename__ = "lesson"
    __table_args__ = (
        UniqueConstraint("season_id", "round", "version_id"),
        Index(None, "state", "deadline"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    season_id: Mapped[int] = mapped_column(ForeignKey("season.id"))
    version_id: Mapped[int] = mapped_column(ForeignKey("version.id"), index=True)
    round: Mapped[int]
    """The round that had just ended, from 0."""
    state: Mapped[str] = mapped_column(String(16), default=LessonState.WAITING)
    played: Mapped[list[Any]]
    """The matches from which it learns, in the order of match ids: [match, the version's place
    among the entrants]."""
    before: Mapped[str | None] = mapped_column(ForeignKey("memory.digest"))
    after: Mapped[str | None] = mapped_column(ForeignKey("memory.digest"))
    """The digest of the new memory; None for an empty memory."""
    records: Mapped[int] = mapped_column(default=0)
    """The number of bouts that the bot was given, even if it failed to learn from them."""
    fault: Mapped[str] = mapped_column(String(500), default="")
    """The fault that kept the old memory in place, as "kind: detail"; empty if there was none."""
    log: Mapped[str] = mapped_column(default="")
    """The bot's output, for its owner; a sentence in its place once it was removed."""
    log_days: Mapped[int | None]
    """After how many days the output was removed; None if it is still there, or was empty."""
    created_at: Mapped[int] = mapped_column(BigInteger)
    settled_at: Mapped[int | None] = mapped_column(BigInteger)
    season: Mapped[Season] = relationship()
    version: Mapped[Version] = relationship()

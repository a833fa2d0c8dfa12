"""Bots, their versions, the uploaded bytes, and drafts."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final

from sqlalchemy import BigInteger, ForeignKey, Index, String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.db.models.declarative import Base, JobColumns
from server.db.models.people import User


class VersionState(StrEnum):
    """The life of an upload."""

    PENDING = "pending"
    """Waits for its try-out, or is in it."""
    ACTIVE = "active"
    """Accepted, and the one that the bot plays with."""
    ACCEPTED = "accepted"
    """Accepted, but another version of the bot is active."""
    QUARANTINED = "quarantined"
    """Took part too often when the platform failed. It does not play until it has been tried out
    alone."""
    SUSPENDED = "suspended"
    """Was active, and made too many faults. It does not play; a new version may replace it."""
    REFUSED = "refused"
    RETIRED = "retired"


class DraftState(StrEnum):
    """The life of a draft's try-out."""

    PENDING = "pending"
    """Waits for its try-out, or is in it."""
    ACCEPTED = "accepted"
    REFUSED = "refused"
    LOST = "lost"
    """The platform failed at it too often; its author may send it again."""


WAITING: Final = (VersionState.PENDING, VersionState.QUARANTINED)
"""The states in which a try-out is due or under way."""
IDLE: Final = (
    *(VersionState.ACCEPTED, VersionState.REFUSED),
    *(VersionState.RETIRED, VersionState.SUSPENDED),
)
"""The states of versions that do not play."""
_LOG: Final = text("log_days IS NULL")


class Bot(Base):
    """A name in one game. It belongs to one owner for ever."""

    __tablename__ = "bot"
    __table_args__ = (UniqueConstraint("owner_id", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    owner_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    name: Mapped[str] = mapped_column(String(32), index=True)
    game: Mapped[str] = mapped_column(String(32), index=True)
    created_at: Mapped[int] = mapped_column(BigInteger)
    retired_at: Mapped[int | None] = mapped_column(BigInteger)
    owner: Mapped[User] = relationship(back_populates="bots")
    versions: Mapped[list[Version]] = relationship(back_populates="bot", order_by="Version.number")

    @property
    def full_name(self) -> str:
        """The displayed name: owner/name."""
        return f"{self.owner.name}/{self.name}"


class Bundle(Base):
    """Uploaded bytes, stored once for each digest."""

    __tablename__ = "bundle"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    data: Mapped[bytes]


class Version(JobColumns, Base):
    """An immutable upload of a bot: a bundle, and the chosen class in it."""

    __tablename__ = "version"
    __table_args__ = (
        UniqueConstraint("bot_id", "number"),
        UniqueConstraint("bot_id", "digest", "class_name"),
        Index(None, "state", "deadline"),
        Index(None, "state", "settled_at", sqlite_where=_LOG, postgresql_where=_LOG),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    bot_id: Mapped[int] = mapped_column(ForeignKey("bot.id"))
    number: Mapped[int]
    """1, 2, 3, ... within the bot."""
    digest: Mapped[str] = mapped_column(ForeignKey("bundle.digest"), index=True)
    class_name: Mapped[str] = mapped_column(String(64), default="")
    """The class that the owner chose; empty if the file decides."""
    state: Mapped[str] = mapped_column(String(16), default=VersionState.PENDING)
    deadline: Mapped[int | None] = mapped_column(BigInteger)
    """The time when its try-out is due, for the first time or again; before that time a try-out is
    under way. None if it is settled or parked."""
    claimed_at: Mapped[int | None] = mapped_column(BigInteger)
    """When an arena began the latest try-out."""
    network: Mapped[str] = mapped_column(String(64), default="")
    """The network that the upload came from; deleted after the verdict."""
    report: Mapped[dict[str, Any] | None]
    """The try-out's report: verdict, reasons, log, games, cpu_ms_per_decision, box."""
    log_days: Mapped[int | None]
    """The number of days after which the report's log was removed; None while it is there."""
    unrepeatable: Mapped[bool] = mapped_column(default=False)
    sampled: Mapped[int] = mapped_column(default=0)
    """The number of its matches in which some bouts were replayed alone."""
    stateful_at: Mapped[int | None] = mapped_column(BigInteger)
    """When it was found to keep state between bouts; None if it never was."""
    learns: Mapped[bool | None]
    """Whether its class has a `learn` method; None until this is known."""
    rated_matches: Mapped[int] = mapped_column(default=0)
    """The number of its ranked and season matches over which its forfeits are counted."""
    rated_bouts: Mapped[int] = mapped_column(default=0)
    """The number of bouts in those matches."""
    forfeits: Mapped[int] = mapped_column(default=0)
    """The number of those bouts that it forfeited."""
    counted_from: Mapped[int | None] = mapped_column(BigInteger)
    """When an operator last reset the three counts; they leave out all matches that ended
    before."""
    created_at: Mapped[int] = mapped_column(BigInteger, index=True)
    settled_at: Mapped[int | None] = mapped_column(BigInteger, index=True)
    bot: Mapped[Bot] = relationship(back_populates="versions")

    @property
    def owner(self) -> User:
        """The account that its bot belongs to."""
        return self.bot.owner

    @property
    def game(self) -> str:
        """The game that its bot plays."""
        return self.bot.game

    @property
    def parked(self) -> bool:
        """True if its try-out waits for an operator after too many platform faults."""
        return self.state in WAITING and self.deadline is None

    @property
    def entrant(self) -> str:
        """Its name in rows and standings, which is the same in every database."""
        return entrant_name(self.bot.full_name, self.digest, self.class_name)


def entrant_name(bot: str, digest: str, class_name: str | None) -> str:
    """Returns the name in rows and standings of a version of this bot, owner/name."""
    return f"{bot}:{digest}:{class_name}" if class_name else f"{bot}:{digest}"


class Draft(JobColumns, Base):
    """A file that is tried out without becoming a version. It is deleted after a while."""

    __tablename__ = "draft"
    __table_args__ = (Index(None, "state", "deadline"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    owner_id: Mapped[int] = mapped_column(ForeignKey("user.id"), index=True)
    game: Mapped[str] = mapped_column(String(32))
    digest: Mapped[str] = mapped_column(String(64), index=True)
    class_name: Mapped[str] = mapped_column(String(64), default="")
    data: Mapped[bytes] = mapped_column(deferred=True)
    state: Mapped[str] = mapped_column(String(16), default=DraftState.PENDING)
    deadline: Mapped[int | None] = mapped_column(BigInteger)
    """As for a version: the time when its try-out is due; before that time a try-out is under
    way."""
    claimed_at: Mapped[int | None] = mapped_column(BigInteger)
    network: Mapped[str] = mapped_column(String(64), default="")
    """The network that it came from; deleted after the verdict."""
    report: Mapped[dict[str, Any] | None]
    created_at: Mapped[int] = mapped_column(BigInteger, index=True)
    settled_at: Mapped[int | None] = mapped_column(BigInteger)
    owner: Mapped[User] = relationship()

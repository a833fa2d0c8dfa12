"""Tables where people play against bots, and the bots' turns at them."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final

from sqlalchemy import JSON, BigInteger, ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.db.models.bots import Version
from server.db.models.declarative import Base, JobColumns
from server.db.models.people import User


class PlayState(StrEnum):
    """The life of a table. Final: finished, ended."""

    OPEN = "open"
    """Waits for somebody to take a free seat."""
    BOTS = "bots"
    """Waits for the bots' moves."""
    PERSONS = "persons"
    """Waits for a person's move."""
    FINISHED = "finished"
    """Played to its end; everybody may watch it."""
    ENDED = "ended"
    """Ended early: somebody left, nobody moved for long, or an operator closed it."""


UNSETTLED: Final = (PlayState.OPEN, PlayState.BOTS, PlayState.PERSONS)
"""The states of a table that is still open."""


class PlayTable(Base):
    """One bout between people and bots. The answers so far are its whole state."""

    __tablename__ = "play_table"
    __table_args__ = (Index(None, "state", "deadline"),)

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    """32 random hex digits."""
    game: Mapped[str] = mapped_column(String(32))
    rules: Mapped[str] = mapped_column(String(16))
    options: Mapped[dict[str, Any]]
    deal: Mapped[str] = mapped_column(String(32))
    """The deal's seed, which nobody learns before the end."""
    limits: Mapped[dict[str, Any]]
    state: Mapped[str] = mapped_column(String(16))
    place: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    """The position of a match from which it goes on, as server.services.positions.Place, and
    the rotation of its bout."""
    opener_id: Mapped[int | None] = mapped_column(ForeignKey("user.id"))
    """The account that opened it; None if two people or more sit there and release
    0.3.13 or an earlier one opened it."""
    said: Mapped[list[Any]]
    """The answers so far, each as matchbox.match.wire.Said."""
    deadline: Mapped[int] = mapped_column(BigInteger)
    """The time at which the table ends if nobody touches it. Put off while the bots' turn waits for
    an arena, or is played."""
    why: Mapped[str] = mapped_column(String(500), default="")
    """The reason for its end."""
    record: Mapped[bytes | None]
    """The packed record of a table that is over; of one that ended early, the moves so far."""
    created_at: Mapped[int] = mapped_column(BigInteger, index=True)
    finished_at: Mapped[int | None] = mapped_column(BigInteger)
    seats: Mapped[list[PlaySeat]] = relationship(order_by="PlaySeat.seat")


class PlaySeat(Base):
    """A seat of a table, with a version or a person in it; free if it has neither."""

    __tablename__ = "play_seat"
    __table_args__ = (Index(None, "user_id", "created_at", "table_id"),)

    table_id: Mapped[str] = mapped_column(ForeignKey("play_table.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
    version_id: Mapped[int | None] = mapped_column(ForeignKey("version.id"))
    user_id: Mapped[int | None] = mapped_column(ForeignKey("user.id"))
    created_at: Mapped[int] = mapped_column(BigInteger)
    """The time of the table: an account's tables are listed in this order."""
    version: Mapped[Version | None] = relationship()
    user: Mapped[User | None] = relationship()


class Turn(JobColumns, Base):
    """A turn of a table's bots: a job for an arena. Only the newest of a table can be wanted."""

    __tablename__ = "turn"
    __table_args__ = (UniqueConstraint("table_id", "number"), Index(None, "wanted", "deadline"))

    id: Mapped[int] = mapped_column(primary_key=True)
    table_id: Mapped[str] = mapped_column(ForeignKey("play_table.id"))
    number: Mapped[int]
    """The number of answers at the table before it."""
    wanted: Mapped[bool] = mapped_column(default=True)
    """False once the turn was taken, or the table has ended."""
    created_at: Mapped[int] = mapped_column(BigInteger)
    table: Mapped[PlayTable] = relationship()

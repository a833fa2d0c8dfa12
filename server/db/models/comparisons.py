"""Comparisons of two versions, requested by authors."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.db.models.bots import Version
from server.db.models.declarative import Base
from server.db.models.leagues import League
from server.db.models.people import User


class ComparisonState(StrEnum):
    """The life of a comparison. Final: finished, cancelled."""

    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class Comparison(Base):
    """Tests whether the challenger is better than the defender.

    They play against each other, or both against a field.
    """

    __tablename__ = "comparison"
    __table_args__ = (Index(None, "owner_id", "created_at"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    owner_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    league_id: Mapped[int] = mapped_column(ForeignKey("league.id"))
    """The league whose game and options are played."""
    challenger_id: Mapped[int] = mapped_column(ForeignKey("version.id"))
    defender_id: Mapped[int] = mapped_column(ForeignKey("version.id"))
    field: Mapped[list[Any]] = mapped_column(default=list)
    """The ids of the versions that both play against; empty if the two play each other."""
    bounds: Mapped[list[Any]]
    """[low, high] in Elo."""
    deals: Mapped[int]
    """The number of deals in a match."""
    games: Mapped[int] = mapped_column(default=0)
    """The number of bouts played so far."""
    most: Mapped[int]
    """The number of bouts after which the comparison ends undecided."""
    seed: Mapped[str] = mapped_column(String(64))
    state: Mapped[str] = mapped_column(String(16), default=ComparisonState.RUNNING, index=True)
    result: Mapped[dict[str, Any] | None]
    created_at: Mapped[int] = mapped_column(BigInteger)
    finished_at: Mapped[int | None] = mapped_column(BigInteger)
    owner: Mapped[User] = relationship()
    league: Mapped[League] = relationship()
    challenger: Mapped[Version] = relationship(foreign_keys=[challenger_id])
    defender: Mapped[Version] = relationship(foreign_keys=[defender_id])

"""Matches to be played, and their results."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, String, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.db.models.bots import Version
from server.db.models.leagues import League, Season
from server.db.models.tables import Table


class MatchState(StrEnum):
    """The life of a match. Final: finished, void."""

    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    PARKED = "parked"
    """Too many platform faults: waits for the operator."""
    VOID = "void"


UNFINISHED: Final = (MatchState.QUEUED, MatchState.RUNNING, MatchState.PARKED)
_COMPARED: Final = text("comparison_id IS NOT NULL")


class Deal(Table):
    """One seed, stored when it is scheduled and never used again in a later round."""

    __tablename__ = "deal"

    seed: Mapped[str] = mapped_column(String(32), primary_key=True)
    created_at: Mapped[int] = mapped_column(BigInteger)


class Match(Table):
    """Deals x rotations between given versions: the truth about its state."""

    __tablename__ = "match"
    __table_args__ = (
        Index(None, "state", "deadline"),
        Index(None, "league_id", "season_id", "state", "number"),
        Index(None, "season_id", "state"),
        Index(
            None,
            *("comparison_id", "state", "number"),
            sqlite_where=_COMPARED,
            postgresql_where=_COMPARED,
        ),
        Index(None, "created_at", "number", "id"),
        CheckConstraint("attempt >= 0", name="attempt"),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    """32 hex digits, derived from the season's or league's seed and the match's number."""
    league_id: Mapped[int] = mapped_column(ForeignKey("league.id"))
    season_id: Mapped[int | None] = mapped_column(ForeignKey("season.id"))
    number: Mapped[int]
    """Counts the matches of the season, or of the league outside seasons, from 0."""
    comparison_id: Mapped[int | None]
    """The comparison of two versions that it belongs to; no standing counts it then."""
    why: Mapped[str] = mapped_column(String(16))
    """Why it was scheduled: season, ranked, or comparison."""
    round: Mapped[int] = mapped_column(default=0)
    """The season's round, from 0."""
    replaces: Mapped[str | None] = mapped_column(String(32), index=True)
    """The void match that it is played for."""
    rules: Mapped[str] = mapped_column(String(16))
    state: Mapped[str] = mapped_column(String(16), default=MatchState.QUEUED)
    attempt: Mapped[int] = mapped_column(default=0)
    """How often it was sent to an arena."""
    deadline: Mapped[int | None] = mapped_column(BigInteger)
    """When the sweeper queues it again; None unless it is running."""
    platform_faults: Mapped[int] = mapped_column(default=0)
    trouble: Mapped[str] = mapped_column(String(500), default="")
    """What the platform last reported about it."""
    void_why: Mapped[str] = mapped_column(String(500), default="")
    """Why it is void, for everybody to read."""
    limits: Mapped[dict[str, Any]]
    """The seats' limits it is played under."""
    width: Mapped[int]
    created_at: Mapped[int] = mapped_column(BigInteger)
    finished_at: Mapped[int | None] = mapped_column(BigInteger)
    league: Mapped[League] = relationship()
    season: Mapped[Season | None] = relationship()
    seats: Mapped[list[MatchSeat]] = relationship(back_populates="match", order_by="MatchSeat.seat")
    deals: Mapped[list[MatchDeal]] = relationship(order_by="MatchDeal.position")
    result: Mapped[Result | None] = relationship(back_populates="match")


class MatchSeat(Table):
    """Which version sits where in rotation 0 of a match."""

    __tablename__ = "match_seat"

    match_id: Mapped[str] = mapped_column(ForeignKey("match.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
    version_id: Mapped[int] = mapped_column(ForeignKey("version.id"), index=True)
    memory: Mapped[str | None] = mapped_column(String(64))
    """The digest of what the version remembers in it; None if that is nothing."""
    stateful: Mapped[bool] = mapped_column(default=False)
    """Whether it answered otherwise where bouts of the match were played again alone."""
    match: Mapped[Match] = relationship(back_populates="seats")
    version: Mapped[Version] = relationship()


class MatchDeal(Table):
    """Which deals a match plays, in order."""

    __tablename__ = "match_deal"

    match_id: Mapped[str] = mapped_column(ForeignKey("match.id"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    seed: Mapped[str] = mapped_column(ForeignKey("deal.seed"), index=True)


class Result(Table):
    """The result of a finished match: one row, written once."""

    __tablename__ = "result"

    match_id: Mapped[str] = mapped_column(ForeignKey("match.id"), primary_key=True)
    digest: Mapped[str] = mapped_column(String(64))
    record: Mapped[bytes]
    """As matchbox.match.record.pack gives it."""
    bouts: Mapped[list[Any]]
    """Per bout [deal, rotation, places, scores, forfeit seat | null], in bout order."""
    notes: Mapped[list[Any]]
    """Diagnostics [entrant, deal, rotation, kind, detail], for owners."""
    diagnostics: Mapped[list[Any]] = mapped_column(default=list)
    """What players reported: [entrant, deal, rotation, decision, JSON], for owners."""
    logs: Mapped[list[Any]]
    """Each entrant's stdout and stderr, for its owner."""
    cpu_ms: Mapped[list[Any]]
    box: Mapped[str] = mapped_column(String(32))
    seconds: Mapped[float]
    finished_at: Mapped[int] = mapped_column(BigInteger)
    match: Mapped[Match] = relationship(back_populates="result")

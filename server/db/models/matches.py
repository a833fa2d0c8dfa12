"""Matches to be played, and their results."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ColumnElement,
    ForeignKey,
    Index,
    String,
    and_,
    text,
)
from sqlalchemy.ext.hybrid import hybrid_property
from sqlalchemy.orm import Mapped, mapped_column, relationship

from matchbox.match.wire import Finding
from server.db.models.bots import Version
from server.db.models.declarative import Base, JobColumns
from server.db.models.leagues import LONGEST_REASON, League, Season
from server.db.packed import PackedDeals, PackedList, pack_deals, unpack_deals


class MatchState(StrEnum):
    """The life of a match. Final: finished, void."""

    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    PARKED = "parked"
    """Stopped after too many platform faults; waits for an operator."""
    VOID = "void"


class VoidCause(StrEnum):
    """What made a match void."""

    OPERATOR = "operator"
    """An operator, for a fault of the platform."""
    EXCLUDED = "excluded"
    """An entrant was taken out of the season."""
    CANCELLED = "cancelled"
    """The season was cancelled."""
    COMPARED = "compared"
    """The comparison ended."""
    SUSPENDED = "suspended"
    """A version was suspended, or left quarantine refused or retired."""
    CLOSED = "closed"
    """An account was closed."""
    RULES = "rules"
    """The game has new rules, or is not installed any more."""


UNFINISHED: Final = (MatchState.QUEUED, MatchState.RUNNING, MatchState.PARKED)
_COMPARED: Final = text("comparison_id IS NOT NULL")
_OF_A_SEASON: Final = text("season_id IS NOT NULL")
_FAULTS: Final = text("forfeits > 0")
_OUTPUT: Final = text("logs_days IS NULL")
_OUTPUT_ONLY: Final[Any] = {"deferred": True, "deferred_group": "output"}
"""Loads what bots printed only where it is shown: it may be larger than the rest of a result."""
_RECORD: Final = text("record_days IS NULL")


class Match(JobColumns, Base):
    """Deals in all rotations between given versions. This row holds the true state of the match."""

    __tablename__ = "match"
    __table_args__ = (
        Index(None, "state", "deadline"),
        Index(None, "league_id", "season_id", "state", "number"),
        Index(None, "season_id", "state", "round"),
        Index(
            None, *("season_id", "number"), sqlite_where=_OF_A_SEASON, postgresql_where=_OF_A_SEASON
        ),
        Index(
            None,
            *("comparison_id", "state", "number"),
            sqlite_where=_COMPARED,
            postgresql_where=_COMPARED,
        ),
        Index(None, "first_deal", "state"),
        Index(None, "created_at", "number", "id"),
        Index(None, "state", "created_at", "number", "id"),
        Index(None, "league_id", "created_at", "number", "id"),
        CheckConstraint("attempt >= 0", name="attempt"),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    """32 hex digits, derived from the match's number and the seed of the season or league."""
    league_id: Mapped[int] = mapped_column(ForeignKey("league.id"))
    season_id: Mapped[int | None] = mapped_column(ForeignKey("season.id"))
    number: Mapped[int]
    """Counts from 0 within the season, or within the league for matches outside seasons."""
    comparison_id: Mapped[int | None]
    """The comparison that the match belongs to; such a match counts in no standing."""
    why: Mapped[str] = mapped_column(String(16))
    """The reason for scheduling it: season, ranked, or comparison."""
    round: Mapped[int] = mapped_column(default=0)
    """The round of the season, from 0."""
    replaces: Mapped[str | None] = mapped_column(String(32), index=True)
    """The void match that this match replaces."""
    rules: Mapped[str] = mapped_column(String(16))
    state: Mapped[str] = mapped_column(String(16), default=MatchState.QUEUED)
    void_cause: Mapped[str | None] = mapped_column(String(16))
    """A VoidCause; None unless the match is void."""
    void_why: Mapped[str] = mapped_column(String(LONGEST_REASON), default="")
    """The reason why the match is void, for readers; everybody may read it."""
    first_deal: Mapped[bytes]
    """The seed of the first deal, 16 bytes. Matches share all of their deals or none, so those with
    the same first deal share them."""
    deal_count: Mapped[int]
    other_deals: Mapped[bytes] = mapped_column(default=b"")
    """The other deals; see server.db.packed."""
    limits: Mapped[dict[str, Any]]
    """The limits for each seat."""
    width: Mapped[int]
    created_at: Mapped[int] = mapped_column(BigInteger)
    finished_at: Mapped[int | None] = mapped_column(BigInteger, index=True)
    score: Mapped[float | None]
    """The mean score at seat 0 over its bouts: a team's score; None until it is finished."""
    league: Mapped[League] = relationship()
    season: Mapped[Season | None] = relationship()
    seats: Mapped[list[MatchSeat]] = relationship(back_populates="match", order_by="MatchSeat.seat")
    result: Mapped[Result | None] = relationship(back_populates="match")

    @hybrid_property
    def is_ranked(self) -> bool:
        """Whether it is of a league's ranked queue: of no season and no comparison."""
        return self.season_id is None and self.comparison_id is None

    @is_ranked.inplace.expression
    @classmethod
    def _is_ranked(cls) -> ColumnElement[bool]:
        return and_(cls.season_id.is_(None), cls.comparison_id.is_(None))

    @property
    def deals(self) -> list[str]:
        """The seeds of the deals, in order: 32 hex digits each."""
        return unpack_deals(PackedDeals(self.first_deal, self.deal_count, self.other_deals))

    @deals.setter
    def deals(self, seeds: Sequence[str]) -> None:
        self.first_deal, self.deal_count, self.other_deals = pack_deals(seeds)


class MatchSeat(Base):
    """The seat of a version: the one that it has in rotation 0 of a match."""

    __tablename__ = "match_seat"
    __table_args__ = (
        Index(None, "version_id", "created_at", "number", "match_id"),
        Index(
            None,
            *("created_at", "number", "match_id"),
            sqlite_where=_FAULTS,
            postgresql_where=_FAULTS,
        ),
        Index(
            None,
            *("version_id", "created_at", "number", "seat", "match_id"),
            sqlite_where=_FAULTS,
            postgresql_where=_FAULTS,
        ),
    )

    match_id: Mapped[str] = mapped_column(ForeignKey("match.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
    version_id: Mapped[int] = mapped_column(ForeignKey("version.id"))
    created_at: Mapped[int] = mapped_column(BigInteger)
    """The time of the match, as `number` is that of the match: a bot's matches are listed in this
    order."""
    number: Mapped[int]
    memory: Mapped[str | None] = mapped_column(String(64))
    """The digest of the version's memory in this match; None for an empty memory."""
    stateful: Mapped[bool] = mapped_column(default=False)
    """True if the version answered differently when bouts of the match were replayed alone."""
    points: Mapped[float | None]
    """The version's share of the points; None until the match is finished."""
    forfeits: Mapped[int | None]
    """The number of bouts that it forfeited; None until the match is finished."""
    match: Mapped[Match] = relationship(back_populates="seats")
    version: Mapped[Version] = relationship()


class MatchVerification(JobColumns, Base):
    """A match that an arena plays again to see whether its record is right."""

    __tablename__ = "match_verification"
    __table_args__ = (Index(None, "asker_id", "created_at"), Index(None, "wanted", "deadline"))

    id: Mapped[int] = mapped_column(primary_key=True)
    match_id: Mapped[str] = mapped_column(ForeignKey("match.id"), index=True)
    asker_id: Mapped[int | None] = mapped_column(ForeignKey("user.id"))
    """The account that asked for it; None if the platform did so by itself."""
    wanted: Mapped[bool] = mapped_column(default=True)
    """False once there is a finding, or the platform has given up."""
    finding: Mapped[Finding | None] = mapped_column(String(16))
    """None before there is one."""
    bout: Mapped[int | None]
    """The first bout that differs, by its place in the record."""
    move: Mapped[int | None]
    """The number of moves of that bout that are the same."""
    created_at: Mapped[int] = mapped_column(BigInteger)
    finished_at: Mapped[int | None] = mapped_column(BigInteger)
    match: Mapped[Match] = relationship()


class Result(Base):
    """The result of a finished match: one row, written once."""

    __tablename__ = "result"
    __table_args__ = (
        Index(None, "logs_days", "finished_at", sqlite_where=_OUTPUT, postgresql_where=_OUTPUT),
        Index(None, "record_days", "finished_at", sqlite_where=_RECORD, postgresql_where=_RECORD),
    )

    match_id: Mapped[str] = mapped_column(ForeignKey("match.id"), primary_key=True)
    digest: Mapped[str] = mapped_column(String(64))
    record: Mapped[bytes]
    """The packed record, made by matchbox.match.record.pack; empty once it was removed."""
    record_days: Mapped[int | None]
    """The number of days after which the record was removed; None while it is there."""
    logs_days: Mapped[int | None]
    """The number of days after which logs, notes and diagnostics were removed; None while they are
    there."""
    bouts: Mapped[list[Any]] = mapped_column(PackedList)
    """One [deal, rotation, places, scores, forfeit seat or null] for each bout, in order."""
    moves: Mapped[list[Any]] = mapped_column(PackedList, default=list)
    """The number of moves of each bout, in order; empty in old results, for which they were not
    stored."""
    notes: Mapped[list[Any]] = mapped_column(PackedList)
    """[entrant, deal, rotation, kind, detail] for each fault or remark, for owners."""
    diagnostics: Mapped[list[Any]] = mapped_column(PackedList, default=list, **_OUTPUT_ONLY)
    """The players' own reports: [entrant, deal, rotation, decision, JSON], for owners."""
    printed: Mapped[list[Any]] = mapped_column(PackedList, default=list, **_OUTPUT_ONLY)
    """The bots' output, for owners, in two kinds of rows. The output at a decision is [entrant,
    deal, rotation, decision, whether it is a traceback, text, bytes left out]. Where there was no
    more room, there is [entrant, deal, rotation, decision, kind, bytes left out, whether nothing is
    kept of later bouts either]. A null decision stands for the end of the bout."""
    logs: Mapped[list[Any]] = mapped_column(PackedList, **_OUTPUT_ONLY)
    """The stdout and stderr of each entrant, for its owner."""
    cpu_ms: Mapped[list[Any]]
    box: Mapped[str] = mapped_column(String(32))
    seconds: Mapped[float]
    finished_at: Mapped[int] = mapped_column(BigInteger)
    match: Mapped[Match] = relationship(back_populates="result")

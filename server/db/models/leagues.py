"""Leagues, their seasons, and what is derived from their matches."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final

from sqlalchemy import BigInteger, ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from matchbox.match.wire import Separation
from server.db.models.bots import Bot, Version
from server.db.models.declarative import Base


class SeasonState(StrEnum):
    """The life of a season. Final: finished, cancelled."""

    DRAFT = "draft"
    """Only operators see the season."""
    OPEN = "open"
    """Bots may enter and leave."""
    FROZEN = "frozen"
    """Versions are fixed, but nothing is played yet."""
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    CANCELLED = "cancelled"


UPCOMING: Final = (SeasonState.DRAFT, SeasonState.OPEN, SeasonState.FROZEN)
"""The states of a season that has not started yet."""
UNDER_WAY: Final = (SeasonState.RUNNING, SeasonState.PAUSED)
OVER: Final = (SeasonState.FINISHED, SeasonState.CANCELLED)
LONGEST_REASON: Final = 500
"""The most characters of a reason, in `Match.void_why` and `Entry.out_why`."""


class League(Base):
    """A game with its options, and all bots that play it.

    The default league of a game is continuous.
    """

    __tablename__ = "league"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(32), unique=True)
    """The default league of a game has the game's name."""
    game: Mapped[str] = mapped_column(String(32), index=True)
    rules: Mapped[str] = mapped_column(String(16))
    """The version of the rules that is rated now."""
    options: Mapped[dict[str, Any]]
    seats: Mapped[int]
    deals: Mapped[int]
    """The number of deals in a match."""
    paced: Mapped[bool] = mapped_column(default=False)
    """True if no number of deals was chosen. For each ranked match, season and comparison it then
    follows from the speed of the bots."""
    separation: Mapped[Separation] = mapped_column(String(16), default="none")
    """How strictly its matches separate the rotations of a deal; see
    matchbox.match.wire.Separation."""
    continuous: Mapped[bool] = mapped_column(default=False)
    paused: Mapped[bool] = mapped_column(default=False)
    format: Mapped[dict[str, Any]] = mapped_column("format_of_play", default=dict)
    """How its seasons are played: the fields of matchbox.league.format.Format."""
    admission: Mapped[dict[str, Any]] = mapped_column(default=dict)
    """The admission to its seasons: the fields of matchbox.league.format.Admission."""
    schedule: Mapped[dict[str, Any]] = mapped_column(default=dict)
    """The schedule of its seasons: the fields of matchbox.league.format.Schedule; empty for
    none."""
    seed: Mapped[str] = mapped_column(String(64))
    """The seed of the match ids and of the dice of the continuous pairing."""
    finished: Mapped[int] = mapped_column(default=0)
    """The number of its finished matches, including those of seasons and comparisons."""
    revision: Mapped[int] = mapped_column(default=0)
    """Raised by each change of its live ratings."""
    join_code: Mapped[str | None] = mapped_column(String(16), unique=True, index=True)
    """The code with which anybody joins the league; None if it has none."""
    created_at: Mapped[int] = mapped_column(BigInteger)


class GameField(Base):
    """The active versions of a game's bots, as server.services.fields counts them."""

    __tablename__ = "field"

    game: Mapped[str] = mapped_column(String(32), primary_key=True)
    bots: Mapped[int]
    """The number of active versions."""
    revision: Mapped[int]
    """Raised by each change of the active versions."""


class Season(Base):
    """One run of a league with fixed versions."""

    __tablename__ = "season"
    __table_args__ = (Index(None, "league_id", "edition"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    league_id: Mapped[int] = mapped_column(ForeignKey("league.id"), index=True)
    name: Mapped[str] = mapped_column(String(64), unique=True)
    state: Mapped[str] = mapped_column(String(16), default=SeasonState.OPEN, index=True)
    format: Mapped[dict[str, Any]] = mapped_column("format_of_play", default=dict)
    """How it is played, fixed when the season was made; the same fields as League.format."""
    edition: Mapped[int] = mapped_column(default=1)
    """1, 2, 3, ... within the league. The divisions of one edition are separate seasons."""
    division: Mapped[int] = mapped_column(default=1)
    """1 is the highest."""
    cycles: Mapped[int] = mapped_column(default=1)
    """The number of double round robins."""
    round: Mapped[int] = mapped_column(default=0)
    """The number of rounds opened so far."""
    rounds: Mapped[list[Any]] = mapped_column(default=list)
    """The stage, rests and ties of each round opened, as in matchbox.league.season.Round; the first
    one also has the order that was drawn."""
    places: Mapped[list[Any]] = mapped_column(default=list)
    """The ids of the versions in the order of a knock-out's result; empty for other formats."""
    deals: Mapped[int]
    """The number of deals in a match. A paced season sets it at the start."""
    paced: Mapped[bool] = mapped_column(default=False)
    """True if the number of deals follows from the speed of the bots."""
    seed: Mapped[str] = mapped_column(String(64), unique=True)
    """The seed of the deals and match ids, so that a season can be repeated."""
    created_at: Mapped[int] = mapped_column(BigInteger)
    starts_at: Mapped[int | None] = mapped_column(BigInteger)
    """The time at which the schedule starts the season; None if an operator starts it."""
    announced: Mapped[int] = mapped_column(default=0)
    """The last announcement to the entrants: 0 for none, 1 for the start, 1 + n for the ranks after
    n rounds, -1 for the end."""
    trouble: Mapped[str] = mapped_column(String(500), default="")
    """Why the schedule could not start it on time, or why it was paused and cannot go on."""
    started_at: Mapped[int | None] = mapped_column(BigInteger)
    finished_at: Mapped[int | None] = mapped_column(BigInteger)
    league: Mapped[League] = relationship()
    entries: Mapped[list[Entry]] = relationship(back_populates="season", order_by="Entry.id")


class Entry(Base):
    """A bot in a season; its version is fixed at the start."""

    __tablename__ = "entry"
    __table_args__ = (UniqueConstraint("season_id", "bot_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    season_id: Mapped[int] = mapped_column(ForeignKey("season.id"))
    bot_id: Mapped[int] = mapped_column(ForeignKey("bot.id"))
    version_id: Mapped[int | None] = mapped_column(ForeignKey("version.id"))
    out: Mapped[str] = mapped_column(String(16), default="")
    """suspended: it plays no further matches; disqualified: its matches do not count either."""
    out_at: Mapped[int | None] = mapped_column(BigInteger)
    out_why: Mapped[str] = mapped_column(String(LONGEST_REASON), default="")
    rank: Mapped[int | None]
    """The last rank that was announced."""
    season: Mapped[Season] = relationship(back_populates="entries")
    bot: Mapped[Bot] = relationship()
    version: Mapped[Version | None] = relationship()


class Invitation(Base):
    """An account of a league: it may enter, even if the league is open by invitation only."""

    __tablename__ = "invitation"

    league_id: Mapped[int] = mapped_column(ForeignKey("league.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), primary_key=True)
    at: Mapped[int] = mapped_column(BigInteger)
    joined: Mapped[bool] = mapped_column(default=False)
    """Whether the account is in the league's class. Its bots then enter open seasons by
    themselves."""


class Rating(Base):
    """A version's live rating in a continuous league, updated by openskill between two refits."""

    __tablename__ = "rating"
    __table_args__ = (Index(None, "league_id", "revision"),)

    league_id: Mapped[int] = mapped_column(ForeignKey("league.id"), primary_key=True)
    version_id: Mapped[int] = mapped_column(ForeignKey("version.id"), primary_key=True)
    mu: Mapped[float]
    sigma: Mapped[float]
    matches: Mapped[int] = mapped_column(default=0)
    noted_at: Mapped[int | None] = mapped_column(BigInteger)
    """When the last point of its history was stored; None before the first."""
    noted_matches: Mapped[int] = mapped_column(default=0)
    """The number of matches at that point."""
    revision: Mapped[int] = mapped_column(default=0)
    """The league's revision when `mu`, `sigma` or `matches` last changed."""


class RatingPoint(Base):
    """A version's figures in a continuous league's standing at one time; never changed."""

    __tablename__ = "rating_point"
    __table_args__ = (Index(None, "version_id", "league_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    league_id: Mapped[int] = mapped_column(ForeignKey("league.id"))
    version_id: Mapped[int] = mapped_column(ForeignKey("version.id"))
    rules: Mapped[str] = mapped_column(String(16))
    """The version of the rules that was rated; Elo under other rules has another scale."""
    at: Mapped[int] = mapped_column(BigInteger)
    matches: Mapped[int]
    value: Mapped[float]
    """Elo; in a cooperative game the mean score."""
    low: Mapped[float]
    """The lower end of the 95% interval; `high` is the upper end."""
    high: Mapped[float]


class Standing(Base):
    """The latest standing, with the digest of the rows it was computed from."""

    __tablename__ = "standing"
    __table_args__ = (Index(None, "computed_at"),)

    scope: Mapped[str] = mapped_column(String(32), primary_key=True)
    """league:<id> or season:<id>."""
    rows_digest: Mapped[str] = mapped_column(String(64))
    matches: Mapped[int]
    """The number of matches in those rows."""
    field: Mapped[str] = mapped_column(String(64))
    """The digest of the versions to show."""
    computed_at: Mapped[int] = mapped_column(BigInteger)
    facts: Mapped[dict[str, Any]] = mapped_column(default=dict)
    """Facts about the standing as a whole: the figure that ranks, lack of fit, worst pairs."""
    lines: Mapped[list[Any]]
    """The last column, since SQLite reads past all columns that stand before one."""


class BoardCounts(Base):
    """The counts behind the figures of a standing, packed by server.services.board_counts."""

    __tablename__ = "board_counts"

    scope: Mapped[str] = mapped_column(String(32), primary_key=True)
    """The scope of the standing."""
    rows_digest: Mapped[str] = mapped_column(String(64))
    """The same digest as in the standing: the counts are over the same rows."""
    data: Mapped[bytes]

"""Leagues, their seasons, and what is derived from their matches."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final

from sqlalchemy import BigInteger, ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from matchbox.match.wire import Separation
from server.db.models.bots import Bot, Version
from server.db.models.tables import Table


class SeasonState(StrEnum):
    """The life of a season. Final: finished, cancelled."""

    DRAFT = "draft"
    """Only operators see it."""
    OPEN = "open"
    """Bots enter and leave."""
    FROZEN = "frozen"
    """Versions are fixed, and nothing is played yet."""
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    CANCELLED = "cancelled"


UNDER_WAY: Final = (SeasonState.RUNNING, SeasonState.PAUSED)
OVER: Final = (SeasonState.FINISHED, SeasonState.CANCELLED)


class League(Table):
    """A game with its options, and everybody who plays it. The default one is continuous."""

    __tablename__ = "league"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(32), unique=True)
    """The default league of a game bears the game's name."""
    game: Mapped[str] = mapped_column(String(32), index=True)
    rules: Mapped[str] = mapped_column(String(16))
    """The rules version that is rated now."""
    options: Mapped[dict[str, Any]]
    seats: Mapped[int]
    deals: Mapped[int]
    """Deals of one match."""
    paced: Mapped[bool] = mapped_column(default=False)
    """Nobody named that number: a season's follows from how fast its bots are when it starts."""
    separation: Mapped[Separation] = mapped_column(String(16), default="none")
    """How far apart its matches play the rotations of a deal."""
    continuous: Mapped[bool] = mapped_column(default=False)
    paused: Mapped[bool] = mapped_column(default=False)
    format: Mapped[dict[str, Any]] = mapped_column("format_of_play", default=dict)
    """How its seasons are played, by the fields of matchbox.league.format.Format."""
    admission: Mapped[dict[str, Any]] = mapped_column(default=dict)
    """Who may enter, by the fields of matchbox.league.format.Admission."""
    schedule: Mapped[dict[str, Any]] = mapped_column(default=dict)
    """When its seasons start, by the fields of matchbox.league.format.Schedule; empty for never."""
    seed: Mapped[str] = mapped_column(String(64))
    """Where match ids and the dice of the continuous pairing come from."""
    created_at: Mapped[int] = mapped_column(BigInteger)


class Season(Table):
    """One run of a league with fixed versions."""

    __tablename__ = "season"

    id: Mapped[int] = mapped_column(primary_key=True)
    league_id: Mapped[int] = mapped_column(ForeignKey("league.id"), index=True)
    name: Mapped[str] = mapped_column(String(64), unique=True)
    state: Mapped[str] = mapped_column(String(16), default=SeasonState.OPEN, index=True)
    format: Mapped[dict[str, Any]] = mapped_column("format_of_play", default=dict)
    """How it is played, fixed when it was made; as League.format."""
    edition: Mapped[int] = mapped_column(default=1)
    """1, 2, 3, ... within the league; the divisions of an edition are seasons of their own."""
    division: Mapped[int] = mapped_column(default=1)
    """1 is the highest."""
    cycles: Mapped[int] = mapped_column(default=1)
    """How many double round robins are played."""
    round: Mapped[int] = mapped_column(default=0)
    """How many rounds were opened."""
    rounds: Mapped[list[Any]] = mapped_column(default=list)
    """Of each of them the stage, who rested and the ties, as matchbox.league.season.Round."""
    places: Mapped[list[Any]] = mapped_column(default=list)
    """The versions' rows in the order in which a knock-out ended; empty of everything else."""
    deals: Mapped[int]
    """Deals of one match; of a season that is paced, settled when it starts."""
    paced: Mapped[bool] = mapped_column(default=False)
    """Whether that number follows from its bots' pace."""
    seed: Mapped[str] = mapped_column(String(64), unique=True)
    """Deals and match ids derive from it, so that a season can be told again."""
    created_at: Mapped[int] = mapped_column(BigInteger)
    starts_at: Mapped[int | None] = mapped_column(BigInteger)
    """When the schedule starts it; None if an operator does."""
    told: Mapped[int] = mapped_column(default=0)
    """What its entrants were told: 0 nothing, 1 the start, 1 + n the ranks after n rounds, -1 the
    end."""
    trouble: Mapped[str] = mapped_column(String(500), default="")
    """Why the schedule could not start it when it was time."""
    started_at: Mapped[int | None] = mapped_column(BigInteger)
    finished_at: Mapped[int | None] = mapped_column(BigInteger)
    league: Mapped[League] = relationship()
    entries: Mapped[list[Entry]] = relationship(back_populates="season", order_by="Entry.id")


class Entry(Table):
    """A bot in a season; its version is fixed at the start."""

    __tablename__ = "entry"
    __table_args__ = (UniqueConstraint("season_id", "bot_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    season_id: Mapped[int] = mapped_column(ForeignKey("season.id"))
    bot_id: Mapped[int] = mapped_column(ForeignKey("bot.id"))
    version_id: Mapped[int | None] = mapped_column(ForeignKey("version.id"))
    out: Mapped[str] = mapped_column(String(16), default="")
    """suspended: it plays no more; disqualified: what it played counts no more either."""
    out_at: Mapped[int | None] = mapped_column(BigInteger)
    out_why: Mapped[str] = mapped_column(String(500), default="")
    rank: Mapped[int | None]
    """As it was told last."""
    season: Mapped[Season] = relationship(back_populates="entries")
    bot: Mapped[Bot] = relationship()
    version: Mapped[Version | None] = relationship()


class Invitation(Table):
    """An account that may enter a league which admits by invitation only."""

    __tablename__ = "invitation"

    league_id: Mapped[int] = mapped_column(ForeignKey("league.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), primary_key=True)
    at: Mapped[int] = mapped_column(BigInteger)


class Rating(Table):
    """A version's live rating in a continuous league: openskill's figures between two refits."""

    __tablename__ = "rating"

    league_id: Mapped[int] = mapped_column(ForeignKey("league.id"), primary_key=True)
    version_id: Mapped[int] = mapped_column(ForeignKey("version.id"), primary_key=True)
    mu: Mapped[float]
    sigma: Mapped[float]
    matches: Mapped[int] = mapped_column(default=0)
    noted_at: Mapped[int | None] = mapped_column(BigInteger)
    """When its last point of history was kept; None before the first."""
    noted_matches: Mapped[int] = mapped_column(default=0)
    """How many matches it had then."""


class RatingPoint(Table):
    """What a continuous league's standing said of a version at one time; never changed."""

    __tablename__ = "rating_point"
    __table_args__ = (Index(None, "version_id", "league_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    league_id: Mapped[int] = mapped_column(ForeignKey("league.id"))
    version_id: Mapped[int] = mapped_column(ForeignKey("version.id"))
    rules: Mapped[str] = mapped_column(String(16))
    """The rules version that was rated; under others Elo is on another scale."""
    at: Mapped[int] = mapped_column(BigInteger)
    matches: Mapped[int]
    value: Mapped[float]
    """Elo; of a cooperative game the mean score."""
    low: Mapped[float]
    """The ends of its 95% interval."""
    high: Mapped[float]


class Standing(Table):
    """A standing as it was last computed, with the digest of the rows it came from."""

    __tablename__ = "standing"
    __table_args__ = (Index(None, "computed_at"),)

    scope: Mapped[str] = mapped_column(String(32), primary_key=True)
    """league:<id> or season:<id>."""
    rows_digest: Mapped[str] = mapped_column(String(64))
    lines: Mapped[list[Any]]
    matches: Mapped[int]
    """How many matches the rows came from."""
    field: Mapped[str] = mapped_column(String(64))
    """Digest of the versions that were to be shown."""
    facts: Mapped[dict[str, Any]] = mapped_column(default=dict)
    """What is told of the standing as a whole: by what it ranks, lack of fit, worst pairs."""
    computed_at: Mapped[int] = mapped_column(BigInteger)

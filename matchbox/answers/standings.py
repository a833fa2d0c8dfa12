"""Leaderboards, the standings of seasons, and how a bot's rating has moved."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from matchbox.answers import Answer, Interval
from matchbox.league.line import By, Line


def _all_required(schema: dict[str, Any]) -> None:
    schema["required"] = list(schema["properties"])


@dataclass(frozen=True, kw_only=True, config=ConfigDict(json_schema_extra=_all_required))
class BoardLine(Line):
    """A bot's place on a board; `elo` is null on a cooperative board.

    `score` is null on others, unless strengths do not explain the results: then it is the mean
    expected score against everybody, which ranks, and `nash` is told. `p_champion` is the chance to
    be truly the best, `p_better` to be better than the next line; null where nothing tells it.
    The `mixed_` ones are a cooperative game's board of mixed teams. `out` is `suspended` where a
    season goes on without the bot, else empty.
    """

    owner: str
    name: str
    version: int
    version_id: int
    out: str = ""


class Surprise(Answer):
    """Two bots whose results strengths explain badly: what the first took of their bouts."""

    first: str
    first_version: int
    second: str
    second_version: int
    games: int
    share: float
    expected: float
    z: float


class LackOfFit(Answer):
    """The test that strengths alone explain the results: `p` is small where they do not."""

    chi_square: float
    freedom: float
    p: float
    worst: list[Surprise]


class Board(Answer):
    """A leaderboard or a season's standing; `by` says what ranks, `deals` how many were played.

    Intervals are 95% and clustered by deal. `lack` is null where the rows are too few to tell.
    """

    game: str
    title: str
    league: str
    cooperative: bool
    matches: int
    computed_at: str | None
    rows_digest: str | None
    by: By
    deals: int | None
    lack: LackOfFit | None
    lines: list[BoardLine]


class RatingPoint(Answer):
    """What the leaderboard said of a version at one time; of a cooperative game by its score."""

    version: int
    at: str
    matches: int
    elo: float | None
    ci95: Interval | None
    score: float | None
    score_ci95: Interval | None


class Ratings(Answer):
    """How a bot's ratings have moved, version by version."""

    items: list[RatingPoint]
    next: str | None

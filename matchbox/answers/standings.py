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

    On other boards bots are ranked by `elo`, and `score` is null. If a single strength misleads,
    they are ranked by `score`, the mean expected score against the present field, and `nash` is
    set, which has no interval; `estimated` of the `opponents` in that field have never met the bot.
    `p_champion` is the probability that the bot is truly the best, `p_better` that it is better
    than the next line; null if unknown, and on a cooperative board below 20 deals. The `mixed_`
    fields are a cooperative game's board of mixed teams. `out` is `suspended` if a season goes on
    without the bot, else empty.
    """

    owner: str
    name: str
    version: int
    version_id: int
    out: str = ""


class Surprise(Answer):
    """Two bots whose results do not fit their strengths; `share` is the first one's points."""

    first: str
    first_version: int
    second: str
    second_version: int
    games: int
    share: float
    expected: float
    z: float


class Upset(Answer):
    """A bot that surely beats one that ranks above it; `share` is the winner's points."""

    winner: str
    loser: str
    games: int
    share: float


class LackOfFit(Answer):
    """The test that strengths alone explain the results: `p` is small if they do not.

    With enough deals `p` is small for any real game, so it does not decide what ranks.
    """

    chi_square: float
    freedom: float
    p: float
    worst: list[Surprise]


class Board(Answer):
    """A leaderboard or a season's standing; `by` is the figure that ranks.

    `deals` counts the deals that were played. Intervals are 95% and clustered by deal. `lack` is
    null if there are too few rows for the test. `upsets` is empty unless `by` is `borda`.
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
    upsets: list[Upset]
    lines: list[BoardLine]


class RatingPoint(Answer):
    """A version's rating at one time; in a cooperative game, its score."""

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

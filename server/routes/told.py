"""What the API tells: a model for each answer, for the OpenAPI document.

Knows shapes as server.queries makes them; checks nothing at run time, which the tests do.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

Interval = tuple[float, float]


class Answer(BaseModel):
    """A JSON object that may later hold more than is said here."""

    model_config = ConfigDict(extra="allow")


class Account(Answer):
    """Who somebody is."""

    name: str
    role: str


class FreshToken(Answer):
    """A secret, told once."""

    token: str
    account: str
    role: str
    scopes: list[str]
    ends_at: str | None


class TokenLine(Answer):
    """A token that works."""

    id: int
    name: str
    created_at: str
    used_at: str | None
    scopes: list[str]
    ends_at: str | None


class Tokens(Answer):
    """Your tokens."""

    items: list[TokenLine]
    next: str | None


class SessionLine(Answer):
    """A browser in which you are logged in; `current` is the one that asks."""

    id: int
    browser: str
    created_at: str
    seen_at: str
    ends_at: str
    current: bool


class Sessions(Answer):
    """Your sessions."""

    items: list[SessionLine]
    next: str | None


class Game(Answer):
    """A game that is installed; its bots may import `libraries` beside the standard one."""

    name: str
    title: str
    seats: list[int]
    options: dict[str, Any]
    cooperative: bool
    libraries: list[str]


class Games(Answer):
    """All games."""

    items: list[Game]
    next: str | None


class BoardLine(Answer):
    """A bot's place on a board; `elo` is null on a cooperative board.

    `score` is null on others, unless strengths do not explain the results: then it is the mean
    expected score against everybody, which ranks, and `nash` is told. `p_champion` is the chance to
    be truly the best, `p_better` to be better than the next line; null where nothing tells it.
    The `mixed_` ones are a cooperative game's board of mixed teams. `out` is `suspended` where a
    season goes on without the bot, else empty.
    """

    rank: int
    rank_range: tuple[int, int]
    bot: str
    owner: str
    name: str
    version: int
    version_id: int
    elo: float | None
    ci95: Interval | None
    matches: int
    wins: int
    draws: int
    losses: int
    forfeits: int
    provisional: bool
    score: float | None
    score_ci95: Interval | None
    p_champion: float | None
    p_better: float | None
    nash: float | None
    mixed_rank: int | None
    mixed_range: tuple[int, int] | None
    mixed_score: float | None
    mixed_ci95: Interval | None
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
    by: Literal["elo", "borda", "score"]
    deals: int | None
    lack: LackOfFit | None
    lines: list[BoardLine]


class Report(Answer):
    """What a try-out found; `log` is for the owner and operators."""

    verdict: str
    reasons: list[str]
    games: int
    cpu_ms_per_decision: float
    box: str


class Version(Answer):
    """An upload and its verdict; `report` is null until there is one.

    `trouble` says why it is `parked` for an operator, in quarantine or suspended. Of `rated_bouts`
    in `rated_matches` it forfeited `forfeits`. It is `stateful` where it was found to keep state
    between bouts, in one of the `sampled` matches of which some bouts were played again alone.
    """

    id: int
    bot: str
    game: str
    number: int
    digest: str
    state: Literal[
        "pending", "active", "accepted", "quarantined", "suspended", "refused", "retired"
    ]
    trouble: str
    parked: bool
    forfeits: int
    rated_bouts: int
    rated_matches: int
    stateful: bool
    sampled: int
    report: Report | None
    created_at: str
    settled_at: str | None


class BotLine(Answer):
    """A bot in a list."""

    owner: str
    name: str
    game: str
    created_at: str
    retired_at: str | None


class Bot(BotLine):
    """A bot with its versions, newest first."""

    versions: list[dict[str, Any]]


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


class Bots(Answer):
    """A page of the bots."""

    items: list[BotLine]
    next: str | None


class MatchEntrant(Answer):
    """A version at the table; `points` is its share of the match once that is final.

    In a cooperative game it is null: a team has one score.
    """

    bot: str
    version: int
    points: float | None


class MatchLine(Answer):
    """A match in a list; `score` is a team's mean score of a bout, null where seats compete."""

    id: str
    game: str
    season: int | None
    state: Literal["queued", "running", "finished", "parked", "void"]
    created_at: str
    finished_at: str | None
    entrants: list[MatchEntrant]
    score: float | None


class Match(MatchLine):
    """A match and its record; `record` is null, and `embargo` says why, until it may be told."""

    embargo: str | None
    void_why: str
    replaces: str | None
    replaced_by: str | None
    record: dict[str, Any] | None


class AuditLine(Answer):
    """A deed; `actor` is null where the platform did it by itself."""

    id: int
    at: str
    actor: str | None
    action: str
    subject: str
    name: str
    detail: dict[str, Any]


class Audit(Answer):
    """A page of who did what and when, newest first."""

    items: list[AuditLine]
    next: str | None


class Matches(Answer):
    """A page of the matches."""

    items: list[MatchLine]
    next: str | None


class LogLine(Answer):
    """What a bot printed."""

    bot: str
    entrant: int
    text: str
    diagnostics: list[dict[str, Any]]


class Logs(Answer):
    """What the bots of a match printed, as far as you may see it."""

    items: list[LogLine]
    next: str | None


class League(Answer):
    """A game with its options, and who plays it."""

    name: str
    game: str
    continuous: bool


class Leagues(Answer):
    """All leagues."""

    items: list[League]
    next: str | None


class Season(Answer):
    """A season."""

    id: int
    name: str
    league: str
    game: str
    state: Literal["open", "running", "paused", "finished", "cancelled"]


class Seasons(Answer):
    """All seasons, newest first."""

    items: list[Season]
    next: str | None


class Queue(Answer):
    """How much waits."""

    queued: int
    running: int
    parked: int
    pending_versions: int
    parked_versions: int
    quarantined_versions: int

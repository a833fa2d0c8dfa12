"""Comparisons of two versions of a bot."""

from __future__ import annotations

from typing import Literal

from matchbox.answers import Answer, Interval


class ComparisonLine(Answer):
    """A comparison in a list; `llr` and `elo` are null with a field, `difference` without one.

    `challenger` and `defender` are numbers of versions, `field` is the number of other bots that
    they meet. `games` counts bouts. `elo` and `ci95` are null until it is over. `why` says why it
    was ended.
    """

    id: int
    bot: str
    game: str
    challenger: int
    defender: int
    field: int
    bounds: list[float]
    games: int
    most: int
    state: Literal["running", "finished", "cancelled"]
    verdict: Literal["better", "not-better", "undecided"]
    llr: float | None
    elo: float | None
    ci95: Interval | None
    difference: float | None
    difference_ci95: Interval | None
    why: str
    created_at: str
    finished_at: str | None


class Opponent(Answer):
    """A bot of the field; `difference` is against it alone, or null."""

    bot: str
    version: int
    version_id: int
    difference: float | None


class Forfeits(Answer):
    """How many bouts a version forfeited."""

    bot: str
    version: int
    version_id: int
    bouts: int


class Comparison(ComparisonLine):
    """A comparison; `looks` are [bouts, log likelihood ratio or difference] after each batch.

    `pairs` counts the deals played from both sides, by the challenger's half points. A field that
    does not apply is null. `owner` is the account that asked for it. `matches` and `finished` count
    its matches so far without void ones, and those of them that are over.
    """

    owner: str
    opponents: list[Opponent]
    looks: list[tuple[int, float | None]]
    pairs: list[int] | None
    llr_bounds: Interval | None
    alpha: float | None
    beta: float | None
    p_better: float | None
    deals: int | None
    forfeits: list[Forfeits]
    matches: int
    finished: int


class Comparisons(Answer):
    """A page of your comparisons."""

    items: list[ComparisonLine]
    next: str | None


class Comparable(Answer):
    """The versions of a bot that may be compared, newest first, and the defaults of the form.

    `left` of `budget` bouts may still be played today, `most` in one comparison. `others` is the
    largest field.
    """

    versions: list[int]
    challenger: int | None
    defender: int | None
    left: int
    budget: int
    most: int
    others: int
    cooperative: bool

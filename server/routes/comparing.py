"""What the API takes and tells of comparisons: a model for each. Knows shapes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from server.routes.asked import Body, NameText, Page, Whole
from server.routes.told import Answer, Interval

Elo = Annotated[float, Field(ge=-1000, le=1000)]
FullName = Annotated[str, Field(max_length=70)]


class ComparisonsPage(Page):
    """A page of your comparisons; `bot` is owner/name."""

    bot: FullName | None = None


class NewComparison(Body):
    """A bot of yours, as owner/name or its name alone, and two of its versions by number.

    Without them, the newest accepted version is compared with the active one, or with the newest
    before it where it is active itself. With a `field`, both
    play that many of the league's best bots instead of each other. `bounds` is in Elo.
    """

    bot: FullName
    challenger: Whole | None = None
    defender: Whole | None = None
    field: Annotated[int, Field(ge=0, le=8)] = 0
    games: Annotated[int, Field(ge=1, le=10_000)] = 10_000
    bounds: Annotated[list[Elo], Field(min_length=2, max_length=2)] = Field(
        default_factory=lambda: [0.0, 20.0]
    )


class ComparisonLine(Answer):
    """A comparison in a list; `llr` and `elo` are null with a field, `difference` without one.

    `elo` and `ci95` are null until it is over.
    """

    id: int
    bot: str
    game: NameText
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


class Comparison(ComparisonLine):
    """A comparison with its looks: [bouts, log likelihood ratio or difference] after each batch."""

    owner: str
    opponents: list[dict[str, str | int | float | None]]
    looks: list[tuple[int, float | None]]
    pairs: list[int] | None
    llr_bounds: Interval | None
    p_better: float | None
    forfeits: list[dict[str, str | int]]
    matches: int
    finished: int


class Comparisons(Answer):
    """A page of your comparisons."""

    items: list[ComparisonLine]
    next: str | None

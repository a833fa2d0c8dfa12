"""What the API takes of comparisons: a model for each body and query. Knows shapes."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from server.routes.asked import Body, Page, Whole

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

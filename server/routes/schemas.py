"""What the API takes: a model for each body and query. A field that is not here is refused.

Knows shapes; what a value means is for the services to judge.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

MATCH_STATES = Literal["queued", "running", "finished", "parked", "void"]
SCOPES = Literal["read", "submit", "operate"]
NameText = Annotated[str, Field(max_length=64)]
Secret = Annotated[str, Field(max_length=1000)]
Whole = Annotated[int, Field(ge=1, le=999_999_999)]
Elo = Annotated[float, Field(ge=-1000, le=1000)]
FullName = Annotated[str, Field(max_length=70)]


class Body(BaseModel):
    """A JSON object of which every field is known, and of the right type as it stands."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Query(BaseModel):
    """What follows the question mark: texts, of which numbers are read."""

    model_config = ConfigDict(extra="forbid")


class Page(Query):
    """A page of a list."""

    cursor: Annotated[str | None, Field(max_length=200)] = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50


class BotsPage(Page):
    """A page of the bots."""

    game: NameText | None = None
    owner: NameText | None = None


class MatchesPage(Page):
    """A page of the matches; `bot` is owner/name."""

    game: NameText | None = None
    bot: FullName | None = None
    season: Whole | None = None
    state: MATCH_STATES | None = None


class Since(Query):
    """Which events a stream begins after."""

    after: Annotated[int, Field(ge=0, le=2**53)] | None = None


class Credentials(Body):
    """A name and its password."""

    name: NameText
    password: Secret


class TokenTerms(Body):
    """What a new token may be used for, and for how long."""

    scopes: Annotated[list[SCOPES], Field(min_length=1, max_length=3)] | None = None
    """All that the account may do, where there is none."""
    days: Annotated[int, Field(ge=1, le=3650)] = 365

    @property
    def terms(self) -> dict[str, Any]:
        """As the service takes them."""
        return {"scopes": self.scopes, "days": self.days}


class LogIn(Credentials, TokenTerms):
    """Credentials, and what the token that is made will be called."""

    label: Annotated[str, Field(min_length=1, max_length=64)] = "login"


class NewUser(Credentials):
    """An account that an operator makes."""

    role: Literal["author", "operator"] = "author"


class NewToken(TokenTerms):
    """What the token is for."""

    name: Annotated[str, Field(min_length=1, max_length=64)]


class NewPassword(Body):
    """The password, and the one in its place."""

    old: Secret
    new: Secret
    revoke_tokens: bool = False


class NewBot(BaseModel):
    """A bot's file: as a part of a form, or as text in JSON."""

    model_config = ConfigDict(extra="forbid", strict=True, populate_by_name=True)

    game: NameText
    name: NameText
    file: str
    class_name: Annotated[str | None, Field(alias="class", max_length=64)] = None


class NewVersion(BaseModel):
    """The next file of a bot."""

    model_config = ConfigDict(extra="forbid", strict=True, populate_by_name=True)

    file: str
    class_name: Annotated[str | None, Field(alias="class", max_length=64)] = None


class Activation(Body):
    """Which version a bot shall play with."""

    version: Whole


class AuditPage(Page):
    """A page of the log; `subject` as season:3, `action` as season.start."""

    subject: NameText | None = None
    action: NameText | None = None


class Reason(Body):
    """Why an operator does it."""

    reason: Annotated[str, Field(min_length=1, max_length=400)]


class MatchVoid(Reason):
    """A fault of the platform, and whether the match is played again at once."""

    again: bool = False


class RoundAgain(Reason):
    """A round of a season, counted from 1; the last one opened where it is left out."""

    round: Whole | None = None


class OutOfSeason(Reason):
    """A bot as owner/name."""

    bot: FullName


class Entering(Body):
    """A bot as owner/name, or the name alone of one of yours."""

    bot: FullName


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

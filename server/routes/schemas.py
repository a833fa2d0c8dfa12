"""Request models of the API, one for each body and query. An unknown field is refused.

The models check types and ranges; the services check meaning.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic_core import PydanticCustomError

MATCH_STATES = Literal["queued", "running", "finished", "parked", "void"]
SCOPES = Literal["read", "submit", "operate"]
NameText = Annotated[str, Field(max_length=64)]
SubjectText = Annotated[str, Field(max_length=100)]
Note = Annotated[str, Field(max_length=100)]
Secret = Annotated[str, Field(max_length=1000)]
Whole = Annotated[int, Field(ge=1, le=999_999_999)]
Elo = Annotated[float, Field(ge=-1000, le=1000)]
FullName = Annotated[str, Field(max_length=70)]


def _option(sent: Any, read: ValidatorFunctionWrapHandler) -> Any:
    """Reads the value of an option, with one error in place of one for each of its types."""
    try:
        return read(sent)
    except ValidationError:
        what = "Input should be a string, an integer or a boolean"
        raise PydanticCustomError("option", what) from None


Options = dict[str, Annotated[str | int | bool, WrapValidator(_option)]]


class Body(BaseModel):
    """A JSON object. It accepts no unknown fields, and does not convert types."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Query(BaseModel):
    """A query string. Its texts are converted to numbers where a field is one."""

    model_config = ConfigDict(extra="forbid")


class Page(Query):
    """A page of a list."""

    cursor: Annotated[str | None, Field(max_length=200)] = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50


class LessonsPage(Page):
    """A page of the lessons."""

    limit: Annotated[int, Field(ge=1, le=200)] = 200


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


class TablesPage(Page):
    """A page of the tables."""

    limit: Annotated[int, Field(ge=1, le=200)] = 100


class SeasonsPage(Page):
    """A page of the seasons. By default it has the greatest number that a page may have."""

    league: NameText | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = 200


class Since(Query):
    """The event after which a stream starts."""

    after: Annotated[int, Field(ge=0, le=2**53)] | None = None


class Credentials(Body):
    """A name and its password."""

    name: NameText
    password: Secret


class NewAuthor(Credentials):
    """An author's name and password, and the code of a league to join."""

    code: NameText | None = None


class Joining(Body):
    """The code of a league."""

    code: NameText


class NewAccounts(Body):
    """The names of accounts to make, and notes on them by name, which only operators see."""

    names: Annotated[list[NameText], Field(min_length=1, max_length=100)]
    notes: Annotated[dict[NameText, Note], Field(max_length=100)] = {}


class NewNote(Body):
    """A note on an account; an empty one deletes it."""

    note: Note


class ResultsOf(Query):
    """A season's name or number; if left out, the league's board or its newest season."""

    season: NameText | None = None


class TokenOptions(Body):
    """The scopes and the lifetime, in days, of a new token."""

    scopes: Annotated[list[SCOPES], Field(min_length=1, max_length=3)] | None = None
    """None for every scope that the account may have."""
    days: Annotated[int, Field(ge=1, le=3650)] = 365

    @property
    def options(self) -> dict[str, Any]:
        """Returns the keyword arguments for the service."""
        return {"scopes": self.scopes, "days": self.days}


class LogIn(Credentials, TokenOptions):
    """Credentials, and a label for the new token."""

    label: Annotated[str, Field(min_length=1, max_length=64)] = "login"


class OldToken(Body):
    """The secret of a token that is revoked."""

    token: Annotated[str, Field(min_length=1, max_length=200)]


class NewUser(Credentials):
    """An account that an operator makes."""

    role: Literal["author", "operator"] = "author"


class NewToken(TokenOptions):
    """A new token, with a name for its purpose."""

    name: Annotated[str, Field(min_length=1, max_length=64)]


class WhichTokens(Query):
    """Whether tokens that were revoked lately are listed, too."""

    revoked: bool = False


class NewPassword(Body):
    """The old password and the new one."""

    old: Secret
    new: Secret
    revoke_tokens: bool = False


class Address(Body):
    """An e-mail address."""

    email: Annotated[str, Field(max_length=254)]


class Deletion(Body):
    """The password of the account that is deleted."""

    password: Secret


class NewVersion(Body):
    """The file of a bot's next version, as a part of a form or as text in JSON."""

    file: str
    class_name: Annotated[str | None, Field(alias="class", max_length=64)] = None


class NewDraft(NewVersion):
    """A file to try out without making a version of it."""

    game: NameText


class NewBot(NewDraft):
    """The file of a new bot, or of the next version of one."""

    name: NameText


class Activation(Body):
    """The number of the version to make active."""

    version: Whole


class PasswordReset(Body):
    """Whether the account's tokens are revoked, too."""

    revoke_tokens: bool = False


class NewRole(Body):
    """The role that an account gets."""

    role: Literal["author", "operator"]


class UsersPage(Page):
    """A page of the accounts. `q` is a part of the name, the e-mail address or the note."""

    q: Annotated[str, Field(max_length=254)] = ""
    role: Literal["author", "operator"] | None = None
    state: Literal["open", "closed"] | None = None


class AuditPage(Page):
    """A page of the audit log. `subject` is like season:3, or a kind and a name, like
    "season spring". `action` is like season.start."""

    subject: SubjectText | None = None
    action: NameText | None = None


class FaultsOf(Query):
    """The number of days over which faults are counted: 1 or 7."""

    days: Annotated[int, Field(ge=1, le=7)] = 1


class Reason(Body):
    """The reason for an operator's action."""

    reason: Annotated[str, Field(min_length=1, max_length=400)]


class MatchVoid(Reason):
    """The platform's fault that makes a match void, and whether to reschedule the match."""

    again: bool = False


class SinceTime(Query):
    """The time, ISO 8601 in UTC, after which the matches ended."""

    since: Annotated[str, Field(min_length=4, max_length=40)]


class NewArenaKey(Body):
    """The name of a new key for arenas on another host, such as the host's name."""

    name: Annotated[str, Field(min_length=1, max_length=24)]


class VoidArena(Reason):
    """The choice of an arena's matches to make void, and whether they are rescheduled.

    The times are ISO 8601 in UTC; `until` is now if left out.
    """

    since: Annotated[str, Field(min_length=4, max_length=40)]
    until: Annotated[str | None, Field(min_length=4, max_length=40)] = None
    again: bool = True


class RoundAgain(Reason):
    """A round of a season, counted from 1; the latest one if left out."""

    round: Whole | None = None


class OutOfSeason(Reason):
    """A bot, as owner/name."""

    bot: FullName


class Entering(Body):
    """A bot, as owner/name, or as the name alone if it is yours."""

    bot: FullName


class ComparisonsPage(Page):
    """A page of your comparisons; `bot` is owner/name."""

    bot: FullName | None = None


class NewComparison(Body):
    """One of your bots, as owner/name or as the name alone, and two of its versions by number.

    Without numbers, the newest accepted version is compared with the active one; if it is the
    active one itself, with the newest version before it. With a `field`, the two versions do not
    meet: each plays that many of the league's best bots. `bounds` is [low, high] in Elo.
    """

    bot: FullName
    challenger: Whole | None = None
    defender: Whole | None = None
    field: Annotated[int, Field(ge=0, le=8)] = 0
    games: Annotated[int, Field(ge=1, le=10_000)] = 10_000
    bounds: Annotated[list[Elo], Field(min_length=2, max_length=2)] = Field(
        default_factory=lambda: [0.0, 20.0]
    )


class PlaceInMatch(Body):
    """A position of a finished match: its bout, from 0, after this many moves of the bout."""

    match: NameText
    bout: Annotated[int, Field(ge=0, le=999_999_999)]
    moves: Annotated[int, Field(ge=0, le=999_999_999)]


class NewTable(Body):
    """A table: its game and for each seat "me", "friend", or a bot as owner/name.

    A friend takes the seat by the table's link. An option that is left out has its default. With a
    `place`, the game goes on from there, with the deal and the options of that match.
    """

    game: NameText
    seats: Annotated[list[FullName], Field(min_length=1, max_length=32)]
    options: Options = Field(default_factory=dict)
    place: PlaceInMatch | None = None


class TableSince(Query):
    """The number of the first step to return."""

    since: Annotated[int, Field(ge=0, le=1_000_000)] = 0


class SeatTaking(Body):
    """The secret of the table's link."""

    secret: Annotated[str, Field(max_length=64)]


class PlayMove(Body):
    """A move, in the form of the game.

    With the `turn` of the table from which it was chosen, it is never made in a later turn, however
    often it is sent.
    """

    move: Any
    turn: Annotated[int, Field(ge=0)] | None = None

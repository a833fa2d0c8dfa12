"""Request models for leagues and seasons, one for each body and query.

The fields of format, admission and schedule come from matchbox.league.format; each may be left out.
The given ones reach the services as a Given. The models check types and ranges; the services check
meaning.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, Field, GetPydanticSchema
from pydantic_core.core_schema import no_info_after_validator_function

from matchbox.answers.league_settings import model_of
from matchbox.league.format import Admission, Format, Given, Schedule, given
from matchbox.match.wire import Separation
from matchbox.settings_of_play import MAX_DEALS
from server.routes.schemas import Body, NameText, Options


def _some_of(kind: Any, doc: str) -> GetPydanticSchema:
    """Returns the schema of a Given of this settings class, for reading JSON and for OpenAPI.

    It is the schema of a model with all fields of the class, each of them optional.
    """
    model = model_of(kind, f"{kind.__name__}Fields", doc, Body, whole=False)

    def read(sent: BaseModel) -> Given[Any]:
        return given(kind, sent.model_dump(exclude_unset=True))

    return GetPydanticSchema(
        lambda _, schema_of: no_info_after_validator_function(read, schema_of(model))
    )


FormatFields: TypeAlias = Annotated[Given[Format], _some_of(Format, "How a season is played.")]
AdmissionFields: TypeAlias = Annotated[Given[Admission], _some_of(Admission, "Who may enter.")]
ScheduleFields: TypeAlias = Annotated[Given[Schedule], _some_of(Schedule, "When seasons start.")]
Deals = Annotated[int, Field(ge=1, le=MAX_DEALS)]
Seats = Annotated[int, Field(ge=1, le=64)]


class HowRun(Body):
    """The settings for the seasons of a league."""

    deals: Deals | None = None
    separation: Separation | None = None
    format: FormatFields | None = None
    admission: AdmissionFields | None = None
    schedule: ScheduleFields | None = None


class ChangedLeague(HowRun):
    """The fields to change. A format applies to seasons made from now on, the rest at once.

    `paced` lets the bots' speed decide the number of deals again.
    """

    paced: bool | None = None


class NewLeague(HowRun):
    """A game with its options, and the settings for the seasons of a league."""

    name: NameText
    game: NameText
    seats: Seats | None = None
    options: Options | None = None
    continuous: bool = False


class Inviting(Body):
    """An account, by its name."""

    user: NameText


class NewSeason(Body):
    """A season of a league or of a game.

    A season of a game is one of the game's own league. If it has options, seats, an admission or a
    schedule of its own, a new league is made for it, with the season's name, or with the names of
    game and format. `cycles` is short for the format's. Anybody who knows the `seed` can compute
    all deals.
    """

    name: NameText | None = None
    league: NameText | None = None
    game: NameText | None = None
    options: Options | None = None
    seats: Seats | None = None
    deals: Deals | None = None
    cycles: Annotated[int, Field(ge=1, le=100)] | None = None
    seed: Annotated[str, Field(json_schema_extra={"minLength": 16, "maxLength": 64})] | None = None
    draft: bool = False
    format: FormatFields | None = None
    admission: AdmissionFields | None = None
    schedule: ScheduleFields | None = None

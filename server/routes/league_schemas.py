"""Request models for leagues and seasons, one for each body and query.

The fields of format, admission and schedule come from matchbox.league.format; each may be left out.
The models check types and ranges; the services check meaning.
"""

from __future__ import annotations

from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin, get_type_hints

from msgspec.structs import fields
from pydantic import Field, create_model

from matchbox.league import format as run
from matchbox.match.wire import Separation
from server.routes.schemas import Body, NameText


def _hint(hint: Any) -> Any:
    """Returns the type with its bounds in the form that OpenAPI shows."""
    if get_origin(hint) is Annotated:
        inner, bounds = get_args(hint)
        return Annotated[inner, Field(ge=bounds.ge, le=bounds.le)]
    if get_origin(hint) in (Union, UnionType):
        return Union[tuple(_hint(one) for one in get_args(hint))]  # noqa: UP007 - made at run time
    return hint


def _some_of(kind: Any, doc: str) -> Any:
    """Returns a model with all fields of a settings class, each of them optional."""
    hints = get_type_hints(kind, include_extras=True)
    known: dict[str, Any] = {
        field.name: (
            _hint(hints[field.name]),
            Field(field.default, description=run.ABOUT[field.name][1]),
        )
        for field in fields(kind)
    }
    name: Any = f"{kind.__name__}Fields"
    return create_model(name, __base__=Body, __doc__=doc, **known)


if TYPE_CHECKING:

    class FormatFields(Body):
        """A placeholder for the type checker; the class is built below."""

    class AdmissionFields(Body):
        """A placeholder for the type checker; the class is built below."""

    class ScheduleFields(Body):
        """A placeholder for the type checker; the class is built below."""
else:
    FormatFields = _some_of(run.Format, "How a season is played.")
    AdmissionFields = _some_of(run.Admission, "Who may enter.")
    ScheduleFields = _some_of(run.Schedule, "When seasons start.")

Options = dict[str, str | int | bool]
Deals = Annotated[int, Field(ge=1, le=5000)]
Seats = Annotated[int, Field(ge=1, le=64)]


class HowRun(Body):
    """How the seasons of a league are run."""

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
    """A game with its options, and how its seasons are run."""

    name: NameText
    game: NameText
    seats: Seats | None = None
    options: Options | None = None
    continuous: bool = False


class Inviting(Body):
    """An account, by its name."""

    user: NameText


class NewSeason(Body):
    """A season of a league or of a game. A game without a suitable league gets one.

    `cycles` is short for the format's. Anybody who knows the `seed` can compute all deals.
    """

    name: NameText | None = None
    league: NameText | None = None
    game: NameText | None = None
    options: Options | None = None
    seats: Seats | None = None
    deals: Deals | None = None
    cycles: Annotated[int, Field(ge=1, le=100)] | None = None
    seed: Annotated[str, Field(min_length=16, max_length=64)] | None = None
    draft: bool = False
    format: FormatFields | None = None
    admission: AdmissionFields | None = None
    schedule: ScheduleFields | None = None

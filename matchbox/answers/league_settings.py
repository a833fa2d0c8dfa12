"""Format, Admission and Schedule of matchbox.league.format as parts of JSON objects.

In an answer each is written with all of its fields; `model_of` also makes what a request may hold.
"""

from __future__ import annotations

from types import UnionType
from typing import Annotated, Any, TypeAlias, Union, get_args, get_origin, get_type_hints

from msgspec.structs import fields
from pydantic import BaseModel, Field, GetPydanticSchema, create_model
from pydantic_core.core_schema import (
    no_info_wrap_validator_function,
    plain_serializer_function_ser_schema,
)

from matchbox.errors import BadOption
from matchbox.league import format as formats


def model_of(
    kind: type[formats.Settings], name: str, doc: str, base: type[BaseModel], *, whole: bool
) -> type[BaseModel]:
    """Returns a model with the fields of these settings; all are required if it is `whole`."""
    hints = get_type_hints(kind, include_extras=True)
    known: dict[str, Any] = {
        field.name: (
            _hint(hints[field.name]),
            Field(
                ... if whole else field.default, description=formats.ABOUT[field.name].sentence()
            ),
        )
        for field in fields(kind)
    }
    return create_model(name, __base__=base, __doc__=doc, **known)


def _hint(hint: Any) -> Any:
    """Returns the type with its bounds in the form that OpenAPI shows."""
    if get_origin(hint) is Annotated:
        inner, bounds = get_args(hint)
        return Annotated[inner, Field(ge=bounds.ge, le=bounds.le)]
    if get_origin(hint) in (Union, UnionType):
        return Union[tuple(_hint(one) for one in get_args(hint))]  # noqa: UP007 - made at run time
    return hint


def _answered(kind: type[formats.Settings], doc: str) -> GetPydanticSchema:
    """Returns the schema with which an answer holds these settings, as pydantic checks it and
    OpenAPI shows it."""
    shown = model_of(kind, kind.__name__, doc, BaseModel, whole=True)
    known = {field.name for field in fields(kind)}

    def read(given: Any) -> formats.Settings:
        if isinstance(given, kind):
            return given
        if not isinstance(given, dict):
            raise ValueError(f"a {kind.__name__} is an object")
        try:  # A later version of the platform may add fields.
            return formats.read(kind, {name: given[name] for name in known & set(given)})
        except BadOption as error:
            raise ValueError(str(error)) from error

    return GetPydanticSchema(
        lambda _, schema_of: no_info_wrap_validator_function(
            lambda given, _: read(given),
            schema_of(shown),
            serialization=plain_serializer_function_ser_schema(formats.write),
        )
    )


Format: TypeAlias = Annotated[formats.Format, _answered(formats.Format, "How a season is played.")]
Admission: TypeAlias = Annotated[formats.Admission, _answered(formats.Admission, "Who may enter.")]
Schedule: TypeAlias = Annotated[
    formats.Schedule, _answered(formats.Schedule, "When seasons start.")
]

"""A league's settings as options of a command, made from the fields of matchbox.league.format.

A command with `takes_terms` gets the options that were given as {"format": ..., "admission": ...,
"schedule": ...}; other options are absent. Knows names and types; judges no value.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, Final, Literal

import typer

from matchbox.league.format import PARTS, Format, SettingField, fields_of, unused

NAMES: Final = {"kind": "format", "by": "invitation"}
"""The parameters whose name is not that of their field."""
FLAGS: Final = {"by": "--invitation/--open", "everybody": "--everybody/--entered"}
"""Flags, as yes/no. Yes is the last of the field's choices."""


def _option(field: SettingField) -> Any:
    """The parameter's type. On the command line, 0 or `never` stands for None."""
    if field.name in FLAGS:
        return Annotated[bool | None, typer.Option(FLAGS[field.name], help=field.about.text)]
    if field.choices:
        literal: Any = Literal
        return Annotated[literal[tuple(field.choices)] | None, typer.Option(help=field.about.text)]
    if field.whole:
        least = 0 if field.optional else field.least
        text = field.about.sentence("0")
        return Annotated[int | None, typer.Option(min=least, max=field.most, help=text)]
    return Annotated[str | None, typer.Option(help=field.about.sentence("never"))]


FIELDS: Final[dict[str, tuple[str, SettingField]]] = {
    NAMES.get(field.name, field.alias): (part, field)
    for part, settings in PARTS.items()
    for field in fields_of(settings)
}
"""The part and the field of each parameter, by the parameter's name."""


def takes_terms(command: Callable[..., None]) -> Callable[..., None]:
    """Adds an option for each setting to the command. The command gets those that are given as
    `terms`."""
    own = inspect.signature(command, eval_str=True).parameters.values()
    kept = [one for one in own if one.name != "terms"]
    more = [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=_option(field)
        )
        for name, (_, field) in FIELDS.items()
    ]
    listed = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in kept]

    def called(**given: Any) -> None:
        named = {name: given.pop(name) for name in FIELDS}
        command(**given, terms=terms_of(named))

    called.__name__, called.__doc__ = command.__name__, command.__doc__
    called.__signature__ = inspect.Signature([*listed, *more])  # type: ignore[attr-defined]
    called.__annotations__ = {one.name: one.annotation for one in (*listed, *more)}
    return called


def terms_of(named: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The given terms, by part and field."""
    terms: dict[str, dict[str, Any]] = {}
    for name, value in named.items():
        part, field = FIELDS[name]
        if value is not None:
            terms.setdefault(part, {})[field.name] = _value(field, value)
    return terms


def terms_in(document: dict[str, Any], form: Format) -> dict[str, Any]:
    """The settings in the document of a league or a season, by alias, without those that have no
    meaning for its format."""
    idle = unused(form)
    used = [one for one in FIELDS.values() if one[0] != "format" or one[1].name not in idle]
    return {field.alias: document[part][field.name] for part, field in used}


def _value(field: SettingField, value: Any) -> Any:
    if field.name in FLAGS:
        return list(field.choices)[value]
    if field.optional and value in (0, "never"):
        return None
    return value

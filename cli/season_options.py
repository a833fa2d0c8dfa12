"""A league's settings as options of a command: the fields of matchbox.league.format.

A command with `takes_terms` gets the options that were given as {"format": ..., "admission": ...,
"schedule": ...}; other options are absent. Knows names and types; judges no value.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any, Final

import typer


class Kind(StrEnum):
    """The formats."""

    ROUND_ROBIN = "round-robin"
    SWISS = "swiss"
    ADAPTIVE = "adaptive"
    KNOCK_OUT = "knock-out"


class Question(StrEnum):
    """What an adaptive season is to find out."""

    ORDER = "order"
    TOP = "top"
    CHAMPION = "champion"


class Care(StrEnum):
    """How sure it has to be."""

    STRICT = "strict"
    THRIFTY = "thrifty"


class Learning(StrEnum):
    """Whether bots learn between rounds, and what a new version begins with."""

    OFF = "off"
    FRESH = "fresh"
    PARENT = "parent"


class Separation(StrEnum):
    """How far apart the rotations of a match are played."""

    NONE = "none"
    STRONG = "strong"


def _whole(text: str, least: int = 1, name: str = "") -> Any:
    names = [f"--{name}"] if name else []
    return Annotated[int | None, typer.Option(*names, min=least, help=text)]


def _either(yes: str, no: str, text: str) -> Any:
    return Annotated[bool | None, typer.Option(f"--{yes}/--{no}", help=text)]


def _one_of(kind: type[StrEnum], text: str) -> Any:
    return Annotated[kind | None, typer.Option(help=text)]


OPTIONS: Final[dict[str, tuple[str, str, Any]]] = {
    "format": ("format", "kind", _one_of(Kind, "how it is played")),
    "rounds": ("format", "rounds", _whole("of a Swiss season; 0: as many as it takes", 0)),
    "question": ("format", "question", _one_of(Question, "what an adaptive season finds out")),
    "top": ("format", "top", _whole("how many, where the question is who they are")),
    "care": ("format", "care", _one_of(Care, "how sure an adaptive season has to be")),
    "group": ("format", "group", _whole("bots of a group before a knock-out", 3)),
    "through": ("format", "through", _whole("how many of a group go on")),
    "mixed": ("format", "mixed", _whole("rounds of mixed teams, played together", 0)),
    "placement": ("format", "placement", _whole("matches that a newcomer plays first", 0)),
    "max_matches": ("format", "matches", _whole("it ends after so many; 0: without limit", 0)),
    "hours": ("format", "hours", _whole("it ends after so many; 0: without limit", 0)),
    "divisions": ("format", "divisions", _whole("divisions of an edition")),
    "moving": ("format", "moving", _whole("how many rise and sink between two divisions")),
    "learning": ("format", "learning", _one_of(Learning, "whether bots learn between rounds")),
    "invitation": ("admission", "by", _either("invitation", "open", "who may enter")),
    "everybody": (
        "admission",
        "everybody",
        _either("everybody", "entered", "enter every active bot at the freeze, or nobody"),
    ),
    "bots": ("admission", "bots", _whole("of one author; 0: any number", 0)),
    "uploads": ("admission", "uploads", _whole("of an author in 24 hours; 0: any number", 0)),
    "cron": (
        "schedule",
        "cron",
        Annotated[
            str | None,
            typer.Option(help="when seasons start, such as '0 18 * * FRI'; never: by hand"),
        ],
    ),
    "zone": (
        "schedule",
        "zone",
        Annotated[str | None, typer.Option(help="the schedule's, such as Europe/Berlin")],
    ),
}
"""By the parameter's name: its part, field and option."""
_ENDLESS: Final = ("rounds", "matches", "hours", "bots", "uploads")
"""Fields in which 0 means None."""


def takes_terms(command: Callable[..., None]) -> Callable[..., None]:
    """The command with an option for each term. It gets the given ones as `terms`."""
    own = inspect.signature(command, eval_str=True).parameters.values()
    kept = [one for one in own if one.name != "terms"]
    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=hint)
        for name, (_, _, hint) in OPTIONS.items()
    ]
    listed = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in kept]

    def called(**given: Any) -> None:
        named = {name: given.pop(name) for name in OPTIONS}
        command(**given, terms=terms_of(named))

    called.__name__, called.__doc__ = command.__name__, command.__doc__
    called.__signature__ = inspect.Signature([*listed, *more])  # type: ignore[attr-defined]
    called.__annotations__ = {one.name: one.annotation for one in (*listed, *more)}
    return called


def terms_of(named: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The given terms, by part and field."""
    terms: dict[str, dict[str, Any]] = {}
    for name, value in named.items():
        part, field, _ = OPTIONS[name]
        if value is not None:
            terms.setdefault(part, {})[field] = _value(field, value)
    return terms


def _value(field: str, value: Any) -> Any:
    if field == "by":
        return "invitation" if value else "open"
    if (field in _ENDLESS and value == 0) or (field == "cron" and value == "never"):
        return None
    return value.value if isinstance(value, StrEnum) else value

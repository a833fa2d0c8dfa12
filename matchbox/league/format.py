"""The settings of a league as data: format, admission, schedule. Knows no season or clock.

Every field has a default: a league without settings plays a double round robin, is open to all, and
starts when its operator says so.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias, TypeVar

import msgspec

from matchbox.errors import BadOption

Kind: TypeAlias = Literal["round-robin", "swiss", "adaptive", "knock-out"]
Learning: TypeAlias = Literal["off", "fresh", "parent"]
Whole = Annotated[int, msgspec.Meta(ge=1)]


class Format(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a season is played. Raises ValueError if fields contradict each other."""

    kind: Kind = "round-robin"
    cycles: Annotated[int, msgspec.Meta(ge=1, le=100)] = 1
    """Double round robins; in an adaptive season, those before its tail."""
    rounds: Whole | None = None
    """The rounds of a Swiss season; None for log2 of the number of bots, plus 2."""
    question: Literal["order", "top", "champion"] = "order"
    """The question that an adaptive season answers."""
    top: Whole = 1
    """The size of the top, if the question is who is in it."""
    care: Literal["strict", "thrifty"] = "strict"
    group: Annotated[int, msgspec.Meta(ge=3, le=32)] = 8
    """The size of a group before a knock-out, in bots."""
    through: Annotated[int, msgspec.Meta(ge=1, le=16)] = 2
    """How many of each group go on to the knock-out."""
    placement: Annotated[int, msgspec.Meta(ge=0, le=100)] = 0
    """Matches against the field that a newcomer plays before the first round."""
    mixed: Annotated[int, msgspec.Meta(ge=0, le=100)] = 1
    """In a cooperative game: rounds of mixed teams after each cycle."""
    matches: Whole | None = None
    """The season ends after this many matches."""
    hours: Whole | None = None
    """The season ends after this many hours."""
    divisions: Annotated[int, msgspec.Meta(ge=1, le=16)] = 1
    moving: Whole = 1
    """How many bots rise from each division to the one above, and how many sink, after a season."""
    learning: Learning = "off"
    """Whether bots learn between rounds, and the memory of a new version."""

    def __post_init__(self) -> None:
        if self.question == "champion" and (self.care != "strict" or self.top != 1):
            raise ValueError("a champion is one, and found with strict care")
        if self.through >= self.group:
            raise ValueError("fewer must go on from a group than play in it")


class Admission(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who may enter the seasons of a league."""

    by: Literal["open", "invitation"] = "open"
    everybody: bool = False
    """Whether every active bot whose owner may enter is entered when a season freezes."""
    bots: Whole | None = 1
    """How many bots of one author may play in a season; None for any number."""
    uploads: Whole | None = None
    """How many versions an author may upload per day for the league's game; None for any number."""


class Schedule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When the seasons of a league start."""

    cron: str | None = None
    """Five fields: minute, hour, day of month, month, day of week; None for never."""
    zone: str = "UTC"
    """The name of a time zone in the IANA database."""


Settings = TypeVar("Settings", Format, Admission, Schedule)


def read(kind: type[Settings], data: dict[str, Any]) -> Settings:
    """Reads settings. Raises BadOption, which names the wrong field."""
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        raise BadOption(f"the {kind.__name__.lower()} is wrong: {error}") from None


def write(settings: Format | Admission | Schedule) -> dict[str, Any]:
    """All fields as JSON-compatible data."""
    fields: dict[str, Any] = msgspec.to_builtins(settings)
    return fields

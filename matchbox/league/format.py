"""The settings of a league as data: format, admission, schedule. Knows no season or clock.

Every field has a default: a league without settings plays a double round robin, is open to all, and
starts when its operator says so. ABOUT says what each field means; the forms, the commands and the
API make their fields from `fields_of`. A caller that gives only some of the fields passes a
`Given`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import (
    Annotated,
    Any,
    Final,
    Generic,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    get_type_hints,
)

import msgspec
from msgspec import UNSET, UnsetType, inspect
from msgspec.structs import force_setattr

from matchbox.errors import BadOption, quoted

Whole = Annotated[int, msgspec.Meta(ge=1)]
MAX_WHOLE: Final = 999_999_999
"""The most that a whole number without a limit of its own may be set to. Older data may have more.
"""
MAX_ROUNDS: Final = 1000
"""The most rounds of a Swiss season that may be set. Older data may have more."""
_MINUTE: Final = re.compile(r"[2-8][0-9]{3}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}")
"""A time from the year 2000 to 8999, perhaps on a day that no calendar has."""


class Format(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a season is played. Raises ValueError if fields contradict each other."""

    kind: Literal["round-robin", "swiss", "adaptive", "knock-out"] = "round-robin"
    cycles: Annotated[int, msgspec.Meta(ge=1, le=100)] = 1
    rounds: Whole | None = None
    question: Literal["order", "top", "champion"] = "order"
    top: Whole = 1
    care: Literal["strict", "thrifty"] = "strict"
    group: Annotated[int, msgspec.Meta(ge=3, le=32)] = 8
    through: Annotated[int, msgspec.Meta(ge=1, le=16)] = 2
    placement: Annotated[int, msgspec.Meta(ge=0, le=100)] = 0
    mixed: Annotated[int, msgspec.Meta(ge=0, le=100)] = 1
    matches: Whole | None = None
    hours: Whole | None = None
    divisions: Annotated[int, msgspec.Meta(ge=1, le=16)] = 1
    moving: Whole = 1
    learning: Literal["off", "fresh", "parent"] = "off"

    def __post_init__(self) -> None:
        if self.question == "champion" and (self.care != "strict" or self.top != 1):
            raise ValueError(
                "the question champion asks for one bot, and is answered with strict care only; "
                "leave out top and care"
            )
        if self.through >= self.group:
            raise ValueError(
                f"through is {self.through} and group is {self.group}; fewer bots must go on from "
                "a group than play in it"
            )


class Admission(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who may enter the seasons of a league."""

    by: Literal["open", "invitation"] = "open"
    everybody: bool = False
    bots: Whole | None = 1
    uploads: Whole | None = None


class Schedule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When the seasons of a league start: once, or again and again by cron.

    Raises ValueError if `once` is not written as a time, or if both are given.
    """

    once: str | None = None
    """A local time, such as 2026-12-11 18:00."""
    cron: str | None = None
    zone: str = "UTC"

    def __post_init__(self) -> None:
        if self.once is None:
            return
        force_setattr(self, "once", _minute(self.once))
        if self.cron is not None:
            raise ValueError(
                f"once is {self.once} and cron is {quoted(self.cron)}, but seasons start once or "
                "by cron; leave out one of them"
            )

    @property
    def automatic(self) -> bool:
        """Whether seasons start by themselves."""
        return self.once is not None or self.cron is not None


def _minute(text: str) -> str:
    """Returns a local time as 2026-12-11 18:00; a browser sends it with a T between day and hour.
    Raises ValueError for any other text."""
    if _MINUTE.fullmatch(text) is None:
        why = "write year, month, day, hour and minute, such as 2026-12-11 18:00"
        raise ValueError(f"once is {quoted(text)}; {why}")
    return text.replace("T", " ")


Settings = TypeVar("Settings", Format, Admission, Schedule)
Read = TypeVar("Read", bound=msgspec.Struct)


@dataclass(frozen=True)
class Given(Generic[Settings]):
    """New values for some fields of a format, an admission or a schedule. The other fields stay as
    they are.

    `given` makes one. It is false if it holds no field.
    """

    fields: Mapping[str, Any]

    def __bool__(self) -> bool:
        return bool(self.fields)

    def replace_in(self, settings: Settings) -> Settings:
        """Returns the settings with these fields. Fields without a meaning for a new `question`
        get their defaults, a new `once` replaces the `cron`, and a new `cron` the `once`. Raises
        BadOption if fields contradict others."""
        old = write(settings)
        for name in UNUSED_FOR_QUESTION.get(self.fields.get("question", ""), ()):
            del old[name]
        for name, other in (("once", "cron"), ("cron", "once")):
            if self.fields.get(name) is not None:
                old.pop(other, None)
        return read(type(settings), {**old, **self.fields})


PARTS: Final[dict[str, type[Format] | type[Admission] | type[Schedule]]] = {
    "format": Format,
    "admission": Admission,
    "schedule": Schedule,
}
"""The settings by the names that a league gives them."""
_MAX_VALUES: Final = {"rounds": MAX_ROUNDS}
"""The most that some whole numbers may be set to, beside those whose type has a limit."""


class About(NamedTuple):
    """The meaning of a field."""

    label: str
    """Its label in a form."""
    text: str
    none: str = ""
    """The meaning of None, if the field may be None."""

    def sentence(self, none: str = "none") -> str:
        """The text, with the meaning of None after the given word for it."""
        return f"{self.text}; {none}: {self.none}" if self.none else self.text


ABOUT: Final = {
    "kind": About("Kind", "how it is played"),
    "cycles": About(
        "Double round robins, or cycles",
        "number of double round robins, or of cycles at larger tables and in cooperative games; an "
        "adaptive season begins with them",
    ),
    "rounds": About("Rounds (Swiss)", "rounds of a Swiss season", "log2 of the bots, plus 2"),
    "question": About("Question (adaptive)", "what an adaptive season finds out"),
    "top": About("Size of the top", "how many bots count as the best few (`top`)"),
    "care": About("Care (adaptive)", "how sure an adaptive season has to be"),
    "group": About("Bots of a group", "bots of a group before a knock-out"),
    "through": About("Going on from a group", "how many of a group go on to the knock-out"),
    "placement": About("Placement matches", "matches that a newcomer plays before the first round"),
    "mixed": About(
        "Rounds of mixed teams", "in a cooperative game: rounds of mixed teams after each cycle"
    ),
    "matches": About("Ends after matches", "the season ends after this many matches", "no limit"),
    "hours": About("Ends after hours", "the season ends after this many hours", "no limit"),
    "divisions": About("Divisions", "how many divisions, the strongest bots in the first"),
    "moving": About(
        "Rising and sinking",
        "how many bots rise and sink between two divisions; fewer if a division is too small",
    ),
    "learning": About(
        "Learning between rounds",
        "whether bots learn between rounds, and with which memory they begin",
    ),
    "by": About("Who may enter", "everybody, or only the accounts that an operator invites"),
    "everybody": About("At the freeze", "every active bot plays, or only those that were entered"),
    "bots": About("Bots of one author", "how many bots of one author may enter", "any number"),
    "uploads": About(
        "Uploads in 24 hours", "how many uploads an author may make in 24 hours", "any number"
    ),
    "once": About(
        "A single start",
        "the time at which the next season starts, and no other one after it, such as "
        "'2026-12-11 18:00'",
        "no such time",
    ),
    "cron": About(
        "Cron, such as 0 18 * * FRI",
        "when seasons start, such as '0 18 * * FRI'",
        "when an operator starts them",
    ),
    "zone": About(
        "Time zone", "the time zone of the schedule, such as Europe/Berlin; UTC until one is chosen"
    ),
}
"""The meaning of every field, by name."""
CHOICES: Final[dict[str, dict[Any, str]]] = {
    "kind": {
        "round-robin": "double round robin",
        "swiss": "Swiss",
        "adaptive": "adaptive",
        "knock-out": "groups and knock-out",
    },
    "question": {"order": "the whole order", "top": "the best few", "champion": "the champion"},
    "care": {"strict": "strict", "thrifty": "thrifty"},
    "learning": {"off": "no", "fresh": "from nothing", "parent": "from earlier seasons"},
    "by": {"open": "everybody", "invitation": "invited accounts"},
    "everybody": {False: "only bots that were entered", True: "every active bot"},
}
"""The values of a field that has only a few, with their labels in a form."""
FIELDS_OF_KIND: Final = {
    "round-robin": ("cycles",),
    "swiss": ("rounds",),
    "adaptive": ("cycles", "question", "top", "care"),
    "knock-out": ("group", "through"),
}
"""The fields of a format that only some kinds have, by kind."""
UNUSED_FOR_QUESTION: Final = {"order": ("top",), "champion": ("top", "care")}
"""The fields that have no meaning for a question of an adaptive season. league.css hides them; it
also hides `moving` if there is one division."""


def unused(form: Format) -> set[str]:
    """Returns the names of the fields that have no meaning for such a season."""
    return excluded_by(write(form))


def check_used(form: Format, new: Given[Format], old: Format, *, cooperative: bool) -> None:
    """Raises BadOption if one of the `new` fields, which made `form` of `old`, has no meaning in a
    season of `form`, of a `cooperative` game or another one.

    Accepts a field that has its default or its old value: a client may send all fields.
    """
    idle = unused(form) if cooperative else {"mixed", *unused(form)}
    harmless = write(Format()), write(old)
    for name in sorted(idle & new.fields.keys()):
        if all(new.fields[name] != one[name] for one in harmless):
            raise BadOption(f"{name} has no meaning {_where_unused(name, form)}").of(name)


def _where_unused(name: str, form: Format) -> str:
    """Where this field has no meaning, and what to do."""
    if name == "mixed":
        return "in a game of rivals, which has no teams: leave it out"
    if name == "moving":
        return "in one division: leave it out, or choose more divisions"
    kinds = [kind for kind, own in FIELDS_OF_KIND.items() if name in own]
    if form.kind not in kinds:
        return f"in a {form.kind} season: leave it out, or choose {' or '.join(kinds)}"
    asked = " or ".join(
        one for one in CHOICES["question"] if name not in UNUSED_FOR_QUESTION.get(one, ())
    )
    return f"for the question {form.question}: leave it out, or choose the question {asked}"


def excluded_by(fields: Mapping[str, Any]) -> set[str]:
    """Returns the names of the fields that have no meaning beside these ones of a format. A kind
    that is none of a season excludes those that only some kinds have."""
    kind, names = fields.get("kind"), set[str]()
    if kind is not None:
        names = set().union(*FIELDS_OF_KIND.values()).difference(FIELDS_OF_KIND.get(kind, ()))
    if kind in (None, "adaptive"):
        names.update(UNUSED_FOR_QUESTION.get(fields.get("question", ""), ()))
    if fields.get("divisions") == 1:
        names.add("moving")
    return names


class SettingField(msgspec.Struct, frozen=True, kw_only=True):
    """A field of the settings, as a form or a command shows it."""

    name: str
    alias: str
    """Its name in forms and commands, where `matches` has another meaning: it is `max_matches`."""
    about: About
    choices: dict[Any, str]
    """Empty if it may have any value of its type."""
    whole: bool
    """True for a whole number, from `least` to `most`."""
    least: int | None = None
    most: int | None = None
    optional: bool
    """True if it may be None."""


def fields_of(settings: type[Format | Admission | Schedule]) -> list[SettingField]:
    """The fields of these settings, in order."""
    described = inspect.type_info(settings)
    assert isinstance(described, inspect.StructType)
    return [_field(one.name, one.type) for one in described.fields]


def read(kind: type[Settings], data: Mapping[str, Any]) -> Settings:
    """Reads settings. Raises BadOption, which names the wrong field."""
    return _convert(data, kind, kind)


def given(kind: type[Settings], data: Mapping[str, Any]) -> Given[Settings]:
    """Reads the fields that are given. Raises BadOption, which names an unknown or wrong field.

    Whether they contradict other fields is seen only in `Given.replace_in`.
    """
    some = _convert(data, _some_of(kind), kind, new=True)
    return Given(msgspec.to_builtins(some))


def write(settings: Format | Admission | Schedule) -> dict[str, Any]:
    """All fields as JSON-compatible data."""
    fields: dict[str, Any] = msgspec.to_builtins(settings)
    return fields


def _convert(
    data: Mapping[str, Any], kind: type[Read], settings: type[Settings], *, new: bool = False
) -> Read:
    try:
        if new and (why := _wrong_value(data, settings)):
            raise msgspec.ValidationError(why)
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        why = _wrong_value(data, settings) or str(error)
        wrong = [
            one.alias
            for one in fields_of(settings)
            if why.startswith(f"{one.alias} ") or f"`$.{one.name}`" in why
        ]
        text = f"the {settings.__name__.lower()} is wrong: {why}"
        raise BadOption(text).of(*wrong[:1]) from None


def _wrong_value(data: Mapping[str, Any], settings: type[Settings]) -> str:
    """Says what is wrong with the first text that is none of its choices, or the first whole number
    that is too small or too large; empty if there is none."""
    for known in fields_of(settings):
        value, least, most = data.get(known.name), known.least, known.most
        if type(value) is str and known.choices and value not in known.choices:
            choices = ", ".join(str(one).lower() for one in known.choices)
            return f"{known.alias} is {quoted(value)}; it must be one of {choices}"
        if least is None or most is None or type(value) is not int:
            continue
        if not least <= value <= most:
            return f"{known.alias} is {quoted(value)}; it must be from {least} to {most}"
    return ""


@cache
def _some_of(kind: type[Any]) -> type[msgspec.Struct]:
    """A class with the fields of these settings, any of which may be left out."""
    hints = get_type_hints(kind, include_extras=True)
    fields: list[Any] = [
        (name, Union[hint, UnsetType], UNSET)  # noqa: UP007 - made at run time
        for name, hint in hints.items()
    ]
    return msgspec.defstruct(kind.__name__, fields, forbid_unknown_fields=True)


def _field(name: str, kind: inspect.Type) -> SettingField:
    several = kind.types if isinstance(kind, inspect.UnionType) else (kind,)
    whole = next((one for one in several if isinstance(one, inspect.IntType)), None)
    return SettingField(
        name=name,
        alias="max_matches" if name == "matches" else name,
        about=ABOUT[name],
        choices=CHOICES.get(name, {}),
        whole=whole is not None,
        least=None if whole is None else whole.ge,
        most=None if whole is None else whole.le or _MAX_VALUES.get(name, MAX_WHOLE),
        optional=len(several) > 1,
    )

"""The games that are installed, and the limits of their bots."""

from __future__ import annotations

from typing import TypeAlias

from matchbox.answers import Answer

Value: TypeAlias = bool | int | str


class Option(Answer):
    """An option of a game. Without choices, any value of the default's type is allowed."""

    default: Value
    help: str
    choices: list[Value]


class Game(Answer):
    """A game that is installed; `bots` counts the active ones, `matches` the finished ones.

    `hidden` describes the information that a seat does not see. `libraries`, only in the API, are
    those that bots may import beside the standard library.
    """

    name: str
    title: str
    seats: list[int]
    rules: str
    cooperative: bool
    hidden: str
    options: dict[str, Option]
    bots: int
    matches: int
    libraries: list[str] | None = None


class Limits(Answer):
    """The limits of a bot on this platform, each by the name of its setting in lowercase.

    `libraries` are those that bots may import beside the standard library.
    """

    cpu_ms: int
    start_cpu_ms: int
    bank_ms: int
    wall_factor: int
    memory_mb: int
    log_bytes: int
    tryout_deals: int
    libraries: list[str]


class Games(Answer):
    """All games."""

    items: list[Game]
    next: str | None

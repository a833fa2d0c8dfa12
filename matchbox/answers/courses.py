"""The course of a season: its matches by round, those still to play, and the pairs that have
met."""

from __future__ import annotations

from matchbox.answers import Answer, Interval
from matchbox.answers.matches import State


class Fixture(Answer):
    """A match of a season; `seats` are indexes into the course's `bots`.

    `points` are shares of the match by seat; null until they are readable, and in a cooperative
    game, where `score` is the team's mean result of a bout.
    """

    match: str
    round: int
    state: State
    seats: list[int]
    points: list[float | None]
    score: float | None


class Course(Answer):
    """The bots of a season, in the order of their entries, and the size of a table.

    `left` is the number of matches that are still to play, by round, from 1. It leaves out rounds
    that are over. `lessons` is the number of lessons that are not over, `parked_lessons` the
    number of those that wait for an operator.
    """

    bots: list[str]
    seats: int
    left: dict[int, int]
    lessons: int = 0
    parked_lessons: int = 0


class Meeting(Answer):
    """Two versions that have met in a season, by their row numbers; `share` is the first one's.

    At a table of two it is the share of the points; at a larger one it says how often the first was
    ahead of the second, where a draw counts half. `ci95` is null in seasons that ended before
    standings stored who met.
    """

    first: int
    second: int
    bouts: int
    share: float
    ci95: Interval | None = None


class Stamp(Answer):
    """Two texts: one changes whenever the season's course does, the other whenever its standing
    does. The course's begins with the season's state and a hyphen."""

    course: str
    standing: str

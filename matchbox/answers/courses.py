"""The course of a season: every match by its round, with its result so far."""

from __future__ import annotations

from matchbox.answers import Answer
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
    """The matches of a season in their order, without those that were played again.

    It is not `whole` if the season has more matches than are listed: then the newest are.
    """

    bots: list[str]
    fixtures: list[Fixture]
    whole: bool

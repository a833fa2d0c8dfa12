"""Lessons between rounds, and the results of verifying seasons."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from matchbox.answers import Answer

State: TypeAlias = Literal["waiting", "learned", "failed"]
Standing: TypeAlias = Literal["same", "different"]


class Lesson(Answer):
    """A bot's lesson after a round, which is counted from 1; `trouble` is for operators.

    `before` and `after` are the digests of its memories, `bytes` is the size of the new one.
    `records` is the number of bouts that it was given, even if its `learn` failed. If `log_days` is
    not null, the output was removed after that many days, and `log` is a sentence in its place.
    """

    id: int
    season: str
    season_id: int
    bot: str
    version: int
    version_id: int
    round: int
    state: State
    parked: bool
    before: str | None
    after: str | None
    bytes: int
    records: int
    fault: str
    log: str
    log_days: int | None = None
    trouble: str
    created_at: str
    settled_at: str | None


class Lessons(Answer):
    """The lessons that you may see."""

    items: list[Lesson]
    next: str | None


class Verification(Answer):
    """The result of verifying a season.

    A list names the first matches or lessons with a finding; `counts` and `lesson_counts` say how
    many there are of each.
    """

    at: str
    matches: int
    out_of: int
    same: int
    different: list[str]
    unrepeatable: list[str]
    replayed_only: list[str]
    lessons: dict[str, Any]
    standing: Standing
    counts: dict[str, int]
    lesson_counts: dict[str, int]


class Sharing(Answer):
    """Whether others may have one's bots with exported seasons."""

    shares: bool

"""What bots learned between rounds, and what came of playing seasons again."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from matchbox.answers import Answer

State: TypeAlias = Literal["waiting", "learned", "failed"]
Standing: TypeAlias = Literal["same", "different"]


class Lesson(Answer):
    """What a bot made of a round, which is counted from 1; `trouble` is for operators.

    `before` and `after` are the digests of its memories, `bytes` is the size of the one after it.
    `records` counts the bouts that it was shown.
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
    trouble: str
    created_at: str
    settled_at: str | None


class Lessons(Answer):
    """Lessons, as far as you may see them."""

    items: list[Lesson]
    next: str | None


class Verification(Answer):
    """What came of playing a season again."""

    at: str
    matches: int
    out_of: int
    same: int
    different: list[str]
    unrepeatable: list[str]
    replayed_only: list[str]
    lessons: dict[str, Any]
    standing: Standing


class Sharing(Answer):
    """Whether one's bots go with exported seasons."""

    shares: bool

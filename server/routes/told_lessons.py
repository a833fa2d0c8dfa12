"""What the API tells of lessons and of proofs: a model for each answer, as told.py has them."""

from __future__ import annotations

from typing import Any, Literal

from server.routes.told import Answer


class Lesson(Answer):
    """What a bot made of a round."""

    id: int
    season: str
    bot: str
    version: int
    round: int
    state: Literal["waiting", "learned", "failed"]
    parked: bool
    before: str | None
    after: str | None
    records: int
    fault: str
    log: str


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
    standing: Literal["same", "different"]


class Sharing(Answer):
    """Whether one's bots go with exported seasons."""

    shares: bool

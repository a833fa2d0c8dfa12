"""What operators see of the platform: its log, its wall, and what waits for them."""

from __future__ import annotations

from typing import Any

from matchbox.answers import Answer
from matchbox.answers.lessons import Lesson
from matchbox.answers.matches import ParkedMatch


class Event(Answer):
    """A change on the platform; `subject` names what changed, as `kind` says."""

    id: int
    kind: str
    subject: str
    at: str


class AuditLine(Answer):
    """A deed; `actor` is null where the platform did it by itself.

    `subject` is such as `season:7`, and `name` is what it is called.
    """

    id: int
    at: str
    actor: str | None
    action: str
    subject: str
    name: str
    detail: dict[str, Any]


class Audit(Answer):
    """A page of the log, newest first."""

    items: list[AuditLine]
    next: str | None


class Wall(Answer):
    """What the arenas say of their walls: whether all have one, and what is missing."""

    walled: bool
    box: str | None
    missing: list[str]
    reported_at: str | None


class TroubledVersion(Answer):
    """A version that waits for an operator, or is in quarantine, and why."""

    id: int
    bot: str
    number: int
    trouble: str


class User(Answer):
    """An account, and how many bots it has."""

    name: str
    role: str
    bots: int
    created_at: str


class Admin(Answer):
    """What an operator looks after; `wall` is null as long as no arena has reported."""

    wall: Wall | None
    parked_matches: list[ParkedMatch]
    parked_versions: list[TroubledVersion]
    parked_lessons: list[Lesson]
    quarantined: list[TroubledVersion]
    users: list[User]

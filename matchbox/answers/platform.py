"""The platform for operators: the log, the wall, and the things that wait for them."""

from __future__ import annotations

from typing import Any

from matchbox.answers import Answer
from matchbox.answers.accounts import SessionLine, TokenLine
from matchbox.answers.lessons import Lesson
from matchbox.answers.matches import ParkedMatch


class Event(Answer):
    """A change on the platform: `kind` says what happened, and `subject` to what."""

    id: int
    kind: str
    subject: str
    at: str


class AuditLine(Answer):
    """An action; `actor` is null if the platform did it by itself.

    `subject` is a kind and a number, such as `season:7`; `name` is the subject's name.
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
    """The arenas' reports on their walls: whether all have one, and what is missing.

    `silent` is true if none has reported for 45 seconds; then the reports may be out of date.
    """

    walled: bool
    box: str | None
    missing: list[str]
    reported_at: str | None
    silent: bool = False


class TroubledVersion(Answer):
    """A version that waits for an operator, or is in quarantine, and why."""

    id: int
    bot: str
    number: int
    trouble: str


class User(Answer):
    """An account, and how many bots it has; `closed_at` is null while it is open.

    `note` is the operators' note on it.
    """

    id: int
    name: str
    role: str
    email: str | None
    bots: int
    created_at: str
    closed_at: str | None
    note: str = ""


class Users(Answer):
    """A page of the accounts by name, and how many accounts the search has found."""

    items: list[User]
    page: int
    pages: int
    found: int
    next: str | None


class UserDetail(User):
    """An account with its open sessions, its tokens, and the leagues of its classes.

    Its tokens include those that were revoked lately.
    """

    sessions: list[SessionLine]
    tokens: list[TokenLine]
    leagues: list[str]


class Admin(Answer):
    """The things that an operator looks after; `wall` is null until an arena has reported."""

    wall: Wall | None
    parked_matches: list[ParkedMatch]
    parked_versions: list[TroubledVersion]
    parked_lessons: list[Lesson]
    quarantined: list[TroubledVersion]
    users: int

"""What the API tells: a model for each answer, for the OpenAPI document.

Knows shapes as server.queries makes them; checks nothing at run time, which the tests do.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Answer(BaseModel):
    """A JSON object that may later hold more than is said here."""

    model_config = ConfigDict(extra="allow")


class Account(Answer):
    """Who somebody is."""

    name: str
    role: str


class FreshToken(Answer):
    """A secret, told once."""

    token: str
    account: str
    role: str
    scopes: list[str]
    ends_at: str | None


class TokenLine(Answer):
    """A token that works."""

    id: int
    name: str
    created_at: str
    used_at: str | None
    scopes: list[str]
    ends_at: str | None


class Tokens(Answer):
    """Your tokens."""

    items: list[TokenLine]
    next: str | None


class SessionLine(Answer):
    """A browser in which you are logged in; `current` is the one that asks."""

    id: int
    browser: str
    created_at: str
    seen_at: str
    ends_at: str
    current: bool


class Sessions(Answer):
    """Your sessions."""

    items: list[SessionLine]
    next: str | None

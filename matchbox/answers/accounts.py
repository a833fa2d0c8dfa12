"""Accounts, their tokens and their sessions."""

from __future__ import annotations

from matchbox.answers import Answer


class Account(Answer):
    """Who somebody is."""

    name: str
    role: str


class Viewer(Account):
    """Who looks at a page, and how many of the notices are unread."""

    unread: int


class TokenLine(Answer):
    """A token that works; `ends_at` is null where it has no end."""

    id: int
    name: str
    created_at: str
    used_at: str | None
    revoked_at: str | None
    scopes: list[str]
    ends_at: str | None


class Tokens(Answer):
    """Your tokens."""

    items: list[TokenLine]
    next: str | None


class FreshToken(Answer):
    """A secret, shown once."""

    token: str
    account: str
    role: str
    scopes: list[str]
    ends_at: str | None


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

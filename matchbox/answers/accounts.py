"""Accounts, their tokens and their sessions."""

from __future__ import annotations

from matchbox.answers import Answer


class Account(Answer):
    """An account."""

    name: str
    role: str


class Viewer(Account):
    """The account that looks at a page, and the number of its unread notices."""

    unread: int


class TokenLine(Answer):
    """A token; `ends_at` is null if it has no end, `revoked_at` while it is not revoked."""

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
    """A browser in which an account is logged in; `current` marks that of this request."""

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

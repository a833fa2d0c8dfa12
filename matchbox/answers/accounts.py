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


class PasswordLink(Answer):
    """A link that sets an account's password once, before `ends_at`; it is shown only once."""

    name: str
    link: str
    ends_at: str


class SessionLine(Answer):
    """A browser in which an account is logged in; `current` marks that of this request.

    `address` is the IP address at `seen_at`, and null if it is unknown.
    """

    id: int
    browser: str
    address: str | None
    created_at: str
    seen_at: str
    ends_at: str
    current: bool


class Sessions(Answer):
    """Your sessions."""

    items: list[SessionLine]
    next: str | None


class LoggedInLine(SessionLine):
    """A browser in which somebody is logged in, and the name of the account."""

    account: str


class LoggedIn(Answer):
    """A page of everybody's sessions, the last used first."""

    items: list[LoggedInLine]
    next: str | None


class IdentityLine(Answer):
    """Somebody at an OpenID Connect provider whose account this is.

    `logs_in` says whether they can log in: the platform asks only one provider, and it may have
    been another one when the identity was linked.
    """

    id: int
    issuer: str
    logs_in: bool
    created_at: str
    used_at: str


class LogInWays(Answer):
    """The ways to log in to an account: its password, if it has one, and identities elsewhere."""

    has_password: bool
    identities: list[IdentityLine]


class OpenidFound(Answer):
    """Somebody whom the provider knows, and no account here.

    `known_as` is their name at the provider, and `suggested` a free name for an account. `refused`
    is the reason why no account may be made for them. `asks_password` says whether the viewer must
    give a password to link the identity.
    """

    known_as: str
    suggested: str
    refused: str
    asks_password: bool

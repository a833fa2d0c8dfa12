"""Accounts and the secrets that stand for them."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import BigInteger, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.db.models.tables import Table

if TYPE_CHECKING:
    from server.db.models.bots import Bot


class Role(StrEnum):
    """What an account may do."""

    AUTHOR = "author"
    OPERATOR = "operator"
    HOUSE = "house"
    """Owns the shipped bots; nobody logs in to it."""


class Scope(StrEnum):
    """What a token may be used for."""

    READ = "read"
    """See what the account sees."""
    SUBMIT = "submit"
    """Upload bots, and change what is the account's own."""
    OPERATE = "operate"
    """Run the platform; for operators."""


TRUSTED: Final = (Role.OPERATOR, Role.HOUSE)
"""The roles of accounts whose bots may play without a wall around them."""


class User(Table):
    """An account."""

    __tablename__ = "user"

    limited = False
    """True while a token without the scope `operate` asks for this account. Not a column."""

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(32), unique=True)
    password: Mapped[str | None] = mapped_column(String(200))
    """An argon2 hash; None for the house's own account."""
    role: Mapped[str] = mapped_column(String(16), default=Role.AUTHOR)
    email: Mapped[str | None] = mapped_column(String(254))
    """Where notices are sent as well, confirmed; None for nowhere."""
    email_asked: Mapped[str | None] = mapped_column(String(254))
    """The address that is to be confirmed by the link that was sent there."""
    email_asked_at: Mapped[int | None] = mapped_column(BigInteger)
    muted: Mapped[list[Any]] = mapped_column(default=list)
    """The kinds of notices that are not mailed."""
    shares: Mapped[bool] = mapped_column(default=False)
    """Whether its bots' files and memories go with an exported season to anybody."""
    created_at: Mapped[int] = mapped_column(BigInteger)
    bots: Mapped[list[Bot]] = relationship(back_populates="owner")

    @property
    def operator(self) -> bool:
        """True if this account runs the platform, and who asks for it may."""
        return self.role == Role.OPERATOR and not self.limited

    @property
    def scopes(self) -> frozenset[Scope]:
        """Every scope that a token of this account may have."""
        operates = {Scope.OPERATE} if self.role == Role.OPERATOR else set()
        return frozenset({Scope.READ, Scope.SUBMIT} | operates)

    @property
    def trusted(self) -> bool:
        """True if its bots may play without a wall around them."""
        return self.role in TRUSTED


class Token(Table):
    """A secret that stands for an account in the API, or a one-time link."""

    __tablename__ = "token"

    id: Mapped[int] = mapped_column(primary_key=True)
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    """Of the secret, which itself is shown once and never stored."""
    purpose: Mapped[str] = mapped_column(String(16))
    """api, or first-operator."""
    user_id: Mapped[int | None] = mapped_column(ForeignKey("user.id"), index=True)
    name: Mapped[str] = mapped_column(String(64), default="")
    created_at: Mapped[int] = mapped_column(BigInteger)
    used_at: Mapped[int | None] = mapped_column(BigInteger)
    """When a one-time link was used up, or an API token last used, to the minute."""
    revoked_at: Mapped[int | None] = mapped_column(BigInteger)
    scopes: Mapped[str] = mapped_column(String(64), default="")
    """What an API token may be used for: the names of its scopes, with spaces between."""
    ends_at: Mapped[int | None] = mapped_column(BigInteger)
    """None for a one-time link, and for a token that was made before tokens had an end."""
    user: Mapped[User | None] = relationship()

    @property
    def scope_set(self) -> frozenset[Scope]:
        """The scopes by themselves."""
        return frozenset(Scope(name) for name in self.scopes.split())


class BrowserSession(Table):
    """A browser in which an account is logged in."""

    __tablename__ = "browser_session"

    id: Mapped[int] = mapped_column(primary_key=True)
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    """Of the secret that the browser's cookie holds."""
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), index=True)
    browser: Mapped[str] = mapped_column(String(64))
    """What the browser says it is, such as "Firefox on Linux"."""
    created_at: Mapped[int] = mapped_column(BigInteger)
    seen_at: Mapped[int] = mapped_column(BigInteger)
    """When it last asked for something, to some minutes."""
    ends_at: Mapped[int] = mapped_column(BigInteger)
    user: Mapped[User] = relationship()

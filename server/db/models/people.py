"""Accounts, and the secrets that give access to them."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import BigInteger, ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.db.models.declarative import Base

if TYPE_CHECKING:
    from server.db.models.bots import Bot


class Role(StrEnum):
    """The role of an account, which decides its rights."""

    AUTHOR = "author"
    OPERATOR = "operator"
    HOUSE = "house"
    """Owns the shipped bots; nobody can log in to it."""


class Scope(StrEnum):
    """A kind of request that a token allows."""

    READ = "read"
    """See everything that the account sees."""
    SUBMIT = "submit"
    """Upload bots, and change the account's own data."""
    OPERATE = "operate"
    """Run the platform; for operators only."""


TRUSTED: Final = (Role.OPERATOR, Role.HOUSE)
"""The roles of accounts that are trusted with more than authors.

Their bots may play without a wall around them, and may enter every league, in any number. These
accounts may upload while uploads are closed, and wait for no turn. The limits of pending try-outs
and of a league's daily uploads do not apply to them.
"""


NOTE: Final = 100
"""The most characters of a note on an account."""


class User(Base):
    """An account."""

    __tablename__ = "user"

    limited = False
    """True while a request with a token without the scope `operate` acts for this account. Not a
    column."""

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(32), unique=True)
    password: Mapped[str | None] = mapped_column(String(200))
    """An argon2 hash; None for the account of the shipped bots, and for those that have only ever
    logged in by an OpenID Connect provider."""
    role: Mapped[str] = mapped_column(String(16), default=Role.AUTHOR)
    email: Mapped[str | None] = mapped_column(String(254))
    """The confirmed address to which notices are mailed; None for nowhere."""
    email_asked: Mapped[str | None] = mapped_column(String(254))
    """An address that waits for confirmation by the link that was mailed to it."""
    email_asked_at: Mapped[int | None] = mapped_column(BigInteger)
    email_changed_at: Mapped[int | None] = mapped_column(BigInteger)
    """The time when the confirmed address was last set; None for never, or for a time before this
    was stored."""
    reset_asked_at: Mapped[int | None] = mapped_column(BigInteger)
    """When a link to set a new password was last mailed; None once it was used."""
    muted: Mapped[list[Any]] = mapped_column(default=list)
    """The kinds of notices that are not mailed."""
    shares: Mapped[bool] = mapped_column(default=False)
    """Whether any export of a season may include its bots' files and memories."""
    note: Mapped[str] = mapped_column(String(NOTE), default="")
    """The operators' note on it, such as a pupil's real name. Only operators see it, and its owner
    in the export of the account's data."""
    created_at: Mapped[int] = mapped_column(BigInteger)
    closed_at: Mapped[int | None] = mapped_column(BigInteger)
    """When an operator closed it; None while it is open. Nobody can log in to a closed account, and
    its bots get no new matches."""
    deleted_at: Mapped[int | None] = mapped_column(BigInteger)
    """When its owner deleted it. The row stays, under a name that says nothing, because its matches
    refer to it."""
    bots: Mapped[list[Bot]] = relationship(back_populates="owner")

    @property
    def operator(self) -> bool:
        """True if the account runs the platform, and the present request may use that right."""
        return self.role == Role.OPERATOR and not self.limited

    @property
    def scopes(self) -> frozenset[Scope]:
        """Every scope that a token of this account may have."""
        operates = {Scope.OPERATE} if self.role == Role.OPERATOR else set()
        return frozenset({Scope.READ, Scope.SUBMIT} | operates)

    @property
    def trusted(self) -> bool:
        """True if its role is one of TRUSTED, and the present request may use that right."""
        return self.role in TRUSTED and not self.limited


class FormerName(Base):
    """The digest of a name that a deleted account had. No account gets the name again."""

    __tablename__ = "former_name"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)


class Token(Base):
    """A secret that gives access to an account through the API, or a one-time link."""

    __tablename__ = "token"

    id: Mapped[int] = mapped_column(primary_key=True)
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    """The digest of the secret. The secret is shown once and never stored."""
    purpose: Mapped[str] = mapped_column(String(16))
    """api or first-operator."""
    user_id: Mapped[int | None] = mapped_column(ForeignKey("user.id"), index=True)
    name: Mapped[str] = mapped_column(String(64), default="")
    created_at: Mapped[int] = mapped_column(BigInteger)
    used_at: Mapped[int | None] = mapped_column(BigInteger)
    """When a one-time link was used, or an API token was last used, to the minute."""
    revoked_at: Mapped[int | None] = mapped_column(BigInteger)
    scopes: Mapped[str] = mapped_column(String(64), default="")
    """The names of an API token's scopes, separated by spaces."""
    ends_at: Mapped[int | None] = mapped_column(BigInteger)
    """None for a one-time link, and for tokens older than this column."""
    user: Mapped[User | None] = relationship()

    @property
    def scope_set(self) -> frozenset[Scope]:
        """The scopes as a set."""
        return frozenset(Scope(name) for name in self.scopes.split())


class BrowserSession(Base):
    """A browser in which an account is logged in."""

    __tablename__ = "browser_session"

    id: Mapped[int] = mapped_column(primary_key=True)
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    """The digest of the secret in the browser's cookie."""
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), index=True)
    browser: Mapped[str] = mapped_column(String(64))
    """The browser's own description, such as "Firefox on Linux"."""
    created_at: Mapped[int] = mapped_column(BigInteger)
    seen_at: Mapped[int] = mapped_column(BigInteger)
    """When it last made a request, to within some minutes."""
    address: Mapped[str | None] = mapped_column(String(45))
    """The IP address of that request; None if it is unknown, or the session is older than this
    column."""
    ends_at: Mapped[int] = mapped_column(BigInteger, index=True)
    user: Mapped[User] = relationship()


class Identity(Base):
    """A person at an OpenID Connect provider, who can log in to an account through it."""

    __tablename__ = "identity"
    __table_args__ = (UniqueConstraint("issuer", "subject"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    issuer: Mapped[str] = mapped_column(String(255))
    subject: Mapped[str] = mapped_column(String(255))
    """The provider's identifier of the person, which never changes."""
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), index=True)
    created_at: Mapped[int] = mapped_column(BigInteger)
    used_at: Mapped[int] = mapped_column(BigInteger)
    """When somebody last logged in with it."""

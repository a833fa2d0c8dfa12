"""Counts of wrong passwords."""

from __future__ import annotations

from sqlalchemy import BigInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from server.db.models.declarative import Base


class LoginAttempts(Base):
    """The wrong passwords for one name, from one network or from all networks together."""

    __tablename__ = "login_attempts"

    subject: Mapped[str] = mapped_column(String(64), primary_key=True)
    """A keyed digest of the name and the network, so that the row reveals neither."""
    wrong: Mapped[int] = mapped_column(default=0)
    """The number of wrong passwords since the last right one."""
    wrong_at: Mapped[int] = mapped_column(BigInteger)
    """When the last wrong password came."""
    until: Mapped[int] = mapped_column(BigInteger, default=0)
    """No further attempt is allowed before this time."""
    right_at: Mapped[int | None] = mapped_column(BigInteger)
    """When somebody last logged in to the account from this network."""

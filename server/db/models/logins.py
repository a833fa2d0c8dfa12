"""How often a wrong password came for an account."""

from __future__ import annotations

from sqlalchemy import BigInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from server.db.models.tables import Table


class LoginAttempts(Table):
    """The wrong passwords for one name, from one network or from all of them together."""

    __tablename__ = "login_attempts"

    subject: Mapped[str] = mapped_column(String(64), primary_key=True)
    """A keyed digest of the name and the network: the row tells neither."""
    wrong: Mapped[int] = mapped_column(default=0)
    """In a row, without a right one between them."""
    wrong_at: Mapped[int] = mapped_column(BigInteger)
    """When the last of them came."""
    until: Mapped[int] = mapped_column(BigInteger, default=0)
    """No further attempt before then."""
    right_at: Mapped[int | None] = mapped_column(BigInteger)
    """When somebody last logged in to the account from this network."""

"""Notices for the owners of accounts, and their deliveries by webhook and e-mail."""

from __future__ import annotations

from sqlalchemy import BigInteger, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.db.models.declarative import Base
from server.db.models.people import User


class Notice(Base):
    """A line in an account's inbox."""

    __tablename__ = "notice"
    __table_args__ = (Index(None, "user_id", "id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    kind: Mapped[str] = mapped_column(String(32))
    """verdict, suspension, rank-change, ...: `NOTICE_KINDS` in `matchbox/answers/notices.py`."""
    subject: Mapped[str] = mapped_column(String(64))
    """The subject of the notice, such as version:<id>; see `services.notices.notify_account`."""
    text: Mapped[str] = mapped_column(String(1000))
    at: Mapped[int] = mapped_column(BigInteger)
    read_at: Mapped[int | None] = mapped_column(BigInteger)


class Webhook(Base):
    """A URL to which an account's notices are posted, each signed with the secret."""

    __tablename__ = "webhook"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), index=True)
    url: Mapped[str] = mapped_column(String(500))
    secret: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[int] = mapped_column(BigInteger)
    arrived_at: Mapped[int | None] = mapped_column(BigInteger)
    """When a notice was last delivered."""
    disabled_at: Mapped[int | None] = mapped_column(BigInteger)
    trouble: Mapped[str] = mapped_column(String(500), default="")
    """The reason why the last delivery failed, or why it is disabled."""
    waits_until: Mapped[int | None] = mapped_column(BigInteger)
    """Until when nothing else is posted to it: one delivery is under way, or has just failed."""
    user: Mapped[User] = relationship()


class Delivery(Base):
    """A notice to be delivered to a webhook or by e-mail. The row is deleted when it arrived or was
    given up."""

    __tablename__ = "delivery"
    __table_args__ = (Index(None, "webhook_id", "due_at"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    notice_id: Mapped[int] = mapped_column(ForeignKey("notice.id"), index=True)
    webhook_id: Mapped[int | None] = mapped_column(ForeignKey("webhook.id"))
    """None for e-mail."""
    address: Mapped[str | None] = mapped_column(String(254))
    """The address of this mail; None for the address that its account has when it is sent."""
    attempts: Mapped[int] = mapped_column(default=0)
    """The number of attempts so far."""
    due_at: Mapped[int] = mapped_column(BigInteger, index=True)
    """When the next attempt is due. A process postpones this time before it tries, so that no other
    process tries meanwhile."""
    notice: Mapped[Notice] = relationship()
    webhook: Mapped[Webhook | None] = relationship()

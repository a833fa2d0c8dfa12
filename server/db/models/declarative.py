"""The base class of all tables: how Python types become columns and how constraints are named; and
the columns that all jobs have."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from sqlalchemy import JSON, BigInteger, Integer, LargeBinary, MetaData, String
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

MANY: Final = BigInteger().with_variant(Integer(), "sqlite")
"""The type of the ids of a table whose rows come and go with every match: Postgres would run out of
ids of 32 bits in a few years. SQLite counts by itself only in INTEGER columns, which have 64."""


class Base(DeclarativeBase):
    """The base class of all tables."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        dict[str, Any]: JSON,
        list[Any]: JSON,
        bytes: LargeBinary,
    }


class JobColumns:
    """The columns of a job for an arena. They change as server/services/jobs.py describes."""

    attempt: Mapped[int] = mapped_column(default=0)
    """The number of times it was sent to an arena."""
    deadline: Mapped[int | None] = mapped_column(BigInteger)
    """The time at which the sweeper queues or sends it again; None if it is done or parked, or a
    match in the queue."""
    sent_at: Mapped[int | None] = mapped_column(BigInteger)
    """When its present attempt was sent; None before the first one."""
    arena: Mapped[str | None] = mapped_column(String(200))
    """The arena that has claimed the present attempt, or did the job; None before that."""
    platform_faults: Mapped[int] = mapped_column(default=0)
    trouble: Mapped[str] = mapped_column(String(500), default="")
    """The platform's last report about it."""

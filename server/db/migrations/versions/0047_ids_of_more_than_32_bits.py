"""The ids of events and messages have 64 bits on Postgres too. Every match takes some, and a busy
platform has used those of 32 bits in a few years."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None

TABLES = ("event", "outbox")


def upgrade() -> None:
    """Goes to this schema. Ids have 64 bits in SQLite anyway."""
    _change(sa.Integer(), sa.BigInteger(), "bigint")


def downgrade() -> None:
    """Goes back one step."""
    _change(sa.BigInteger(), sa.Integer(), "integer")


def _change(before: sa.Integer, after: sa.Integer, name: str) -> None:
    if op.get_bind().dialect.name == "sqlite":
        return
    for table in TABLES:
        op.alter_column(table, "id", existing_type=before, type_=after)
        op.execute(f"ALTER SEQUENCE {table}_id_seq AS {name}")

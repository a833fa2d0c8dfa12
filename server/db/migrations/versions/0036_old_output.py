"""Indexes of the results that still have their output or their record, the oldest first."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

REMOVED: Final = ("logs_days", "record_days")


def upgrade() -> None:
    """Goes to this schema."""
    for column in REMOVED:
        there = sa.text(f"{column} IS NULL")
        name, columns = f"ix_result_{column}_finished_at", [column, "finished_at"]
        op.create_index(name, "result", columns, sqlite_where=there, postgresql_where=there)


def downgrade() -> None:
    """Goes back one step."""
    for column in REMOVED:
        op.drop_index(f"ix_result_{column}_finished_at", "result")

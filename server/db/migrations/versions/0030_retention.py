"""The remains of a result whose record, or whose bots' output, was removed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Goes to this schema."""
    op.add_column("result", sa.Column("record_days", sa.Integer(), nullable=True))
    op.add_column("result", sa.Column("logs_days", sa.Integer(), nullable=True))
    op.add_column("result", sa.Column("seeds", sa.LargeBinary(), nullable=True))


def downgrade() -> None:
    """Goes back one step."""
    for name in ("seeds", "logs_days", "record_days"):
        op.drop_column("result", name)

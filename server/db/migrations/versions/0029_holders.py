"""The time at which each job was sent, and the arena that has claimed it or played the match."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0027"
branch_labels = None
depends_on = None

JOBS = ("match", "version", "draft", "lesson", "turn", "match_verification")


def upgrade() -> None:
    """Goes to this schema."""
    for table in JOBS:
        op.add_column(table, sa.Column("sent_at", sa.BigInteger(), nullable=True))
        op.add_column(table, sa.Column("arena", sa.String(200), nullable=True))


def downgrade() -> None:
    """Goes back one step."""
    for table in JOBS:
        op.drop_column(table, "arena")
        op.drop_column(table, "sent_at")

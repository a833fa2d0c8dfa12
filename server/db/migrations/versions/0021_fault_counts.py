"""The faults of each hour by version and kind, for operators."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Goes to this schema."""
    op.create_table(
        "fault_count",
        sa.Column("hour", sa.BigInteger(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("bouts", sa.Integer(), nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.String(32), nullable=False),
        sa.ForeignKeyConstraint(
            ["version_id"], ["version.id"], name=op.f("fk_fault_count_version_id")
        ),
        sa.PrimaryKeyConstraint("hour", "version_id", "kind", name=op.f("pk_fault_count")),
    )


def downgrade() -> None:
    """Goes back one step."""
    op.drop_table("fault_count")

"""The versions that were present when the platform failed, for the quarantine."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Goes to this schema."""
    op.create_table(
        "platform_fault",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.String(length=32), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"], ["match.id"], name=op.f("fk_platform_fault_match_id")
        ),
        sa.ForeignKeyConstraint(
            ["version_id"], ["version.id"], name=op.f("fk_platform_fault_version_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_platform_fault")),
    )
    op.create_index(op.f("ix_platform_fault_version_id"), "platform_fault", ["version_id"])
    op.create_index(op.f("ix_platform_fault_at"), "platform_fault", ["at"])


def downgrade() -> None:
    """Goes back one step."""
    op.drop_table("platform_fault")

"""Accounts that their owners have deleted, and the names that they had."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Goes to this schema."""
    op.create_table(
        "former_name",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_former_name")),
    )
    op.add_column("user", sa.Column("deleted_at", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    """Goes back one step."""
    op.drop_column("user", "deleted_at")
    op.drop_table("former_name")

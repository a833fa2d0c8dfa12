"""Counts of wrong passwords by account and network."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Goes to this schema."""
    op.create_table(
        "login_attempts",
        sa.Column("subject", sa.String(64), nullable=False),
        sa.Column("wrong", sa.Integer(), nullable=False),
        sa.Column("wrong_at", sa.BigInteger(), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.Column("right_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("subject", name=op.f("pk_login_attempts")),
    )


def downgrade() -> None:
    """Goes back one step."""
    op.drop_table("login_attempts")

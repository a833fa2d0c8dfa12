"""Codes that join a league, the class of those who have joined, and accounts that are closed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Goes to this schema."""
    op.add_column("league", sa.Column("join_code", sa.String(length=16), nullable=True))
    op.create_index(op.f("ix_league_join_code"), "league", ["join_code"], unique=True)
    op.add_column(
        "invitation",
        sa.Column("joined", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
    op.add_column("user", sa.Column("closed_at", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    """Goes back one step."""
    op.drop_column("user", "closed_at")
    op.drop_column("invitation", "joined")
    op.drop_index(op.f("ix_league_join_code"), "league")
    op.drop_column("league", "join_code")

"""The time at which a try-out began, and the network of its upload."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Goes to this schema."""
    op.add_column("version", sa.Column("claimed_at", sa.BigInteger(), nullable=True))
    op.add_column(
        "version",
        sa.Column("network", sa.String(64), nullable=False, server_default=""),
    )


def downgrade() -> None:
    """Goes back one step."""
    op.drop_column("version", "network")
    op.drop_column("version", "claimed_at")

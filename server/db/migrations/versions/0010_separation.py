"""How strictly a league's matches separate the rotations of a deal."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Goes to this schema."""
    op.add_column(
        "league",
        sa.Column("separation", sa.String(16), nullable=False, server_default="none"),
    )


def downgrade() -> None:
    """Goes back one step."""
    op.drop_column("league", "separation")

"""The positions of matches from which tables go on."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Goes to this schema."""
    op.add_column("play_table", sa.Column("place", sa.JSON(), nullable=True))


def downgrade() -> None:
    """Goes back one step."""
    op.drop_column("play_table", "place")

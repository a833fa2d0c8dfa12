"""The players' reports on their moves, beside a match's record."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Goes to this schema."""
    with op.batch_alter_table("result") as table:
        table.add_column(
            sa.Column("diagnostics", sa.JSON(), nullable=False, server_default=sa.text("'[]'"))
        )


def downgrade() -> None:
    """Removes the column."""
    with op.batch_alter_table("result") as table:
        table.drop_column("diagnostics")

"""The output of bots by bout and decision, beside a match's record."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Goes to this schema."""
    with op.batch_alter_table("result") as table:
        table.add_column(
            sa.Column("printed", sa.JSON(), nullable=False, server_default=sa.text("'[]'"))
        )


def downgrade() -> None:
    """Goes back one step."""
    with op.batch_alter_table("result") as table:
        table.drop_column("printed")

"""Renames the column of a season's last announcement."""

from __future__ import annotations

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Goes to this schema."""
    op.alter_column("season", "told", new_column_name="announced")


def downgrade() -> None:
    """Goes back one step."""
    op.alter_column("season", "announced", new_column_name="told")

"""Operators' notes on accounts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Goes to this schema."""
    note = sa.Column("note", sa.String(100), nullable=False, server_default="")
    op.add_column("user", note)


def downgrade() -> None:
    """Goes back one step."""
    op.drop_column("user", "note")

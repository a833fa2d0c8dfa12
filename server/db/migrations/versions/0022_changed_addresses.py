"""The time of the last change of an account's e-mail address, and the former address to notify."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Goes to this schema."""
    op.add_column("user", sa.Column("email_changed_at", sa.BigInteger(), nullable=True))
    op.add_column("delivery", sa.Column("address", sa.String(254), nullable=True))


def downgrade() -> None:
    """Goes back one step."""
    op.drop_column("delivery", "address")
    op.drop_column("user", "email_changed_at")

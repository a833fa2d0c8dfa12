"""The time at which a link to set a new password was mailed to an account."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Goes to this schema."""
    op.add_column("user", sa.Column("reset_asked_at", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    """Goes back one step."""
    op.drop_column("user", "reset_asked_at")

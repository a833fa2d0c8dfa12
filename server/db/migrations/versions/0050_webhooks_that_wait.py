"""Until when nothing else is posted to a webhook."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Goes to this schema."""
    op.add_column("webhook", sa.Column("waits_until", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    """Goes back one step."""
    op.drop_column("webhook", "waits_until")

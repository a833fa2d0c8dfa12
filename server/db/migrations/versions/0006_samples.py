"""The number of a version's sampled matches, and whether it keeps state between bouts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Goes to this schema."""
    op.add_column(
        "version",
        sa.Column("sampled", sa.Integer(), nullable=False, server_default=sa.text("0")),
    )
    op.add_column("version", sa.Column("stateful_at", sa.BigInteger(), nullable=True))
    op.add_column(
        "match_seat",
        sa.Column("stateful", sa.Boolean(), nullable=False, server_default=sa.false()),
    )


def downgrade() -> None:
    """Goes back one step."""
    op.drop_column("match_seat", "stateful")
    op.drop_column("version", "stateful_at")
    op.drop_column("version", "sampled")

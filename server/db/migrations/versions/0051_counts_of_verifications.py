"""How many matches and lessons each finding of a verification is of, beside the first of them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0051"
down_revision = "0050"
branch_labels = None
depends_on = None

COLUMNS = ("counts", "lesson_counts")


def upgrade() -> None:
    """Goes to this schema."""
    for name in COLUMNS:
        op.add_column("verification", sa.Column(name, sa.JSON(), nullable=True))


def downgrade() -> None:
    """Goes back one step."""
    for name in COLUMNS:
        op.drop_column("verification", name)

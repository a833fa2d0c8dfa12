"""An index that finds the queue of a comparison."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

COMPARED = sa.text("comparison_id IS NOT NULL")


def upgrade() -> None:
    """Goes to this schema."""
    op.drop_index("ix_match_comparison_id", "match")
    op.create_index(
        "ix_match_comparison_id_state_number",
        "match",
        ["comparison_id", "state", "number"],
        sqlite_where=COMPARED,
        postgresql_where=COMPARED,
    )


def downgrade() -> None:
    """Goes back one step."""
    op.drop_index("ix_match_comparison_id_state_number", "match")
    op.create_index("ix_match_comparison_id", "match", ["comparison_id"])

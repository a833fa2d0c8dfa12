"""An index by which the newest matches of a season are found in their order."""

from __future__ import annotations

from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

INDEX = "ix_match_season_id_number"


def upgrade() -> None:
    """Goes to this schema."""
    op.create_index(INDEX, "match", ["season_id", "number"])


def downgrade() -> None:
    """Goes back one step."""
    op.drop_index(INDEX, "match")

"""The index of a season's matches by state also has their round.

With it, a page finds the matches of one round, and counts those that are left of each round,
without reading the others.
"""

from __future__ import annotations

from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None

OLD, NEW = "ix_match_season_id_state", "ix_match_season_id_state_round"


def upgrade() -> None:
    """Goes to this schema."""
    op.create_index(NEW, "match", ["season_id", "state", "round"])
    op.drop_index(OLD, "match")


def downgrade() -> None:
    """Goes back one step."""
    op.create_index(OLD, "match", ["season_id", "state"])
    op.drop_index(NEW, "match")

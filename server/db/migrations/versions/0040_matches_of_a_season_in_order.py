"""An index that finds the newest matches of a season in their order.

It leaves out matches outside of seasons. Otherwise SQLite, which has no statistics, would read all
of these to find the waiting ones.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

INDEX = "ix_match_season_id_number"


def upgrade() -> None:
    """Goes to this schema."""
    seasons = sa.text("season_id IS NOT NULL")
    op.create_index(
        INDEX, "match", ["season_id", "number"], sqlite_where=seasons, postgresql_where=seasons
    )


def downgrade() -> None:
    """Goes back one step."""
    op.drop_index(INDEX, "match")

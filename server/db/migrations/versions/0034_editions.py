"""An index of the seasons of an edition, to count its divisions."""

from __future__ import annotations

from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Goes to this schema."""
    op.create_index("ix_season_league_id_edition", "season", ["league_id", "edition"])


def downgrade() -> None:
    """Goes back one step."""
    op.drop_index("ix_season_league_id_edition", "season")

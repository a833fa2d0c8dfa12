"""Whether the number of deals follows from the bots' speed, and the deals of a comparison's
matches."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Goes to this schema. A game's own league has a number that nobody chose, unless it was
    edited. Other leagues may have a chosen one."""
    for table in ("league", "season"):
        op.add_column(
            table, sa.Column("paced", sa.Boolean(), nullable=False, server_default=sa.false())
        )
    op.add_column(
        "comparison",
        sa.Column("deals", sa.Integer(), nullable=False, server_default=sa.text("1")),
    )
    op.execute(
        "UPDATE comparison SET deals = "
        "(SELECT league.deals FROM league WHERE league.id = comparison.league_id)"
    )
    op.execute(
        "UPDATE league SET paced = true WHERE continuous AND name = game AND NOT EXISTS "
        "(SELECT 1 FROM audit WHERE audit.action = 'league.edit' "
        "AND audit.subject = 'league:' || CAST(league.id AS VARCHAR) "
        "AND CAST(audit.detail AS VARCHAR) LIKE '%\"deals\"%')"
    )


def downgrade() -> None:
    """Goes back one step."""
    op.drop_column("comparison", "deals")
    op.drop_column("season", "paced")
    op.drop_column("league", "paced")

"""The number of active bots of each game, and revisions that grow with changes of fields and
ratings."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Goes to this schema."""
    op.create_table(
        "field",
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("bots", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("game", name=op.f("pk_field")),
    )
    op.execute(
        "INSERT INTO field (game, bots, revision) SELECT bot.game, count(*), 0 FROM bot "
        "JOIN version ON version.bot_id = bot.id "
        "WHERE version.state = 'active' AND bot.retired_at IS NULL GROUP BY bot.game"
    )
    for table in ("league", "rating"):
        op.add_column(
            table, sa.Column("revision", sa.Integer(), nullable=False, server_default="0")
        )
    op.create_index("ix_rating_league_id_revision", "rating", ["league_id", "revision"])


def downgrade() -> None:
    """Goes back one step."""
    op.drop_index("ix_rating_league_id_revision", "rating")
    for table in ("rating", "league"):
        op.drop_column(table, "revision")
    op.drop_table("field")

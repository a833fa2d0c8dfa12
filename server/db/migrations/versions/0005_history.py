"""The history of ratings, and the kinds of notices that an account does not want mailed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Goes to this schema."""
    op.create_table(
        "rating_point",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("league_id", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("rules", sa.String(length=16), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.Column("low", sa.Double(), nullable=False),
        sa.Column("high", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["league_id"], ["league.id"], name=op.f("fk_rating_point_league_id")
        ),
        sa.ForeignKeyConstraint(
            ["version_id"], ["version.id"], name=op.f("fk_rating_point_version_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rating_point")),
    )
    op.create_index(
        op.f("ix_rating_point_version_id_league_id"), "rating_point", ["version_id", "league_id"]
    )
    op.add_column("rating", sa.Column("noted_at", sa.BigInteger(), nullable=True))
    op.add_column(
        "rating",
        sa.Column("noted_matches", sa.Integer(), nullable=False, server_default=sa.text("0")),
    )
    op.add_column(
        "user", sa.Column("muted", sa.JSON(), nullable=False, server_default=sa.text("'[]'"))
    )


def downgrade() -> None:
    """Goes back one step."""
    op.drop_column("user", "muted")
    op.drop_column("rating", "noted_matches")
    op.drop_column("rating", "noted_at")
    op.drop_table("rating_point")

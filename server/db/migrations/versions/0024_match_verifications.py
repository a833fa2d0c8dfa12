"""Verifications: matches that an arena plays again on request."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Goes to this schema."""
    op.create_table(
        "match_verification",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.String(32), nullable=False),
        sa.Column("asker_id", sa.Integer(), nullable=False),
        sa.Column("wanted", sa.Boolean(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("deadline", sa.BigInteger(), nullable=True),
        sa.Column("platform_faults", sa.Integer(), nullable=False),
        sa.Column("trouble", sa.String(500), nullable=False),
        sa.Column("finding", sa.String(16), nullable=True),
        sa.Column("bout", sa.Integer(), nullable=True),
        sa.Column("move", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["match_id"], ["match.id"], name=op.f("fk_match_verification_match_id")
        ),
        sa.ForeignKeyConstraint(
            ["asker_id"], ["user.id"], name=op.f("fk_match_verification_asker_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_match_verification")),
    )
    op.create_index(op.f("ix_match_verification_match_id"), "match_verification", ["match_id"])
    op.create_index(
        op.f("ix_match_verification_asker_id_created_at"),
        "match_verification",
        ["asker_id", "created_at"],
    )
    op.create_index(
        op.f("ix_match_verification_wanted_deadline"), "match_verification", ["wanted", "deadline"]
    )


def downgrade() -> None:
    """Goes back one step."""
    op.drop_table("match_verification")

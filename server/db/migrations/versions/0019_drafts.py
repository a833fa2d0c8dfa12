"""Drafts: files that are tried out without becoming versions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Goes to this schema."""
    op.create_table(
        "draft",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("class_name", sa.String(64), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("deadline", sa.BigInteger(), nullable=True),
        sa.Column("claimed_at", sa.BigInteger(), nullable=True),
        sa.Column("network", sa.String(64), nullable=False),
        sa.Column("platform_faults", sa.Integer(), nullable=False),
        sa.Column("trouble", sa.String(500), nullable=False),
        sa.Column("report", sa.JSON(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("settled_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["owner_id"], ["user.id"], name=op.f("fk_draft_owner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_draft")),
    )
    op.create_index(op.f("ix_draft_owner_id"), "draft", ["owner_id"])
    op.create_index(op.f("ix_draft_digest"), "draft", ["digest"])
    op.create_index(op.f("ix_draft_created_at"), "draft", ["created_at"])
    op.create_index(op.f("ix_draft_state_deadline"), "draft", ["state", "deadline"])


def downgrade() -> None:
    """Goes back one step."""
    op.drop_table("draft")

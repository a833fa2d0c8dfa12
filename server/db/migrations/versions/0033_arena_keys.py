"""Keys of arenas on other hosts, and verifications without an asker."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Goes to this schema."""
    op.create_table(
        "arena_key",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(24), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("draining", sa.Boolean(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_arena_key")),
        sa.UniqueConstraint("name", name=op.f("uq_arena_key_name")),
        sa.UniqueConstraint("digest", name=op.f("uq_arena_key_digest")),
    )
    op.create_table(
        "arena_part",
        sa.Column("arena", sa.String(64), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("arena", "position", name=op.f("pk_arena_part")),
    )
    with op.batch_alter_table("match_verification") as table:
        table.alter_column("asker_id", existing_type=sa.Integer(), nullable=True)


def downgrade() -> None:
    """Goes back one step."""
    op.execute("DELETE FROM match_verification WHERE asker_id IS NULL")
    with op.batch_alter_table("match_verification") as table:
        table.alter_column("asker_id", existing_type=sa.Integer(), nullable=False)
    op.drop_table("arena_part")
    op.drop_table("arena_key")

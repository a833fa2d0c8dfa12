"""An index on the time at which matches ended, for estimates and for the last one."""

from __future__ import annotations

from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Goes to this schema."""
    op.create_index(op.f("ix_match_finished_at"), "match", ["finished_at"])


def downgrade() -> None:
    """Goes back one step."""
    op.drop_index(op.f("ix_match_finished_at"), "match")

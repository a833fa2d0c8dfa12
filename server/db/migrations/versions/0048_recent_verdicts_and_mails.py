"""Indexes of the newest verdicts, and of the deliveries to each receiver."""

from __future__ import annotations

from alembic import op

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None

VERDICTS = "ix_version_settled_at"
RECEIVERS = "ix_delivery_webhook_id_due_at"


def upgrade() -> None:
    """Goes to this schema."""
    op.create_index(VERDICTS, "version", ["settled_at"])
    op.create_index(RECEIVERS, "delivery", ["webhook_id", "due_at"])


def downgrade() -> None:
    """Goes back one step."""
    op.drop_index(RECEIVERS, "delivery")
    op.drop_index(VERDICTS, "version")

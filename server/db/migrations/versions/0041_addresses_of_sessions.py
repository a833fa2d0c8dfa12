"""The last address of a browser session, and the days after which an old try-out's log was
removed."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None

ENDS: Final = "ix_browser_session_ends_at"
LOGS: Final = "ix_version_state_settled_at"


def upgrade() -> None:
    """Goes to this schema."""
    op.add_column("browser_session", sa.Column("address", sa.String(45), nullable=True))
    op.create_index(ENDS, "browser_session", ["ends_at"])
    op.add_column("version", sa.Column("log_days", sa.Integer(), nullable=True))
    there = sa.text("log_days IS NULL")
    op.create_index(
        LOGS, "version", ["state", "settled_at"], sqlite_where=there, postgresql_where=there
    )


def downgrade() -> None:
    """Goes back one step."""
    op.drop_index(LOGS, "version")
    op.drop_column("version", "log_days")
    op.drop_index(ENDS, "browser_session")
    op.drop_column("browser_session", "address")

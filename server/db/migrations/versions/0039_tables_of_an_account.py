"""The time at which a seat's table was opened, with an index of the newest tables of an account."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None

BY_ACCOUNT = "ix_play_seat_user_id"
NEWEST = "ix_play_seat_user_id_created_at_table_id"


def upgrade() -> None:
    """Goes to this schema."""
    op.add_column(
        "play_seat", sa.Column("created_at", sa.BigInteger(), nullable=False, server_default="0")
    )
    op.execute(
        "UPDATE play_seat SET created_at = "
        "(SELECT created_at FROM play_table WHERE play_table.id = play_seat.table_id)"
    )
    op.drop_index(BY_ACCOUNT, "play_seat")
    op.create_index(NEWEST, "play_seat", ["user_id", "created_at", "table_id"])


def downgrade() -> None:
    """Goes back one step."""
    op.drop_index(NEWEST, "play_seat")
    op.create_index(BY_ACCOUNT, "play_seat", ["user_id"])
    op.drop_column("play_seat", "created_at")

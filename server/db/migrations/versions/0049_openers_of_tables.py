"""The accounts that opened the tables.

Of a table at which two people sit, nobody knows who opened it.
"""

from __future__ import annotations

from alembic import op

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Goes to this schema."""
    # As one statement: SQLite adds no constraint to a column that is there.
    op.execute(
        "ALTER TABLE play_table ADD COLUMN opener_id INTEGER "
        'CONSTRAINT fk_play_table_opener_id REFERENCES "user" (id)'
    )
    op.execute(
        "UPDATE play_table SET opener_id = ("
        "SELECT CASE WHEN count(user_id) = 1 THEN min(user_id) END "
        "FROM play_seat WHERE play_seat.table_id = play_table.id)"
    )


def downgrade() -> None:
    """Goes back one step."""
    op.drop_column("play_table", "opener_id")

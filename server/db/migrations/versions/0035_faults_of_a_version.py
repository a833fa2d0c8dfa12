"""An index of the seats with forfeits by version, to list a bot's faults."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

NAME: Final = "ix_match_seat_version_id_created_at_number_seat_match_id"
_FAULTS: Final = sa.text("forfeits > 0")


def upgrade() -> None:
    """Goes to this schema."""
    columns = ["version_id", "created_at", "number", "seat", "match_id"]
    op.create_index(NAME, "match_seat", columns, sqlite_where=_FAULTS, postgresql_where=_FAULTS)


def downgrade() -> None:
    """Goes back one step."""
    op.drop_index(NAME, "match_seat")

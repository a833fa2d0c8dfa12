"""The number and time of a match in its seats, for lists of a bot's matches and of forfeits."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

ORDER: Final = ("created_at", "number", "match_id")
_FAULTS: Final = sa.text("forfeits > 0")


def upgrade() -> None:
    """Goes to this schema, and fills in the values from the matches."""
    op.drop_index("ix_match_seat_match_id", "match_seat")
    op.drop_index("ix_match_seat_version_id", "match_seat")
    for column in (sa.Column("created_at", sa.BigInteger()), sa.Column("number", sa.Integer())):
        op.add_column("match_seat", column)
    _fill_in()
    with op.batch_alter_table("match_seat") as table:
        table.alter_column("created_at", nullable=False)
        table.alter_column("number", nullable=False)
    op.create_index(
        "ix_match_seat_version_id_created_at_number_match_id", "match_seat", ["version_id", *ORDER]
    )
    op.create_index(
        "ix_match_seat_created_at_number_match_id",
        "match_seat",
        [*ORDER],
        sqlite_where=_FAULTS,
        postgresql_where=_FAULTS,
    )


def downgrade() -> None:
    """Goes back one step."""
    op.drop_index("ix_match_seat_created_at_number_match_id", "match_seat")
    op.drop_index("ix_match_seat_version_id_created_at_number_match_id", "match_seat")
    op.create_index("ix_match_seat_version_id", "match_seat", ["version_id"])
    op.create_index(
        "ix_match_seat_match_id",
        "match_seat",
        ["match_id"],
        sqlite_where=_FAULTS,
        postgresql_where=_FAULTS,
    )
    op.drop_column("match_seat", "number")
    op.drop_column("match_seat", "created_at")


def _fill_in() -> None:
    match = sa.table(
        "match", sa.column("id"), sa.column("created_at"), sa.column("number", sa.Integer())
    )
    seat = sa.table(
        "match_seat", sa.column("match_id"), sa.column("created_at"), sa.column("number")
    )
    own = [
        sa.select(match.c[name]).where(match.c.id == seat.c.match_id).scalar_subquery()
        for name in ("created_at", "number")
    ]
    op.get_bind().execute(seat.update().values(created_at=own[0], number=own[1]))

"""The counts behind a board's figures, the lengths of bouts, and the points of each entrant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

AT_ONCE: Final = 500


def upgrade() -> None:
    """Goes to this schema, and fills in the points of the entrants of finished matches."""
    op.create_table(
        "board_counts",
        sa.Column("scope", sa.String(32), nullable=False),
        sa.Column("rows_digest", sa.String(64), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("scope", name=op.f("pk_board_counts")),
    )
    op.add_column("result", sa.Column("moves", sa.JSON(), nullable=False, server_default="[]"))
    op.add_column("match_seat", sa.Column("points", sa.Double(), nullable=True))
    op.add_column("match_seat", sa.Column("forfeits", sa.Integer(), nullable=True))
    _fill_in()


def downgrade() -> None:
    """Goes back one step."""
    op.drop_column("match_seat", "forfeits")
    op.drop_column("match_seat", "points")
    op.drop_column("result", "moves")
    op.drop_table("board_counts")


def _fill_in() -> None:
    text = sa.String()
    result = sa.table("result", sa.column("match_id", text), sa.column("bouts", sa.JSON()))
    seat = sa.table(
        "match_seat",
        sa.column("match_id", text),
        sa.column("seat", sa.Integer()),
        sa.column("points", sa.Double()),
        sa.column("forfeits", sa.Integer()),
    )
    books = op.get_bind()
    found = sa.select(result.c.match_id, result.c.bouts).order_by(result.c.match_id)
    fill = (
        seat.update()
        .where(seat.c.match_id == sa.bindparam("of"), seat.c.seat == sa.bindparam("at"))
        .values(points=sa.bindparam("took"), forfeits=sa.bindparam("lost"))
    )
    after = ""
    while part := books.execute(found.where(result.c.match_id > after).limit(AT_ONCE)).all():
        after = part[-1].match_id
        lines = [
            {"of": match, "at": at, "took": took, "lost": lost}
            for match, bouts in part
            for at, (took, lost) in enumerate(_taken(bouts))
        ]
        if lines:
            books.execute(fill, lines)


def _taken(bouts: Sequence[Any]) -> list[tuple[float, int]]:
    """The share of the points and the forfeits of each entrant."""
    size = len(bouts[0][2]) if bouts else 0
    halves, forfeits = [0] * size, [0] * size
    for _, rotation, places, _, forfeit in bouts:
        for seat, place in enumerate(places):
            beaten = sum((place < other) + (place <= other) for other in places) - 1
            halves[(seat + rotation) % size] += beaten
        if forfeit is not None:
            forfeits[(forfeit + rotation) % size] += 1
    most = 2 * (size - 1) * len(bouts)
    return [
        (round(half / most, 9) if most else 0.5, lost)
        for half, lost in zip(halves, forfeits, strict=True)
    ]

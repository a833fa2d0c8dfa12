"""The number of a league's finished matches, a team's score, and lists of matches by time."""

from __future__ import annotations

from statistics import mean
from typing import Final

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

AT_ONCE: Final = 500
_FAULTS: Final = sa.text("forfeits > 0")


def upgrade() -> None:
    """Goes to this schema, and fills in the values from finished matches."""
    op.add_column("league", sa.Column("finished", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("match", sa.Column("score", sa.Double(), nullable=True))
    _fill_in()
    for parts in (("state", "created_at"), ("league_id", "created_at")):
        op.create_index(f"ix_match_{'_'.join(parts)}_number_id", "match", [*parts, "number", "id"])
    op.create_index(
        "ix_match_seat_match_id",
        "match_seat",
        ["match_id"],
        sqlite_where=_FAULTS,
        postgresql_where=_FAULTS,
    )


def downgrade() -> None:
    """Goes back one step."""
    op.drop_index("ix_match_seat_match_id", "match_seat")
    for parts in ("league_id_created_at", "state_created_at"):
        op.drop_index(f"ix_match_{parts}_number_id", "match")
    op.drop_column("match", "score")
    op.drop_column("league", "finished")


def _fill_in() -> None:
    text = sa.String()
    match = sa.table(
        "match",
        sa.column("id", text),
        sa.column("league_id", sa.Integer()),
        sa.column("state", text),
        sa.column("score", sa.Double()),
    )
    league = sa.table("league", sa.column("id"), sa.column("finished", sa.Integer()))
    result = sa.table("result", sa.column("match_id", text), sa.column("bouts", sa.JSON()))
    done = sa.select(sa.func.count()).select_from(match).where(match.c.state == "finished")
    books = op.get_bind()
    books.execute(
        league.update().values(
            finished=done.where(match.c.league_id == league.c.id).scalar_subquery()
        )
    )
    found = sa.select(result.c.match_id, result.c.bouts).order_by(result.c.match_id)
    fill = match.update().where(match.c.id == sa.bindparam("of"))
    fill = fill.values(score=sa.bindparam("mean"))
    after = ""
    while part := books.execute(found.where(result.c.match_id > after).limit(AT_ONCE)).all():
        after = part[-1].match_id
        lines = [
            {"of": match_id, "mean": mean(scores[0] for _, _, _, scores, _ in bouts)}
            for match_id, bouts in part
            if bouts
        ]
        if lines:
            books.execute(fill, lines)

"""Tables where persons play against bots, and the bots' turns at them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Goes to this schema."""
    op.create_table(
        "play_table",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("rules", sa.String(16), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("deal", sa.String(32), nullable=False),
        sa.Column("limits", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("said", sa.JSON(), nullable=False),
        sa.Column("deadline", sa.BigInteger(), nullable=False),
        sa.Column("why", sa.String(500), nullable=False),
        sa.Column("record", sa.LargeBinary(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_play_table"),
    )
    op.create_index("ix_play_table_state_deadline", "play_table", ["state", "deadline"])
    op.create_index("ix_play_table_created_at", "play_table", ["created_at"])
    op.create_table(
        "play_seat",
        sa.Column("table_id", sa.String(32), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=True),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["table_id"], ["play_table.id"], name="fk_play_seat_table_id"),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name="fk_play_seat_version_id"),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name="fk_play_seat_user_id"),
        sa.PrimaryKeyConstraint("table_id", "seat", name="pk_play_seat"),
    )
    op.create_index("ix_play_seat_user_id", "play_seat", ["user_id"])
    op.create_table(
        "turn",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("table_id", sa.String(32), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("wanted", sa.Boolean(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("deadline", sa.BigInteger(), nullable=True),
        sa.Column("platform_faults", sa.Integer(), nullable=False),
        sa.Column("trouble", sa.String(500), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["table_id"], ["play_table.id"], name="fk_turn_table_id"),
        sa.PrimaryKeyConstraint("id", name="pk_turn"),
        sa.UniqueConstraint("table_id", "number", name="uq_turn_table_id_number"),
    )
    op.create_index("ix_turn_wanted_deadline", "turn", ["wanted", "deadline"])


def downgrade() -> None:
    """Goes back one step."""
    op.drop_table("turn")
    op.drop_table("play_seat")
    op.drop_table("play_table")

"""Sessions as rows; the scopes of a token, and its end.

Everybody has to log in again, since older cookies name no row. Older tokens keep working, with
every scope of their account, and without an end.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Goes to this schema."""
    op.create_table(
        "browser_session",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("browser", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.Column("ends_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name=op.f("fk_browser_session_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_browser_session")),
        sa.UniqueConstraint("digest", name=op.f("uq_browser_session_digest")),
    )
    op.create_index(op.f("ix_browser_session_user_id"), "browser_session", ["user_id"])
    op.add_column(
        "token", sa.Column("scopes", sa.String(length=64), nullable=False, server_default="")
    )
    op.add_column("token", sa.Column("ends_at", sa.BigInteger(), nullable=True))
    op.execute("UPDATE token SET scopes = 'read submit' WHERE purpose = 'api'")
    op.execute(
        "UPDATE token SET scopes = 'read submit operate' WHERE purpose = 'api' "
        "AND user_id IN (SELECT id FROM \"user\" WHERE role = 'operator')"
    )


def downgrade() -> None:
    """Goes back one step."""
    op.drop_column("token", "ends_at")
    op.drop_column("token", "scopes")
    op.drop_table("browser_session")

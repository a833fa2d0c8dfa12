"""Moves the long columns of a standing behind the short ones, since SQLite reads all columns before
one.

Postgres keeps long values elsewhere.
"""

from __future__ import annotations

from typing import Final

from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None

BEFORE: Final = ("scope", "rows_digest", "lines", "matches", "field", "computed_at", "facts")
AFTER: Final = ("scope", "rows_digest", "matches", "field", "computed_at", "facts", "lines")


def upgrade() -> None:
    """Goes to this schema."""
    _order(AFTER)


def downgrade() -> None:
    """Goes back one step."""
    _order(BEFORE)


def _order(columns: tuple[str, ...]) -> None:
    if op.get_bind().dialect.name == "sqlite":
        with op.batch_alter_table("standing", recreate="always", partial_reordering=[columns]):
            pass

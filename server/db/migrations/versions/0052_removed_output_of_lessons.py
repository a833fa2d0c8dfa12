"""After how many days the output of a lesson was removed, beside the sentence in its place."""

from __future__ import annotations

import re
from typing import Final

import sqlalchemy as sa
from alembic import op

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None

REMOVED: Final = re.compile(r"\(removed after ([0-9]{1,6}) days\)")
SENTENCES: Final = sa.text("SELECT id, log FROM lesson WHERE log LIKE '(removed after % days)'")
NOTE: Final = sa.text("UPDATE lesson SET log_days = :days WHERE id = :id")


def upgrade() -> None:
    """Goes to this schema."""
    op.add_column("lesson", sa.Column("log_days", sa.Integer(), nullable=True))
    connection = op.get_bind()
    for number, log in connection.execute(SENTENCES).all():
        if found := REMOVED.fullmatch(log):
            connection.execute(NOTE, {"id": number, "days": int(found[1])})


def downgrade() -> None:
    """Goes back one step."""
    op.drop_column("lesson", "log_days")

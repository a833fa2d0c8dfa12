"""What made a match void is a column; it was read from the reason, which operators write freely."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None

CAUSE = """
UPDATE match SET void_cause = CASE
    WHEN season_id IS NOT NULL AND void_why LIKE 'out of the season: %' THEN 'excluded'
    WHEN season_id IS NOT NULL AND void_why IN ('', 'the season was cancelled') THEN 'cancelled'
    WHEN season_id IS NOT NULL THEN 'operator'
    WHEN comparison_id IS NOT NULL THEN 'compared'
    WHEN void_why LIKE '% was suspended' THEN 'suspended'
    WHEN void_why LIKE 'the account % was closed' THEN 'closed'
    WHEN void_why IN ('', 'the rules changed') THEN 'rules'
    ELSE 'operator' END
WHERE state = 'void'
"""


def upgrade() -> None:
    """Goes to this schema. Matches void long ago gave a reason only where an operator wrote one."""
    op.add_column("match", sa.Column("void_cause", sa.String(16), nullable=True))
    op.execute(CAUSE)


def downgrade() -> None:
    """Goes back one step."""
    op.drop_column("match", "void_cause")

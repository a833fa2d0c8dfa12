"""The rounds of seasons have the present names of authors who have deleted their accounts.

Until now they kept the former names, and the pages of these seasons could not be shown.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None

SEASON = sa.table("season", sa.column("id"), sa.column("rounds", sa.JSON))
ENTRANTS = sa.text(
    "SELECT e.season_id, u.name, b.name, v.digest, v.class_name, u.deleted_at FROM entry e "
    'JOIN version v ON v.id = e.version_id JOIN bot b ON b.id = e.bot_id JOIN "user" u '
    "ON u.id = b.owner_id ORDER BY e.id"
)


def upgrade() -> None:
    """Goes to this schema."""
    connection = op.get_bind()
    present: defaultdict[int, set[str]] = defaultdict(set)
    renamed: defaultdict[int, dict[str, str]] = defaultdict(dict)
    for season, owner, bot, digest, class_name, deleted_at in connection.execute(ENTRANTS):
        own = f"{bot}:{digest}:{class_name}" if class_name else f"{bot}:{digest}"
        present[season].add(f"{owner}/{own}")
        if deleted_at is not None:
            renamed[season][own] = f"{owner}/{own}"
    for season, names in renamed.items():
        where = SEASON.c.id == season
        rounds = connection.execute(sa.select(SEASON.c.rounds).where(where)).scalar_one()
        fresh = _renamed(rounds, present[season], names)
        connection.execute(sa.update(SEASON).where(where).values(rounds=fresh))


def downgrade() -> None:
    """Goes back one step. The former names are not known any more."""


def _renamed(value: Any, present: set[str], names: dict[str, str]) -> Any:
    """The rounds with the present name of each entrant; `names` has it by the bot's own part."""
    if isinstance(value, dict):
        return {name: _renamed(part, present, names) for name, part in value.items()}
    if isinstance(value, list):
        return [_renamed(part, present, names) for part in value]
    if isinstance(value, str) and value not in present:
        return names.get(value.partition("/")[2], value)
    return value

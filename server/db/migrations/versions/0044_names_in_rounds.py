"""The rounds of seasons have the present names of authors who have deleted their accounts.

Until now they kept the former names, and the pages of these seasons could not be shown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None

SEASON = sa.table("season", sa.column("id"), sa.column("rounds", sa.JSON))
ENTRANTS = sa.text(
    "SELECT e.season_id, v.id, u.name, b.name, v.digest, v.class_name, u.deleted_at FROM entry e "
    'JOIN version v ON v.id = e.version_id JOIN bot b ON b.id = e.bot_id JOIN "user" u '
    "ON u.id = b.owner_id ORDER BY e.id"
)
SEATS = sa.text(
    "SELECT m.round, a.version_id, b.version_id FROM match m JOIN match_seat a ON "
    "a.match_id = m.id JOIN match_seat b ON b.match_id = m.id AND b.seat <> a.seat "
    "WHERE m.season_id = :season"
)


def upgrade() -> None:
    """Goes to this schema."""
    connection = op.get_bind()
    present: defaultdict[int, dict[int, str]] = defaultdict(dict)
    deleted: defaultdict[int, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for season, version, owner, bot, digest, class_name, deleted_at in connection.execute(ENTRANTS):
        own = f"{bot}:{digest}:{class_name}" if class_name else f"{bot}:{digest}"
        present[season][version] = f"{owner}/{own}"
        if deleted_at is not None:
            deleted[season][own].append(f"{owner}/{own}")
    for season, names in deleted.items():
        where = SEASON.c.id == season
        rounds = connection.execute(sa.select(SEASON.c.rounds).where(where)).scalar_one()
        fresh = _renamed(rounds, _by_former(season, rounds, present[season], names))
        connection.execute(sa.update(SEASON).where(where).values(rounds=fresh))


def downgrade() -> None:
    """Goes back one step. The former names are not known any more."""


def _by_former(
    season: int, rounds: list[Any], present: dict[int, str], deleted: dict[str, list[str]]
) -> dict[str, str]:
    """The present name of each former one; `deleted` has the present names by the bot's own part.

    If several have the same part, the opponents of each tell them apart.
    """
    opponents: defaultdict[str, set[tuple[int, str]]] = defaultdict(set)
    for number, name, opponent in _opponents(rounds):
        if name not in present.values():
            opponents[name].add((number, opponent))
    met: defaultdict[str, set[tuple[int, str]]] = defaultdict(set)
    if any(len(names) > 1 for names in deleted.values()):
        for number, one, other in op.get_bind().execute(SEATS, {"season": season}):
            met[present[one]].add((number, _own(present[other])))
    for name in present.values():
        met[name] |= {(at, "") for at in range(len(rounds))} - {(at, "") for at, _ in met[name]}
    found: dict[str, str] = {}
    for own, names in deleted.items():
        former = [name for name in opponents if _own(name) == own]
        pairs = sorted(
            product(former, names), key=lambda pair: -len(opponents[pair[0]] & met[pair[1]])
        )
        for before, name in pairs:
            if before not in found and name not in found.values():
                found[before] = name
    return found


def _opponents(rounds: list[Any]) -> Iterator[tuple[int, str, str]]:
    """The round, name and opponent's own part of everybody in a round; "" without an opponent."""
    for number, one in enumerate(rounds):
        for bots in (*one.get("ties", ()), *([name] for name in one.get("rests", ()))):
            for name in bots:
                yield number, name, "".join(_own(other) for other in bots if other != name)


def _own(name: str) -> str:
    return name.partition("/")[2]


def _renamed(value: Any, names: dict[str, str]) -> Any:
    """The rounds with the present name of each entrant."""
    if isinstance(value, dict):
        return {name: _renamed(part, names) for name, part in value.items()}
    if isinstance(value, list):
        return [_renamed(part, names) for part in value]
    return names.get(value, value) if isinstance(value, str) else value

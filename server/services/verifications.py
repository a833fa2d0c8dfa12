"""Stores the results of operators' verifications of seasons. Verifies nothing itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from matchbox.errors import BadOption, Conflict
from server.db.models import OVER, Verification
from server.services import audit
from server.services.accounts import require_operator
from server.services.events import publish
from server.services.lookup import find_season

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from server.db.models import User


def store(
    session: Session,
    actor: User,
    name: int | str,
    *,
    matches: int,
    out_of: int,
    same: int,
    different: Sequence[str],
    unrepeatable: Sequence[str],
    replayed_only: Sequence[str],
    lessons: Mapping[str, Any],
    standing: Literal["same", "different"],
    now: int,
) -> Verification:
    """Stores the result of an operator's verification of a season that is over.

    Raises Forbidden, NotFound, Conflict if the season is not over, or BadOption if the numbers do
    not add up.
    """
    require_operator(actor)
    season = find_season(session, name)
    if season.state not in OVER:
        raise Conflict(f"season {season.name} is {season.state}; it is verified once it is over")
    found = same + len(different) + len(unrepeatable) + len(replayed_only)
    if found != matches or matches > out_of:
        raise BadOption("the findings do not add up to the matches that were played again")
    row = Verification(
        season_id=season.id,
        actor_id=actor.id,
        at=now,
        matches=matches,
        out_of=out_of,
        same=same,
        different=list(different),
        unrepeatable=list(unrepeatable),
        replayed_only=list(replayed_only),
        lessons=dict(lessons),
        standing=standing,
    )
    session.add(row)
    session.flush()
    detail = {"matches": matches, "different": len(different), "standing": standing}
    audit.note(session, actor, "season.verify", f"season:{season.id}", detail, now=now)
    publish(session, "season.verified", season.id, now=now)
    return row

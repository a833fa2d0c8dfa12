"""Stores the results of operators' verifications of seasons. Verifies nothing itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

from matchbox.errors import BadOption, Conflict
from server.db.models import OVER, Verification
from server.services import audit
from server.services.accounts import require_operator
from server.services.events import publish
from server.services.lookup import find_season

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from server.db.models import User

MATCH_LISTS: Final = ("different", "unrepeatable", "replayed_only")
"""The findings on matches of a verification that name them."""
LESSON_LISTS: Final = ("different", "unrepeatable", "not_repeated")
"""The findings on lessons of a verification that name them."""


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
    counts: dict[str, int] | None = None,
    lesson_counts: dict[str, int] | None = None,
    now: int,
) -> Verification:
    """Stores the result of an operator's verification of a season that is over.

    The lists may hold only the first matches or lessons if `counts` or `lesson_counts` say how many
    there are. Raises Forbidden, NotFound, Conflict if it is not over, or BadOption for a wrong sum.
    """
    require_operator(actor)
    season = find_season(session, name, actor)
    if season.state not in OVER:
        raise Conflict(f"season {season.name} is {season.state}; it is verified once it is over")
    lists = (different, unrepeatable, replayed_only)
    named = {name: list(ids) for name, ids in zip(MATCH_LISTS, lists, strict=True)}
    known = counts or {name: len(ids) for name, ids in named.items()}
    _check_sum(known, named, same, matches, out_of, "matches that were played again")
    _check_lessons(lessons, lesson_counts)
    row = Verification(
        season_id=season.id,
        actor_id=actor.id,
        at=now,
        matches=matches,
        out_of=out_of,
        same=same,
        **named,
        lessons=dict(lessons),
        standing=standing,
        counts=counts,
        lesson_counts=lesson_counts,
    )
    session.add(row)
    session.flush()
    detail = {"matches": matches, "different": known["different"], "standing": standing}
    audit.note(session, actor, "season.verify", f"season:{season.id}", detail, now=now)
    publish(session, "season.verified", season.id, now=now)
    return row


def _check_lessons(lessons: Mapping[str, Any], counts: dict[str, int] | None) -> None:
    named = {name: lessons[name] for name in LESSON_LISTS}
    known = counts or {name: len(ids) for name, ids in named.items()}
    same, given, out_of = (lessons[name] for name in ("same", "lessons", "out_of"))
    _check_sum(known, named, same, given, out_of, "lessons that were given again")


def _check_sum(
    counts: Mapping[str, int],
    named: Mapping[str, Sequence[str]],
    same: int,
    done: int,
    out_of: int,
    what: str,
) -> None:
    """Raises BadOption unless the counts cover the named matches or lessons, and all that were
    done."""
    covered = all(len(ids) <= counts[name] for name, ids in named.items())
    if not covered or same + sum(counts.values()) != done or done > out_of:
        raise BadOption(f"the findings do not add up to the {what}")

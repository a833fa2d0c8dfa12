"""Makes the matches of an arena since a given time void, on behalf of an operator."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from sqlalchemy import select

from matchbox.answers.arenas import ArenaMatches, ArenaVoid
from matchbox.errors import Conflict
from server.db.models import Match, MatchState
from server.db.session import in_parts
from server.services import arenas, audit, stopped_arenas, voids
from server.services.accounts import require_operator, require_operator_to_see
from server.times import iso

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from server.context import Context
    from server.db.models import User
    from server.services.accounts import Acting

AT_ONCE: Final = 100
"""The most matches that one transaction makes void, since other writers wait for it."""


def count(
    session: Session, actor: User | None, name: str, *, since: int, until: int
) -> ArenaMatches:
    """Returns how many matches `void` would make void. Times are UTC in ms.

    Raises Forbidden, or NotFound if no such arena is known.
    """
    require_operator_to_see(actor)
    found = _known_played(session, name, since, until)
    fit = sum(_may_be_void(session, match) for match in found)
    return ArenaMatches(
        arena=name, since=iso(since), until=iso(until), count=fit, kept=len(found) - fit
    )


def void(
    context: Context,
    actor: User,
    acting: Acting[User],
    name: str,
    reason: str,
    *,
    since: int,
    until: int,
    again: bool = True,
) -> ArenaVoid:
    """Makes the arena's matches void that ended from `since` to `until`, UTC in ms.

    With `again`, those that still can be are played again. Ratings and standings follow. It is done
    in several transactions, which `acting` opens, and each notes what it did in the audit log; if
    it fails half way, do it again. Raises Forbidden, NotFound, BadOption (no reason), or the errors
    of `acting`.
    """
    require_operator(actor)
    why = voids.reason_of(reason)
    with context.read() as session:
        names = [match.id for match in _known_played(session, name, since, until)]
    subject, shown = stopped_arenas.subject_of(name), {"since": iso(since), "until": iso(until)}
    done, new = 0, 0
    for part in in_parts(names, AT_ONCE):
        with acting() as (session, actor, now):
            require_operator(actor)
            some, replayed = _void_some(session, part, why, again, now)
            detail = {**shown, "reason": why, "void": some, "new": replayed}
            audit.note(session, actor, "arena.void", subject, detail, now=now)
        done, new = done + some, new + replayed
    return ArenaVoid(
        arena=name,
        since=iso(since),
        until=iso(until),
        count=done,
        kept=len(names) - done,
        again=new,
    )


def _known_played(session: Session, name: str, since: int, until: int) -> Sequence[Match]:
    """The arena's finished matches. Raises NotFound if there are none, and no such arena is known.

    The reports of arenas of long ago are not kept.
    """
    found = _played(session, name, since, until)
    if not found:
        arenas.require_known(session, name)
    return found


def _played(session: Session, name: str, since: int, until: int) -> Sequence[Match]:
    """The arena's finished matches, ordered by league and season."""
    ended = (Match.finished_at >= since, Match.finished_at <= until)
    mine = (Match.arena == name, Match.state == MatchState.FINISHED)
    order = (Match.league_id, Match.season_id, Match.number, Match.id)
    return session.scalars(select(Match).where(*ended, *mine).order_by(*order)).all()


def _void_some(
    session: Session, names: Sequence[str], why: str, again: bool, now: int
) -> tuple[int, int]:
    """Makes those of the matches void that may be; returns how many they were, and how many are
    replayed."""
    finished = (Match.id.in_(names), Match.state == MatchState.FINISHED)
    order = (Match.league_id, Match.season_id, Match.number)
    rows = session.scalars(select(Match).where(*finished).order_by(*order)).all()
    fit = [match for match in rows if _may_be_void(session, match)]
    new = 0
    for _, group in groupby(fit, lambda match: (match.league_id, match.season_id)):
        found = list(group)
        playable = [match for match in found if again and voids.is_playable(session, match)]
        rest = [match for match in found if match not in playable]
        if playable:
            new += len(voids.void_all(session, playable, why, again=True, now=now))
        if rest:
            voids.void_all(session, rest, why, again=False, now=now)
    return len(fit), new


def _may_be_void(session: Session, match: Match) -> bool:
    """Whether a finished match can be made void, as `voids.void` says."""
    if match.comparison_id is not None:
        return False
    try:
        voids.require_open(session, match)
    except Conflict:
        return False
    return True

"""Makes the matches of an arena since a given time void, on behalf of an operator."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from sqlalchemy import case, func, select

from matchbox.answers.arenas import ArenaMatches, ArenaVoid
from matchbox.errors import Conflict
from server.db.models import Match, MatchState
from server.db.session import in_parts
from server.services import arenas, audit, stopped_arenas, voids
from server.services.accounts import require_operator, require_operator_to_see
from server.times import iso

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from server.context import Context
    from server.db.models import User
    from server.services.accounts import Acting

MAX_PER_TRANSACTION: Final = 100
"""The most matches that one transaction makes void, since other writers wait for it."""


def count(
    session: Session, actor: User | None, name: str, *, since: int, until: int
) -> ArenaMatches:
    """Returns how many matches `void` would make void. Times are UTC in ms.

    Raises Forbidden, or NotFound if no such arena is known.
    """
    require_operator_to_see(actor)
    # Of the ranked ones, and of a season's that were scheduled together, all may be void or none.
    scheduled = case((Match.season_id.is_(None), 0), else_=Match.created_at)
    alike = (Match.season_id, Match.comparison_id.is_not(None), scheduled)
    query = select(func.min(Match.id), func.count()).where(*_played(name, since, until))
    fit, found = 0, 0
    for match, many in session.execute(query.group_by(*alike)):
        found += many
        fit += many if _may_be_void(session, session.get_one(Match, match)) else 0
    if not found:
        arenas.require_known(session, name)
    return ArenaMatches(arena=name, since=iso(since), until=iso(until), count=fit, kept=found - fit)


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

    With `again`, those that still can be are played again. Ratings and standings follow. It
    is done in several transactions, which `acting` opens, and each notes what it did in the audit
    log; if it fails half way, do it again. Raises Forbidden, NotFound, BadOption (no reason), or
    the errors of `acting`.
    """
    require_operator(actor)
    why = voids.reason_of(reason)
    with context.read() as session:
        order = (Match.league_id, Match.season_id, Match.number, Match.id)
        query = select(Match.id).where(*_played(name, since, until)).order_by(*order)
        if not (names := session.scalars(query).all()):
            arenas.require_known(session, name)
    subject, shown = stopped_arenas.subject_of(name), {"since": iso(since), "until": iso(until)}
    done, new = 0, 0
    for part in in_parts(names, MAX_PER_TRANSACTION):
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


def _played(name: str, since: int, until: int) -> tuple[ColumnElement[bool], ...]:
    """The conditions for the arena's finished matches from `since` to `until`."""
    ended = (Match.finished_at >= since, Match.finished_at <= until)
    return *ended, Match.arena == name, Match.state == MatchState.FINISHED


def _void_some(
    session: Session, names: Sequence[str], why: str, again: bool, now: int
) -> tuple[int, int]:
    """Makes those of the matches void that may be; returns how many they were, and how many
    are rescheduled."""
    finished = (Match.id.in_(names), Match.state == MatchState.FINISHED)
    order = (Match.league_id, Match.season_id, Match.number)
    rows = session.scalars(select(Match).where(*finished).order_by(*order)).all()
    fit = [match for match in rows if _may_be_void(session, match)]
    new = 0
    for _, group in groupby(fit, lambda match: (match.league_id, match.season_id)):
        found = list(group)
        playable = [match for match in found if again and voids.is_playable(session, match)]
        rest = [match for match in found if match not in playable]
        for some, anew in ((playable, True), (rest, False)):
            if some:
                new += len(voids.void_all(session, some, why, again=anew, now=now))
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

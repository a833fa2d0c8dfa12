"""Makes the matches of an arena since a given time void, on behalf of an operator."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from sqlalchemy import select

from matchbox.answers.arenas import ArenaMatches, ArenaVoid
from matchbox.errors import Conflict
from server.db.models import Match, MatchState, Season, SeasonState, VoidCause
from server.db.session import in_parts
from server.services import arenas, audit, operations, stopped_arenas, voids
from server.services.accounts import require_operator, require_operator_to_see
from server.services.standings import scope_of
from server.times import iso

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement
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

    With `again`, those that still can be are played again. Ratings and standings follow, those of
    finished seasons at the end. It is done in several transactions, which `acting` opens, and each
    notes what it did in the audit log; if it fails half way, do it again. Raises Forbidden,
    NotFound, BadOption (no reason), or the errors of `acting`.
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
    with context.read() as session:
        scopes = _finished_scopes(session, name, since, until)
    for scope in scopes:
        operations.recompute_scope(context, acting, scope)
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
    if not found and not _finished_scopes(session, name, since, until):
        arenas.require_known(session, name)
    return found


def _played(session: Session, name: str, since: int, until: int) -> Sequence[Match]:
    """The arena's finished matches, ordered by league and season."""
    mine = (Match.arena == name, Match.state == MatchState.FINISHED)
    order = (Match.league_id, Match.season_id, Match.number, Match.id)
    return session.scalars(select(Match).where(*_ended(since, until), *mine).order_by(*order)).all()


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
        for some, anew in ((playable, True), (rest, False)):
            if some:
                made = voids.void_all(session, some, why, again=anew, recompute=False, now=now)
                new += len(made)
        season = found[0].season
        if season is None or season.state != SeasonState.FINISHED:
            voids.recompute_standing(session, season or found[0].league, now=now)
    return len(fit), new


def _finished_scopes(session: Session, name: str, since: int, until: int) -> list[str]:
    """The scopes of the finished seasons with void matches of the arena from that time.

    They include those whose matches an earlier attempt made void before it failed.
    """
    void = (Match.state == MatchState.VOID, Match.void_cause == VoidCause.OPERATOR)
    its_own = (Match.arena == name, *_ended(since, until), *void)
    seasons = select(Season).where(Season.state == SeasonState.FINISHED)
    some = seasons.where(Season.id.in_(select(Match.season_id).where(*its_own)))
    return [scope_of(season) for season in session.scalars(some.order_by(Season.id))]


def _ended(since: int, until: int) -> tuple[ColumnElement[bool], ...]:
    return Match.finished_at >= since, Match.finished_at <= until


def _may_be_void(session: Session, match: Match) -> bool:
    """Whether a finished match can be made void, as `voids.void` says."""
    if match.comparison_id is not None:
        return False
    try:
        voids.require_open(session, match)
    except Conflict:
        return False
    return True

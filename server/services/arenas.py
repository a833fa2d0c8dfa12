"""Stops arenas and lets them go on. A stopped arena gets no jobs, and its matches are not booked.

An arena is stopped for one of three reasons: an operator stops it; a record that it has sent does
not follow from the rules; or another arena has played one of its matches again with a different
record. In the last two cases the other arenas with its key get no jobs either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from matchbox.errors import Conflict, NotFound
from server.services import audit, job_kinds, jobs, walls
from server.services.accounts import require_operator
from server.services.events import storable
from server.services.match_verifications import VERIFICATION
from server.services.matches import MATCH
from server.services.remote_names import key_of
from server.services.stopped_arenas import Stop, stopped, stopped_for_all, store, subject_of
from server.services.voids import reason_of

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.match.wire import Claim, MatchPlayed
    from matchbox.settings import Settings
    from server.db.models import User

log = structlog.get_logger(__name__)


def stop(session: Session, actor: User, name: str, reason: str, *, now: int) -> None:
    """Stops an arena; its jobs are given to others.

    Raises Forbidden, NotFound (no such arena), BadOption (no reason), or Conflict if it is stopped.
    """
    require_operator(actor)
    require_known(session, name)
    why = reason_of(reason)
    if name in stopped(session):
        raise Conflict(f"arena {name} is stopped already")
    _stop(session, name, Stop(why, now), actor, now)


def resume(session: Session, actor: User, name: str, reason: str, *, now: int) -> None:
    """Lets a stopped arena continue. If it is stopped for a false record of another arena, lets
    that arena continue.

    Raises Forbidden, BadOption (no reason), or Conflict if it is not stopped.
    """
    require_operator(actor)
    why, present = reason_of(reason), stopped(session)
    ended = [name] if name in present else stopped_for_all(present, key_of(name))
    if not ended:
        raise Conflict(f"arena {name} is not stopped")
    for one in ended:
        del present[one]
        audit.note(session, actor, "arena.go-on", subject_of(one), {"reason": why}, now=now)
    store(session, present, now=now)


def require_known(session: Session, name: str) -> None:
    """Raises NotFound if no arena with that name has reported or is stopped."""
    if name not in walls.reports(session) and name not in stopped(session):
        raise NotFound(f"no arena {name} has reported; see the page of the platform's health")


def refuse(
    session: Session, message: MatchPlayed, why: str, *, settings: Settings, now: int
) -> None:
    """Refuses a result whose record does not replay, and stops the arena that has sent it.

    The match is played again elsewhere, and no fault counts against it or its bots. If another
    arena was stopped for the same match, the game is the more likely culprit: then the match is
    parked, and no further arena is stopped. Raises NotFound or Forbidden if we never sent that
    attempt.
    """
    match = jobs.find(
        session, MATCH, message.match, message.attempt, message.token, settings=settings
    )
    name = storable(message.arena, 200) or (
        match.arena if match.attempt == message.attempt else None
    )
    log.error("record.false", match=match.id, attempt=message.attempt, arena=name, why=why)
    before = stopped(session)
    text = f"the record from arena {name or 'without a name'} does not replay: {why}"
    if any(one.match == match.id for other, one in before.items() if other != name):
        jobs.park(session, MATCH, match, message.attempt, text, now=now)
        return
    jobs.give_back(session, MATCH, match, message.attempt, text, settings=settings, now=now)
    if name and name not in before:
        stop_why = f"its record of match {match.id} does not replay: {why}"
        _stop(session, name, Stop(storable(stop_why, 500), now, match.id), None, now)


def stop_if_different(session: Session, done: Claim, *, settings: Settings, now: int) -> None:
    """Stops an arena with a key if another host's arena found its record of a match different.

    `done` is the attempt at the verification. A bot that does not repeat itself is no reason to
    stop an arena.
    """
    row = jobs.find(
        session, VERIFICATION, done.subject, done.attempt, done.token, settings=settings
    )
    played_by, checked_by = row.match.arena or "", row.arena or "an arena without a name"
    same_host = key_of(played_by) == key_of(checked_by)
    if row.finding != "different" or not key_of(played_by) or same_host:
        return
    if played_by not in stopped(session):
        why = (
            f"{checked_by} played match {row.match_id} again, and its record is different; one of "
            "the two arenas is wrong"
        )
        _stop(session, played_by, Stop(storable(why, 500), now, row.match_id), None, now)


def _stop(session: Session, name: str, stop: Stop, actor: User | None, now: int) -> None:
    store(session, {**stopped(session), name: stop}, now=now)
    if stop.match and key_of(name):
        job_kinds.take_from_key(session, key_of(name))
    else:
        job_kinds.take_from(session, name)
    detail = {"reason": stop.why, "match": stop.match or None}
    audit.note(session, actor, "arena.stop", subject_of(name), detail, now=now)

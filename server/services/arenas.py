"""Stops arenas and lets them go on. A stopped arena gets no jobs, and its matches are not booked.

An arena is stopped for one of three reasons: an operator stops it; a record that it has sent does
not follow from the rules; or other arenas have played matches of its key again with different
records, because the platform chose these matches, and no single author's bots can be the reason. In
the last two cases the other arenas with its key get no jobs either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import structlog
from sqlalchemy import func, select, true

from matchbox import registry
from matchbox.errors import Conflict, NotFound
from matchbox.match import record as records
from matchbox.match.replay import MoveIndex, seats_at
from server.db.models import Audit, Bot, Match, MatchSeat, MatchVerification, Version
from server.services import audit, job_kinds, jobs, walls
from server.services.accounts import require_operator
from server.services.alarms import notify_operators
from server.services.events import storable
from server.services.match_verifications import VERIFICATION
from server.services.matches import MATCH
from server.services.remote_names import key_of, of_key
from server.services.stopped_arenas import Stop, stopped, stopped_for_all, store, subject_of
from server.services.voids import reason_of
from server.times import DAY_MS, lately

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import Session

    from matchbox.match.wire import Claim, MatchPlayed
    from matchbox.settings import Settings
    from server.db.models import User

log = structlog.get_logger(__name__)

DIFFERENT_FOR_MS: Final = 7 * DAY_MS
"""How long the finding that a record differs counts against the arenas of its key."""
_MOST: Final = 50
"""The most such findings that are looked at, since other writers wait for it."""


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


class _Finding(NamedTuple):
    """The meaning of a finding that a record differs."""

    owners: set[int]
    """The owners of the strangers' bots of which one differed first."""
    counts: bool
    """Whether it can stop an arena."""


def stop_if_different(session: Session, done: Claim, *, settings: Settings, now: int) -> None:
    """Acts on a finding that an arena with a key has a different record of a match.

    `done` is the attempt at the verification, by an arena of another host. The bot that moved
    differently first may be the reason: a bot can choose not to repeat itself. So the arena is
    stopped only if the bots of two owners moved differently first in matches of its key within
    DIFFERENT_FOR_MS, or if no stranger's bot can be the reason. Until then the operators get a
    notice of the first such finding about an owner's bots, the second, the fourth, and so on. Bots
    that did not repeat themselves in their try-out do not count.
    A verification that somebody asked for stops no arena: authors can aim it at their own bots.
    """
    row = jobs.find(
        session, VERIFICATION, done.subject, done.attempt, done.token, settings=settings
    )
    played_by, checked_by = row.match.arena or "", row.arena or "an arena without a name"
    same_host = key_of(played_by) == key_of(checked_by)
    if row.finding != "different" or not key_of(played_by) or same_host:
        return
    if played_by in stopped(session):
        return
    suspects = _first_to_differ(row)
    found = _judge(row, suspects)
    if found is None:
        return
    if found.counts and _has_other_reason(session, row, found, now):
        why = f"{checked_by} played match {row.match_id} again, and its record is different; "
        why += "one of the two arenas is wrong"
        _stop(session, played_by, Stop(storable(why, 500), now, row.match_id), None, now)
        return
    differed, checked = _counts(session, row, found, now)
    if differed.bit_count() == 1:  # 1, 2, 4 ...: so notices become rarer, but do not end.
        text = _notice(row, played_by, checked_by, suspects)
        if differed > 1:
            text += f" In the last 7 days {differed} of {checked} checks of this host's matches "
            text += "with bots of the same owner differed." if suspects else "differed so."
        notify_operators(session, "stopped", text, now=now)


def _has_other_reason(session: Session, row: MatchVerification, found: _Finding, now: int) -> bool:
    """Whether no single owner's bots can be the reason for the finding and earlier ones."""
    chosen = MatchVerification.asker_id.is_(None)
    earlier = _earlier(session, row, found.owners, now, chosen)
    return not found.owners or any(
        one.counts and one.owners and not one.owners & found.owners for one in earlier
    )


def _counts(session: Session, row: MatchVerification, found: _Finding, now: int) -> tuple[int, int]:
    """The number of such findings about these owners' bots lately, and that of all checks of this
    key's matches with bots of theirs."""
    with_theirs = Match.id.in_(_with_bots_of(found.owners)) if found.owners else true()
    earlier = _earlier(session, row, found.owners, now, with_theirs)
    same = sum(bool(one.owners & found.owners) or one.owners == found.owners for one in earlier)
    checks = select(func.count()).select_from(MatchVerification).join(MatchVerification.match)
    checks = checks.where(MatchVerification.finding.is_not(None), with_theirs)
    checked = session.scalar(checks.where(*_lately_of_key(session, row, now))) or 0
    return 1 + same, checked


def _notice(row: MatchVerification, played_by: str, checked_by: str, suspects: set[Version]) -> str:
    """The text for the operators about a finding that does not stop the arena."""
    text = (
        f"The record of match {row.match_id} from arena {played_by} is different when "
        f"{checked_by} plays it again. "
    )
    if suspects:
        bots = " or ".join(sorted(version.bot.full_name for version in suspects))
        text += (
            f"The first move that differs is one of {bots}, so "
            f"{'this bot' if len(suspects) == 1 else 'one of these bots'} or one of the two arenas "
            "is wrong. "
        )
    else:
        text += "No author's bot can be the reason, so one of the two arenas is wrong. "
    if row.asker_id is not None:
        return text + "The arena is not stopped, since an account asked for this verification."
    if marked := [one.bot.full_name for one in suspects if _is_unrepeatable(one)]:
        return text + (
            f"The try-out of {' and '.join(sorted(marked))} says that it does not repeat itself, "
            "but an arena with the same key made that try-out. The arena is not stopped."
        )
    return text + "The arena is stopped if it happens with a bot of another owner."


def _first_to_differ(row: MatchVerification) -> set[Version]:
    """The strangers' versions of which one differs first, in a move or a fault; empty if none of
    them can be the reason."""
    match = row.match
    if row.bout is None or row.move is None or match.result is None:
        return set()
    try:
        record, place = records.unpack(match.result.record), MoveIndex(row.bout, row.move)
        rotation, seats = record.bouts[row.bout].rotation, len(record.seats)
        found = seats_at(registry.game(record.game), record, place)
        versions = {match.seats[records.entrant(one, rotation, seats)].version for one in found}
    except Exception:  # noqa: BLE001 - A finding or a record that cannot be names no bot.
        log.warning("verification.names_no_bot", verification=row.id, match=match.id)
        return set()
    return {version for version in versions if not version.bot.owner.trusted}


def _judge(row: MatchVerification, suspects: set[Version]) -> _Finding | None:
    """The meaning of a finding; None if a suspect did not repeat itself in its try-out.

    A try-out with the key that played the match does not end the matter: a dishonest host could
    excuse itself in advance. But it may be right, so such a finding stops no arena.
    """
    key = key_of(row.match.arena or "")
    tried_with = {key_of(one.arena or "") for one in suspects if _is_unrepeatable(one)}
    if tried_with - {key}:
        return None
    owners = {version.bot.owner_id for version in suspects}
    return _Finding(owners, row.asker_id is None and not tried_with)


def _is_unrepeatable(version: Version) -> bool:
    """Whether the version answered differently when its try-out asked it again.

    What samples of its matches found does not count: the host that played a match made its sample.
    """
    return bool((version.report or {}).get("unrepeatable"))


def _lately_of_key(
    session: Session, row: MatchVerification, now: int
) -> tuple[ColumnElement[bool], ...]:
    """The conditions that a verification is of a match of the same key, and counts still."""
    key, ended = key_of(row.match.arena or ""), MatchVerification.finished_at
    gone_on = select(func.max(Audit.at)).where(Audit.action == "arena.go-on")
    since = session.scalar(gone_on.where(of_key(Audit.subject, key))) or 0
    return lately(ended, DIFFERENT_FOR_MS, now), ended > since, of_key(Match.arena, key)


def _with_bots_of(owners: set[int]) -> Select[str]:
    """The ids of the matches with a bot of these owners."""
    matches = select(MatchSeat.match_id).join(MatchSeat.version).join(Version.bot)
    return matches.where(Bot.owner_id.in_(owners))


def _earlier(
    session: Session, row: MatchVerification, owners: set[int], now: int, which: ColumnElement[bool]
) -> Iterator[_Finding]:
    """Yields the other findings of the key lately that fit `which` and that no bot excuses.

    Findings from before an operator let an arena of the key go on do not count. Those in matches
    without a bot of these owners come first: no bot of theirs can crowd them out.
    """
    found = (
        select(MatchVerification)
        .join(MatchVerification.match)
        .where(MatchVerification.finding == "different", MatchVerification.id != row.id, which)
        .where(*_lately_of_key(session, row, now))
        .order_by(Match.id.in_(_with_bots_of(owners)), MatchVerification.finished_at.desc())
    )
    for other in session.scalars(found.limit(_MOST)):
        judged = _judge(other, _first_to_differ(other))
        if judged is not None:
            yield judged


def _stop(session: Session, name: str, stop: Stop, actor: User | None, now: int) -> None:
    store(session, {**stopped(session), name: stop}, now=now)
    if stop.match and key_of(name):
        job_kinds.take_from_key(session, key_of(name))
    else:
        job_kinds.take_from(session, name)
    detail = {"reason": stop.why, "match": stop.match or None}
    audit.note(session, actor, "arena.stop", subject_of(name), detail, now=now)

"""Lets an arena play a finished match again, and keeps whether its record is the same.

Runs no bots, and judges nothing: a finding changes no result and no rating.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, select

from matchbox import registry
from matchbox.errors import Conflict, Forbidden, TooMany, UnknownGame
from matchbox.match.wire import Verified, Verify
from server import outbox
from server.db.models import Match, MatchVerification
from server.db.session import compare_and_set
from server.services import jobs, stopped_arenas, walls
from server.services.embargo import reason
from server.services.events import publish, storable
from server.services.jobs import JobKind
from server.services.kept_records import require_record
from server.services.lookup import find_match
from server.services.remote_names import key_of, of_key
from server.times import DAY_MS, lately, minute_after, seconds_until

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from matchbox.settings import Settings
    from server.db.models import User


NOBODY: Final = (
    "for a day no arena could do it but those of the host that played the match; try it again later"
)
"""The reason why a verification ended without an attempt."""
LONGEST_WHY: Final = 200
"""The most characters of an arena's reason that are kept; everybody may read them."""


def ask(
    session: Session, actor: User, name: str, *, settings: Settings, now: int
) -> MatchVerification:
    """Orders the match to be played again; returns the verification.

    Raises NotFound, also if its record was removed, Forbidden while the match is closed or if no
    verifications are allowed, Conflict if it is being verified already, cannot be played here, or
    if only its own host is at work, and TooMany beyond the day's number.
    """
    match = find_match(session, name)
    if why := reason(session, match):
        raise Forbidden(why)
    require_record(match.result, match.id)
    _check_playable(session, match)
    if key_of(match.arena or "") and not _has_verifier(session, match, now):
        raise Conflict(
            "no host verifies the matches that it has played, and no other arena is at work now; "
            "try again later, or use `matchbox verify`"
        )
    open_ones = select(MatchVerification.id).where(
        MatchVerification.match_id == match.id, _UNDER_WAY
    )
    if session.scalar(open_ones.limit(1)) is not None:
        raise Conflict("an arena is verifying this match already; wait for its finding")
    _check_quota(session, actor, settings, now)
    return _open(session, match, actor.id, settings, now)


def check_arena(session: Session, name: str, *, settings: Settings, now: int) -> None:
    """Orders a match that was just booked to be played again, if an arena with a key played it.

    It does so for the share of these matches that the settings say, and only while an arena of
    another host gets jobs.
    """
    match = find_match(session, name)
    if not key_of(match.arena or "") or secrets.randbelow(100) >= settings.verify_percent:
        return
    if _has_verifier(session, match, now):
        _open(session, match, None, settings, now)


def _has_verifier(session: Session, match: Match, now: int) -> bool:
    """Whether an arena that does not have the key with which the match was played gets jobs."""
    keys = {key_of(one) for one in stopped_arenas.getting_jobs(session, now=now)}
    return bool(keys - {key_of(match.arena or "")})


def impossible(session: Session, *, now: int) -> Sequence[MatchVerification]:
    """Returns up to MAX_SWEPT verifications that have waited for a day, while the only arenas that
    get jobs are of the host that played the match."""
    keys = {key_of(one) for one in stopped_arenas.getting_jobs(session, now=now)}
    if len(keys) != 1 or keys == {""}:
        return []
    of_host = of_key(Match.arena, keys.pop())
    old = (_WAITS, MatchVerification.created_at < now - DAY_MS, of_host)
    rows = select(MatchVerification).join(MatchVerification.match).where(*old)
    return session.scalars(rows.order_by(MatchVerification.id).limit(jobs.MAX_SWEPT)).all()


def end_impossible(session: Session, *, now: int) -> None:
    """Ends the verifications that `impossible` returns, without a finding."""
    for row in impossible(session, now=now):
        values = {"wanted": False, "finished_at": now, "trouble": NOBODY}
        compare_and_set(session, row, values, _WAITS, attempt=row.attempt)


def _open(
    session: Session, match: Match, asker: int | None, settings: Settings, now: int
) -> MatchVerification:
    row = MatchVerification(match=match, asker_id=asker, deadline=jobs.DUE, created_at=now)
    session.add(row)
    session.flush()
    send(session, row, settings=settings, now=now)
    return row


def send(session: Session, row: MatchVerification, *, settings: Settings, now: int) -> bool:
    """Sends a verification as a new attempt. Returns False if it was not sent; see `jobs.lease`.

    That of a match with a stranger's bot waits while an arena has no wall. One whose game has other
    rules since an upgrade ends without a finding.
    """
    if not has_rules_of_today(row.match):
        values = {"wanted": False, "finished_at": now}
        compare_and_set(session, row, values, MatchVerification.wanted.is_(True))
        return False
    versions = [seat.version for seat in row.match.seats]
    if jobs.waits_for_wall(session, VERIFICATION, row, versions, settings=settings, now=now):
        return False
    if not jobs.lease(session, VERIFICATION, row, settings=settings, now=now):
        _give_up(session, row, now)
        return False
    outbox.post(session, job_of(row, settings))
    return True


def job_of(row: MatchVerification, settings: Settings) -> Verify:
    """Returns the message for the verification's present attempt."""
    match = row.match
    assert match.result is not None
    return Verify(
        attempt=row.attempt,
        token=jobs.token_of(settings, row, row.attempt),
        game=match.league.game,
        limits=match.limits,
        verification=jobs.subject_of("verification", row),
        match=match.id,
        digest=match.result.digest,
        classes=[seat.version.class_name or None for seat in match.seats],
    )


def arena_to_check(session: Session, job: Verify) -> str | None:
    """Returns the name of the arena that played the match, or "" if it has none; None if this
    attempt at the verification is over."""
    for row in VERIFICATION.rows(session, job.verification):
        if row.wanted and row.attempt == job.attempt:
            return row.match.arena or ""
    return None


def book(session: Session, message: Verified, *, settings: Settings, now: int) -> bool:
    """Keeps a finding. Returns False if there was one before.

    Raises NotFound or Forbidden if we never sent that attempt.
    """
    row = jobs.find(
        session,
        VERIFICATION,
        message.verification,
        message.attempt,
        message.token,
        settings=settings,
    )
    values = {
        "wanted": False,
        "deadline": None,
        "trouble": _one_line(message.why),
        "finding": message.finding,
        "bout": message.bout,
        "move": message.move,
        "finished_at": now,
    }
    if not compare_and_set(session, row, values, MatchVerification.wanted.is_(True)):
        return False
    publish(session, "match.verified", row.match_id, now=now)
    return True


def _one_line(text: str) -> str:
    """Returns an arena's words as one line of at most LONGEST_WHY characters."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return storable(" ".join(printable.split()), LONGEST_WHY)


def _check_playable(session: Session, match: Match) -> None:
    """Raises Conflict if the match's bots cannot play it here now."""
    game = registry.game(match.league.game)
    if game.spec.rules != match.rules:
        raise Conflict(
            f"the match was played by rules {match.rules} of {game.spec.title} and these are rules "
            f"{game.spec.rules}; verify it with the release that played it"
        )
    strangers = [seat for seat in match.seats if not seat.version.bot.owner.trusted]
    if strangers and not (found := walls.wall(session)).walled:
        raise Conflict(f"its bots cannot play now: {found.why}")


def has_rules_of_today(match: Match) -> bool:
    """Returns whether the match was played by the rules that its game has now."""
    try:
        return registry.game(match.league.game).spec.rules == match.rules
    except UnknownGame:
        return False


def _check_quota(session: Session, actor: User, settings: Settings, now: int) -> None:
    today = lately(MatchVerification.created_at, DAY_MS, now)
    own = (MatchVerification.asker_id == actor.id, today)
    made = session.scalars(select(MatchVerification.created_at).where(*own)).all()
    most = settings.verifications_per_day
    if not most:
        why = "the operator allows no verifications here; use `matchbox verify`"
        raise Forbidden(why).to_everybody()
    if len(made) >= most:
        opens = sorted(made)[-most] + DAY_MS
        raise TooMany(
            f"one account may have {most} matches verified in a day; come back at "
            f"{minute_after(opens)}, or use `matchbox verify`",
            seconds_until(opens, now),
        )


def _give_up(session: Session, row: MatchVerification, now: int) -> None:
    """Ends a verification that is parked, as the platform has failed at it too often."""
    compare_and_set(session, row, {"wanted": False, "finished_at": now}, VERIFICATION.parked)


_UNDER_WAY: Final = and_(
    MatchVerification.wanted.is_(True), MatchVerification.deadline.is_not(None)
)
_WAITS: Final = and_(_UNDER_WAY, MatchVerification.arena.is_(None))

VERIFICATION: Final = JobKind(
    name="verification",
    model=MatchVerification,
    rows=jobs.numbered("verification", MatchVerification),
    queued=_UNDER_WAY,
    leased=_UNDER_WAY,
    parked=and_(MatchVerification.wanted.is_(True), MatchVerification.deadline.is_(None)),
    resume=send,
    failed=_give_up,
)
"""A verification is queued if its deadline has passed, and leased if its deadline is still to
come."""

"""Matches as jobs: the message to an arena, and the recording of the result. Computes no rating."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

import structlog
from sqlalchemy import bindparam, select
from sqlalchemy.orm import defer, joinedload
from sqlalchemy.orm.attributes import set_committed_value

from matchbox.errors import BadMessage, BadRecord
from matchbox.match.wire import Entrant, PlayMatch
from server.db.models import UNFINISHED, Bot, League, Match, MatchSeat, MatchState, Version
from server.db.session import compare_and_set
from server.services import audit, fault_counts, faults, jobs, quarantine, ratings, results, samples
from server.services.accounts import require_operator
from server.services.events import publish, storable
from server.services.jobs import JobKind
from server.services.lookup import find_match
from server.services.remote_names import key_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy.orm import Session

    from matchbox.match.wire import MatchPlayed
    from matchbox.settings import Settings
    from server.db.models import User

log = structlog.get_logger(__name__)


_MATCHES: Final = select(Match).where(Match.id.in_(bindparam("names", expanding=True)))
_SEATS: Final = (
    select(MatchSeat)
    .where(MatchSeat.match_id.in_(bindparam("names", expanding=True)))
    .order_by(MatchSeat.match_id, MatchSeat.seat)
)
_VERSIONS: Final = (
    select(Version)
    .where(Version.id.in_(bindparam("numbers", expanding=True)))
    .options(joinedload(Version.bot).joinedload(Bot.owner), defer(Version.report))
)
_LEAGUES: Final = select(League).where(League.id.in_(bindparam("numbers", expanding=True)))
_UNFINISHED: Final = Match.state.in_(UNFINISHED)


def job_of(match: Match, settings: Settings) -> PlayMatch:
    """Returns the message for the match's present attempt."""
    return PlayMatch(
        attempt=match.attempt,
        token=jobs.token_of(settings, match, match.attempt),
        game=match.league.game,
        limits=match.limits,
        match=match.id,
        rules=match.rules,
        options=match.league.options,
        deals=match.deals,
        seats=[
            Entrant(seat.version.digest, seat.version.class_name or None, seat.memory)
            for seat in match.seats
        ],
        width=match.width,
        sample=samples.bouts_of(match, settings),
        separation=match.league.separation,
    )


def load(session: Session, names: Collection[str]) -> Sequence[Match]:
    """Returns these matches, with their leagues, seats, versions, bots and owners.

    Takes four queries, whatever the number of matches.
    """
    found = session.scalars(_MATCHES, {"names": names}).all()
    seats = defaultdict[str, list[MatchSeat]](list)
    for seat in session.scalars(_SEATS, {"names": names}):
        seats[seat.match_id].append(seat)
    sat = {seat.version_id for table in seats.values() for seat in table}
    versions = {one.id: one for one in session.scalars(_VERSIONS, {"numbers": sat})}
    played = {match.league_id for match in found}
    leagues = {one.id: one for one in session.scalars(_LEAGUES, {"numbers": played})}
    for match in found:
        set_committed_value(match, "league", leagues[match.league_id])
        set_committed_value(match, "seats", seats[match.id])
        for seat in match.seats:
            set_committed_value(seat, "version", versions[seat.version_id])
    return found


def record(
    session: Session, message: MatchPlayed, *, unfit: str = "", settings: Settings, now: int
) -> bool:
    """Finishes the match with its result. `unfit` says why its record is known not to fit it.

    Accepts the result of any attempt, since all of them play the same match. Returns False if the
    match was final already, or if the record does not fit the match; then the job counts as lost by
    the platform, unless an arena with a key has sent it. Raises NotFound or Forbidden if we never
    sent that attempt.
    """
    match = jobs.find(
        session, MATCH, message.match, message.attempt, message.token, settings=settings
    )
    try:
        if unfit:
            raise BadRecord(unfit)
        played = results.unpack(match, message.record)
        results.check(match, played)
        results.check_beside(match, played, message)
    except (BadMessage, BadRecord) as error:
        log.warning("result.refused", match=match.id, attempt=message.attempt, why=str(error))
        refuse = jobs.give_back if key_of(message.arena) else jobs.lose
        refuse(session, MATCH, match, message.attempt, str(error), settings=settings, now=now)
        return False
    values = {
        "state": MatchState.FINISHED,
        "deadline": None,
        "trouble": "",
        "arena": storable(message.arena, 200) or None,
        "finished_at": now,
        "score": results.score_of(played),
    }
    with session.no_autoflush:  # Pending changes do not concern this match.
        if not compare_and_set(session, match, values, _UNFINISHED):
            return False
    result = results.result_of(message, played, settings, now)
    session.add(result)
    set_committed_value(match, "result", result)
    results.book_points(match)
    match.league.finished += 1
    ratings.update_live(session, match)
    fault_counts.book(session, match, played, now=now)
    faults.count(session, match, played, settings=settings, now=now)
    samples.book(session, match, message, now=now)
    publish(session, "match.finished", match.id, now=now)
    return True


def requeue(session: Session, actor: User, name: str, *, settings: Settings, now: int) -> None:
    """Queues a parked match again. Raises Forbidden, NotFound, or Conflict if it is not parked."""
    require_operator(actor)
    match = find_match(session, name)
    jobs.requeue(session, MATCH, match, settings=settings, now=now)
    audit.note(session, actor, "match.requeue", f"match:{match.id}", now=now)


def _named(session: Session, subject: str) -> list[Match]:
    found = session.get(Match, subject)
    return [] if found is None else [found]


def _publish_queued(session: Session, match: Match, *, now: int, **_: Any) -> None:
    """Publishes that the match is queued again; `dispatch` sends it."""
    publish(session, "match.queued", match.id, now=now)


MATCH: Final = JobKind(
    name="match",
    model=Match,
    rows=_named,
    queued=Match.state == MatchState.QUEUED,
    leased=Match.state == MatchState.RUNNING,
    parked=Match.state == MatchState.PARKED,
    to_queued={"state": MatchState.QUEUED, "deadline": None},
    to_leased={"state": MatchState.RUNNING},
    to_parked={"state": MatchState.PARKED, "deadline": None},
    resume=_publish_queued,
    failed=quarantine.count_fault,
)

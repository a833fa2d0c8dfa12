"""Hands queued matches to the arenas, each league and season in its turn. Plays none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import structlog
from sqlalchemy import Select, and_, case, func, or_, select
from sqlalchemy.orm import joinedload, selectinload

from matchbox.match.wire import Entrant, PlayMatch
from server import outbox
from server.db.models import (
    Bot,
    League,
    Match,
    MatchSeat,
    MatchState,
    Role,
    Season,
    SeasonState,
    User,
    Version,
)
from server.services import attempts, samples
from server.services.attempts import change
from server.services.news import tell
from server.services.quarantine import HELD
from server.services.walls import wall

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings

log = structlog.get_logger(__name__)

MOST_ATTEMPTS: Final = 20
"""A match sent so often that never came back is parked: it may be what kills the arenas."""

_WITH_STRANGERS: Final = (
    select(MatchSeat.match_id)
    .join(Version, Version.id == MatchSeat.version_id)
    .join(Bot, Bot.id == Version.bot_id)
    .join(User, User.id == Bot.owner_id)
    .where(User.role != Role.OPERATOR, User.password.is_not(None))
)
"""The matches with a bot of somebody who is neither an operator nor the house."""


def dispatch(session: Session, *, settings: Settings, now: int) -> int:
    """Sends queued matches while the window has room, each league and season in its turn.

    Strangers' bots wait while an arena has no wall, all that meet a version in quarantine until it
    is settled. How wide a match is played is settled when it is sent first. How many were sent.
    """
    running = session.scalar(select(func.count()).where(Match.state == MatchState.RUNNING)) or 0
    room = settings.dispatch_window - running
    sent = 0
    for match in _next_queued(session, room) if room > 0 else ():
        attempt = match.attempt + 1
        if match.attempt and match.attempt % MOST_ATTEMPTS == 0:
            _park(session, match, f"sent {match.attempt} times, and it never came back", now)
            continue
        values = {
            "state": MatchState.RUNNING,
            "attempt": attempt,
            "deadline": attempts.next_deadline(settings, now, attempt),
        }
        if not match.attempt:
            values["width"] = samples.width_of(session, match)
        if change(session, match, (MatchState.QUEUED,), values, Match.attempt == match.attempt):
            compares = match.comparison_id is not None
            outbox.post(session, job_of(match, settings), compares=compares)
            tell(session, "match.running", match.id, now=now)
            sent += 1
    return sent


def job_of(match: Match, settings: Settings) -> PlayMatch:
    """The job of the match's present attempt."""
    return PlayMatch(
        attempt=match.attempt,
        token=attempts.token_of(settings, match, match.attempt),
        game=match.league.game,
        limits=match.limits,
        match=match.id,
        rules=match.rules,
        options=match.league.options,
        deals=[deal.seed for deal in match.deals],
        seats=[
            Entrant(seat.version.digest, seat.version.class_name or None, seat.memory)
            for seat in match.seats
        ],
        width=match.width,
        sample=samples.bouts_of(match, settings),
    )


def _park(session: Session, match: Match, trouble: str, now: int) -> None:
    values = {"state": MatchState.PARKED, "trouble": trouble, "deadline": None}
    if change(session, match, (MatchState.QUEUED,), values):
        log.error("match.parked", match=match.id, why=trouble)
        tell(session, "match.parked", match.id, now=now)


def _next_queued(session: Session, room: int) -> Sequence[Match]:
    """The queued matches whose leagues and seasons have the fewest under way, counting those that
    come before them; the oldest of each first.

    All comparisons together have one place among them, which they share in the same way.
    """
    each = _in_turn(session).subquery()
    group, order = (each.c.league_id, each.c.season_id), (each.c.waits, each.c.turn, each.c.id)
    place = func.row_number().over(partition_by=group, order_by=order)
    queued = select(each.c.id, each.c.waits, place.label("place")).subquery()
    whole = (
        joinedload(Match.league),
        joinedload(Match.season),
        selectinload(Match.deals),
        selectinload(Match.seats).joinedload(MatchSeat.version),
    )
    query = select(Match).join(queued, queued.c.id == Match.id).where(queued.c.waits)
    ordered = query.options(*whole).order_by(queued.c.place, Match.id)
    return session.scalars(ordered.limit(room)).all()


def _in_turn(session: Session) -> Select[Any]:
    """Every match under way, and those that may be sent now: id, league_id and season_id (league
    None for comparisons), waits, and its turn within its league, season or comparison."""
    waits = Match.state == MatchState.QUEUED
    awake = or_(
        and_(Match.season_id.is_(None), League.paused.is_(False)),
        Season.state == SeasonState.RUNNING,
    )
    ready = and_(waits, awake, Match.id.not_in(HELD))
    if not wall(session)["walled"]:
        ready = and_(ready, Match.id.not_in(_WITH_STRANGERS))
    scope = (Match.league_id, Match.season_id, Match.comparison_id)
    turn = func.row_number().over(partition_by=scope, order_by=(waits, Match.number, Match.id))
    compares = Match.comparison_id.is_not(None)
    return (
        select(
            Match.id,
            Match.season_id,
            case((compares, None), else_=Match.league_id).label("league_id"),
            waits.label("waits"),
            turn.label("turn"),
        )
        .join(League, League.id == Match.league_id)
        .outerjoin(Season, Season.id == Match.season_id)
        .where(or_(Match.state == MatchState.RUNNING, ready))
    )

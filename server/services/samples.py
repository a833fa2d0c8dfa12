"""Samples of matches: which bouts are replayed alone, and what happens to bots that keep state.

Knows marks and widths. What a version answers alone is found out by the arena, in the sample that
its job asks for; ratings and results are the same with a mark as without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import structlog
from sqlalchemy import select

from matchbox.match.wire import ALONE
from server.db.models import Match, MatchSeat, Version
from server.db.session import compare_and_set
from server.services import notices
from server.services.events import publish

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.match.wire import MatchPlayed
    from matchbox.settings import Settings

log = structlog.get_logger(__name__)

BOUTS: Final = 8
"""How many bouts of a sampled match are played again, each alone."""


def bouts_of(match: Match, settings: Settings) -> int:
    """How many bouts of the match are to be played again alone: none of most.

    Sampled is the first match of every version, of a season its whole first round, and of the
    others so many in a hundred, chosen by their ids. So what is sampled of a season follows from
    the season.
    """
    if not settings.sample_percent:
        return 0
    by_lot = int(match.id, 16) % 100 < settings.sample_percent
    if match.season_id is not None:
        first = match.round == 0
    else:
        first = any(not seat.version.sampled for seat in match.seats)
    return BOUTS if first or by_lot else 0


def width_of(session: Session, match: Match) -> int:
    """How many of its bouts are to be in flight at once: each alone, where somebody keeps state.

    In a season that is who was known to at its start, and who was found to in the season itself
    before the match was scheduled, so that a season follows from its own matches.
    """
    marked = {seat.version_id: seat.version.stateful_at for seat in match.seats}
    known = {row: at for row, at in marked.items() if at is not None}
    if match.season is None:
        return ALONE if known else match.width
    begun = match.season.started_at or match.created_at
    if any(at <= begun for at in known.values()):
        return ALONE
    return ALONE if known and _found_before(session, match, set(known)) else match.width


def book(session: Session, match: Match, message: MatchPlayed, *, now: int) -> None:
    """Stores the result of a new match's sample, and notifies the owners."""
    if not message.sampled:
        return
    for version in {seat.version.id: seat.version for seat in match.seats}.values():
        version.sampled += 1
    for entrant in message.unrepeatable:
        match.seats[entrant].version.unrepeatable = True
    for entrant in message.stateful:
        match.seats[entrant].stateful = True
    session.flush()
    for entrant in message.stateful:
        _mark(session, match, match.seats[entrant].version, now)


def _found_before(session: Session, match: Match, rows: set[int]) -> bool:
    query = (
        select(MatchSeat.version_id)
        .join(Match, Match.id == MatchSeat.match_id)
        .where(
            MatchSeat.stateful.is_(True),
            MatchSeat.version_id.in_(rows),
            Match.season_id == match.season_id,
            Match.round < match.round,
            Match.finished_at <= match.created_at,
        )
    )
    return session.scalar(query.limit(1)) is not None


def _mark(session: Session, match: Match, version: Version, now: int) -> None:
    first = Version.stateful_at.is_(None)
    if not compare_and_set(session, version, {"stateful_at": now}, first):
        return
    name = f"{version.bot.full_name} v{version.number}"
    log.info("version.stateful", version=version.id, bot=version.bot.full_name, match=match.id)
    publish(session, "version.stateful", version.id, now=now)
    text = (
        f"{name} keeps state between bouts: alone it answers otherwise than in match {match.id}. "
        "From now on each of its bouts is played by a fresh process, in a season from its next "
        "round; what it has played counts on. Keep in the player what a bout needs, not in the "
        "module or class."
    )
    subject = f"version:{version.id}"
    notices.tell_owner(session, version.bot.owner_id, "stateful", subject, text, now=now)

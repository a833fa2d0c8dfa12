"""Chooses which bouts are rerun alone, and marks versions that keep state between bouts.

The job of a match asks for a sample; the arena plays it and reports the versions that answer
differently when they are alone. A mark changes only how many bouts of a version run concurrently,
and no rating or result.
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
"""How many bouts of a sampled match are replayed, each alone."""


def bouts_of(match: Match, settings: Settings) -> int:
    """Returns how many bouts of the match are to be replayed alone: 0 for most matches.

    It samples the matches in the first round of a season, and outside of seasons the first match of
    every version. Of all others it samples a percentage, chosen by their ids. So the sampled
    matches of a season follow from the season alone.
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
    """Returns how many bouts of the match may run concurrently: one if a version keeps state.

    In a season, a version counts only if it was marked before the season started, or by a match of
    an earlier round that had finished when this match was scheduled. So a season follows from its
    own matches.
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
    """Stores the findings of a match's sample; notifies the owners of newly marked versions."""
    if not message.sampled:
        return
    for version in {seat.version.id: seat.version for seat in match.seats}.values():
        version.sampled += 1
    for entrant in message.unrepeatable:
        match.seats[entrant].version.unrepeatable = True
    for entrant in message.stateful:
        match.seats[entrant].stateful = True
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
        f"{name} keeps state between bouts: when a bout is replayed alone, it answers differently "
        f"than in match {match.id}. From now on a fresh process plays each of its bouts; in a "
        "season, from the next round on. Its earlier results stand. Keep what a bout needs in the "
        "player, not in the module or class."
    )
    subject = f"version:{version.id}"
    notices.notify_account(session, version.bot.owner_id, "stateful", subject, text, now=now)

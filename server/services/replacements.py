"""Schedules new matches that replace void ones, with the same versions in the same seats.

Does not decide which matches are void, and checks no rights. A deal that somebody could read is not
to be played again: callers keep the deals of a match only if `is_secret`.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from sqlalchemy import and_, select
from sqlalchemy.orm import aliased

from matchbox.dice import deals_from
from server.db.models import UNFINISHED, Match, MatchSeat, MatchState
from server.services.events import publish_each
from server.services.fixtures import deals_of, match_id, next_number

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session


def is_secret(session: Session, match: Match) -> bool:
    """Whether nobody may read any deal of the match yet: an unfinished match uses each of them."""
    shared = (Match.first_deal == match.first_deal, Match.state.in_(UNFINISHED))
    return session.scalar(select(Match.id).where(*shared).limit(1)) is not None


def unreplaced() -> ColumnElement[bool]:
    """The condition that no other match replaces this one."""
    other = aliased(Match)
    return ~select(other.id).where(other.replaces == Match.id).exists()


def is_replaced(session: Session, match: Match) -> bool:
    """Whether another match replaces this one."""
    return session.scalar(select(Match.id).where(Match.replaces == match.id).limit(1)) is not None


def replace(
    session: Session, void: Sequence[Match], *, kept: Collection[str] = (), now: int
) -> list[Match]:
    """Queues a new match for each of these void ones, under the next numbers; returns them.

    Matches whose ids are in `kept` keep their deals. The others get fresh ones; matches that shared
    their deals share the fresh ones too. Seats, memories, limits and round stay the same.
    """
    fresh: dict[tuple[str, ...], list[str]] = {}
    numbers: dict[tuple[int, int | None], int] = {}
    made = []
    for old in sorted(void, key=lambda match: (match.number, match.id)):
        scope = (old.league_id, old.season_id)
        last = numbers.get(scope)
        number = next_number(session, _numbered_with(old)) if last is None else last + 1
        numbers[scope] = number
        deals = old.deals
        if old.id not in kept:
            key = tuple(deals)
            if key not in fresh:
                fresh[key] = _fresh_deals(old, number)
            deals = fresh[key]
        made.append(_queued(session, old, number, deals, now))
    session.flush()
    publish_each(session, "match.queued", [match.id for match in made], now=now)
    return made


def _queued(session: Session, old: Match, number: int, deals: Sequence[str], now: int) -> Match:
    seed = old.season.seed if old.season is not None else old.league.seed
    match = Match(
        id=match_id(seed, number),
        league_id=old.league_id,
        season_id=old.season_id,
        number=number,
        why=old.why,
        round=old.round,
        replaces=old.id,
        rules=old.rules,
        state=MatchState.QUEUED,
        deals=deals,
        limits=old.limits,
        width=old.width,
        created_at=now,
        seats=[
            MatchSeat(
                seat=one.seat,
                version_id=one.version_id,
                memory=one.memory,
                created_at=now,
                number=number,
            )
            for one in old.seats
        ],
    )
    session.add(match)
    return match


def _numbered_with(old: Match) -> ColumnElement[bool]:
    """The condition for the matches among which this one has its number: those of its season, or of
    its league's ranked queue."""
    if old.season_id is not None:
        return Match.season_id == old.season_id
    return and_(Match.league_id == old.league_id, Match.is_ranked)


def _fresh_deals(old: Match, number: int) -> list[str]:
    """As many new deals as the match had.

    In a season they derive from the season's seed, so that the season can be repeated.
    """
    if old.season is None:
        return deals_from(secrets.token_hex(16), old.deal_count)
    return list(deals_of(f"again:{old.season.seed}", number, old.deal_count))

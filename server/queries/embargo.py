"""The embargo: a deal becomes readable when every match that uses it is final."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select
from sqlalchemy.orm import aliased

from server.db.models import UNFINISHED, Match, MatchDeal, MatchState

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session


def closed(session: Session, names: Collection[str]) -> set[str]:
    """Returns those of the matches that share a deal with an unfinished match."""
    other = aliased(MatchDeal)
    query = (
        select(MatchDeal.match_id)
        .join(other, other.seed == MatchDeal.seed)
        .join(Match, Match.id == other.match_id)
        .where(MatchDeal.match_id.in_(names), Match.state.in_(UNFINISHED))
    )
    return set(session.scalars(query.distinct()))


def readable() -> ColumnElement[bool]:
    """Returns the condition that a Match shares no deal with an unfinished match."""
    own, other, playing = aliased(MatchDeal), aliased(MatchDeal), aliased(Match)
    open_deals = (
        select(other.seed)
        .join(playing, playing.id == other.match_id)
        .where(playing.state.in_(UNFINISHED))
    )
    return Match.id.not_in(select(own.match_id).where(own.seed.in_(open_deals)))


def reason(session: Session, match: Match) -> str | None:
    """Returns why only the match's status is public, as a sentence; None if all of it is."""
    if match.state in UNFINISHED:
        return (
            f"match {match.id} is {match.state}; its deals and record are closed until it is over"
        )
    if closed(session, [match.id]):
        return (
            f"match {match.id} shares a deal with a match that is not over; until then it is closed"
        )
    if match.state == MatchState.VOID and match.result is None:
        return f"match {match.id} is void: it has no record"
    return None

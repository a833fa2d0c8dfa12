"""The embargo: a deal becomes readable when every match that uses it is final."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import bindparam, select
from sqlalchemy.orm import aliased

from server.db.models import UNFINISHED, Match, MatchState

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session


def embargoed_matches(session: Session, ids: Collection[str]) -> set[str]:
    """Returns those of the matches that share a deal with an unfinished match."""
    return set(session.scalars(_CLOSED, {"ids": ids}))


def readable() -> ColumnElement[bool]:
    """Returns the condition that a Match shares no deal with an unfinished match."""
    other = aliased(Match)
    shared = (other.first_deal == Match.first_deal, other.state.in_(UNFINISHED))
    return ~select(other.id).where(*shared).exists()


_CLOSED: Final = select(Match.id).where(Match.id.in_(bindparam("ids", expanding=True)), ~readable())


def reason(session: Session, match: Match) -> str | None:
    """Returns the reason why only the match's status is public, as a sentence; None if all of it
    is."""
    if match.state in UNFINISHED:
        return (
            f"match {match.id} is {match.state}; its deals and record are closed until it is over"
        )
    if embargoed_matches(session, [match.id]):
        return (
            f"match {match.id} shares a deal with a match that is not over; until then it is closed"
        )
    if match.state == MatchState.VOID and match.result is None:
        return f"match {match.id} is void: it has no record"
    return None

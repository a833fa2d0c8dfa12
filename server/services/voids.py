"""Makes matches void for faults of the platform, and reschedules them, on behalf of operators.

Nothing here reads a score. A void match keeps its record, but does not count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import select, update

from matchbox import registry
from matchbox.errors import BadOption, Conflict
from server.db.models import (
    UNDER_WAY,
    UNFINISHED,
    Entry,
    Match,
    MatchState,
    Rating,
    Season,
    SeasonState,
    VersionState,
    VoidCause,
)
from server.db.session import compare_and_set
from server.services import audit, faults, ratings, replacements, standings
from server.services.accounts import require_operator
from server.services.events import publish_each, storable
from server.services.kept_records import removal_note
from server.services.lookup import find_match

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from server.db.models import User

MAX_CHARACTERS: Final = 400
"""The most characters of a reason."""
_VOIDABLE: Final = Match.state.in_((*UNFINISHED, MatchState.FINISHED))
_NOT_AGAIN: Final = "make it void without playing it again"


def void(
    session: Session, actor: User, name: str, reason: str, *, again: bool = False, now: int
) -> Match | None:
    """Makes the match with that id void for a fault of the platform; its record stays readable.

    With `again` it is rescheduled, and the new match is returned; else None. Raises Forbidden,
    NotFound, BadOption (no reason), or Conflict if it is void already, if a comparison has counted
    it, or if the state of its season does not allow it.
    """
    require_operator(actor)
    match = find_match(session, name)
    why = reason_of(reason)
    if match.state == MatchState.VOID:
        raise Conflict(f"match {match.id} is void already")
    if match.comparison_id is not None and match.state == MatchState.FINISHED:
        raise Conflict(f"match {match.id} is part of a comparison, which has counted it")
    require_open(session, match)
    if again:
        _require_playable(session, match)
    new = void_all(session, [match], why, again=again, now=now)
    detail = {"reason": why, "new": new[0].id if new else None}
    audit.note(session, actor, "match.void", f"match:{match.id}", detail, now=now)
    return new[0] if new else None


def play_again(session: Session, actor: User, name: str, reason: str, *, now: int) -> Match:
    """Replays the void match with that id; returns the new match.

    Raises Forbidden, NotFound, BadOption (no reason), or Conflict if the match is not void, was
    replayed already, or cannot be replayed now.
    """
    require_operator(actor)
    match = find_match(session, name)
    why = reason_of(reason)
    if match.state != MatchState.VOID:
        raise Conflict(f"match {match.id} is {match.state}; make it void first")
    if replacements.is_replaced(session, match):
        raise Conflict(f"match {match.id} is played again already")
    require_open(session, match)
    _require_playable(session, match)
    kept = [match.id] if replacements.is_secret(session, match) else []
    (new,) = replacements.replace(session, [match], kept=kept, now=now)
    detail = {"reason": why, "new": new.id}
    audit.note(session, actor, "match.again", f"match:{match.id}", detail, now=now)
    return new


def void_all(
    session: Session,
    found: Sequence[Match],
    why: str,
    *,
    again: bool,
    fresh: bool = False,
    now: int,
) -> list[Match]:
    """Makes these matches void. With `again`, reschedules them and returns the new matches.

    There is at least one, and all are of one season, one comparison or one league's queue. A match
    with a bot that is out of the season is not rescheduled. `fresh` forces fresh deals; else deals
    that nobody could read yet are used again. The standing is marked to be computed anew. Raises
    Conflict if a match has just changed.
    """
    kept = [] if fresh else [one.id for one in found if replacements.is_secret(session, one)]
    finished = [match for match in found if match.state == MatchState.FINISHED]
    for match in found:
        values = {
            "state": MatchState.VOID,
            "deadline": None,
            "finished_at": match.finished_at or now,
            "void_cause": VoidCause.OPERATOR,
            "void_why": why,
        }
        if not compare_and_set(session, match, values, _VOIDABLE):
            raise Conflict(f"match {match.id} has just changed; look at it again")
    for match in finished:
        match.league.finished -= 1
        faults.subtract_counts(match)
        _unrate(session, match)
    publish_each(session, "match.void", [match.id for match in found], now=now)
    gone = _gone(session, found[0].season_id) if again else set()
    playable = [one for one in found if again and gone.isdisjoint(_versions_in(one))]
    new = replacements.replace(session, playable, kept=kept, now=now)
    if found[0].comparison_id is None:
        standings.mark(session, found[0].season or found[0].league)
    return new


def _unrate(session: Session, match: Match) -> None:
    """Subtracts a ranked match from its versions' numbers of matches.

    The next refit removes it from the live ratings.
    """
    if match.is_ranked and match.rules == match.league.rules:
        sat = {seat.version_id for seat in match.seats}
        rows = (Rating.league_id == match.league_id, Rating.version_id.in_(sat), Rating.matches > 0)
        fewer = {"matches": Rating.matches - 1, "revision": ratings.next_revision(match.league)}
        session.execute(update(Rating).where(*rows).values(**fewer))


def require_open(session: Session, match: Match) -> None:
    """Raises Conflict if the match's season was cancelled, or is a knock-out that has opened later
    rounds."""
    season = match.season
    if season is None:
        return
    if season.state == SeasonState.CANCELLED:
        raise Conflict(
            f"season {season.name} is cancelled; match {match.id} no longer counts, so nothing is "
            "left to do"
        )
    if season.format.get("kind") != "knock-out":
        return
    if season.state == SeasonState.FINISHED or has_opened(session, season, match.created_at):
        raise Conflict(
            f"season {season.name} is a knock-out, and its next round depends on match "
            f"{match.id}; disqualify a bot in the season if it must not win, or play a new season "
            "of the league"
        )


def has_opened(session: Session, season: Season, since: int) -> bool:
    """Whether the season has opened a round after that time, UTC in ms."""
    later = (Match.season_id == season.id, Match.replaces.is_(None), Match.created_at > since)
    return session.scalar(select(Match.id).where(*later).limit(1)) is not None


def _require_playable(session: Session, match: Match) -> None:
    """Raises Conflict if the match cannot be replayed, or its replay would not count."""
    if match.comparison_id is not None:
        raise Conflict(f"match {match.id} is part of a comparison, which schedules its own")
    if why := removal_note(match.result, match.id):
        raise Conflict(f"{why}, and its deals with it, so it cannot be played again")
    season = match.season
    if season is not None:
        if season.state == SeasonState.FINISHED:
            raise Conflict(
                f"season {season.name} is finished, so nothing is played in it; make the match "
                "void without playing it again, and the standing follows without it"
            )
        if season.state not in UNDER_WAY:
            raise Conflict(f"season {season.name} is {season.state}; nothing is played in it")
        if not _gone(session, season.id).isdisjoint(_versions_in(match)):
            raise Conflict(f"a bot of match {match.id} is out of the season; reinstate it first")
    elif match.rules != match.league.rules:
        raise Conflict(
            f"match {match.id} was under rules {match.rules}, which are not played now; "
            f"{_NOT_AGAIN}"
        )
    elif match.league.game not in registry.packages():
        raise Conflict(f"the game {match.league.game} is not installed any more; {_NOT_AGAIN}")
    elif any(seat.version.bot.owner.closed_at is not None for seat in match.seats):
        raise Conflict(f"the account of a bot of match {match.id} is closed; {_NOT_AGAIN}")
    elif any(seat.version.state != VersionState.ACTIVE for seat in match.seats):
        raise Conflict(f"a version of match {match.id} is not active any more; {_NOT_AGAIN}")


def is_playable(session: Session, match: Match) -> bool:
    """Whether the match can be replayed, and its replay would count."""
    try:
        _require_playable(session, match)
    except Conflict:
        return False
    return True


def _gone(session: Session, season: int | None) -> set[int | None]:
    """The row numbers of the versions that are out of the season."""
    out = (Entry.season_id == season, Entry.out != "")
    return set(session.scalars(select(Entry.version_id).where(*out)))


def _versions_in(match: Match) -> list[int]:
    return [seat.version_id for seat in match.seats]


def reason_of(text: str) -> str:
    """Returns the reason without extra spaces, as a database can store it.

    Raises BadOption unless it has 1 to MAX_CHARACTERS characters.
    """
    text = " ".join(text.split())
    if not 1 <= len(text) <= MAX_CHARACTERS:
        raise BadOption(f"say why, in 1 to {MAX_CHARACTERS} characters; it is kept and shown").of(
            "reason"
        )
    return storable(text, MAX_CHARACTERS)

"""Schedules matches: writes their ids, versions and deals before they are played."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from sqlalchemy import insert, select

from matchbox.dice import deals_from, derive_deals
from matchbox.errors import Conflict
from matchbox.settings import limits_of
from server.db.models import Match, MatchSeat, MatchState
from server.db.packed import pack_deals
from server.db.session import in_parts

if TYPE_CHECKING:
    from sqlalchemy import ColumnExpressionArgument
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings
    from server.db.models import Comparison, League, Season

_QUERY_CHUNK: Final = 500
"""The number of first deals that are looked up with one statement."""


@dataclass(frozen=True, slots=True)
class Fixture:
    """A match to be scheduled: `versions` are row numbers in seat order, `deals` are seeds."""

    number: int
    versions: tuple[int, ...]
    deals: tuple[str, ...]
    round: int = 0


def match_id(seed: str, number: int) -> str:
    """Returns the id of the match with this number, 32 hex digits.

    It follows from the seed alone, so it is the same in every database that replays the season.
    """
    key = blake2b(seed.encode(), digest_size=32).digest()
    return blake2b(f"match:{number}".encode(), key=key, digest_size=16).hexdigest()


def deals_of(seed: str, place: int, count: int) -> tuple[str, ...]:
    """Returns the seeds of `count` deals for this place of a season or comparison.

    A place is one match, or a group of matches that share their deals. The seeds of one place
    reveal nothing about those of another.
    """
    (first,) = derive_deals(f"deals:{seed}", 1, start=place)
    return tuple(deals_from(first, count))


def next_number(session: Session, *which: ColumnExpressionArgument[bool]) -> int:
    """Returns the number after the highest of these matches.

    Each state has a query of its own: one for all would make SQLite read all matches of the league.
    """
    newest = select(Match.number).where(*which).order_by(Match.number.desc()).limit(1)
    found = [session.scalar(newest.where(Match.state == state)) for state in MatchState]
    return max((one for one in found if one is not None), default=-1) + 1


def schedule(
    session: Session,
    league: League,
    fixtures: Sequence[Fixture],
    *,
    season: Season | None = None,
    comparison: Comparison | None = None,
    memories: Mapping[int, str] | None = None,
    settings: Settings,
    now: int,
) -> list[str]:
    """Queues the matches; returns their ids, in the same order.

    `memories` maps row numbers of versions to the digests of the memories that they play with.
    Fixtures share all of their deals or none. Raises Conflict for deals that were scheduled before.
    """
    if not fixtures:
        return []
    scope: Season | Comparison | League = season or comparison or league
    ids = [match_id(scope.seed, fixture.number) for fixture in fixtures]
    shared = {
        "league_id": league.id,
        "season_id": season.id if season is not None else None,
        "comparison_id": comparison.id if comparison is not None else None,
        "why": "season" if season else "comparison" if comparison else "ranked",
        "rules": league.rules,
        "state": MatchState.QUEUED,
        "limits": limits_of(settings),
        "width": settings.width,
        "created_at": now,
    }
    plans = list(zip(ids, fixtures, strict=True))
    own = [
        {"id": name, "number": one.number, "round": one.round, **pack_deals(one.deals)._asdict()}
        for name, one in plans
    ]
    _refuse_old_deals(session, {one["first_deal"] for one in own})
    session.execute(insert(Match), [{**shared, **one} for one in own])
    seats = [seat for name, one in plans for seat in _seats(name, one, memories or {}, now)]
    session.execute(insert(MatchSeat), seats)
    return ids


def _seats(
    match: str, fixture: Fixture, memories: Mapping[int, str], now: int
) -> Iterator[dict[str, object]]:
    """Yields the rows of a match's seats."""
    for seat, version in enumerate(fixture.versions):
        yield {
            "match_id": match,
            "seat": seat,
            "version_id": version,
            "memory": memories.get(version),
            "created_at": now,
            "number": fixture.number,
        }


def _refuse_old_deals(session: Session, firsts: Collection[bytes]) -> None:
    """Raises Conflict if a match has one of these first deals."""
    for part in in_parts(firsts, _QUERY_CHUNK):
        old = session.scalar(select(Match.id).where(Match.first_deal.in_(part)).limit(1))
        if old is not None:
            raise Conflict(f"the deals of match {old} were to be scheduled again; nothing was")

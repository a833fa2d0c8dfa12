"""Reads finished matches as rows for matchbox.league, and updates the live ratings."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import select
from sqlalchemy.orm import joinedload

from matchbox.league.ratings import LiveRating, live_child, live_of, live_update
from matchbox.league.rows import Row
from matchbox.match.record import entrant
from server.db.models import (
    Bot,
    League,
    Match,
    MatchDeal,
    MatchSeat,
    MatchState,
    Rating,
    Result,
    Version,
)
from server.services.kept_records import seeds_of
from server.services.leagues import is_cooperative

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import Session

Bouts: TypeAlias = "list[tuple[int, int, list[int], list[int], int | None]]"


@dataclass(frozen=True, slots=True)
class Played:
    """The finished matches that `played` has read."""

    rows: list[Row]
    """One per bout. Entrants have names that are the same in every database."""
    matches: int
    versions: dict[str, int]
    """The version's row number, by the entrant's name."""
    lengths: Counter[int]
    """The number of bouts by their number of moves, of the matches that store it."""


def played(session: Session, *which: ColumnElement[bool]) -> Played:
    """Returns the finished matches that `which` selects."""
    done = (Match.state == MatchState.FINISHED, *which)
    results = select(Match.id, Result.bouts, Result.moves).join(Match.result)
    bouts = session.execute(results.where(*done)).all()
    seats = _by_match(session, select(MatchSeat.match_id, MatchSeat.version_id), MatchSeat, done)
    deals = _by_match(session, select(MatchDeal.match_id, MatchDeal.seed), MatchDeal, done)
    deals |= _packed_deals(session, done)
    names = _names(session, {version for table in seats.values() for version in table})
    rows = [
        row
        for match, found, _ in bouts
        for row in rows_of(match, deals[match], [names[one] for one in seats[match]], found)
    ]
    lengths = Counter(moves for _, _, found in bouts for moves in found)
    return Played(rows, len(bouts), {name: version for version, name in names.items()}, lengths)


def rows_of(match: str, deals: Sequence[str], names: Sequence[str], bouts: Bouts) -> list[Row]:
    """Returns one row per bout of a match between entrants with these names."""
    seats = range(len(names))
    return [
        Row(
            match=match,
            deal=deals[deal],
            rotation=rotation,
            seats=tuple(names[entrant(seat, rotation, len(names))] for seat in seats),
            places=tuple(places),
            forfeit=forfeit,
            scores=tuple(scores),
        )
        for deal, rotation, places, scores, forfeit in bouts
    ]


def update_live(session: Session, match: Match) -> None:
    """Updates the live ratings of the versions that played a ranked match.

    In a cooperative game only their numbers of matches grow. A match under old rules changes
    nothing.
    """
    if match.season_id is not None or match.comparison_id is not None:
        return
    if match.rules != match.league.rules:
        return
    versions = {seat.version.entrant: seat.version for seat in match.seats}
    before = {name: _rating(session, match, version) for name, version in versions.items()}
    for row in before.values():
        row.matches += 1
    if is_cooperative(match.league.game):
        return
    known = {name: LiveRating(row.mu, row.sigma) for name, row in before.items()}
    for name, live in live_update(known, _rows(match)).items():
        before[name].mu, before[name].sigma = live.mu, live.sigma


def refit(
    session: Session, league_id: int, fitted: Mapping[int, tuple[float, float]], seats: int
) -> None:
    """Sets a league's live ratings to those of a batch fit.

    `fitted` maps row numbers of versions to Elo and the half-width of its interval.
    """
    query = select(Rating).where(Rating.league_id == league_id)
    for row in session.scalars(query):
        if row.version_id in fitted:
            live = live_of(*fitted[row.version_id], table=seats)
            row.mu, row.sigma = live.mu, live.sigma


def first_live(session: Session, league: League, version: Version) -> LiveRating:
    """Returns a version's first live rating: near that of its bot's last rated version, if any."""
    older = (Version.bot_id == version.bot_id, Version.number < version.number)
    query = select(Rating).join(Version, Version.id == Rating.version_id)
    ordered = query.where(Rating.league_id == league.id, *older).order_by(Version.number.desc())
    parent = session.scalar(ordered.limit(1))
    if parent is None:
        return LiveRating()
    return live_child(LiveRating(parent.mu, parent.sigma), table=league.seats)


def _rating(session: Session, match: Match, version: Version) -> Rating:
    row = session.get(Rating, (match.league_id, version.id))
    if row is None:
        new = first_live(session, match.league, version)
        row = Rating(
            league_id=match.league_id, version_id=version.id, mu=new.mu, sigma=new.sigma, matches=0
        )
        session.add(row)
    return row


def _rows(match: Match) -> list[Row]:
    names = [seat.version.entrant for seat in match.seats]
    deals = [deal.seed for deal in match.deals]
    return rows_of(match.id, deals, names, match.result.bouts if match.result else [])


def _packed_deals(session: Session, done: tuple[ColumnElement[bool], ...]) -> dict[str, list[str]]:
    """The seeds of the matches whose rows of deals were removed."""
    packed = select(Match.id, Result.seeds).join(Match.result).where(*done)
    rows = session.execute(packed.where(Result.seeds.is_not(None)))
    return {match: seeds_of(seeds) for match, seeds in rows if seeds is not None}


def _by_match(
    session: Session,
    query: Select[str, Any],
    table: type[MatchSeat | MatchDeal],
    done: tuple[ColumnElement[bool], ...],
) -> dict[str, list[Any]]:
    place = MatchSeat.seat if table is MatchSeat else MatchDeal.position
    found: defaultdict[str, list[Any]] = defaultdict(list)
    ordered = query.join(Match, Match.id == table.match_id).where(*done)
    for match, what in session.execute(ordered.order_by(table.match_id, place)):
        found[match].append(what)
    return found


def _names(session: Session, versions: Collection[int]) -> dict[int, str]:
    with_owner = joinedload(Version.bot).joinedload(Bot.owner)
    query = select(Version).where(Version.id.in_(versions)).options(with_owner)
    return {version.id: version.entrant for version in session.scalars(query)}

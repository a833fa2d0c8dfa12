"""Reads finished matches as rows for matchbox.league, and updates the live ratings."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, bindparam, func, select
from sqlalchemy.orm import aliased

from matchbox.league.ratings import LiveRating, live_child, live_of, live_update
from matchbox.league.rows import Row, rows_of
from matchbox.registry import is_cooperative
from server.db.models import (
    Bot,
    League,
    Match,
    MatchSeat,
    MatchState,
    Rating,
    Result,
    Version,
)
from server.db.packed import PackedDeals, unpack_deals
from server.db.session import in_parts
from server.services import fields

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

_QUERY_CHUNK: Final = 1000
"""The number of versions whose ratings are read with one statement."""
_RATINGS: Final = select(Rating).where(
    Rating.league_id.in_(bindparam("leagues", expanding=True)),
    Rating.version_id.in_(bindparam("versions", expanding=True)),
)


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
    return _read(session, Match.state == MatchState.FINISHED, *which)


def played_of(session: Session, ids: Sequence[str]) -> Played:
    """Returns the matches with these ids, all of which have finished.

    The query has no condition on the state, which would make SQLite read all finished matches.
    """
    return _read(session, Match.id.in_(ids))


def _read(session: Session, *done: ColumnElement[bool]) -> Played:
    deals = (Match.first_deal, Match.deal_count, Match.other_deals)
    results = select(Match.id, Result.bouts, Result.moves, *deals).join(Match.result)
    found = session.execute(results.where(*done)).all()
    seats = _seats(session, done)
    versions = {version for table in seats.values() for version in table}
    query = select(Version).join(Version.bot).join(Bot.owner).where(Version.id.in_(versions))
    names = {one.version: one.entrant for one in fields.entrants(session, query)}
    rows = [
        row
        for match, bouts, _, *packed in found
        for row in rows_of(
            match, unpack_deals(PackedDeals(*packed)), [names[one] for one in seats[match]], bouts
        )
    ]
    lengths = Counter(count for _, _, moves, *_ in found for count in moves)
    return Played(rows, len(found), {name: version for version, name in names.items()}, lengths)


def load(session: Session, matches: Sequence[Match]) -> Sequence[Rating]:
    """Reads the ratings that `update_live` needs, in one query.

    The session knows the rows for as long as the caller keeps them.
    """
    rated = [match for match in matches if match.is_ranked]
    known = {
        "leagues": {match.league_id for match in rated},
        "versions": {seat.version_id for match in rated for seat in match.seats},
    }
    return session.scalars(_RATINGS, known).all() if rated else []


def update_live(session: Session, match: Match) -> None:
    """Updates the live ratings of the versions that played a ranked match.

    In a cooperative game only their numbers of matches grow. A match under old rules changes
    nothing.
    """
    if not match.is_ranked or match.rules != match.league.rules:
        return
    versions = {seat.version.entrant: seat.version for seat in match.seats}
    before = {name: _rating(session, match, version) for name, version in versions.items()}
    revision = next_revision(match.league)
    for row in before.values():
        row.matches, row.revision = row.matches + 1, revision
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
    revision = next_revision(session.get_one(League, league_id))
    for row in ratings_of(session, league_id, fitted):
        live = live_of(*fitted[row.version_id], table=seats)
        row.mu, row.sigma, row.revision = live.mu, live.sigma, revision


def ratings_of(session: Session, league_id: int, versions: Iterable[int]) -> Iterator[Rating]:
    """Yields the league's live ratings of these versions. After years, most others are of versions
    that play no more, so they are not read."""
    for part in in_parts(versions, _QUERY_CHUNK):
        yield from session.scalars(_RATINGS, {"leagues": [league_id], "versions": part})


def next_revision(league: League) -> int:
    """Raises the revision of the league's live ratings, and returns it. Ratings that change now
    must get it."""
    league.revision += 1
    return league.revision


def first_lives(
    session: Session, league: League, versions: Collection[int]
) -> dict[int, LiveRating]:
    """Returns the versions' first live ratings: each near that of its bot's last rated version, if
    any."""
    older = aliased(Version)
    place = func.row_number().over(partition_by=Version.id, order_by=older.number.desc())
    rated = (
        select(Version.id, Rating.mu, Rating.sigma, place.label("place"))
        .join(older, and_(older.bot_id == Version.bot_id, older.number < Version.number))
        .join(Rating, and_(Rating.version_id == older.id, Rating.league_id == league.id))
    )
    found = dict.fromkeys(sorted(versions), LiveRating())
    for part in in_parts(found, _QUERY_CHUNK):
        each = rated.where(Version.id.in_(part)).subquery()
        for version, mu, sigma in session.execute(select(*each.c[:3]).where(each.c.place == 1)):
            found[version] = live_child(LiveRating(mu, sigma), table=league.seats)
    return found


def _rating(session: Session, match: Match, version: Version) -> Rating:
    row = session.get(Rating, (match.league_id, version.id))
    if row is None:
        new = first_lives(session, match.league, [version.id])[version.id]
        row = Rating(
            league_id=match.league_id, version_id=version.id, mu=new.mu, sigma=new.sigma, matches=0
        )
        session.add(row)
    return row


def _rows(match: Match) -> list[Row]:
    names = [seat.version.entrant for seat in match.seats]
    return rows_of(match.id, match.deals, names, match.result.bouts if match.result else [])


def _seats(session: Session, done: tuple[ColumnElement[bool], ...]) -> dict[str, list[int]]:
    """The row numbers of the versions in the seats of each match, in order."""
    query = select(MatchSeat.match_id, MatchSeat.version_id).join(MatchSeat.match).where(*done)
    found: defaultdict[str, list[int]] = defaultdict(list)
    for match, version in session.execute(query.order_by(MatchSeat.match_id, MatchSeat.seat)):
        found[match].append(version)
    return found

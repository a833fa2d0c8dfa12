"""The figures of a board, from the counts that were stored with its standing. Counts no matches."""

from __future__ import annotations

from collections import defaultdict
from heapq import nlargest
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import select

from matchbox.answers.board_figures import (
    BoardFigures,
    LengthLine,
    Opponent,
    Opponents,
    PairLine,
    SeatLine,
)
from matchbox.league.meetings import seat_share, share_of
from server.db.models import (
    Bot,
    League,
    Match,
    MatchSeat,
    MatchState,
    RatingPoint,
    User,
    Version,
    VersionState,
)
from server.db.session import in_parts
from server.queries.standings import Boarded, Named, boarded, continuous, stamp
from server.services import board_counts
from server.services.cache import Cache
from server.services.embargo import readable
from server.services.lookup import find_bot, versions_of
from server.services.standings import scope_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from server.services.board_counts import Pair

_trails: Final = Cache[dict[int, list[float]]](most=16)
_few: Final = Cache[BoardFigures](most=16)
QUERY_CHUNK: Final = 100
"""The number of opponents that are looked up with one statement."""
LATEST: Final = 100
"""The number of a bot's newest matches that show its present results."""
LATELY: Final = 12
"""The most shares that are shown of one opponent."""


def board_figures(
    session: Session, name: str, top: int | None = None, after: int = 0
) -> BoardFigures:
    """Returns the counts of the continuous league with this name.

    With `top`, it has only the pairs among that many bots, those after the place `after`; the
    result is cached until the board changes. Raises UnknownGame or NotFound.
    """
    league = continuous(session, name)
    known = boarded(session, league)
    if top is None:
        return _figures(session, league, known, known.names)
    best = dict(islice(known.names.items(), after, after + top))
    return _few.get(
        session,
        (league.id, top, after),
        stamp(session, league),
        lambda: _figures(session, league, known, best),
    )


def _figures(
    session: Session, league: League, known: Boarded, names: Mapping[int, Named]
) -> BoardFigures:
    """The counts of a league, with the pairs among these bots."""
    kept = board_counts.read(session, scope_of(league))
    seats = [
        SeatLine(
            players=one.size, seat=one.seat, bouts=one.tally.bouts, deals=one.tally.deals,
            share=share, ci95=ci95,
        )
        for one in kept.seats
        for share, ci95 in [seat_share(one.size, one.tally)]
    ]  # fmt: skip
    return BoardFigures(
        bots=[one.bot for one in names.values()],
        field=len(known.board.lines),
        pairs=[_pair(one, names) for one in kept.pairs_among(names)],
        seats=seats,
        lengths=[LengthLine(moves=moves, bouts=bouts) for moves, bouts in kept.lengths.items()],
    )


def board_pairs(session: Session, name: str) -> Iterator[PairLine]:
    """Returns all pairs of that league's board, each made when it is asked for.

    Raises UnknownGame or NotFound.
    """
    league = continuous(session, name)
    names = boarded(session, league).names
    kept = board_counts.read(session, scope_of(league))
    return (_pair(one, names) for one in kept.pairs_among(names))


def opponents(
    session: Session, owner: str, name: str, most: int, page: int | None = None
) -> Opponents:
    """Returns the results of the bot's active version by opponent, in its game's default league.

    Lists a limited number of opponents: those with the most bouts or, with `page` (from 1), that
    page of all. For a bot without an active version, it takes the newest version that has met
    another. Raises NotFound.
    """
    met = _met(session, owner, name)
    if met is None:
        return Opponents(version=None, items=[], met=0)
    if page is None:
        chosen = nlargest(most, met.pairs, key=lambda one: one.bouts)
        chosen.sort(key=lambda one: one.halves(met.row) / one.bouts)
    else:
        chosen = met.pairs[(page - 1) * most : page * most]
    items = _opponents(session, chosen, met.row, _lately(session, met) if chosen else {})
    return Opponents(version=met.number, items=items, met=len(met.pairs))


def all_opponents(
    read: Callable[[], AbstractContextManager[Session]], owner: str, name: str
) -> tuple[Opponents, Iterator[Opponent]]:
    """Returns the bot's results without items, and an iterator over all its opponents.

    The iterator looks some of them up at a time, each time in a session of `read`.
    Raises NotFound.
    """
    with read() as session:
        met = _met(session, owner, name)
        if met is None:
            return Opponents(version=None, items=[], met=0), iter(())
        lately = _lately(session, met)
    whole = Opponents(version=met.number, items=[], met=len(met.pairs))
    return whole, _in_parts(read, met.pairs, met.row, lately)


def _in_parts(
    read: Callable[[], AbstractContextManager[Session]],
    pairs: Sequence[Pair],
    own: int,
    lately: Mapping[int, list[float]],
) -> Iterator[Opponent]:
    for part in in_parts(pairs, QUERY_CHUNK):
        with read() as session:
            found = _opponents(session, part, own, lately)
        yield from found


class _Met(NamedTuple):
    """A version, by its row number and its number, and its pairs in the league, the hardest
    first."""

    league: League
    row: int
    number: int
    pairs: list[Pair]


def _met(session: Session, owner: str, name: str) -> _Met | None:
    bot = find_bot(session, f"{owner}/{name}")
    league = session.scalar(select(League).where(League.name == bot.game))
    if league is None:
        return None
    kept = board_counts.read(session, scope_of(league))
    versions = versions_of(session, bot)
    active = [one for one in versions if one.state == VersionState.ACTIVE]
    playing = active or [one for one in versions if kept.met(one.id)]
    if not playing:
        return None
    return _Met(league, playing[-1].id, playing[-1].number, kept.pairs_of(playing[-1].id))


def _opponents(
    session: Session, pairs: Sequence[Pair], own: int, lately: Mapping[int, list[float]]
) -> list[Opponent]:
    found = {_other(one, own): one for one in pairs}
    names = {row[0]: _Version(*row[1:]) for row in session.execute(_named(found))}
    return [
        _opponent(one, own, names[other], lately.get(other, [])) for other, one in found.items()
    ]


def rating_trails(session: Session, name: str, versions: Collection[int]) -> dict[int, list[float]]:
    """Returns the stored ratings of these versions in a continuous league, oldest first, by row.

    They are cached until the league's standing is computed again, which adds ratings.
    """
    league = continuous(session, name)
    computed = board_counts.stamp(session, scope_of(league))
    key = (league.id, frozenset(versions))
    return _trails.get(
        session, key, (league.rules, *computed), lambda: _read(session, league, versions)
    )


def _read(session: Session, league: League, versions: Collection[int]) -> dict[int, list[float]]:
    query = (
        select(RatingPoint.version_id, RatingPoint.value)
        .where(RatingPoint.league_id == league.id, RatingPoint.rules == league.rules)
        .where(RatingPoint.version_id.in_(versions))
        .order_by(RatingPoint.id)
    )
    trails: defaultdict[int, list[float]] = defaultdict(list)
    for version, value in session.execute(query):
        trails[version].append(value)
    return dict(trails)


def _pair(one: Pair, names: Mapping[int, Named]) -> PairLine:
    share, ci95 = share_of(one.bouts, one.half_points, one.deals, one.variance)
    first, second = names[one.first], names[one.second]
    return PairLine(
        first=first.bot, first_version=first.version,
        second=second.bot, second_version=second.version,
        bouts=one.bouts, deals=one.deals, share=share, ci95=ci95,
    )  # fmt: skip


class _Version(NamedTuple):
    """A line of `_named` without its row number."""

    owner: str
    name: str
    number: int
    state: str
    retired_at: int | None


def _opponent(one: Pair, own: int, other: _Version, lately: list[float]) -> Opponent:
    share, ci95 = share_of(one.bouts, one.halves(own), one.deals, one.variance)
    active = "active" if other.state == VersionState.ACTIVE else "older"
    return Opponent(
        bot=f"{other.owner}/{other.name}", version=other.number,
        state="retired" if other.retired_at is not None else active,
        bouts=one.bouts, deals=one.deals, share=share, ci95=ci95, lately=lately,
    )  # fmt: skip


def _other(one: Pair, own: int) -> int:
    return one.second if one.first == own else one.first


def _lately(session: Session, met: _Met) -> dict[int, list[float]]:
    """The version's shares in its newest matches that count on the board, at tables of two, by
    opponent."""
    league, version = met.league, met.row
    newest = (
        select(MatchSeat.match_id, MatchSeat.created_at, MatchSeat.number, readable().label("open"))
        .join(Match, Match.id == MatchSeat.match_id)
        .where(MatchSeat.version_id == version, Match.state == MatchState.FINISHED)
        .where(Match.league_id == league.id, Match.is_ranked, Match.rules == league.rules)
        .order_by(MatchSeat.created_at.desc(), MatchSeat.number.desc())
        .limit(LATEST)
        .subquery()
    )
    seats = (
        select(newest.c.match_id, newest.c.open, MatchSeat.version_id, MatchSeat.points)
        .join(MatchSeat, MatchSeat.match_id == newest.c.match_id)
        .order_by(newest.c.created_at.desc(), newest.c.number.desc(), newest.c.match_id)
    )
    found: defaultdict[int, list[float]] = defaultdict(list)
    for _, table in groupby(session.execute(seats), key=lambda row: row[0]):
        rows = list(table)
        if len(rows) != 2 or not rows[0].open:
            continue
        (_, _, one, its), (_, _, other, others) = rows
        opponent, points = (other, its) if one == version else (one, others)
        if points is not None and len(found[opponent]) < LATELY:
            found[opponent].insert(0, points)
    return found


def _named(versions: Collection[int]) -> Select[Any]:
    """Selects row number, names, state and the end of these versions, by row number."""
    columns: tuple[Any, ...] = (Version.id, User.name, Bot.name, Version.number)
    query = select(*columns, Version.state, Bot.retired_at).join(Version.bot).join(Bot.owner)
    return query.where(Version.id.in_(versions))

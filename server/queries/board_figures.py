"""What the figures of a board show, from the counts that its standing left. Counts no matches."""

from __future__ import annotations

from collections import defaultdict
from heapq import nlargest
from typing import TYPE_CHECKING, Any, Final

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
from server.queries.embargo import closed
from server.queries.standings import Named, continuous, leaderboard
from server.services import board_counts
from server.services.kept import Kept
from server.services.lookup import find_bot
from server.services.standings import scope_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from matchbox.answers.standings import BoardLine
    from server.services.board_counts import Counted, Pair

_trails: Final = Kept[dict[int, list[float]]](most=16)
LATEST: Final = 400
"""How many of a bot's newest matches tell how it does lately."""
LATELY: Final = 12
"""The most shares that are shown of one opponent."""


def board_figures(session: Session, name: str, top: int | None = None) -> BoardFigures:
    """Returns the counts of the continuous league with this name.

    With `top`, only the pairs among its first bots. Raises UnknownGame or NotFound.
    """
    lines = leaderboard(session, name).lines
    kept, names = _kept(session, name, lines[:top])
    seats = [
        SeatLine(
            players=one.size, seat=one.seat, bouts=one.tally.bouts, deals=one.tally.deals,
            share=share, ci95=ci95,
        )
        for one in kept.seats
        for share, ci95 in [seat_share(one.size, one.tally)]
    ]  # fmt: skip
    return BoardFigures(
        bots=[line.bot for line in lines[:top]],
        field=len(lines),
        pairs=[_pair(one, names) for one in kept.pairs_among(names)],
        seats=seats,
        lengths=[LengthLine(moves=moves, bouts=bouts) for moves, bouts in kept.lengths.items()],
    )


def board_pairs(session: Session, name: str) -> Iterator[PairLine]:
    """Returns all pairs of that league's board, each made when it is asked for.

    Raises UnknownGame or NotFound.
    """
    kept, names = _kept(session, name, leaderboard(session, name).lines)
    return (_pair(one, names) for one in kept.pairs_among(names))


def opponents(session: Session, owner: str, name: str, most: int | None = None) -> Opponents:
    """Returns the results of the bot's active version by opponent, in its game's default league.

    With `most`, only the opponents of the most bouts are listed. A bot without an active version is
    shown with the newest that has met somebody. Raises NotFound.
    """
    bot = find_bot(session, f"{owner}/{name}")
    league = session.scalar(select(League).where(League.name == bot.game))
    if league is None:
        return Opponents(version=None, items=[], met=0)
    kept = board_counts.read(session, scope_of(league))
    active = [one for one in bot.versions if one.state == VersionState.ACTIVE]
    playing = active or [one for one in bot.versions if kept.met(one.id)]
    if not playing:
        return Opponents(version=None, items=[], met=0)
    own = playing[-1]
    pairs = kept.pairs_of(own.id)
    chosen = pairs if most is None else nlargest(most, pairs, key=lambda one: one.bouts)
    found = {_other(one, own.id): one for one in chosen}
    lately = _lately(session, own.id) if found else {}
    names = {row[0]: row[1:] for row in session.execute(_named(found))}
    items = [
        _opponent(one, own.id, names[other], lately.get(other, [])) for other, one in found.items()
    ]
    items.sort(key=lambda one: one.share)
    return Opponents(version=own.number, items=items, met=len(pairs))


def rating_trails(session: Session, name: str, versions: Collection[int]) -> dict[int, list[float]]:
    """Returns the stored ratings of these versions in a continuous league, oldest first, by row.

    They are kept until the league's standing is computed again, which is when it adds ratings.
    """
    league = continuous(session, name)
    stamp = board_counts.stamp(session, scope_of(league))
    key = (league.id, frozenset(versions))
    return _trails.get(
        session, key, (league.rules, *stamp), lambda: _read(session, league, versions)
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


def _kept(
    session: Session, name: str, lines: Sequence[BoardLine]
) -> tuple[Counted, dict[int, Named]]:
    """The counts of the league, and the names of these lines by row number."""
    kept = board_counts.read(session, scope_of(continuous(session, name)))
    return kept, {one.version_id: Named(one.owner, one.name, one.version) for one in lines}


def _pair(one: Pair, names: Mapping[int, Named]) -> PairLine:
    share, ci95 = share_of(one.bouts, one.half_points, one.deals, one.variance)
    first, second = names[one.first], names[one.second]
    return PairLine(
        first=first.bot, first_version=first.version,
        second=second.bot, second_version=second.version,
        bouts=one.bouts, deals=one.deals, share=share, ci95=ci95,
    )  # fmt: skip


def _opponent(one: Pair, own: int, other: Sequence[Any], lately: list[float]) -> Opponent:
    """`other` is a line of `_named` without its row number."""
    owner, name, version, state, retired_at = other
    halves = one.half_points if one.first == own else 2 * one.bouts - one.half_points
    share, ci95 = share_of(one.bouts, halves, one.deals, one.variance)
    active = "active" if state == VersionState.ACTIVE else "older"
    return Opponent(
        bot=f"{owner}/{name}", version=version,
        state="retired" if retired_at is not None else active,
        bouts=one.bouts, deals=one.deals, share=share, ci95=ci95, lately=lately,
    )  # fmt: skip


def _other(one: Pair, own: int) -> int:
    return one.second if one.first == own else one.first


def _lately(session: Session, version: int) -> dict[int, list[float]]:
    """The version's shares in its newest rated matches at tables of two, by opponent."""
    newest = (
        select(MatchSeat.match_id)
        .join(Match, Match.id == MatchSeat.match_id)
        .where(MatchSeat.version_id == version, Match.state == MatchState.FINISHED)
        .where(Match.comparison_id.is_(None))
        .order_by(MatchSeat.created_at.desc(), MatchSeat.number.desc())
        .limit(LATEST)
    )
    matches = session.scalars(newest).all()
    seats: defaultdict[str, list[tuple[int, float | None]]] = defaultdict(list)
    taken = select(MatchSeat.match_id, MatchSeat.version_id, MatchSeat.points)
    for match, seated, points in session.execute(taken.where(MatchSeat.match_id.in_(matches))):
        seats[match].append((seated, points))
    hidden = closed(session, [match for match in matches if len(seats[match]) == 2])
    found: defaultdict[int, list[float]] = defaultdict(list)
    for match in matches:
        if match in hidden or len(seats[match]) != 2:
            continue
        (one, its), (other, others) = seats[match]
        opponent, points = (other, its) if one == version else (one, others)
        if points is not None and len(found[opponent]) < LATELY:
            found[opponent].insert(0, points)
    return found


def _named(versions: Collection[int]) -> Select[Any]:
    """Selects row number, names, state and the end of these versions, by row number."""
    columns: tuple[Any, ...] = (Version.id, User.name, Bot.name, Version.number)
    query = select(*columns, Version.state, Bot.retired_at).join(Version.bot).join(Bot.owner)
    return query.where(Version.id.in_(versions))

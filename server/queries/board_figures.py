"""What the figures of a board show, from the counts that its standing left. Counts no matches."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from sqlalchemy import select
from sqlalchemy.orm import aliased, joinedload

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
    Standing,
    Version,
    VersionState,
)
from server.queries.embargo import closed
from server.queries.standings import continuous
from server.services import board_counts
from server.services.lookup import find_bot
from server.services.standings import scope_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sqlalchemy.orm import Session

    from server.services.board_counts import Pair

LATEST: Final = 400
"""How many of a bot's newest matches tell how it does lately."""
LATELY: Final = 12
"""The most shares that are shown of one opponent."""


def board_figures(session: Session, name: str, top: int | None = None) -> BoardFigures:
    """Returns the counts of the continuous league with this name.

    With `top`, only the pairs among its first bots. Raises UnknownGame or NotFound.
    """
    league = continuous(session, name)
    standing = session.get(Standing, scope_of(league))
    kept = board_counts.read(session, scope_of(league))
    lines = standing.lines if standing else []
    names = _names(session, [line["version_id"] for line in lines[:top]])
    pairs = [one for one in kept.pairs if one.first in names and one.second in names]
    seats = [
        SeatLine(
            players=one.size, seat=one.seat, bouts=one.tally.bouts, deals=one.tally.deals,
            share=share, ci95=ci95,
        )
        for one in kept.seats
        for share, ci95 in [seat_share(one.size, one.tally)]
    ]  # fmt: skip
    return BoardFigures(
        bots=[names[line["version_id"]].bot.full_name for line in lines[:top]],
        field=len(lines),
        pairs=[_pair(one, names) for one in pairs],
        seats=seats,
        lengths=[LengthLine(moves=moves, bouts=bouts) for moves, bouts in kept.lengths.items()],
    )


def opponents(session: Session, owner: str, name: str) -> Opponents:
    """Returns the results of the bot's active version by opponent, in its game's default league.

    A bot without an active version is shown with the newest that has met somebody. Raises NotFound.
    """
    bot = find_bot(session, f"{owner}/{name}")
    league = session.scalar(select(League).where(League.name == bot.game))
    pairs = board_counts.read(session, scope_of(league)).pairs if league else []
    met = {number for one in pairs for number in (one.first, one.second)}
    active = [one for one in bot.versions if one.state == VersionState.ACTIVE]
    playing = active or [one for one in bot.versions if one.id in met]
    if not playing:
        return Opponents(version=None, items=[])
    own = playing[-1]
    found = {_other(one, own.id): one for one in pairs if own.id in (one.first, one.second)}
    names = _names(session, found)
    lately = _lately(session, own.id) if found else {}
    items = [
        _opponent(one, own.id, names[other], lately.get(other, [])) for other, one in found.items()
    ]
    return Opponents(version=own.number, items=sorted(items, key=lambda one: one.share))


def rating_trails(session: Session, name: str, versions: Collection[int]) -> dict[int, list[float]]:
    """Returns the stored ratings of these versions in a continuous league, oldest first, by row."""
    league = continuous(session, name)
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


def _pair(one: Pair, names: Mapping[int, Version]) -> PairLine:
    share, ci95 = share_of(one.bouts, one.half_points, one.deals, one.variance)
    first, second = names[one.first], names[one.second]
    return PairLine(
        first=first.bot.full_name, first_version=first.number,
        second=second.bot.full_name, second_version=second.number,
        bouts=one.bouts, deals=one.deals, share=share, ci95=ci95,
    )  # fmt: skip


def _opponent(one: Pair, own: int, other: Version, lately: list[float]) -> Opponent:
    halves = one.half_points if one.first == own else 2 * one.bouts - one.half_points
    share, ci95 = share_of(one.bouts, halves, one.deals, one.variance)
    active = "active" if other.state == VersionState.ACTIVE else "older"
    return Opponent(
        bot=other.bot.full_name, version=other.number,
        state="retired" if other.bot.retired_at is not None else active,
        bouts=one.bouts, deals=one.deals, share=share, ci95=ci95, lately=lately,
    )  # fmt: skip


def _other(one: Pair, own: int) -> int:
    return one.second if one.first == own else one.first


def _lately(session: Session, version: int) -> dict[int, list[float]]:
    """The version's shares in its newest rated matches at tables of two, by opponent."""
    own, other = aliased(MatchSeat), aliased(MatchSeat)
    two = ~select(MatchSeat.seat).where(MatchSeat.match_id == Match.id, MatchSeat.seat > 1).exists()
    query = (
        select(Match.id, other.version_id, own.points)
        .join(own, own.match_id == Match.id)
        .join(other, (other.match_id == Match.id) & (other.seat != own.seat))
        .where(own.version_id == version, Match.state == MatchState.FINISHED, two)
        .where(Match.comparison_id.is_(None))
        .order_by(Match.created_at.desc(), Match.number.desc())
        .limit(LATEST)
    )
    rows = session.execute(query).all()
    hidden = closed(session, [match for match, _, _ in rows])
    found: defaultdict[int, list[float]] = defaultdict(list)
    for match, opponent, points in rows:
        if match not in hidden and points is not None and len(found[opponent]) < LATELY:
            found[opponent].insert(0, points)
    return found


def _names(session: Session, versions: Collection[int]) -> dict[int, Version]:
    """The versions with their bots and owners, by row number."""
    query = select(Version).where(Version.id.in_(versions))
    with_owner = joinedload(Version.bot).joinedload(Bot.owner)
    return {one.id: one for one in session.scalars(query.options(with_owner))}

"""The lines of lists of matches. Reads columns: with objects of the ORM it takes twice as long."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import BindParameter, bindparam, select

from matchbox.answers.matches import Entrant, MatchLine
from matchbox.registry import is_cooperative
from server.db.models import Bot, League, Match, MatchSeat, MatchState, Season, User, Version
from server.queries.pagination import title_of
from server.times import iso

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy import Row
    from sqlalchemy.orm import Session

_IDS: Final[BindParameter[Any]] = bindparam("ids", expanding=True)
_MATCHES: Final = (
    select(
        *(Match.id, Match.season_id, Match.number, Match.why, Match.state, Match.created_at),
        *(Match.finished_at, Match.score, Match.trouble, League.name.label("league"), League.game),
        Season.name.label("season"),
    )
    .join(League, League.id == Match.league_id)
    .outerjoin(Season, Season.id == Match.season_id)
    .where(Match.id.in_(_IDS))
)
_SEATS: Final = (
    select(
        *(MatchSeat.match_id, MatchSeat.points, MatchSeat.forfeits),
        *(Version.id, Version.number, Version.digest, Version.class_name),
        *(Bot.name.label("bot"), User.name.label("owner")),
    )
    .join(Version, Version.id == MatchSeat.version_id)
    .join(Bot, Bot.id == Version.bot_id)
    .join(User, User.id == Bot.owner_id)
    .where(MatchSeat.match_id.in_(_IDS))
    .order_by(MatchSeat.match_id, MatchSeat.seat)
)


def rows_of(session: Session, ids: Collection[str]) -> list[Row[*tuple[Any, ...]]]:
    """Returns the columns that the lines of these matches need, newest first."""
    found = session.execute(_MATCHES, {"ids": ids})
    return sorted(found, key=lambda one: (one.created_at, one.number, one.id), reverse=True)


def lines_of(
    session: Session, rows: Sequence[Row[*tuple[Any, ...]]], hidden: Collection[str]
) -> list[MatchLine]:
    """Returns the line of each row; that of a match in `hidden` shows no result."""
    seats: defaultdict[str, list[Row[*tuple[Any, ...]]]] = defaultdict(list)
    for seat in session.execute(_SEATS, {"ids": [row.id for row in rows]}):
        seats[seat.match_id].append(seat)
    return [_line(row, seats[row.id], readable=row.id not in hidden) for row in rows]


def _line(row: Any, seats: Sequence[Any], *, readable: bool) -> MatchLine:
    team = is_cooperative(row.game)
    return MatchLine(
        id=row.id,
        game=row.game,
        title=title_of(row.game),
        league=row.league,
        season=row.season_id,
        number=row.number,
        why=row.why,
        state=MatchState(row.state).value,
        created_at=iso(row.created_at),
        finished_at=iso(row.finished_at),
        entrants=[_entrant(seat, readable=readable, team=team) for seat in seats],
        score=row.score if team and readable else None,
        season_name=row.season,
    )


def _entrant(seat: Any, *, readable: bool, team: bool) -> Entrant:
    return Entrant(
        bot=f"{seat.owner}/{seat.bot}",
        owner=seat.owner,
        name=seat.bot,
        version=seat.number,
        version_id=seat.id,
        digest=seat.digest,
        class_name=seat.class_name or None,
        points=seat.points if readable and not team else None,
        forfeits=seat.forfeits if readable else None,
    )

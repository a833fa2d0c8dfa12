"""The games, and the records of a season."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from matchbox import registry
from matchbox.answers.games import Game, Option
from matchbox.errors import Forbidden, NotFound
from matchbox.match import record as records
from server.db.models import (
    OVER,
    League,
    Match,
    MatchState,
    Result,
)
from server.services import fields
from server.services.kept_records import season_removed
from server.services.lookup import find_season

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.match.record import Record


def games(session: Session) -> list[Game]:
    """Returns every installed game."""
    bots = fields.counts(session)
    finished = select(League.game, func.sum(League.finished)).group_by(League.game)
    played = {game: int(count) for game, count in session.execute(finished)}
    return [
        Game(
            name=name,
            title=game.spec.title,
            seats=list(game.spec.seats),
            rules=game.spec.rules,
            cooperative=game.spec.cooperative,
            hidden=game.spec.hidden,
            options={
                option: Option(default=one.default, help=one.help, choices=list(one.choices))
                for option, one in game.spec.options.items()
            },
            bots=bots.get(name, 0),
            matches=played.get(name, 0),
        )
        for name, game in registry.games().items()
    ]


def exportable_season(session: Session, name: int | str) -> int:
    """Returns the number of a season that is over.

    Raises NotFound, also if records were removed, and Forbidden before it is over.
    """
    row = find_season(session, name)
    if row.state not in OVER:
        raise Forbidden(
            f"season {row.name} is {row.state}; its records are closed until it is over"
        )
    if why := season_removed(session, row):
        raise NotFound(why)
    return row.id


def season_records(session: Session, name: int | str) -> Iterator[tuple[str, Record]]:
    """Yields the stored digest and the record of each finished match of a season, by match number.

    Yields nothing before the season is over. Raises NotFound.
    """
    row = find_season(session, name)
    if row.state not in OVER:
        return
    finished = (Match.season_id == row.id, Match.state == MatchState.FINISHED)
    kept = select(Result.digest, Result.record).join(Result.match).where(*finished)
    kept = kept.where(Result.record_days.is_(None)).order_by(Match.number)
    for digest, record in session.execute(kept):
        yield digest, records.unpack(record)

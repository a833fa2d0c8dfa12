"""The games, and the records of a season."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Final

from sqlalchemy import func, select
from sqlalchemy.orm import load_only

from matchbox import registry
from matchbox.answers.games import Game, Option
from matchbox.errors import Forbidden, NotFound
from matchbox.match import record as records
from server.db.models import OVER, League, Match, MatchState, Result
from server.db.session import in_parts
from server.services import fields
from server.services.kept_records import require_record, season_removal_note
from server.services.lookup import find_season

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.match.record import Record
    from server.db.models import User

_QUERY_CHUNK: Final = 50
"""The number of records that are read with one statement."""


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


def exportable_season(session: Session, viewer: User | None, name: int | str) -> int:
    """Returns the number of a season that is over.

    Raises NotFound, also if records were removed, and Forbidden before it is over.
    """
    row = find_season(session, name, viewer)
    if row.state not in OVER:
        raise Forbidden(
            f"season {row.name} is {row.state}; its records are closed until it is over"
        ).to_everybody()
    if why := season_removal_note(session, row):
        raise NotFound(why)
    return row.id


def season_records(
    read: Callable[[], AbstractContextManager[Session]], name: int | str
) -> Iterator[tuple[str, Record]]:
    """Yields the stored digest and the record of each finished match of a season, by match number.

    Reads some at a time, each part in a session of its own that `read` opens. So whoever takes them
    slowly keeps no connection, of which Postgres has few. Yields nothing before the season is over.
    Raises NotFound, also once it meets a record that was removed: a part is not the whole.
    """
    with read() as session:
        row = find_season(session, name)
        if row.state not in OVER:
            return
        finished = (Match.season_id == row.id, Match.state == MatchState.FINISHED)
        ids = session.scalars(select(Match.id).where(*finished).order_by(Match.number)).all()
    for part in in_parts(ids, _QUERY_CHUNK):
        columns = load_only(Result.digest, Result.record, Result.record_days)
        some = select(Result).options(columns).join(Result.match).where(Match.id.in_(part))
        with read() as session:
            found = session.scalars(some.order_by(Match.number)).all()
        for result in found:
            require_record(result, result.match_id)
            yield result.digest, records.unpack(result.record)

"""Games as they are read; the rows of a season, and its records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import joinedload, selectinload

from matchbox import registry
from matchbox.answers.games import Game, Option
from matchbox.errors import NotFound
from matchbox.match import record as records
from server.db.models import (
    Bot,
    Entry,
    League,
    Match,
    MatchState,
    Result,
    Season,
    SeasonState,
    User,
    Version,
    VersionState,
)

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.match.record import Record


def games(session: Session) -> list[Game]:
    """Every game that is installed."""
    active = (Version.state == VersionState.ACTIVE, Bot.retired_at.is_(None))
    bots = _count_by(session, Bot.game, Version.id, *active)
    played = _count_by(session, League.game, Match.id, Match.state == MatchState.FINISHED)
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


def season_records(session: Session, name: int | str) -> Iterator[tuple[str, Record]]:
    """The digest on the books and the record of every finished match of a season that is over,
    by number; of a season still running nothing yet. Raises NotFound.
    """
    row = find_season(session, name)
    over = row.state in (SeasonState.FINISHED, SeasonState.CANCELLED)
    query = select(Result.digest, Result.record).join(Result.match).order_by(Match.number)
    stands = (Match.season_id == row.id, Match.state == MatchState.FINISHED)
    found = session.execute(query.where(*stands)) if over else ()
    for digest, record in found:
        yield digest, records.unpack(record)


def find_season(session: Session, name: int | str, viewer: User | None = None) -> Season:
    """The season's row, with its league and entries; a draft for an operator only.

    Raises NotFound.
    """
    text = str(name)
    number = text.isascii() and text.isdecimal() and len(text) < 10
    wanted = Season.id == int(text) if number else Season.name == text
    entries = selectinload(Season.entries)
    row = session.scalar(
        select(Season)
        .where(wanted)
        .options(
            joinedload(Season.league),
            entries.joinedload(Entry.bot).joinedload(Bot.owner),
            entries.joinedload(Entry.version),
        )
    )
    drafts = viewer is not None and viewer.operator
    if row is None or (row.state == SeasonState.DRAFT and not drafts):
        raise NotFound(f"there is no season {name!r}")
    return row


def _count_by(
    session: Session, group: Any, what: Any, *which: ColumnElement[bool]
) -> dict[Any, int]:
    query = select(group, func.count()).select_from(what.class_)
    if what.class_ is not group.class_:
        query = query.join(group.class_)
    return dict(session.execute(query.where(*which).group_by(group)).all())

"""Counts the active versions of each game's bots, its field, with a revision that grows with every
change.

A service that changes which versions are active calls `change` in the same transaction. So no page
has to count them, and the ranked queue reads them again only after a change. `entrants` names them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import func, select

from server.db.models import Bot, GameField, User, Version, VersionState
from server.db.models.bots import entrant_name

if TYPE_CHECKING:
    from sqlalchemy import Select
    from sqlalchemy.orm import Session


def change(session: Session, game: str) -> None:
    """Counts the game's active versions anew, and raises the revision of its field.

    Bots of closed accounts are left out.
    """
    session.flush()
    row = session.get(GameField, game)
    if row is None:
        row = GameField(game=game, bots=0, revision=0)
        session.add(row)
    # Without statistics SQLite would take the index of states, and read the bots of every game.
    state = func.coalesce(Version.state, VersionState.PENDING)
    playing = (Bot.game == game, Bot.retired_at.is_(None), User.closed_at.is_(None))
    bots = select(func.count()).select_from(Bot).join(Bot.owner).join(Bot.versions)
    counted = bots.where(*playing, state == VersionState.ACTIVE)
    row.bots, row.revision = session.scalar(counted) or 0, row.revision + 1
    session.flush()


def counts(session: Session) -> dict[str, int]:
    """Returns the number of bots with an active version, by game. It may leave out games without
    any."""
    return dict(session.execute(select(GameField.game, GameField.bots)).all())


def revision(session: Session, game: str) -> int:
    """Returns a number that is higher after each change of the game's field."""
    return session.scalar(select(GameField.revision).where(GameField.game == game)) or 0


def change_of(session: Session, owner: User) -> None:
    """Calls `change` for every game that the account's bots play, once it is closed or reopened."""
    session.flush()
    for game in session.scalars(select(Bot.game).where(Bot.owner_id == owner.id).distinct()).all():
        change(session, game)


class Entrant(NamedTuple):
    """A version and its name among the entrants of a league."""

    version: int
    """The version's row number."""
    entrant: str
    owner: str
    role: str


def entrants(session: Session, query: Select[Version]) -> list[Entrant]:
    """Returns the entrants that a query of versions, bots and owners selects.

    Loads no objects: there may be thousands.
    """
    names = (Version.id, User.name, Bot.name, Version.digest, Version.class_name, User.role)
    return [
        Entrant(version, entrant_name(f"{owner}/{bot}", digest, class_name), owner, role)
        for version, owner, bot, digest, class_name, role in session.execute(
            query.with_only_columns(*names)
        )
    ]

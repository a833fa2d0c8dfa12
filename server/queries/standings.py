"""Standings: the bots' places, and the evidence for them."""

from __future__ import annotations

from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import func, select

from matchbox import registry
from matchbox.answers.standings import Board, BoardLine, LackOfFit, Upset
from matchbox.errors import NotFound
from matchbox.registry import is_cooperative
from server.db.models import Bot, League, Season, Standing, User, Version
from server.queries.pagination import title_of
from server.services.cache import Cache
from server.services.lookup import find_season
from server.services.standings import scope_of
from server.times import iso

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from sqlalchemy import Select
    from sqlalchemy.orm import Session


class Named(NamedTuple):
    """A version's names: its owner's, its bot's, and its number."""

    owner: str
    name: str
    version: int

    @property
    def bot(self) -> str:
        """The full name of the bot: owner/name."""
        return f"{self.owner}/{self.name}"


class Boarded:
    """The board of a continuous league, with values that are computed from it once."""

    def __init__(self, board: Board) -> None:
        self.board = board

    @cached_property
    def names(self) -> dict[int, Named]:
        """The names of the versions on it, by row number."""
        return {one.version_id: Named(one.owner, one.name, one.version) for one in self.board.lines}

    @cached_property
    def places(self) -> dict[int, int]:
        """The places of the versions among the lines, from 0, by row number."""
        return {one.version_id: at for at, one in enumerate(self.board.lines)}


_boards: Final = Cache[Boarded](most=32)


def leaderboard(session: Session, name: str) -> Board:
    """Returns the standing of the continuous league with this name.

    The default league of a game has the game's name. Raises UnknownGame or NotFound.
    """
    return boarded(session, continuous(session, name)).board


def boarded(session: Session, row: League) -> Boarded:
    """Returns the board of a continuous league."""
    own = title_of(row.game)
    title = own if row.name == row.game else f"{own}, {row.name}"
    return _boards.get(
        session, row.id, stamp(session, row), lambda: Boarded(_board(session, row, row, title))
    )


def board_stamp(session: Session, name: str) -> str:
    """Returns a short text that changes whenever that league's board may change.

    Raises UnknownGame or NotFound.
    """
    found = stamp(session, continuous(session, name))
    return sha256(repr(found).encode()).hexdigest()[:16]


def continuous(session: Session, name: str) -> League:
    """Returns the continuous league with this name. Raises UnknownGame or NotFound."""
    row = session.scalar(select(League).where(League.name == name, League.continuous.is_(True)))
    if row is None:
        registry.package_of(name)
        raise NotFound(f"{name} has no league yet; the platform makes one when it starts")
    return row


def of_game(session: Session, game: str) -> Boarded | None:
    """Returns the game's leaderboard; None if it has none."""
    league = session.scalar(select(League).where(League.name == game))
    return boarded(session, league) if league is not None and league.continuous else None


def best_line(known: Boarded | None, versions: Iterable[int]) -> BoardLine | None:
    """Returns the best line that one of these versions has on the board, or None."""
    if known is None:
        return None
    places = [known.places[one] for one in versions if one in known.places]
    return known.board.lines[min(places)] if places else None


def season_standings(session: Session, viewer: User | None, name: int | str) -> Board:
    """Returns the season's standing, with the season's name as the title. Raises NotFound."""
    row = find_season(session, name, viewer)
    return _board(session, row.league, row, row.name)


def lines_of(
    session: Session, standing: Standing, out: Mapping[int | None, str] | None = None
) -> list[BoardLine]:
    """Returns the lines of a standing with the bots' names, best first.

    `out` has the suspended and the disqualified, by the row number of the version.
    """
    gone = out or {}
    named = names_of(session, [line["version_id"] for line in standing.lines])
    return [
        _line(line, named[line["version_id"]], gone.get(line["version_id"], ""))
        for line in standing.lines
    ]


def names_of(session: Session, versions: Collection[int] | Select[int]) -> dict[int, Named]:
    """Returns the names of these versions, by row number; a query may select the numbers."""
    query = (
        select(Version.id, User.name, Bot.name, Version.number)
        .join(Version.bot)
        .join(Bot.owner)
        .where(Version.id.in_(versions))
    )
    return {row[0]: Named(*row[1:]) for row in session.execute(query)}


def _board(session: Session, row: League, subject: League | Season, title: str) -> Board:
    standing = session.get(Standing, scope_of(subject))
    facts = standing.facts if standing else {}
    lack = facts.get("lack")
    entries = subject.entries if isinstance(subject, Season) else []
    out = {entry.version_id: entry.out for entry in entries}
    # A game that is no longer installed tells nothing of itself, but its standing does.
    by = facts.get("by", "score" if is_cooperative(row.game) else "elo")
    return Board(
        game=row.game,
        title=title,
        league=row.name,
        cooperative=by == "score",
        matches=standing.matches if standing else 0,
        computed_at=iso(standing.computed_at) if standing else None,
        rows_digest=standing.rows_digest if standing else None,
        by=by,
        deals=facts.get("deals"),
        lack=LackOfFit.model_validate(lack) if lack else None,
        upsets=[Upset.model_validate(one) for one in facts.get("upsets", [])],
        lines=lines_of(session, standing, out) if standing else [],
    )


def _line(line: dict[str, Any], version: Named, out: str) -> BoardLine:
    """Returns a stored line, the fields of a Line as JSON, with names. BoardLine checks them."""
    unrated = {} if line["matches"] else {"elo": None, "ci95": None}
    names = {"bot": version.bot, **version._asdict()}
    return BoardLine(**{**line, **unrated, **names}, out=out)


def stamp(session: Session, row: League) -> tuple[Any, ...]:
    """A value that changes whenever the league's board may change: with its standing, or with an
    owner's name."""
    renamed = select(func.max(User.deleted_at)).scalar_subquery()
    columns = (Standing.rows_digest, Standing.field, Standing.matches, Standing.computed_at)
    found = session.execute(
        select(*columns, renamed).where(Standing.scope == scope_of(row))
    ).first()
    return tuple(found or ())

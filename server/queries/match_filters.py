"""The filters of a list of matches: the opponent, the result, the version, and so on."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from sqlalchemy import and_, exists, literal_column, select
from sqlalchemy.orm import aliased

from matchbox.errors import BadOption, quoted
from server.db.models import Bot, Match, MatchSeat, MatchState, User, Version
from server.db.session import count_rows
from server.services.embargo import readable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import Session

T = TypeVar("T")
MAX_PARTS: Final = 20
"""A bot with more versions than this is looked up by all of them at once."""
RESULTS: Final = {"won": operator.gt, "drew": operator.eq, "lost": operator.lt}
"""A match is won with more than half of its points, as on a board."""


@dataclass(frozen=True, slots=True)
class MatchFilters:
    """The filters of a list of matches; each is left out if it is None or False."""

    bot: str | None = None
    """owner/name; `version` and `result` are of this bot."""
    opponent: str | None = None
    """owner/name."""
    version: int | None = None
    result: str | None = None
    fault: bool = False
    """Only matches with a forfeit of the bot; without a bot, with a forfeit of anybody."""
    rated: bool = False
    """Only matches that are not of a comparison."""

    def narrow(self, query: Select[T]) -> Select[T]:
        """Adds these filters to the query, except those that `seats` returns.

        A filter by result or fault leaves out matches under embargo. Raises BadOption.
        """
        if self.result is not None and self.result not in RESULTS:
            raise BadOption(
                f"there is no result {quoted(self.result)}; the results: {', '.join(RESULTS)}"
            )
        if self.bot is None and (self.version is not None or self.result is not None):
            raise BadOption("a version or a result is one of a bot; name the bot too")
        if self.rated:
            query = query.where(Match.comparison_id.is_(None))
        if self.result is not None or self.fault:  # only finished matches have points and forfeits
            query = query.where(Match.state != MatchState.VOID, readable())
        if self.opponent is not None and self.bot is None:
            seat = aliased(MatchSeat)
            met = seat.version_id.in_(version_rows(self.opponent))
            query = query.where(exists().where(seat.match_id == Match.id, met))
        return query

    def seats(self, session: Session) -> list[ColumnElement[bool]] | None:
        """Returns conditions for the seats whose matches are wanted; None for any seat.

        An index has the seats of each condition in the order of their matches, unless a bot has
        very many versions. Of two bots they are the seats of the one that has fewer.
        """
        own = self._own(MatchSeat)
        if self.bot is None:
            return own or None
        versions = session.scalars(version_rows(self.bot, self.version)).all()
        if self.opponent is None:
            return seats_of(versions, own)
        others = session.scalars(version_rows(self.opponent)).all()
        other = aliased(MatchSeat)
        same = and_(other.match_id == MatchSeat.match_id, other.seat != MatchSeat.seat)
        if _count(session, others) < _count(session, versions):
            met = exists().where(same, other.version_id.in_(versions), *self._own(other))
            return seats_of(others, [met])
        return seats_of(versions, [*own, exists().where(same, other.version_id.in_(others))])

    def _own(self, seat: type[MatchSeat]) -> list[ColumnElement[bool]]:
        """Returns the conditions for the seat of `bot`, except that for its version."""
        own: list[ColumnElement[bool]] = []
        if self.result is not None:
            own.append(RESULTS[self.result](seat.points, 0.5))
        if self.fault:
            own.append(seat.forfeits > literal_column("0"))  # the same expression as in the index
        return own


def seats_of(
    versions: Sequence[int], conditions: Sequence[ColumnElement[bool]]
) -> list[ColumnElement[bool]]:
    """Returns conditions on MatchSeat for the seats of these versions that meet `conditions`.

    An index has the seats of each in the order of their matches, unless there are very many
    versions.
    """
    if len(versions) > MAX_PARTS:
        return [and_(MatchSeat.version_id.in_(versions), *conditions)]
    return [and_(MatchSeat.version_id == one, *conditions) for one in versions]


def _count(session: Session, versions: Sequence[int]) -> int:
    """The number of the versions' seats."""
    return count_rows(session, MatchSeat, MatchSeat.version_id.in_(versions))


def version_rows(bot: str, number: int | None = None) -> Select[int]:
    """The row numbers of the bot's versions; with `number`, of that one alone."""
    owner, _, name = bot.partition("/")
    query = select(Version.id).join(Bot).join(User).where(User.name == owner, Bot.name == name)
    return query if number is None else query.where(Version.number == number)

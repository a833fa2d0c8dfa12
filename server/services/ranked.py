"""Keeps the ranked queues of the continuous leagues filled a few matches ahead."""

from __future__ import annotations

import secrets
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Final

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import aliased

from matchbox.dice import SeededDice, deals_from
from matchbox.league.queue import Contender, Ladder, RankedQueue, next_round
from matchbox.league.ratings import LiveRating, elo_of
from matchbox.registry import is_cooperative, packages
from server.db.models import (
    UNFINISHED,
    League,
    Match,
    MatchSeat,
    MatchState,
    Rating,
    Role,
    Version,
)
from server.db.session import count_rows
from server.services import fields
from server.services.cache import Cache
from server.services.fixtures import Fixture, next_number, schedule
from server.services.leagues import active_in
from server.services.match_sizing import MatchSizer
from server.services.quarantine import HELD
from server.services.ratings import first_lives

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement, ColumnExpressionArgument, Row, Select
    from sqlalchemy.orm import Session

    from matchbox.league.pairing import Pairing
    from matchbox.settings import Settings

REMEMBERED: Final = 5_000
"""The number of the league's last matches that are read to count which bots have met."""


def due(session: Session) -> list[int]:
    """Returns the numbers of the leagues that have a ranked queue and are not paused.

    Leagues of games that are not installed are left out: no arena can play their matches.
    """
    return list(session.scalars(select(League.id).where(*_awake()).order_by(League.id)))


def feed(session: Session, number: int, *, settings: Settings, now: int) -> int:
    """Fills the queue of a league if it is due; returns the number of matches scheduled."""
    league = session.scalar(select(League).where(League.id == number, *_awake()))
    return 0 if league is None else _feed(session, league, settings, now)


def _awake() -> tuple[ColumnElement[bool], ...]:
    installed = League.game.in_(packages())
    return League.continuous.is_(True), League.paused.is_(False), installed


def _feed(session: Session, league: League, settings: Settings, now: int) -> int:
    ranked = _ranked(league)
    ahead = Match.state.in_((MatchState.QUEUED, MatchState.RUNNING)), Match.id.not_in(HELD)
    waiting = count_rows(session, Match, *ranked, *ahead)
    if waiting >= settings.ranked_backlog:
        return 0
    number = next_number(session, *ranked)
    queue, sizer = _Queue(session, league, settings, number), MatchSizer(session, league)
    rounds: list[list[tuple[int, ...]]] = []
    count = 0
    while count < settings.ranked_backlog - waiting:
        pairings = queue.next(number + count)
        if not pairings:
            break
        rounds.append([tuple(queue.versions[name] for name in one.seats) for one in pairings])
        count += len(pairings)
    if league.paced:
        sizer.prepare(version for tables in rounds for table in tables for version in table)
    fixtures: list[Fixture] = []
    for tables in rounds:
        number_of_deals = sizer.deals(tables, settings) if league.paced else league.deals
        deals = tuple(deals_from(secrets.token_hex(16), number_of_deals))
        fixtures += [
            Fixture(number + len(fixtures) + at, one, deals) for at, one in enumerate(tables)
        ]
    schedule(session, league, fixtures, settings=settings, now=now)
    return len(fixtures)


class _Queue:
    """Chooses the pairings of a league's next matches, and counts each as queued."""

    def __init__(self, session: Session, league: League, settings: Settings, number: int) -> None:
        self._session = session
        self._opponents = _opponents(league, number - REMEMBERED)
        self._seats, self._enough = league.seats, settings.league_matches
        self._seed = bytes.fromhex(league.seed)
        stamp = fields.revision(session, league.game), league.rules, league.seats
        self._field = _fields.get(session, league.id, stamp, partial(_Field, session, league))
        self._field.read_changes(session, league)
        self.versions = self._field.versions
        """Row numbers by entrant."""
        names, found = self._field.names, _queued(session, league)
        queued = {names[version]: count for version, count in found.items() if version in names}
        self._matches: Counter[str] = Counter()
        self._rivals: RankedQueue | None = None
        if is_cooperative(league.game):
            self._matches.update(self._field.ladder.matches)
            self._matches.update(queued)
        else:
            self._rivals = RankedQueue(
                self._field.ladder, self._met, seats=self._seats, wanted=self._enough, queued=queued
            )

    def next(self, number: int) -> list[Pairing]:
        """Returns the pairings of the next matches, which share their deals.

        There is one, or a round of all teams in a cooperative game. There is none if all entrants
        have played enough, or if no table can be filled.
        """
        dice = SeededDice(self._seed, number)
        if self._rivals is not None:
            pairing = self._rivals.next(dice)
            return [] if pairing is None else [pairing]
        teams = next_round(self._matches, self._enough, self._seats, dice)
        for pairing in teams:
            for name in set(pairing.seats):
                self._matches[name] += 1
        return teams

    def _met(self, entrant: str) -> Counter[str]:
        """How often the entrant has met each other one in the league's last matches."""
        found = self._session.execute(self._opponents, {"version": self.versions[entrant]})
        names = self._field.names
        return Counter({names[version]: count for version, count in found if version in names})


class _Field:
    """A league's entrants with their live ratings. It is kept until the active versions change."""

    def __init__(self, session: Session, league: League) -> None:
        found = fields.entrants(session, active_in(league))
        self.versions = {one.entrant: one.version for one in found}
        self.names = {one.version: one.entrant for one in found}
        self._owner = {one.entrant: one.owner for one in found if one.role != Role.HOUSE}
        self._unrated = set(self.names)
        self._read = -1
        self.ladder = Ladder([])

    def read_changes(self, session: Session, league: League) -> None:
        """Reads the ratings that have changed since the last call, and those of newcomers."""
        rated = _rated(session, league, self._read)
        contenders = [
            self._contender(league, version, LiveRating(mu, sigma), matches)
            for version, mu, sigma, matches in rated
            if version in self.names
        ]
        self._unrated -= {version for version, *_ in rated}
        # The rating of the bot's previous version may have changed.
        for version, first in first_lives(session, league, self._unrated).items():
            contenders.append(self._contender(league, version, first, 0))
        if self._read < 0:
            self.ladder = Ladder(contenders, self._owner)
        else:
            self.ladder.put(contenders)
        self._read = league.revision

    def _contender(self, league: League, version: int, live: LiveRating, matches: int) -> Contender:
        return Contender(self.names[version], *elo_of(live, table=league.seats), matches)


_fields: Final = Cache[_Field](most=16)


def _rated(session: Session, league: League, since: int) -> Sequence[Row[int, float, float, int]]:
    """The live ratings that have changed since the league's ratings had that revision; those of all
    active versions if it is negative."""
    query = select(Rating.version_id, Rating.mu, Rating.sigma, Rating.matches)
    if since < 0:  # After years, most ratings are of versions that play no more.
        active = active_in(league).with_only_columns(Version.id).order_by(None)
        query = query.where(Rating.version_id.in_(active))
    else:
        query = query.where(Rating.revision > since)
    return session.execute(query.where(Rating.league_id == league.id)).all()


def _queued(session: Session, league: League) -> Counter[int]:
    """The number of ranked matches that are not over, by the row number of the version."""
    query = (
        select(MatchSeat.version_id, func.count(MatchSeat.match_id.distinct()))
        .join(Match, Match.id == MatchSeat.match_id)
        .where(*_ranked(league), Match.rules == league.rules, Match.state.in_(UNFINISHED))
        .group_by(MatchSeat.version_id)
    )
    return Counter(dict(session.execute(query).all()))


def _opponents(league: League, first: int) -> Select[int, int]:
    """Selects the opponents of the version `version` and how often it met each, in matches from
    `first` on."""
    other = aliased(MatchSeat)
    return (
        select(other.version_id, func.count())
        .select_from(MatchSeat)
        .join(Match, Match.id == MatchSeat.match_id)
        .join(other, other.match_id == MatchSeat.match_id)
        .where(MatchSeat.version_id == bindparam("version"), MatchSeat.number >= first)
        .where(*_ranked(league), Match.rules == league.rules)
        .where(other.version_id != MatchSeat.version_id)
        .where(Match.state.in_((*UNFINISHED, MatchState.FINISHED)))
        .group_by(other.version_id)
    )


def _ranked(league: League) -> tuple[ColumnExpressionArgument[bool], ...]:
    """The conditions for the matches of the league's queue, under any rules."""
    return (Match.league_id == league.id, Match.is_ranked)

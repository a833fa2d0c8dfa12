"""Keeps the ranked queues of the continuous leagues filled a few matches ahead."""

from __future__ import annotations

import secrets
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import aliased

from matchbox.dice import SeededDice, deals_from
from matchbox.league.queue import Contender, RankedQueue, next_round
from matchbox.league.ratings import LiveRating, elo_of
from server.db.models import (
    UNFINISHED,
    Bot,
    League,
    Match,
    MatchSeat,
    MatchState,
    Rating,
    Role,
    User,
    Version,
)
from server.db.models.bots import entrant_name
from server.services.fixtures import Fixture, schedule
from server.services.leagues import active_in, is_cooperative
from server.services.match_sizing import MatchSizer
from server.services.quarantine import HELD
from server.services.ratings import first_live

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import Session

    from matchbox.league.pairing import Pairing
    from matchbox.settings import Settings

REMEMBERED: Final = 5_000
"""How many of the league's last matches are read to count which bots have met."""


def feed(session: Session, *, settings: Settings, now: int) -> int:
    """Fills the queue of every continuous league; returns how many matches were scheduled."""
    awake = (League.continuous.is_(True), League.paused.is_(False))
    leagues = session.scalars(select(League).where(*awake).order_by(League.id)).all()
    return sum(_feed(session, league, settings, now) for league in leagues)


def _feed(session: Session, league: League, settings: Settings, now: int) -> int:
    ranked = _ranked(league)
    ahead = Match.state.in_((MatchState.QUEUED, MatchState.RUNNING)), Match.id.not_in(HELD)
    waiting = session.scalar(select(func.count()).where(*ranked, *ahead)) or 0
    if waiting >= settings.ranked_backlog:
        return 0
    number = _next_number(session, *ranked)
    queue, sizer = _Queue(session, league, settings, number), MatchSizer(session, league)
    fixtures: list[Fixture] = []
    while len(fixtures) < settings.ranked_backlog - waiting:
        pairings = queue.next(number + len(fixtures))
        if not pairings:
            break
        tables = [tuple(queue.versions[name] for name in one.seats) for one in pairings]
        number_of_deals = sizer.deals(tables, settings) if league.paced else league.deals
        deals = tuple(deals_from(secrets.token_hex(16), number_of_deals))
        fixtures += [
            Fixture(number + len(fixtures) + at, one, deals) for at, one in enumerate(tables)
        ]
    schedule(session, league, fixtures, settings=settings, now=now)
    return len(fixtures)


def _next_number(session: Session, *which: ColumnElement[bool]) -> int:
    """The number after the highest of these matches.

    Each state is asked alone: together SQLite would go through all matches of the league.
    """
    newest = select(Match.number).where(*which).order_by(Match.number.desc()).limit(1)
    found = [session.scalar(newest.where(Match.state == state)) for state in MatchState]
    return max((one for one in found if one is not None), default=-1) + 1


class _Queue:
    """Chooses the pairings of a league's next matches, and counts each as queued."""

    def __init__(self, session: Session, league: League, settings: Settings, number: int) -> None:
        self._session, self._league = session, league
        self._opponents = _opponents(league, number - REMEMBERED)
        self._seats, self._enough = league.seats, settings.league_matches
        self._seed = bytes.fromhex(league.seed)
        found = _field(session, league)
        self.versions = {one.entrant: one.version for one in found}
        """Row numbers by entrant."""
        self._names = {one.version: one.entrant for one in found}
        rated = _rated(session, league)
        games = _queued(session, league)
        for version, rating in rated.items():
            games[version] += rating.matches
        self._games = {name: games[version] for name, version in self.versions.items()}
        self._rivals: RankedQueue | None = None
        if not is_cooperative(league.game):
            self._rivals = RankedQueue(
                [self._contender(one, rated.get(one.version)) for one in found],
                self._met,
                seats=self._seats,
                owner={one.entrant: one.owner for one in found if one.role != Role.HOUSE},
                enough=self._enough,
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
        teams = next_round(self._games, self._enough, self._seats, dice)
        for pairing in teams:
            for name in set(pairing.seats):
                self._games[name] += 1
        return teams

    def _contender(self, one: _Entrant, rating: _Rated | None) -> Contender:
        if rating is None:
            version = self._session.get_one(Version, one.version)
            live = first_live(self._session, self._league, version)
        else:
            live = LiveRating(rating.mu, rating.sigma)
        elo = elo_of(live, table=self._seats)
        return Contender(one.entrant, *elo, self._games[one.entrant])

    def _met(self, entrant: str) -> Counter[str]:
        """How often the entrant has met whom in the league's last matches."""
        found = self._session.execute(self._opponents, {"version": self.versions[entrant]})
        return Counter(
            {self._names[version]: count for version, count in found if version in self._names}
        )


class _Entrant(NamedTuple):
    version: int
    """Its row number."""
    entrant: str
    owner: str
    role: str


class _Rated(NamedTuple):
    mu: float
    sigma: float
    matches: int


def _field(session: Session, league: League) -> list[_Entrant]:
    """The league's entrants, without their rows: there may be thousands, at every tick."""
    names = (Version.id, User.name, Bot.name, Version.digest, Version.class_name, User.role)
    found = session.execute(active_in(league).with_only_columns(*names))
    return [
        _Entrant(version, entrant_name(f"{owner}/{bot}", digest, class_name), owner, role)
        for version, owner, bot, digest, class_name, role in found
    ]


def _rated(session: Session, league: League) -> dict[int, _Rated]:
    """The live ratings, by the row number of the version."""
    query = select(Rating.version_id, Rating.mu, Rating.sigma, Rating.matches)
    found = session.execute(query.where(Rating.league_id == league.id))
    return {one.version_id: _Rated(one.mu, one.sigma, one.matches) for one in found}


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
    """Selects whom the version `version` has met, and how often, in matches from `first` on."""
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


def _ranked(league: League) -> tuple[ColumnElement[bool], ...]:
    """Which matches are of the league's queue, under whatever rules."""
    return (
        Match.league_id == league.id,
        Match.season_id.is_(None),
        Match.comparison_id.is_(None),
    )

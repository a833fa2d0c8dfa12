"""Keeps the ranked queues of the continuous leagues filled a few matches ahead."""

from __future__ import annotations

import secrets
from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, Final

from sqlalchemy import func, select

from matchbox.dice import SeededDice, deals_from
from matchbox.league.pairing import Pairing, pair_key
from matchbox.league.queue import Contender, next_pairing, next_round
from matchbox.league.ratings import LiveRating, elo_of
from server.db.models import UNFINISHED, League, Match, MatchSeat, MatchState, Rating, Role
from server.services.fixtures import Fixture, schedule
from server.services.leagues import field_of, is_cooperative
from server.services.match_sizing import MatchSizer
from server.services.quarantine import HELD
from server.services.ratings import first_live

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from sqlalchemy.orm import Session

    from matchbox.dice import Dice
    from matchbox.settings import Settings

REMEMBERED: Final = 5_000
"""How many of the league's last matches are read to count which bots have met."""


def feed(session: Session, *, settings: Settings, now: int) -> int:
    """Fills the queue of every continuous league; returns how many matches were scheduled."""
    awake = (League.continuous.is_(True), League.paused.is_(False))
    leagues = session.scalars(select(League).where(*awake).order_by(League.id)).all()
    return sum(_feed(session, league, settings, now) for league in leagues)


def _feed(session: Session, league: League, settings: Settings, now: int) -> int:
    ranked = (
        Match.league_id == league.id,
        Match.season_id.is_(None),
        Match.comparison_id.is_(None),
    )
    ahead = Match.state.in_((MatchState.QUEUED, MatchState.RUNNING)), Match.id.not_in(HELD)
    waiting = session.scalar(select(func.count()).where(*ranked, *ahead)) or 0
    if waiting >= settings.ranked_backlog:
        return 0
    last = session.scalar(select(func.max(Match.number)).where(*ranked))
    number = 0 if last is None else last + 1
    queue, sizer = _Queue(session, league, settings, number), MatchSizer(session, league)
    fixtures: list[Fixture] = []
    while len(fixtures) < settings.ranked_backlog - waiting:
        pairings = queue.next(number + len(fixtures))
        if not pairings:
            break
        tables = [tuple(queue.versions[name].id for name in one.seats) for one in pairings]
        number_of_deals = sizer.deals(tables, settings) if league.paced else league.deals
        deals = tuple(deals_from(secrets.token_hex(16), number_of_deals))
        fixtures += [
            Fixture(number + len(fixtures) + at, one, deals) for at, one in enumerate(tables)
        ]
    schedule(session, league, fixtures, settings=settings, now=now)
    return len(fixtures)


class _Queue:
    """What a league's pairing depends on, updated while matches are added."""

    def __init__(self, session: Session, league: League, settings: Settings, number: int) -> None:
        self.versions = {one.entrant: one for one in field_of(session, league)}
        self._enough = settings.league_matches
        self._seats, self._team = league.seats, is_cooperative(league.game)
        self._seed = bytes.fromhex(league.seed)
        self._owner = {
            name: one.bot.owner.name
            for name, one in self.versions.items()
            if one.bot.owner.role != Role.HOUSE
        }
        names = {one.id: name for name, one in self.versions.items()}
        self._live: dict[str, LiveRating] = {}
        self._games: Counter[str] = Counter()
        for row in session.scalars(select(Rating).where(Rating.league_id == league.id)):
            if row.version_id in names:
                self._live[names[row.version_id]] = LiveRating(row.mu, row.sigma)
                self._games[names[row.version_id]] = row.matches
        for name, version in self.versions.items():
            if name not in self._live:
                self._live[name] = first_live(session, league, version)
        self._met: Counter[tuple[str, str]] = Counter()
        for finished, table in _tables(session, league, number - REMEMBERED):
            here = [names[version] for version in table if version in names]
            self._met.update(pair_key(one, other) for one, other in combinations(here, 2))
            self._games.update(() if finished else set(here))

    def next(self, number: int) -> list[Pairing]:
        """Returns the pairings of the next matches, which share their deals.

        There is one, or a round of all teams in a cooperative game. There is none if all entrants
        have played enough, or if no table can be filled.
        """
        dice = SeededDice(self._seed, number)
        games = {name: self._games[name] for name in self.versions}
        if self._team:
            found = next_round(games, self._enough, self._seats, dice)
        else:
            pairing = self._table(games, dice)
            found = [pairing] if pairing is not None else []
        for pairing in found:
            here = sorted(set(pairing.seats))
            self._games.update(here)
            self._met.update(pair_key(one, other) for one, other in combinations(here, 2))
        return found

    def _table(self, games: Mapping[str, int], dice: Dice) -> Pairing | None:
        field = [
            Contender(
                name, *elo_of(self._live.get(name, LiveRating()), table=self._seats), games[name]
            )
            for name in games
        ]
        resting = {name for name, played in games.items() if played >= self._enough}
        return next_pairing(
            field, self._met, dice, seats=self._seats, owner=self._owner, resting=resting
        )


def _tables(session: Session, league: League, first: int) -> Iterable[tuple[bool, Collection[int]]]:
    """(finished, versions' row numbers) of the ranked matches from number `first` on.

    Unfinished matches with lower numbers are included.
    """
    ranked = (
        Match.league_id == league.id,
        Match.season_id.is_(None),
        Match.comparison_id.is_(None),
        Match.rules == league.rules,
    )
    not_void = Match.state.in_((*UNFINISHED, MatchState.FINISHED))
    query = select(Match.id, Match.state, MatchSeat.version_id).join(Match.seats)
    recent = Match.state.in_(UNFINISHED) | (Match.number >= first)
    tables: dict[str, tuple[bool, list[int]]] = {}
    for name, state, version in session.execute(query.where(*ranked, not_void, recent)):
        tables.setdefault(name, (state == MatchState.FINISHED, []))[1].append(version)
    return tables.values()

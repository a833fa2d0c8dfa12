"""Fills the database of a platform of any size: one of everything, and the requested number of
matches.

The platform's own models and services make the rows. Only the scheduling, the queue and the arenas
are left out; they would take days.
"""

from __future__ import annotations

import gc
from dataclasses import dataclass, field
from hashlib import blake2b
from random import Random
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import text

from bench.site import surroundings
from bench.site.bouts import GAME, WIDTH, Dealer, source_of
from bench.site.crowd import Crowd, gather
from matchbox import registry
from matchbox.match import record as records
from matchbox.match.wire import MatchPlayed
from matchbox.settings import Settings
from server.context import clock
from server.db.migrations import migrate
from server.db.models import (
    Entry,
    League,
    Match,
    MatchSeat,
    MatchState,
    Rating,
    Season,
    SeasonState,
)
from server.db.session import Database
from server.services import accounts, fields, leagues, results, standings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

DEALS: Final = 2
LONG: Final = 60
"""This many of the newest matches are as long as the platform would make them."""
LONG_DEALS: Final = 100
WAITING: Final = 40
"""The number of queued matches on every platform."""
FAULTY: Final = 25
"""In one of this many matches, the first bot forfeits a deal. That is enough for a page of
faults."""
ENTRANTS: Final = 4
"""The number of entrants of every season."""
MATCHES_PER_SEASON: Final = 1_000
"""There is a season, a comparison and so on for each 1,000 matches."""
_AT_ONCE: Final = 1_000
SETTINGS: Final = Settings(secret_key="the books of the bench, which nobody keeps")
"""The settings of a server that uses this database."""


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a platform."""

    bots: int
    matches: int
    deals: int = DEALS
    """The number of deals of each match, except the newest."""

    @property
    def scale(self) -> int:
        """The number of seasons, of comparisons and so on; at least 1."""
        return max(1, self.matches // MATCHES_PER_SEASON)


EMPTY: Final = Size(ENTRANTS, 8)
"""The smallest platform on which every address leads to a page."""


@dataclass
class Filled:
    """Values for the parts of addresses, and the tokens of the visitors."""

    named: dict[str, Any] = field(default_factory=dict)
    """A value for every part of an address, by its name in the rule."""
    tokens: dict[str, str] = field(default_factory=dict)
    """An API token by account."""


def fill(url: str, size: Size) -> Filled:
    """Migrates the empty database and fills it; returns the names and tokens in it."""
    migrate(url)
    database, now = Database(url), clock()
    try:
        with database.write() as session:
            games = registry.games().values()
            made = leagues.ensure_default_leagues(session, games, SETTINGS, now=now)
            league = next(one for one in made if one.name == GAME)
            crowd = gather(session, size.bots, now=now)
            fields.change(session, GAME)
            seasons = [_season(session, league, crowd, place, now) for place in range(size.scale)]
        plan = _plan(crowd, seasons, size)
        writer, last = _Writer(league, crowd, now, len(plan), size.deals), ""
        gc.freeze()  # The collector would visit all these rows again and again.
        for start in range(0, len(plan), _AT_ONCE):
            with database.write() as session:
                for place in range(start, min(start + _AT_ONCE, len(plan))):
                    last = writer.write(session, place, *plan[place])
        with database.write() as session:
            writer.write_waiting(session)
            session.get_one(League, league.id).finished = len(plan)
        filled = _fill_rest(database, league, crowd, seasons, size, now, last)
        with database.connect() as connection:
            if connection.dialect.name == "postgresql":  # It would do so only after a minute.
                connection.execute(text("ANALYZE"))
        return filled
    finally:
        gc.unfreeze()
        database.close()


def _fill_rest(
    database: Database,
    league: League,
    crowd: Crowd,
    seasons: Sequence[Season],
    size: Size,
    now: int,
    match: str,
) -> Filled:
    """Computes the standings, and makes everything except the matches."""
    with database.write() as session:
        session.add_all(
            Rating(league_id=league.id, version_id=one.id, mu=25.0, sigma=8.0)
            for one in crowd.versions
        )
        session.flush()
        subjects: list[League | Season] = [league, *seasons]
        for subject in subjects:
            standings.refresh(session, standings.scope_of(subject), now=now)
        named = surroundings.add(session, league, crowd, size.scale, match, now=now)
        tokens = {
            one.name: accounts.make_token(session, one, "bench", now=now)
            for one in (crowd.alice, crowd.charlie)
        }
    bot = crowd.bots[0]
    own = {"owner": bot.owner.name, "name": bot.name, "number": 2, "since": 1}
    own |= {"match": match, "opponent": crowd.bots[-1].full_name}
    return Filled({**named, **own, "season": seasons[-1].id}, tokens)


def _season(session: Session, league: League, crowd: Crowd, place: int, now: int) -> Season:
    """A season that is over, with its entrants."""
    season = Season(
        league_id=league.id,
        name=f"season {place + 1}",
        state=SeasonState.FINISHED,
        edition=place + 1,
        round=1,
        rounds=[{"stage": "cycle", "rests": [], "ties": []}],
        deals=DEALS,
        seed=f"season {place}",
        created_at=now - 1000 * place,
        started_at=now - 900 * place,
        finished_at=now - 800 * place,
    )
    session.add(season)
    session.flush()
    for entrant in _entrants(crowd, place):
        version = crowd.versions[entrant]
        row = Entry(season_id=season.id, bot_id=version.bot_id, version_id=version.id)
        session.add(row)
    return season


def _entrants(crowd: Crowd, place: int) -> list[int]:
    count = len(crowd.bots)
    return [(ENTRANTS * place + at) % count for at in range(ENTRANTS)]


def _plan(
    crowd: Crowd, seasons: Sequence[Season], size: Size
) -> list[tuple[int, int, Season | None]]:
    """Every match by its two entrants' places and its season; alice's first bot plays often."""
    chance = Random(size.matches)
    plan: list[tuple[int, int, Season | None]] = []
    for place, season in enumerate(seasons):
        entered = _entrants(crowd, place)
        plan += [(one, two, season) for one in entered for two in entered if one < two]
    for _ in range(size.matches - len(plan)):
        one = 0 if chance.random() < 0.02 else chance.randrange(size.bots)
        two = chance.randrange(size.bots - 1)
        plan.append((one, two + (two >= one), None))
    return plan


class _Writer:
    """Makes the rows of finished matches, in the order in which they were created."""

    def __init__(self, league: League, crowd: Crowd, now: int, count: int, deals: int) -> None:
        self._league, self._crowd, self._deals = league, crowd, deals
        self._began, self._count = now - 20_000 * count, count
        self._dealer = Dealer()

    def write(self, session: Session, place: int, one: int, two: int, season: Season | None) -> str:
        """Stores the match at this place of the plan as played; returns its id."""
        long = place >= self._count - LONG and season is None
        match, record = self._match(
            session, place, (one, two), season, LONG_DEALS if long else self._deals
        )
        match.state = MatchState.FINISHED
        at = match.created_at + 10_000
        match.finished_at = at
        message = MatchPlayed(
            match=match.id,
            attempt=1,
            token="",
            record=records.pack(record),
            notes=[],
            logs=["", ""],
            cpu_ms=[1.0, 1.0],
            box="bwrap",
            seconds=0.1,
        )
        match.result = results.result_of(message, record, SETTINGS, at)
        match.score = results.score_of(record)
        results.book_points(match)
        return match.id

    def write_waiting(self, session: Session) -> None:
        """Stores matches that wait to be played."""
        for place in range(WAITING):
            one = place % len(self._crowd.bots)
            two = (one + 1) % len(self._crowd.bots)
            self._match(session, self._count + place, (one, two), None, DEALS)

    def _match(
        self,
        session: Session,
        place: int,
        entrants: tuple[int, int],
        season: Season | None,
        deals: int,
    ) -> tuple[Match, records.Record]:
        """Stores a queued match; returns it with the record that it will have."""
        one, two = sorted(entrants, key=self._crowd.kind)
        first, second = (source_of(self._crowd.kind(entrant)) for entrant in (one, two))
        versions = [self._crowd.versions[one], self._crowd.versions[two]]
        name = blake2b(f"match {place}".encode(), digest_size=16).hexdigest()
        digests = [version.digest for version in versions]
        fails = place % FAULTY == 0
        record = self._dealer.record(
            name, self._league, (first, second), digests, deals, fails=fails
        )
        made = self._began + 20_000 * place
        match = Match(
            id=name,
            league_id=self._league.id,
            season_id=season.id if season else None,
            number=place,
            why="season" if season else "ranked",
            rules=self._league.rules,
            state=MatchState.QUEUED,
            attempt=1,
            limits={},
            width=WIDTH,
            created_at=made,
            seats=[
                MatchSeat(seat=seat, version_id=version.id, created_at=made, number=place)
                for seat, version in enumerate(versions)
            ],
            deals=record.deals,
        )
        session.add(match)
        return match, record

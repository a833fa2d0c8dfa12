"""From round to round of a season: writes down the matches that are next. Plays and rates none.

Everything follows from the season's seed, its entrants and the results of its earlier rounds;
nothing from the order in which they came in, and only the hours of a budget from the clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from sqlalchemy import select

from matchbox.dice import SeededDice, derive_deals
from matchbox.errors import Conflict
from matchbox.league.season import Slot, plan, plan_tables, plan_teams
from server.db.models import Match, Role, Season, SeasonState, Version
from server.services.fixtures import Fixture, schedule
from server.services.leagues import TABLE, is_cooperative
from server.services.matches import UNFINISHED

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings

MOST_MATCHES: Final = 20_000


def open_first(session: Session, season: Season, *, settings: Settings, now: int) -> list[str]:
    """The ids of the first matches of a season whose versions are fixed, queued.

    Raises Conflict where the season cannot be played like this.
    """
    versions = [entry.version for entry in season.entries if entry.version is not None]
    fixtures = _fixtures(season, versions)
    season.round = 1 + max(fixture.round for fixture in fixtures)
    return schedule(session, season.league, fixtures, season=season, settings=settings, now=now)


def advance(session: Session, season: Season, *, settings: Settings, now: int) -> bool:
    """Opens what is next if the last round is over; False where nothing is left to be played."""
    return season.id not in {one.id for one in due(session)}


def due(session: Session) -> list[Season]:
    """The running seasons whose matches are all final: none waits, runs or is parked."""
    left = select(Match.id).where(Match.season_id == Season.id, Match.state.in_(UNFINISHED))
    running = (SeasonState.RUNNING, SeasonState.PAUSED)
    return list(session.scalars(select(Season).where(Season.state.in_(running), ~left.exists())))


def _fixtures(season: Season, versions: Sequence[Version]) -> list[Fixture]:
    rows = {version.entrant: version.id for version in versions}
    cycles = [_slots(season, versions, cycle) for cycle in range(season.cycles)]
    lengths = [1 + max((slot.round for slot in slots), default=-1) for slots in cycles]
    tables = [
        (cycle, sum(lengths[:cycle]) + slot.round, slot)
        for cycle, slots in enumerate(cycles)
        for slot in slots
    ]
    if not tables:
        raise Conflict(
            f"no table of {season.league.seats} can be filled without two bots of one owner; "
            "have more owners enter"
        )
    if len(tables) > MOST_MATCHES:
        raise Conflict(
            f"{len(rows)} bots in {season.cycles} cycles make {len(tables)} matches; a season has "
            f"{MOST_MATCHES} at the most"
        )
    shared = is_cooperative(season.league.game)
    return [
        Fixture(
            number,
            tuple(rows[entrant] for entrant in slot.pairing.seats),
            tuple(_deals(season, cycle if shared else number)),
            place,
        )
        for number, (cycle, place, slot) in enumerate(tables)
    ]


def _slots(season: Season, versions: Sequence[Version], cycle: int) -> Sequence[Slot]:
    """What one cycle owes: pairs both ways, larger tables that are all different, or teams.

    A team is one bot throughout, and all teams of a cycle play the same deals.
    """
    order = sorted(version.entrant for version in versions)
    seed = blake2b(f"order:{season.seed}".encode(), digest_size=16).digest()
    SeededDice(seed, 0).shuffle(order)
    seats, dice = season.league.seats, SeededDice(seed, 1 + cycle)
    try:
        if is_cooperative(season.league.game):
            return plan_teams(order, seats, dice)
        if seats == TABLE:
            return plan(order)
        owner = {
            version.entrant: version.bot.owner.name
            for version in versions
            if version.bot.owner.role != Role.HOUSE
        }
        return plan_tables(order, seats, dice, owner=owner)
    except ValueError as error:
        raise Conflict(f"season {season.name} cannot start: {error}") from None


def _deals(season: Season, number: int) -> list[str]:
    return derive_deals(season.seed, season.deals, start=number * season.deals)

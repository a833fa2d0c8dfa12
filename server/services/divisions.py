"""The divisions of an edition: who plays where, by the last edition's final standings.

Until an edition freezes it is one season, which all enter; then each lower division becomes a
season of its own beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from matchbox.league.divisions import fitting_divisions, next_divisions
from matchbox.league.format import Format, read
from server.db.models import Bot, Entry, League, Season, SeasonState, Standing, Version
from server.services.leagues import TABLE, is_cooperative
from server.services.standings import scope_of

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


def of_edition(session: Session, season: Season) -> Sequence[Season]:
    """All divisions of the season's edition, the highest first."""
    same = (Season.league_id == season.league_id, Season.edition == season.edition)
    return session.scalars(select(Season).where(*same).order_by(Season.division)).all()


def least(league: League) -> int:
    """The fewest bots that make a season."""
    return TABLE if is_cooperative(league.game) else max(TABLE, league.seats)


def divide(session: Session, season: Season, *, now: int) -> list[Season]:
    """The edition's divisions with their entries; just the season where it has one.

    Who rises and sinks follows from the last finished edition; in the first one, and among
    newcomers, from the game's leaderboard.
    """
    form = read(Format, season.format)
    entries = {str(entry.bot_id): entry for entry in season.entries}
    count = fitting_divisions(len(entries), form.divisions, least(season.league))
    if count == 1:
        return [season]
    ranked = _leaderboard(session, season.league)
    entrants = dict.fromkeys([*(name for name in ranked if name in entries), *entries])
    last = _last_orders(session, season)
    orders = next_divisions(last, form.moving, entrants=entrants, divisions=count)
    made = [season]
    for number, order in enumerate(orders[1:], 2):
        lower = _division(session, season, number, now)
        for name in order:
            entries[name].season = lower
        made.append(lower)
    session.flush()
    return made


def _division(session: Session, season: Season, number: int, now: int) -> Season:
    key = f"division:{number}:{season.seed}".encode()
    lower = Season(
        league=season.league,
        name=f"{season.name}, division {number}",
        format=season.format,
        edition=season.edition,
        division=number,
        cycles=season.cycles,
        deals=season.deals,
        paced=season.paced,
        seed=blake2b(key, digest_size=16).hexdigest(),
        state=SeasonState.OPEN,
        created_at=now,
        starts_at=season.starts_at,
    )
    session.add(lower)
    session.flush()
    return lower


def _last_orders(session: Session, season: Season) -> list[list[str]]:
    """The final orders of the league's last finished edition, as bots' row numbers."""
    before = (Season.league_id == season.league_id, Season.edition < season.edition)
    done = select(func.max(Season.edition)).where(*before, Season.state == SeasonState.FINISHED)
    edition = session.scalar(done)
    if edition is None:
        return []
    same = (Season.league_id == season.league_id, Season.edition == edition)
    rows = session.scalars(select(Season).where(*same).order_by(Season.division))
    return [_order(session, scope_of(row), row.entries, row.places) for row in rows]


def _leaderboard(session: Session, league: League) -> list[str]:
    """The bots of the game's own league in their order, as row numbers."""
    own = select(League).where(League.name == league.game, League.continuous.is_(True))
    found = session.scalar(own)
    return _order(session, scope_of(found), ()) if found is not None else []


def _order(
    session: Session, scope: str, entries: Sequence[Entry], places: Sequence[int] = ()
) -> list[str]:
    """The bots by these places, or by that standing, best first; after them all other entries."""
    standing = session.get(Standing, scope)
    lines = [line["version_id"] for line in standing.lines] if standing is not None else []
    lines = [*(version for version in places if version in lines), *lines]
    query = select(Version.id, Bot.id).join(Version.bot).where(Version.id.in_(lines))
    bots = {row[0]: row[1] for row in session.execute(query)}
    names = [str(bots[line]) for line in lines if line in bots]
    return list(dict.fromkeys([*names, *(str(entry.bot_id) for entry in entries)]))

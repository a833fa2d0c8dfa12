"""Divides an edition's bots into divisions, by the final standings of the last edition.

Until an edition freezes, it is one season that all bots enter. The freeze then makes a season
of its own for each lower division.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from itertools import count
from typing import TYPE_CHECKING, Final

from sqlalchemy import func, select

from matchbox.league.divisions import fitting_divisions, next_divisions
from matchbox.league.format import Format, read
from matchbox.registry import is_cooperative
from server.db.models import OVER, League, Season, SeasonState, Standing, Version
from server.services.standings import scope_of

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from server.db.models import Entry

MIN_BOTS: Final = 2
"""The least number of bots that can be compared."""
LONGEST_NAME: Final = 64
"""The most characters of a season's name."""


def divisions_of(session: Session, season: Season) -> Sequence[Season]:
    """Returns all divisions of the season's edition, the highest first."""
    same = (Season.league_id == season.league_id, Season.edition == season.edition)
    return session.scalars(select(Season).where(*same).order_by(Season.division)).all()


def hides_deals(season: Season, going_on: int) -> bool:
    """Whether the season's seed must still be secret; `going_on` is the number of divisions of its
    edition that are not over.

    The deals of a season follow from its seed. The seeds of all divisions follow from that of the
    first.
    """
    return season.state not in OVER or (season.division == 1 and going_on > 0)


def fewest_bots(league: League) -> int:
    """Returns the least number of bots that can play a season of the league.

    They must fill a table, unless the game is cooperative: there each bot fills one alone.
    """
    return MIN_BOTS if is_cooperative(league.game) else max(MIN_BOTS, league.seats)


def divide(session: Session, season: Season, *, now: int) -> list[Season]:
    """Moves the season's entries into divisions; returns the divisions, the highest first.

    Returns only the season itself if there are too few entries to divide. The last finished edition
    decides which bots rise and sink. In the first edition, and among newcomers, the game's
    leaderboard decides, and lots among bots that share a rank there or are not on it.
    """
    form = read(Format, season.format)
    entries = {str(entry.bot_id): entry for entry in season.entries}
    fitting = fitting_divisions(len(entries), form.divisions, fewest_bots(season.league))
    if fitting == 1:
        return [season]
    ranked = [bot for bot in _leaderboard(session, season) if bot in entries]
    drawn = sorted(entries, key=lambda bot: _lot(season.seed, entries[bot].bot.full_name))
    entrants = dict.fromkeys([*ranked, *drawn])
    last = _last_orders(session, season)
    orders = next_divisions(last, form.moving, entrants=entrants, divisions=fitting)
    made = [season]
    for number, order in enumerate(orders[1:], 2):
        lower = _division(session, season, number, now)
        for bot in order:
            entries[bot].season = lower
        made.append(lower)
    session.flush()
    return made


def _division(session: Session, season: Season, number: int, now: int) -> Season:
    key = f"division:{number}:{season.seed}".encode()
    lower = Season(
        league=season.league,
        name=_free_name(session, season, number),
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


def _free_name(session: Session, season: Season, number: int) -> str:
    """A name for the lower division that no season has: the season's, cut to fit, with the number
    of the division, and a second number if it is taken."""
    for attempt in count(1):
        ending = f", division {number}" + (f" ({attempt})" if attempt > 1 else "")
        name = season.name[: LONGEST_NAME - len(ending)] + ending
        if session.scalar(select(Season.id).where(Season.name == name)) is None:
            break
    return name


def _last_orders(session: Session, season: Season) -> list[list[str]]:
    """The final order of each division of the last finished edition, as ids of bots."""
    before = (Season.league_id == season.league_id, Season.edition < season.edition)
    done = select(func.max(Season.edition)).where(*before, Season.state == SeasonState.FINISHED)
    edition = session.scalar(done)
    if edition is None:
        return []
    same = (Season.league_id == season.league_id, Season.edition == edition)
    rows = session.scalars(select(Season).where(*same).order_by(Season.division))
    return [
        _order(session, scope_of(row), row.seed, places=row.places, entries=row.entries)
        for row in rows
    ]


def _leaderboard(session: Session, season: Season) -> list[str]:
    """The ids of the bots on the board of the game's own league, best first."""
    game = season.league.game
    own = select(League).where(League.name == game, League.continuous.is_(True))
    found = session.scalar(own)
    return _order(session, scope_of(found), season.seed) if found is not None else []


def _order(
    session: Session,
    scope: str,
    seed: str,
    *,
    places: Sequence[int] = (),
    entries: Sequence[Entry] = (),
) -> list[str]:
    """The ids of bots by the scope's standing, best first.

    Bots that share a rank are in an order drawn by lot from the seed. The versions at `places`
    come before all others, and the `entries` that are not in the standing last.
    """
    standing = session.get(Standing, scope)
    lines = list(standing.lines) if standing is not None else []
    lines.sort(key=lambda line: (line["rank"], _lot(seed, line["bot"])))
    ranked = [line["version_id"] for line in lines]
    versions = [*(version for version in places if version in ranked), *ranked]
    query = select(Version.id, Version.bot_id).where(Version.id.in_(versions))
    bots = dict(session.execute(query).all())
    first = [str(bots[version]) for version in versions if version in bots]
    return list(dict.fromkeys([*first, *(str(entry.bot_id) for entry in entries)]))


def _lot(seed: str, name: str) -> bytes:
    return blake2b(f"lot:{seed}:{name}".encode(), digest_size=8).digest()

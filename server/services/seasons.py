"""A season: entered, started with fixed versions, played, finished.

A seed tells the same season in every database: matches, deals, records and the standing's digest
follow from it and from who entered with which bytes.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import select, update

from matchbox import registry
from matchbox.errors import BadName, BadOption, Conflict, NotFound
from server.db.models import (
    Bot,
    Entry,
    League,
    Match,
    MatchState,
    Season,
    SeasonState,
    Version,
    VersionState,
)
from server.db.session import compare_and_set
from server.services import rounds, standings
from server.services.accounts import require_operator, require_owner
from server.services.leagues import check_deals
from server.services.matches import UNFINISHED
from server.services.news import tell

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings
    from server.db.models import User
    from server.services.standings import Fresh

MOST_CYCLES: Final = 100
_RUNNING: Final = (SeasonState.RUNNING, SeasonState.PAUSED)


def create(
    session: Session,
    actor: User,
    *,
    name: str,
    league: str,
    cycles: int = 1,
    deals: int | None = None,
    seed: str | None = None,
    now: int,
) -> Season:
    """A season of that league, open for entries.

    Raises Forbidden, BadName, BadOption, NotFound (no such league), Conflict (name or seed taken).
    """
    require_operator(actor)
    where = session.scalar(select(League).where(League.name == league))
    if where is None:
        raise NotFound(f"there is no league {league!r}; `matchbox league list` names them")
    _check_name(session, name)
    if not 1 <= cycles <= MOST_CYCLES:
        raise BadOption(f"a season has 1 to {MOST_CYCLES} cycles, not {cycles}")
    seed = secrets.token_hex(16) if seed is None else seed
    _check_seed(session, seed)
    season = Season(
        league_id=where.id,
        name=name,
        cycles=cycles,
        deals=check_deals(where.deals if deals is None else deals),
        seed=seed,
        created_at=now,
    )
    session.add(season)
    session.flush()
    tell(session, "season.open", season.id, now=now)
    return season


def enter(session: Session, actor: User, season: Season, bot: Bot, *, now: int) -> Entry:
    """The bot's place in an open season; the version is fixed at the start.

    Raises Forbidden, or Conflict where the season is not open, or the bot plays another game, is
    retired or is in already.
    """
    require_owner(actor, bot.owner_id)
    _require(season, SeasonState.OPEN, "bots enter before the start")
    if bot.game != season.league.game:
        raise Conflict(f"{bot.full_name} plays {bot.game}, and the season {season.league.game}")
    if bot.retired_at is not None:
        raise Conflict(f"{bot.full_name} is retired; enter another bot")
    if _entry(session, season, bot) is not None:
        raise Conflict(f"{bot.full_name} is in season {season.name} already")
    entry = Entry(season_id=season.id, bot_id=bot.id)
    session.add(entry)
    session.flush()
    tell(session, "season.entered", season.id, now=now)
    return entry


def leave(session: Session, actor: User, season: Season, bot: Bot, *, now: int) -> None:
    """Takes the bot out of an open season. Raises Forbidden, Conflict or NotFound."""
    require_owner(actor, bot.owner_id)
    _require(season, SeasonState.OPEN, "bots leave before the start")
    entry = _entry(session, season, bot)
    if entry is None:
        raise NotFound(f"{bot.full_name} is not in season {season.name}")
    session.delete(entry)
    session.flush()
    tell(session, "season.left", season.id, now=now)


def start(
    session: Session, actor: User, season: Season, *, settings: Settings, now: int
) -> list[str]:
    """The ids of the season's first matches, queued; the versions of its bots are fixed.

    Raises Forbidden, or Conflict where the season is not open, has fewer bots than a table needs,
    or a bot has no active version.
    """
    require_operator(actor)
    _require(season, SeasonState.OPEN, "a season starts once")
    _fix_versions(session, season)
    league = season.league
    if league.rules != registry.game(league.game).spec.rules:
        league.rules = registry.game(league.game).spec.rules
    _change(session, season, (SeasonState.OPEN,), SeasonState.RUNNING, now, started_at=now)
    return rounds.open_first(session, season, settings=settings, now=now)


def pause(session: Session, actor: User, season: Season, *, now: int) -> None:
    """Sends no more of the season's matches; those under way end. Raises Forbidden, Conflict."""
    require_operator(actor)
    _change(session, season, (SeasonState.RUNNING,), SeasonState.PAUSED, now)


def resume(session: Session, actor: User, season: Season, *, now: int) -> None:
    """Goes on with a paused season. Raises Forbidden or Conflict."""
    require_operator(actor)
    _change(session, season, (SeasonState.PAUSED,), SeasonState.RUNNING, now)


def cancel(session: Session, actor: User, season: Season, *, now: int) -> None:
    """Ends the season here; what was not played is void. Raises Forbidden or Conflict."""
    require_operator(actor)
    living = (SeasonState.OPEN, SeasonState.RUNNING, SeasonState.PAUSED)
    _change(session, season, living, SeasonState.CANCELLED, now, finished_at=now)
    left = (Match.season_id == season.id, Match.state.in_(UNFINISHED))
    values: dict[str, Any] = {"state": MatchState.VOID, "deadline": None, "finished_at": now}
    session.execute(update(Match).where(*left).values(**values))


def advance(session: Session, *, now: int) -> list[Season]:
    """Finishes every season that is over; those that were."""
    scopes = [standings.scope_of(season) for season in over(session)]
    return [finish(session, standings.compute(session, scope), now=now) for scope in scopes]


def over(session: Session) -> list[Season]:
    """The running seasons whose matches are all final: none waits, runs or is parked."""
    left = select(Match.id).where(Match.season_id == Season.id, Match.state.in_(UNFINISHED))
    return list(session.scalars(select(Season).where(Season.state.in_(_RUNNING), ~left.exists())))


def finish(session: Session, fresh: Fresh, *, now: int) -> Season:
    """Ends a season that is over with its last standing. Raises Conflict where it has ended."""
    season = session.get_one(Season, int(fresh.scope.partition(":")[2]))
    _change(session, season, _RUNNING, SeasonState.FINISHED, now, finished_at=now)
    standings.keep(session, fresh, now=now)
    return season


def _fix_versions(session: Session, season: Season) -> None:
    if len(season.entries) < 2:
        raise Conflict(f"season {season.name} has fewer than two bots; enter more")
    for entry in season.entries:
        active = (Version.bot_id == entry.bot_id, Version.state == VersionState.ACTIVE)
        version = session.scalar(select(Version).where(*active))
        if version is None:
            raise Conflict(
                f"{entry.bot.full_name} has no active version; wait for its try-out, or take it "
                "out of the season"
            )
        entry.version_id = version.id
    session.flush()


def _entry(session: Session, season: Season, bot: Bot) -> Entry | None:
    wanted = (Entry.season_id == season.id, Entry.bot_id == bot.id)
    return session.scalar(select(Entry).where(*wanted))


def _require(season: Season, state: SeasonState, why: str) -> None:
    if season.state != state:
        raise Conflict(f"season {season.name} is {season.state}; {why}")


def _change(
    session: Session,
    season: Season,
    before: Sequence[SeasonState],
    after: SeasonState,
    now: int,
    **values: int,
) -> None:
    """Compare and set on the season's state. Raises Conflict."""
    if not compare_and_set(session, season, {"state": after, **values}, Season.state.in_(before)):
        wanted = " or ".join(before)
        raise Conflict(f"season {season.name} is {season.state}, and would have to be {wanted}")
    tell(session, f"season.{after}", season.id, now=now)


def _check_name(session: Session, name: str) -> None:
    if not 1 <= len(name) <= 64 or not name.isprintable() or name != name.strip():
        raise BadName("a season's name has 1 to 64 printable characters, no space at its ends")
    if name.isdecimal() or name in registry.packages():
        raise BadName(f"{name!r} cannot be a season's name: it is a number, or names a game")
    if session.scalar(select(Season.id).where(Season.name == name)) is not None:
        raise Conflict(f"there is a season {name!r} already; choose another name")


def _check_seed(session: Session, seed: str) -> None:
    if not 16 <= len(seed) <= 64 or not seed.isprintable():
        raise BadOption(
            "a season's seed has 16 to 64 printable characters, and is nothing a bot could guess: "
            "its deals all follow from it"
        )
    if session.scalar(select(Season.id).where(Season.seed == seed)) is not None:
        raise Conflict("a season with this seed is on the books; no deal is played in two seasons")

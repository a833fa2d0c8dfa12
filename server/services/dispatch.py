"""Sends queued matches to the arenas; leagues and seasons take turns. Plays none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, TypeAlias

from sqlalchemy import CompoundSelect, Select, bindparam, func, null, select
from sqlalchemy.orm import aliased

from matchbox.match import wire
from server import outbox
from server.db.models import (
    TRUSTED,
    Bot,
    Comparison,
    ComparisonState,
    League,
    Match,
    MatchSeat,
    MatchState,
    Season,
    SeasonState,
    User,
    Version,
)
from server.services import disk, jobs, samples
from server.services.events import publish
from server.services.matches import MATCH, job_of, load
from server.services.quarantine import HELD
from server.services.walls import Wall, wall

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings

MIN_WINDOW: Final = 32
"""The smallest default window, in matches."""
PER_ARENA: Final = 4
"""The number of matches in the default window for each arena."""
MAX_FIRST_MATCHES: Final = 4
"""The most first matches of versions that are sent at a time in addition to the window."""
MAX_PER_TRANSACTION: Final = 500
"""The most matches that one transaction sends, since other writers wait for it."""

Scope: TypeAlias = tuple[int, int | None, int | None]
"""The league, season and comparison of a match. Each scope has its own turns."""
UnderWay: TypeAlias = "Counter[Scope]"

_STRANGERS: Final = (
    select(MatchSeat.match_id)
    .join(Version, Version.id == MatchSeat.version_id)
    .join(Bot, Bot.id == Version.bot_id)
    .join(User, User.id == Bot.owner_id)
    .where(MatchSeat.match_id == Match.id)
    .where(User.role.not_in(TRUSTED))
    .correlate(Match)
)
"""Selects the seats of a match whose bots belong to neither operators nor the house."""
_RUNNING: Final = Match.state == MatchState.RUNNING
_COUNT_RUNNING: Final = select(func.count()).where(_RUNNING)
_ANY_QUEUED: Final = select(Match.id).where(Match.state == MatchState.QUEUED).limit(1)
_SCOPE: Final = (Match.league_id, Match.season_id, Match.comparison_id)
_UNDER_WAY: Final = select(*_SCOPE, func.count()).where(_RUNNING).group_by(*_SCOPE)


def dispatch(session: Session, *, settings: Settings, now: int) -> int:
    """Sends queued matches while the window has room; returns how many were sent.

    A version's first match is sent at once, ahead of the others. Leagues and seasons take turns.
    While an arena has no wall, matches with strangers' bots wait. Matches with a version in
    quarantine wait until that version is settled. The width of a match is decided when it is sent
    for the first time. Nothing is sent while the disk is full.
    """
    if disk.is_full(settings):
        return 0
    room = max(0, min(window(session, settings) - _running(session), MAX_PER_TRANSACTION))
    first, sent = first_matches(session), 0
    for match in next_queued(session, room, first) if room or first else ():
        task = wire.PLAY_COMPARISON if match.comparison_id is not None else None
        task = wire.PLAY_FIRST if match.id in first else task
        sent += _send(session, match, settings, now, task)
    return sent


def _send(session: Session, match: Match, settings: Settings, now: int, task: str | None) -> bool:
    width = match.width if match.attempt else samples.width_of(session, match)
    with session.no_autoflush:  # Pending changes do not concern this match.
        if not jobs.lease(session, MATCH, match, settings=settings, now=now, width=width):
            return False
    outbox.post(session, job_of(match, settings), task)
    publish(session, "match.running", match.id, now=now)
    return True


def first_matches(session: Session) -> list[str]:
    """Returns the ids of queued ranked matches that would be the first match sent with a version.

    There is one for each such version, and at most MAX_FIRST_MATCHES in all.
    """
    first: dict[int, str] = {}
    for name, version in session.execute(_never_sent(wall(session).walled)):
        first.setdefault(version, name)
    return list(dict.fromkeys(first.values()))[:MAX_FIRST_MATCHES]


@cache
def _never_sent(walled: bool) -> Select[str, int]:
    """Selects every ranked match that may be sent and has a version that was in no match sent
    before, each with that version."""
    earlier, other = aliased(MatchSeat), aliased(Match)
    sent = (
        select(earlier.match_id)
        .join(other, other.id == earlier.match_id)
        .where(earlier.version_id == MatchSeat.version_id, other.attempt > 0)
    )
    return (
        _ready(walled)
        .add_columns(MatchSeat.version_id)
        .join(MatchSeat, MatchSeat.match_id == Match.id)
        .join(League, League.id == Match.league_id)
        .where(Match.is_ranked, League.paused.is_(False))
        .where(~sent.exists())
    )


def is_low(session: Session, *, settings: Settings) -> bool:
    """Whether matches wait while less than half the window is under way, and the disk has room.

    Always False while an arena has no wall: finding the matches that may be sent is then slow, and
    is left to the tick.
    """
    present = wall(session)
    if 2 * _running(session) >= _window(present, settings) or not present.walled:
        return False
    return not disk.is_full(settings) and session.scalar(_ANY_QUEUED) is not None


def window(session: Session, settings: Settings) -> int:
    """Returns the most matches that may be under way: the setting, or if it is 0, a number that
    depends on the arenas."""
    return _window(wall(session), settings)


def _window(present: Wall, settings: Settings) -> int:
    return settings.dispatch_window or max(MIN_WINDOW, PER_ARENA * len(present.playing))


def _running(session: Session) -> int:
    return session.scalar(_COUNT_RUNNING) or 0


def next_queued(session: Session, room: int, first: Sequence[str]) -> Sequence[Match]:
    """Returns the `first` matches, and others up to `room` in all, in the order of sending.

    After the first ones, the next match comes from the league or season with the fewest under way,
    counting the matches chosen before it, and is the oldest one there. All comparisons together
    count as one season, and share its turns in the same way.
    """
    sent_to, walled = under_way(session), wall(session).walled
    places: list[tuple[int, str]] = []
    for league, season in waiting_scopes(session):
        own = {"league": league, "season": season, "room": room}
        waiting = session.scalars(_turns(walled, ranked=season is None), own)
        places += enumerate(waiting, sent_to[league, season, None] + 1)
    sent = sum(count for (*_, comparison), count in sent_to.items() if comparison is not None)
    places += enumerate(_compared(session, sent_to, walled)[:room], sent + 1)
    others = [name for _, name in sorted(places) if name not in first]
    names = [*first, *others[: max(room - len(first), 0)]]
    found = {match.id: match for match in load(session, names)}
    return [found[name] for name in names]


def under_way(session: Session) -> UnderWay:
    """Returns the number of running matches of each scope."""
    found = session.execute(_UNDER_WAY)
    return Counter({(league, season, one): count for league, season, one, count in found})


def any_ready(session: Session) -> bool:
    """Whether a match waits that may be sent."""
    if waiting_scopes(session):
        return True
    return session.execute(_of_comparisons(wall(session).walled)).first() is not None


def waiting_scopes(session: Session) -> Sequence[tuple[int, int | None]]:
    """Returns the (league, season) pairs with matches that may be sent; season is None for ranked
    ones. Comparisons are left out."""
    scopes = session.execute(_scopes(wall(session).walled))
    return [(league, season) for league, season in scopes]


@cache
def _scopes(walled: bool) -> CompoundSelect[int, int | None]:
    """Selects what `waiting_scopes` returns."""
    ready = _ready(walled).order_by(None)
    ranked = ready.where(Match.league_id == League.id, Match.is_ranked).correlate(League)
    played = ready.where(Match.league_id == Season.league_id, Match.season_id == Season.id)
    awake = select(League.id, null()).where(League.paused.is_(False), ranked.exists())
    running = select(Season.league_id, Season.id).where(Season.state == SeasonState.RUNNING)
    return awake.union_all(running.where(played.correlate(Season).exists()))


@cache
def _turns(walled: bool, *, ranked: bool) -> Select[str]:
    """Selects the next `room` matches of the ranked queue of a `league`, or of a `season` there."""
    own = Match.is_ranked if ranked else Match.season_id == bindparam("season")
    ready = _ready(walled).where(Match.league_id == bindparam("league"), own)
    return ready.limit(bindparam("room"))


def _compared(session: Session, sent_to: UnderWay, walled: bool) -> list[str]:
    """The ids of the waiting matches of all comparisons, in the order of their turns."""
    turns: list[tuple[int, str]] = []
    reached = sent_to.copy()
    for name, league, comparison in session.execute(_of_comparisons(walled)):
        reached[league, None, comparison] += 1
        turns.append((reached[league, None, comparison], name))
    return [name for _, name in sorted(turns)]


@cache
def _of_comparisons(walled: bool) -> Select[str, int, int | None]:
    """Selects the matches of all comparisons that may be sent, each with league and comparison."""
    running = (League.paused.is_(False), Comparison.state == ComparisonState.RUNNING)
    due = select(Comparison.id).join(League).where(*running)
    ready = _ready(walled).add_columns(Match.league_id, Match.comparison_id)
    return ready.where(Match.comparison_id.in_(due))


@cache
def _ready(walled: bool) -> Select[str]:
    """Selects the ids of the queued matches that may be sent, oldest first."""
    ready = [Match.state == MatchState.QUEUED, Match.id.not_in(HELD)]
    if not walled:
        ready.append(~_STRANGERS.exists())
    return select(Match.id).where(*ready).order_by(Match.number, Match.id)

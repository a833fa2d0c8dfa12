"""Does everything that is due according to the database. Called every few seconds."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

import structlog
from sqlalchemy.exc import SQLAlchemyError

from matchbox.errors import CallerFault, MatchboxError, Unavailable
from server import outbox
from server.db.models import Season
from server.services import (
    announcements,
    board_counts,
    comparisons,
    contact,
    dispatch,
    drafts,
    editions,
    events,
    fault_counts,
    job_kinds,
    logins,
    lost_messages,
    match_verifications,
    play,
    quarantine,
    ranked,
    retention,
    rounds,
    season_progress,
    seasons,
    signs,
    standings,
)
from server.times import HOUR_MS, MINUTE_MS

if TYPE_CHECKING:
    from server.context import Context

SETTLED_MS: Final = 2 * MINUTE_MS
"""For this long after a start of the platform, no season starts by its schedule."""

log = structlog.get_logger(__name__)


def tick(context: Context, *, with_standings: bool = True) -> None:
    """Runs all steps of the ledger that are due.

    The steps are independent: whatever error ends one is logged, and the next tick tries it again.
    Without `with_standings` it leaves out the one step that takes longer the more matches have been
    played; the caller then runs `refresh_standings` elsewhere.
    """
    for step in (
        _sweep,
        _end_idle_tables,
        _end_verifications,
        _quarantine,
        _advance,
        _move_up,
        _schedule,
        _compare,
        _feed,
        _dispatch,
        _refresh,
        _announce,
        _trim,
        _prune,
        _flush,
        _find_lost,
        _beat,
    ):
        if with_standings or step is not _refresh:
            _attempt(step, context)


def refresh_standings(context: Context) -> None:
    """Computes the standings that are out of date. A failure is logged; the next call goes on."""
    _attempt(_refresh, context)


def prune_some(context: Context) -> dict[str, int]:
    """Removes the next old rows of each kind; returns the number of each kind, without zeros.

    A reader's session finds them, and each kind has a write transaction of its own, so that no
    writer waits long.
    """
    counts: dict[str, int] = {}
    settings, now = context.settings, context.now()
    for kind in retention.KINDS:
        with context.read() as session:
            if not retention.find(session, kind, settings=settings, now=now):
                continue
        with context.write() as session:
            removed = retention.remove(session, kind, settings=settings, now=now)
        if removed:
            counts[kind.name] = removed
    return counts


def refill(context: Context) -> None:
    """Sends more matches between two ticks if less than half the window is under way.

    Called after a match was recorded. A failure is logged, and the next tick tries again.
    """
    _attempt(_refill, context)


def _attempt(step: Callable[[Context], None] | partial[None], context: Context) -> None:
    name = step.func.__name__ if isinstance(step, partial) else step.__name__
    try:
        step(context)
    except (MatchboxError, SQLAlchemyError) as error:
        log.warning("tick.step", step=name, why=f"{type(error).__name__}: {error}")
    except Exception:  # An unforeseen error in one step must not stop the others.
        log.exception("tick.failed", step=name)


def _flush(context: Context) -> None:
    try:
        while outbox.flush(context.database, context.sender, context.now()):
            pass
    except Unavailable as error:
        log.warning("outbox.waits", why=str(error))


def _find_lost(context: Context) -> None:
    """Looks for messages that are gone, unless some messages still wait to be sent."""
    with context.read() as session:
        if outbox.is_waiting(session):
            return
    lost_messages.expire_lost(context)


def _beat(context: Context) -> None:
    """Stores the sign of life. It comes last, since it says that all steps before it are done."""
    _give_sign(context, signs.TICK)


def _give_sign(context: Context, of: str) -> None:
    with context.read() as session:
        due = signs.is_due(session, of, now=context.now())
    if due:
        with context.write() as session:
            signs.note(session, of, now=context.now())


def _sweep(context: Context) -> None:
    with context.write() as session:
        job_kinds.sweep(session, settings=context.settings, now=context.now())


def _end_idle_tables(context: Context) -> None:
    with context.write() as session:
        play.end_idle(session, settings=context.settings, now=context.now())


def _end_verifications(context: Context) -> None:
    """Ends verifications that no arena may do. Not soon after a start: others may yet report."""
    now = context.now()
    with context.read() as session:
        settled = signs.has_run(session, SETTLED_MS, now=now)
        due = settled and match_verifications.impossible(session, now=now)
    if due:
        with context.write() as session:
            match_verifications.end_impossible(session, now=context.now())


def _quarantine(context: Context) -> None:
    with context.write() as session:
        quarantine.quarantine_suspects(session, settings=context.settings, now=context.now())


def _advance(context: Context) -> None:
    with context.read() as session:
        due = [season.id for season in rounds.due(session)]
    for number in due:
        _attempt(partial(_go_on, number), context)


def _go_on(number: int, context: Context) -> None:
    """Takes a season one step further, or pauses it with the reason if it cannot go on."""
    try:
        _take_step(number, context)
        return
    except CallerFault as error:
        why = str(error)
        log.warning("season.cannot_go_on", season=number, why=why)
    except (MatchboxError, SQLAlchemyError, OSError, MemoryError):
        raise  # The next tick may succeed.
    except Exception:  # Unforeseen: without a pause the season would stand still without a word.
        why = "the platform failed at its next step; the log of the ledger has the error"
        log.exception("season.failed", season=number)
    with context.write() as session:
        season = session.get_one(Season, number)
        if rounds.is_due(session, season):
            seasons.stop(session, season, why, now=context.now())


def _take_step(number: int, context: Context) -> None:
    """Opens a season's lessons or its next rounds, or finishes it.

    Pairings and standings are computed in a reader's session, so that no writer waits for them. If
    an entrant or a result has changed in the meantime, they are left to the next tick. The time is
    read once it is this writer's turn, so a round is never older than what it follows from.
    """
    settings = context.settings
    with context.read() as session:
        season = session.get_one(Season, number)
        seen = season_progress.fingerprint(session, season)
        leaving = rounds.leavers(session, season, settings=settings, now=context.now())
    with context.write() as session:
        season = session.get_one(Season, number)
        changed = season_progress.fingerprint(session, season) != seen
        if changed or not rounds.is_due(session, season):
            return
        if not rounds.settle_round(session, season, leaving, settings=settings, now=context.now()):
            return
    with context.read() as session:
        season = session.get_one(Season, number)
        seen = season_progress.fingerprint(session, season)
        found = rounds.next_of(session, season, now=context.now())
        places = [] if found else season_progress.places_of(session, season)
        last = None if found else standings.compute(session, standings.scope_of(season))
    with context.write() as session:
        season = session.get_one(Season, number)
        if season_progress.fingerprint(session, season) != seen:
            return
        if last is None:
            rounds.open_next(session, season, found, settings=settings, now=context.now())
        elif rounds.is_due(session, season):
            seasons.finish(session, last, places=places, now=context.now())


def _schedule(context: Context) -> None:
    """Starts the seasons whose time has come, and opens the next ones.

    Starts none just after the platform has: the clock may still be wrong, and a start is for good.
    """
    with context.read() as session:
        settled = signs.has_run(session, SETTLED_MS, now=context.now())
        due = editions.due(session, now=context.now()) if settled else []
    for number in due:
        _attempt(partial(_start_edition, number), context)
    with context.read() as session:
        leagues = editions.leagues_without_edition(session, now=context.now())
        lacking = [league.id for league in leagues]
    for number in lacking:
        _attempt(partial(_open_edition, number), context)


def _move_up(context: Context) -> None:
    """Moves up the editions whose times were set while the clock was ahead.

    Does nothing soon after a start: the clock may be behind, and still be put right.
    """
    with context.read() as session:
        settled = signs.has_run(session, HOUR_MS, now=context.now())
        late = editions.too_late(session, now=context.now()) if settled else []
    for number in late:
        with context.write() as session:
            editions.move_up(session, number, now=context.now())


def _open_edition(number: int, context: Context) -> None:
    with context.write() as session:
        editions.open_next(session, number, now=context.now())


def _start_edition(number: int, context: Context) -> None:
    """Starts a season by its league's schedule, or postpones it if it cannot be played."""
    try:
        with context.write() as session:
            editions.start(session, number, settings=context.settings, now=context.now())
    except CallerFault as error:
        with context.write() as session:
            editions.postpone(session, number, str(error), now=context.now())


def _compare(context: Context) -> None:
    with context.read() as session:
        due = comparisons.due(session)
    for number in due:
        _attempt(partial(_advance_comparison, number), context)


def _advance_comparison(number: int, context: Context) -> None:
    with context.write() as session:
        comparisons.advance(session, number, settings=context.settings, now=context.now())


def _feed(context: Context) -> None:
    with context.read() as session:
        due = ranked.due(session)
    for number in due:
        _attempt(partial(_feed_one, number), context)


def _feed_one(number: int, context: Context) -> None:
    with context.write() as session:
        ranked.feed(session, number, settings=context.settings, now=context.now())


def _dispatch(context: Context) -> None:
    with context.write() as session:
        dispatch.dispatch(session, settings=context.settings, now=context.now())


def _refill(context: Context) -> None:
    with context.read() as session:
        low = dispatch.is_low(session, settings=context.settings)
    if low:
        _dispatch(context)


def _refresh(context: Context) -> None:
    """Computes the standings that are out of date."""
    with context.read() as session:
        context.pair_counts.forget_others(standings.open_scopes(session))
        scopes = standings.stale(session, now=context.now())
    for scope in scopes:
        _attempt(partial(_refresh_one, scope), context)
    _give_sign(context, signs.STANDINGS)


def _refresh_one(scope: str, context: Context) -> None:
    """Computes the standing, unless another ledger has just done so.

    If another one does so meanwhile, or a match becomes void, nothing is stored: the next tick sees
    whether it still lags.
    """
    with context.read() as session:
        if not standings.is_stale(session, scope, now=context.now()):
            return
        before = board_counts.stamp(session, scope)
    with context.read() as session:
        fresh = standings.compute(session, scope, context.pair_counts)
    with context.write() as session:
        if board_counts.stamp(session, scope) == before:
            standings.store(session, fresh, now=context.now())


def _announce(context: Context) -> None:
    with context.read() as session:
        due = announcements.due(session)
    for number in due:
        _attempt(partial(_announce_one, number), context)


def _announce_one(number: int, context: Context) -> None:
    with context.write() as session:
        announcements.announce(session, number, now=context.now())


def _trim(context: Context) -> None:
    with context.read() as session:
        attempts = logins.old(session, now=context.now())
        links = contact.old_links(session, now=context.now())
    with context.write() as session:
        events.trim(session)
        logins.trim(session, attempts, now=context.now())
        contact.trim(session, links, now=context.now())
        drafts.trim(session, now=context.now())
        fault_counts.trim(session, now=context.now())


def _prune(context: Context) -> None:
    """Removes some old rows, but none soon after a start: the clock may still be wrong."""
    now = context.now()
    with context.read() as session:
        due = retention.is_due(session, now=now) and signs.has_run(session, HOUR_MS, now=now)
    if due and not prune_some(context):
        with context.write() as session:
            retention.note_nothing_left(session, now=context.now())

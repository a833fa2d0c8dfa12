"""One look through the books: what is due is done. Called every few seconds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import structlog
from sqlalchemy.exc import SQLAlchemyError

from matchbox.errors import MatchboxError, Unavailable
from server import outbox
from server.services import dispatch, news, quarantine, ranked, seasons, standings, sweep

if TYPE_CHECKING:
    from server.context import Context

log = structlog.get_logger(__name__)


def tick(context: Context) -> None:
    """Sweeps, takes suspects aside, advances, feeds, dispatches, renews standings and sends.

    Each step stands alone: one that fails is logged, and is due again at the next tick.
    """
    for step in (_sweep, _quarantine, _advance, _feed, _dispatch, _refresh, _trim, _flush):
        _attempt(step, context)


def _attempt(step: Callable[[Context], None], context: Context) -> None:
    try:
        step(context)
    except (MatchboxError, SQLAlchemyError) as error:
        log.warning("tick.step", step=step.__name__, why=f"{type(error).__name__}: {error}")


def _flush(context: Context) -> None:
    try:
        while outbox.flush(context.database, context.sender, context.now()):
            pass
    except Unavailable as error:
        log.warning("outbox.waits", why=str(error))


def _sweep(context: Context) -> None:
    with context.write() as session:
        sweep.sweep(session, settings=context.settings, now=context.now())


def _quarantine(context: Context) -> None:
    with context.write() as session:
        quarantine.take_aside(session, settings=context.settings, now=context.now())


def _advance(context: Context) -> None:
    with context.read() as session:
        over = [standings.scope_of(season) for season in seasons.over(session)]
        last = [standings.compute(session, scope) for scope in over]
    for fresh in last:
        with context.write() as session:
            seasons.finish(session, fresh, now=context.now())


def _feed(context: Context) -> None:
    with context.write() as session:
        ranked.feed(session, settings=context.settings, now=context.now())


def _dispatch(context: Context) -> None:
    with context.write() as session:
        dispatch.dispatch(session, settings=context.settings, now=context.now())


def _refresh(context: Context) -> None:
    with context.read() as session:
        scopes = standings.stale(session, now=context.now())
    for scope in scopes:
        with context.read() as session:
            fresh = standings.compute(session, scope)
        with context.write() as session:
            standings.keep(session, fresh, now=context.now())


def _trim(context: Context) -> None:
    with context.write() as session:
        news.trim(session)

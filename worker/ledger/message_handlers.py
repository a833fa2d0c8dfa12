"""What the ledger does with a message: reads it, and lets a service book it.

Knows messages and services; knows no Celery. A message that is none, or that is not of an attempt
of ours, is refused by name and logged: the row brings the job back. A result of ours that cannot be
read is lost by the platform, and counted so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

import structlog

from matchbox.errors import BadMessage, CallerFault
from matchbox.match import wire
from matchbox.match.wire import Learned, Lost, MatchPlayed, TriedOut
from server.services import lessons, matches, verdicts
from server.services import tick as ticking

if TYPE_CHECKING:
    import msgspec

    from server.context import Context

log = structlog.get_logger(__name__)
Message = TypeVar("Message", bound="msgspec.Struct")

_SUBJECTS: Final[dict[type[Any], str]] = {
    TriedOut: "version",
    MatchPlayed: "match",
    Learned: "lesson",
}
"""What each result calls the job that it is of."""


def settle(context: Context, data: object) -> bool:
    """Books a try-out's verdict; False where it changed nothing. Raises Unavailable."""
    return _book(context, TriedOut, data, verdicts.settle)


def record(context: Context, data: object) -> bool:
    """Books a match's record, and sends more matches where few are under way; False where it
    changed nothing. Raises Unavailable."""
    changed = _book(context, MatchPlayed, data, matches.record)
    if changed:
        ticking.refill(context)
    return changed


def remember(context: Context, data: object) -> bool:
    """Books what came of a lesson; False where it changed nothing. Raises Unavailable."""
    return _book(context, Learned, data, lessons.remember)


def lost(context: Context, data: object) -> bool:
    """Books a platform fault; False where it changed nothing. Raises Unavailable."""
    return _book(context, Lost, data, matches.lost)


def tick(context: Context) -> None:
    """Does what is due."""
    ticking.tick(context)


def _book(
    context: Context, kind: type[Message], data: object, service: Callable[..., bool]
) -> bool:
    try:
        message = wire.from_plain(kind, data)
        with context.write() as session:
            changed = service(session, message, settings=context.settings, now=context.now())
    except CallerFault as error:
        log.warning("message.refused", kind=kind.__name__, why=f"{type(error).__name__}: {error}")
        if isinstance(error, BadMessage) and kind in _SUBJECTS and isinstance(data, dict):
            _lose(context, _SUBJECTS[kind], data, str(error))
        return False
    if not changed:
        log.info("message.changed_nothing", kind=kind.__name__)
    return changed


def _lose(context: Context, subject: str, data: dict[str, Any], why: str) -> None:
    """Books the job of a result that cannot be read as lost: the next may be no better."""
    told = {"subject": data.get(subject), "attempt": data.get("attempt"), "why": why}
    try:
        missed = wire.from_plain(Lost, told | {"token": data.get("token")})
    except BadMessage:
        return
    lost(context, wire.to_plain(missed))

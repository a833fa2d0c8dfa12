"""Books the results of arenas. Before that, replays the moves of a match by the rules.

The replay needs no bot, and runs outside of any transaction, so that no writer waits for it.
Matches may be booked together, in one transaction: most of what a match costs is the transaction
and the rows that it shares with others.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any, Final

import structlog
from msgspec.structs import replace

from matchbox import registry
from matchbox.errors import BadMessage, BadRecord, CallerFault, Unavailable, UnknownGame
from matchbox.match import record as records
from matchbox.match import replay, wire
from matchbox.settings import libraries_of
from server.db.models import Match
from server.services import (
    arenas,
    job_kinds,
    jobs,
    match_verifications,
    matches,
    ratings,
    results,
    stopped_arenas,
    tick,
)
from server.services.matches import MATCH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from matchbox.match.record import Record
    from matchbox.settings import Settings
    from server.context import Context

_IN_EVERY_BOX: Final = "greenlet"
"""The module of every box that records name. No bot needs it, so its version does not count."""

log = structlog.get_logger(__name__)


def book(context: Context, task: str, data: object, *, holder: str = "") -> bool:
    """Records the result of a job. Returns False if that changed nothing.

    The match of a stopped arena is refused, and so is a record that does not replay: see
    `arenas.refuse`. Other results do not name an arena, so a stopped arena's last job is still
    booked if it was not a match.

    `holder` is the arena with a key that hands the result in, else empty. It must hold the job; if
    it loses the job, that counts as no fault. Its record is replayed only if it belongs to that
    job, and is packed anew, so that nothing else is stored with it. Raises the errors of
    `job_kinds.book`, and Conflict if the holder does not hold the job.
    """
    if task == wire.RECORD:
        return book_matches(context, [data], holder=holder)[0]
    settings, now = context.settings, context.now()
    with context.write() as session:
        _check_holder(session, task, data, holder, settings)
        if holder and task == wire.LOST:
            missed = wire.from_plain(wire.Lost, data)
            job_kinds.give_back(session, missed, settings=settings, now=now)
            return True
        changed = job_kinds.book(session, task, data, settings=settings, now=now)
        if changed and task == wire.BOOK_VERIFICATION:
            about = job_kinds.claim_of(task, data)
            arenas.stop_if_different(session, about, settings=settings, now=now)
    if not changed:
        log.info("message.changed_nothing", task=task)
    return changed


def book_message(context: Context, task: str, data: object) -> bool:
    """Records a result as `book` does, but refuses an invalid message, as no sender waits for it.

    If a result of one of our attempts cannot be read, its job counts as lost by the platform. The
    job of any other refused message is queued again by the sweeper. Raises Unavailable.
    """
    try:
        return book(context, task, data)
    except CallerFault as error:
        log.warning("message.refused", task=task, why=f"{type(error).__name__}: {error}")
        kind = job_kinds.RESULTS[task].kind
        if isinstance(error, BadMessage) and kind is not None and isinstance(data, dict):
            _lose(context, kind, data, str(error))
        return False


def _lose(context: Context, kind: wire.Kind, data: dict[str, Any], why: str) -> None:
    """Counts the job of an unreadable result as lost, so that it is parked if that goes on."""
    message = {
        "kind": kind,
        "subject": data.get(kind),
        "attempt": data.get("attempt"),
        "token": data.get("token"),
        "why": why,
    }
    try:
        missed = wire.from_plain(wire.Lost, message)
    except BadMessage:
        return
    book_message(context, wire.LOST, wire.to_plain(missed))


def book_matches(context: Context, data: Sequence[object], *, holder: str = "") -> list[bool]:
    """Records the results of matches, in order, in one transaction; see `book`.

    Then sends more matches if few are under way. Returns for each result whether it changed
    anything. If one raises an error, none is recorded: then call `book` for each. Raises the errors
    of `book`.
    """
    settings = context.settings
    read = [wire.from_plain(wire.MatchPlayed, one) for one in data]
    if holder:
        looked = [_looked_at(context, replace(played, arena=holder)) for played in read]
    else:
        looked = [(played, why_false(played, context.settings), "") for played in read]
    with context.write() as session:
        now = context.now()  # Not before: to replay the records and to wait for a turn takes time.
        for one in data:
            _check_holder(session, wire.RECORD, one, holder, context.settings)
        known = matches.load(session, [played.match for played in read])
        _ratings = ratings.load(session, known)  # Keeps the rows in the session, for all matches.
        stopped = stopped_arenas.stopped(session)
        changed = []
        for played, why, unfit in looked:
            if why:
                arenas.refuse(session, played, why, settings=settings, now=now)
                stopped = stopped_arenas.stopped(session)
                changed.append(False)
            elif stopped_arenas.find_stop(stopped, played.arena):
                _turn_away(session, played, settings=settings, now=now)
                changed.append(False)
            else:
                changed.append(
                    matches.record(session, played, unfit=unfit, settings=settings, now=now)
                )
                if changed[-1]:
                    match_verifications.check_arena(
                        session, played.match, settings=settings, now=now
                    )
    for _ in range(changed.count(False)):
        log.info("message.changed_nothing", task=wire.RECORD)
    if any(changed):
        tick.refill(context)
    return changed


def _check_holder(
    session: Session, task: str, data: object, holder: str, settings: Settings
) -> None:
    """Raises Conflict if there is a holder that does not hold the job."""
    if holder:
        about = job_kinds.claim_of(task, data)
        job_kinds.require_holder(session, about, holder, settings=settings)


def _looked_at(context: Context, played: wire.MatchPlayed) -> tuple[wire.MatchPlayed, str, str]:
    """The result in the form in which it is stored; the reason why its record is false, see
    `why_false`; and the reason why it is no record of its match, for the service that books it.

    Its arena has a key. Nothing is unpacked later, while other writers wait, unless it fits.
    Raises Conflict if the arena does not hold the job, NotFound or Forbidden, and BadMessage for a
    record of other versions than here: nobody could check it by playing it again.
    """
    about = job_kinds.claim_of(wire.RECORD, played)
    with context.read() as session:
        match = job_kinds.require_holder(session, about, played.arena, settings=context.settings)
        assert isinstance(match, Match)
        try:
            record = results.unpack(match, played.record)
            results.check(match, record)
        except BadRecord as error:
            return played, "", str(error)
    _check_versions(match, record, context.settings)
    if why := why_false(played, context.settings):
        return played, why, ""
    return replace(played, record=records.pack(record)), "", ""


def _check_versions(match: Match, record: Record, settings: Settings) -> None:
    """Raises BadMessage if the record names another version of Python, or of a library that bots
    may import, than the server has."""
    python, offered = records.python_minor(), registry.library_versions(libraries_of(settings))
    here = {**offered, "Python": python, _IN_EVERY_BOX: record.libraries.get(_IN_EVERY_BOX)}
    for name, theirs in {**record.libraries, "Python": record.python or python}.items():
        if theirs != here.get(name):
            raise BadMessage(
                f"the record of match {match.id} is of {name[:32]} {theirs[:32]} and the server "
                f"has {here.get(name, 'none')}, so the match is played again"
            )


def why_false(played: wire.MatchPlayed, settings: Settings) -> str:
    """Returns the reason why the record does not replay by the rules; empty if it does.

    Replays only the share of records that the settings say. A record that cannot be read, or of a
    game or rules that are not installed, is left to the service that books it. Raises Unavailable
    if there is no memory for the replay.
    """
    if secrets.randbelow(100) >= settings.replay_percent:
        return ""
    try:
        record = records.unpack(played.record)
        game = registry.game(record.game)
    except (BadRecord, BadMessage, UnknownGame):
        return ""
    if record.rules != game.spec.rules:
        return ""
    try:
        replay.replay(game, record)
    except BadRecord as error:
        return str(error)
    except MemoryError:  # The ledger's machine is short of memory, which is no fault of the arena.
        raise Unavailable("there is no memory to replay a match; it is tried again") from None
    except Exception as error:  # noqa: BLE001 - A forged move may upset any line of a game.
        return f"{type(error).__name__}: {error}"[:300]
    return ""


def _turn_away(session: Session, played: wire.MatchPlayed, *, settings: Settings, now: int) -> None:
    """Gives the match of a stopped arena to another, and drops its result."""
    match = jobs.find(session, MATCH, played.match, played.attempt, played.token, settings=settings)
    why = f"arena {played.arena} is stopped, so its result does not count"
    log.warning("result.refused", match=match.id, attempt=played.attempt, why=why)
    jobs.give_back(session, MATCH, match, played.attempt, why, settings=settings, now=now)

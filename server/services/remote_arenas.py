"""Serves arenas on other hosts: with their keys they take jobs here, and hand in results.

What an arena may see and do depends on the job that it holds, and it holds one job at most. A job
is taken from the broker on its behalf and claimed for it, so no other arena gets the job's token.
"""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import structlog
from sqlalchemy import delete, select

from matchbox.errors import (
    ArenaOutdated,
    ArenaStopped,
    BadMessage,
    Conflict,
    Forbidden,
    MatchboxError,
    NotFound,
    Unavailable,
)
from matchbox.match import wire
from matchbox.match.host_versions import HostVersions, own_versions
from matchbox.match.wire import Verify
from matchbox.settings import libraries_of
from server.db.models import ArenaPart
from server.db.session import count_rows
from server.services import (
    arena_keys,
    broker,
    job_files,
    job_kinds,
    jobs,
    match_verifications,
    stopped_arenas,
    walls,
)
from server.services.remote_names import key_of, of_key
from server.times import MINUTE_MS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.orm import Session

    from matchbox.settings import Settings
    from server.context import Context

PARTS: Final = 32
"""The most parts of a result: 16 MiB."""
_MAX_PARTS: Final = 4 * PARTS
"""The most parts that are kept for all arenas with one key."""
_LOOKS: Final = 16
"""The number of messages of a queue that are read at a time, and the most that are dropped for one
request."""
_FEW: Final = 3
"""The number of attempts by remote arenas before a job is left to local ones, if there are any."""
_LEASES: Final = 6
"""The longest time for which an arena may hold one attempt, in lengths of a message's lease."""

log = structlog.get_logger(__name__)


def check(body: Mapping[str, Any], settings: Settings) -> None:
    """Raises ArenaOutdated unless the arena has this server's release, Python, rules and libraries.

    Raises BadMessage if the arena does not report them.
    """
    there = wire.from_plain(HostVersions, dict(body))
    here = own_versions(libraries_of(settings))
    if there.release != here.release:
        raise ArenaOutdated(
            f"this arena has release {there.release[:32]} of Matchbox and the server has "
            f"{here.release}; install release {here.release} there with `make install`, then start "
            "the arena again"
        )
    if there.python != here.python:
        raise ArenaOutdated(
            f"this arena has Python {there.python[:32]} and the server has {here.python}; install "
            f"Python {here.python} there, run `make install` with it, then start the arena again"
        )
    other = sorted(
        name
        for name in here.rules.keys() | there.rules
        if here.rules.get(name) != there.rules.get(name)
    )
    if other:
        raise ArenaOutdated(
            f"this arena has other rules of {', '.join(other)[:200]} than the server; install the "
            "same games there, from the same files, then start the arena again"
        )
    if there.match != here.match:
        raise ArenaOutdated(
            f"this arena has another state of release {here.release} than the server; get the same "
            "commit or package there, run `make install`, then start the arena again"
        )
    if there.libraries.keys() != here.libraries.keys():
        raise ArenaOutdated(
            "bots may import other libraries in this arena than on the server; set "
            f"MATCHBOX_LIBRARIES={settings.libraries} there, then start the arena again"
        )
    for name, installed in here.libraries.items():
        if there.libraries[name] != installed:
            raise ArenaOutdated(
                f"this arena has {name} {there.libraries[name][:32]} and the server has "
                f"{installed}; run `make install` there, then start the arena again"
            )


def take(
    context: Context, arena: str, body: Mapping[str, Any]
) -> tuple[str, dict[str, Any]] | None:
    """Returns the task and the message of the arena's next job; None if there is none now.

    An arena that asks for a job is idle: a job that it still holds is given to another.

    Raises ArenaOutdated, BadMessage, BrokerUnavailable, Forbidden if the key was removed,
    ArenaStopped if the arena gets no jobs, and Conflict if it has not reported lately: operators
    could not see it.
    """
    check(body, context.settings)
    with context.read() as session:
        require_welcome(session, arena)
        if arena not in walls.reporting_arenas(session, now=context.now()):
            raise Conflict(f"{arena} must report its wall to /remote/walls before it gets a job")
        left = bool(job_kinds.held(session, arena))
    if left:
        with context.write() as session:
            job_kinds.take_from(session, arena)
    if not context.settings.broker_url:
        return None
    suits = partial(_suits, context, arena, _is_one_here(context))
    for _ in range(_LOOKS):
        found = broker.take(context.settings.broker_url, _queues(), suits, most=_LOOKS)
        if found is None:
            return None
        task, message = found
        try:
            if _claim(context, arena, task, message):
                return found
        except MatchboxError:
            context.sender.send(task, wire.QUEUES[task], message)
            raise
    return None


def require_welcome(session: Session, arena: str) -> None:
    """Raises ArenaStopped if the arena gets no jobs, or Forbidden if its key was removed."""
    if arena_keys.key_named(session, key_of(arena)).draining:
        raise ArenaStopped(
            "this host is draining: it gets no new jobs until an operator lets it go on"
        )
    if stopped_arenas.stop_of(session, arena):
        raise ArenaStopped(stopped(arena))


def claim(
    session: Session, arena: str, body: Mapping[str, Any], *, settings: Settings, now: int
) -> bool:
    """Renews the lease of the job that the arena holds.

    Returns False if the arena is stopped: its job is given to another, so that must be committed.
    Raises Conflict if it does not hold the job, BadMessage, NotFound or Forbidden.
    """
    message = _own_claim(session, arena, body, settings, now)
    return job_kinds.claim(session, message, settings=settings, now=now)


def report(
    session: Session, arena: str, report: Mapping[str, Any], *, settings: Settings, now: int
) -> None:
    """Stores the arena's report, and renews the lease of its current job.

    An arena that says goodbye gives its job back. If a new run of the arena reports, and the last
    one holds a job, that run died in the middle of it, which counts as a fault of the arena. Raises
    BadMessage, also if it has no wall.
    """
    if report.get("walled") is not True:
        raise BadMessage(
            "an arena on another host must have a wall around bots; `matchbox doctor` says there "
            "what is missing"
        )
    job = None
    if isinstance(report.get("job"), dict):
        try:
            job = wire.to_plain(_own_claim(session, arena, report["job"], settings, now))
        except (Conflict, Forbidden, NotFound):
            log.info("report.of_another", arena=arena)
    if report.get("leaving"):
        job_kinds.take_from(session, arena)
    new = job is None and walls.is_new_run(session, arena, report.get("run", ""))
    died = new and bool(job_kinds.held(session, arena))
    own_report = {**report, "arena": arena, "job": job}
    job_kinds.report(session, own_report, settings=settings, now=now)
    if died:
        walls.add_fault(session, arena, walls.DIED, now=now)


def require_file(session: Session, arena: str, name: str) -> None:
    """Raises Forbidden unless a job that the arena holds needs the file: see job_files.py."""
    for job in job_kinds.held(session, arena):
        if name in job_files.files_of(session, job):
            return
    raise Forbidden(f"no job that {arena} holds needs {name}")


def add_part(
    session: Session, arena: str, token: str, position: int, data: bytes, *, settings: Settings
) -> None:
    """Keeps a part of a long result, and drops the parts that follow it.

    Does neither if this very part is kept already: a request may arrive twice, the second time
    late.

    Raises Conflict unless the arena holds the job with that token, BadMessage if the part is too
    long or there are too many, or Unavailable if its host has too many kept.
    """
    if not job_kinds.holds(session, arena, token, settings=settings):
        raise Conflict(f"{arena} does not hold the job that this result is of")
    if position >= PARTS or len(data) > wire.PART_BYTES:
        raise BadMessage(f"a result has at most {PARTS} parts of {wire.PART_BYTES} bytes")
    kept_already = session.get(ArenaPart, (arena, position))
    if kept_already is not None and kept_already.data == data:
        return
    later = (ArenaPart.arena == arena, ArenaPart.position >= position)
    session.execute(delete(ArenaPart).where(*later))
    of_host = of_key(ArenaPart.arena, key_of(arena))
    kept = count_rows(session, ArenaPart, of_host)
    if kept >= _MAX_PARTS:
        raise Unavailable("too many results of this host come in at once; try again in a moment")
    session.add(ArenaPart(arena=arena, position=position, data=data))


def joined_parts(session: Session, arena: str) -> bytes:
    """Returns the parts of the arena's result, joined."""
    mine = ArenaPart.arena == arena
    return b"".join(
        session.scalars(select(ArenaPart.data).where(mine).order_by(ArenaPart.position))
    )


def delete_parts(session: Session, arena: str) -> None:
    """Deletes the parts of the arena's result."""
    session.execute(delete(ArenaPart).where(ArenaPart.arena == arena))


def stopped(arena: str) -> str:
    """Returns the message for a stopped arena."""
    return (
        f"{arena} gets no jobs: it is stopped, or another arena with its key has sent a false "
        "record; an operator lets it go on"
    )


def _own_claim(
    session: Session, arena: str, body: Mapping[str, Any], settings: Settings, now: int
) -> wire.Claim:
    """The claim in the arena's name. Raises Conflict if it does not hold the job, or has held it
    for too long, and BadMessage, NotFound or Forbidden."""
    message = wire.from_plain(wire.Claim, {**body, "arena": arena})
    row = job_kinds.require_holder(session, message, arena, settings=settings)
    kind = job_kinds.KINDS[message.kind]
    longest = _LEASES * jobs.lease_ms(kind, settings, row.attempt)
    if now - (row.sent_at or now) > longest:
        raise Conflict(
            f"{arena} has held {message.kind} {row.id} for {longest // MINUTE_MS} minutes without "
            "a result, so another arena gets it"
        )
    return message


def _queues() -> list[str]:
    """The queues in the order in which they are searched: the urgent ones first."""
    others = sorted({wire.QUEUES[task] for task in wire.JOBS}.difference(wire.URGENT))
    return [*wire.URGENT, *random.sample(others, len(others))]


def _read(task: str, message: dict[str, Any]) -> wire.AnyJob | None:
    """The job of a message; None if it cannot be read, for example because another release sent
    it."""
    try:
        return wire.from_plain(wire.JOBS[task], message)
    except (BadMessage, LookupError) as error:
        log.warning("message.dropped", task=task, why=str(error))
        return None


def _suits(
    context: Context, arena: str, one_is_here: bool, task: str, message: dict[str, Any]
) -> bool:
    """Whether this arena may do the job: no host checks its own matches.

    While an arena of the platform itself reports, that arena verifies matches, and does the jobs
    that have failed a few times, since it is trusted more. A message that cannot be read, or that
    asks for a verification that is out of date, suits every arena, and is dropped.
    """
    job = _read(task, message)
    if job is None:
        return True
    if not isinstance(job, Verify):
        return (job.attempt - 1) % jobs.MAX_ATTEMPTS < _FEW or not one_is_here
    if one_is_here:
        return False
    with context.read() as session:
        played_by = match_verifications.arena_to_check(session, job)
    return played_by is None or key_of(played_by) != key_of(arena)


def _is_one_here(context: Context) -> bool:
    """Whether an arena without a key reports and is not stopped."""
    with context.read() as session:
        out = stopped_arenas.stopped(session)
        present = walls.reporting_arenas(session, now=context.now())
    return any(not key_of(one) and one not in out for one in present)


def _claim(context: Context, arena: str, task: str, message: dict[str, Any]) -> bool:
    """Claims the job for the arena; False if the message is out of date or cannot be read.

    Takes from the arena the jobs that it has claimed since it asked: it may ask twice at once.
    """
    job = _read(task, message)
    if job is None:
        return False
    with context.write() as session:
        require_welcome(session, arena)
        job_kinds.take_from(session, arena)
        delete_parts(session, arena)
        try:
            return job_kinds.claim_unclaimed(
                session, job.claim(arena), settings=context.settings, now=context.now()
            )
        except (Conflict, Forbidden, NotFound) as error:
            log.info("message.dropped", arena=arena, why=str(error))
            return False

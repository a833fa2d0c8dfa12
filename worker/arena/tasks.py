"""What an arena does with a message: claims the job, plays it, sends the result.

Knows the order of things and who is at fault when one fails; Celery and its signals are in
main.py. Whatever happens, the message ends as a result, as `Lost`, or back in the queue.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import structlog

from matchbox.errors import BadBundle, BadMessage, MatchboxError, SeatFault, Unavailable
from matchbox.match import wire
from matchbox.match.wire import Learned, Lost, MatchPlayed, PlayMatch, Teach, TriedOut, TryOut
from worker.arena.learning import give
from worker.arena.play import play_job
from worker.arena.quarantine import try_alone
from worker.arena.tryout import try_out

if TYPE_CHECKING:
    from sandbox.box import Box
    from worker.arena.client import ServerClient

log = structlog.get_logger(__name__)

Send = Callable[[str, dict[str, Any]], None]
"""Hands a task and its message to the broker. Raises Unavailable."""

RENEW_S: Final = 30.0


class GiveBack(Exception):
    """The message goes back to its queue: this arena is stopping, or cannot reach the server."""


class _Superseded(Exception):
    """The job is over, or another attempt has it: there is nothing to send."""


class Arena:
    """Plays the jobs of one worker, one at a time."""

    def __init__(
        self,
        client: ServerClient,
        box: Box,
        send: Send,
        stopping: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._box = box
        self._send = send
        self._stopping = stopping
        self._clock = clock

    def try_out(self, message: dict[str, Any]) -> None:
        """Settles a version, or reports it lost. Raises GiveBack."""
        job = wire.from_plain(TryOut, message)
        self._do(job.version, job, lambda: self._tried_out(job))

    def play_match(self, message: dict[str, Any]) -> None:
        """Plays a match and sends its record, or reports it lost. Raises GiveBack."""
        job = wire.from_plain(PlayMatch, message)
        self._do(job.match, job, lambda: self._played(job))

    def learn(self, message: dict[str, Any]) -> None:
        """Lets a version learn and sends its memory, or reports it lost. Raises GiveBack."""
        job = wire.from_plain(Teach, message)
        self._do(job.lesson, job, lambda: self._learned(job))

    def lose(self, task: str, message: dict[str, Any], why: str) -> None:
        """Reports the job of this message as lost."""
        job: PlayMatch | Teach | TryOut
        if task in (wire.PLAY_MATCH, wire.PLAY_COMPARISON):
            job = wire.from_plain(PlayMatch, message)
            subject = job.match
        elif task == wire.LEARN:
            job = wire.from_plain(Teach, message)
            subject = job.lesson
        else:
            job = wire.from_plain(TryOut, message)
            subject = job.version
        lost = Lost(subject=subject, attempt=job.attempt, token=job.token, why=why)
        self._hand_in(wire.LOST, lost)

    def _do(self, subject: str, job: wire.Job, work: Callable[[], tuple[str, Any]]) -> None:
        try:
            if not self._client.claim(subject, job):
                log.info("job.superseded", subject=subject, attempt=job.attempt)
                return
            task, result = work()
        except _Superseded:
            log.info("job.superseded", subject=subject, attempt=job.attempt)
            return
        except Unavailable as error:
            raise GiveBack(str(error)) from error
        except GiveBack:
            raise
        except Exception as error:
            if not isinstance(error, MatchboxError):
                log.exception("job.failed", subject=subject)
            task, result = wire.LOST, _lost(subject, job, error)
        try:
            self._hand_in(task, result)
        except BadMessage as error:
            log.error("result.refused", subject=subject, why=str(error))
            self._hand_in(wire.LOST, _lost(subject, job, error))

    def _tried_out(self, job: TryOut) -> tuple[str, TriedOut]:
        bundle = self._client.bundle(job.version)
        watch = partial(self._watch(job.version, job), 0)
        if job.beside is None:
            return wire.SETTLE, try_out(job, bundle, self._box, watch=watch)
        beside = self._client.bundle(job.beside.version)
        return wire.SETTLE, try_alone(job, bundle, beside, self._box, watch)

    def _played(self, job: PlayMatch) -> tuple[str, MatchPlayed]:
        bundles = {seat.version: self._client.bundle(seat.version) for seat in job.seats}
        memories = {
            seat.memory: self._client.memory(seat.memory) for seat in job.seats if seat.memory
        }
        watch = self._watch(job.match, job)
        played = play_job(job, bundles, self._box, watch, memories=memories, reports=True)
        return wire.RECORD, played

    def _learned(self, job: Teach) -> tuple[str, Learned]:
        watch = self._watch(job.lesson, job)

        def record(match: str) -> bytes:
            watch(0)
            return self._client.record(match)

        bundle = self._client.bundle(job.pupil.version)
        memory = self._client.memory(job.pupil.memory) if job.pupil.memory else b""
        return wire.REMEMBER, give(job, bundle, memory, record, self._box)

    def _watch(self, subject: str, job: wire.Job) -> Callable[[int], None]:
        """What hears that the job goes on: renews the lease, and stops when told to."""
        renewed = self._clock()

        def report(bouts: int) -> None:
            nonlocal renewed
            if self._stopping():
                raise GiveBack("this arena is stopping")
            if self._clock() - renewed > RENEW_S:
                renewed = self._clock()
                if not self._client.claim(subject, job):
                    raise _Superseded

        return report

    def _hand_in(self, task: str, result: Any) -> None:
        """Sends the result through the broker; a long one, or without a broker, to the server."""
        plain = wire.to_plain(result)
        try:
            if size(plain) <= wire.BROKER_BYTES:
                try:
                    self._send(task, plain)
                    return
                except Unavailable as error:
                    log.warning("broker.unavailable", why=str(error))
            self._client.post(task, result)
        except Unavailable as error:
            raise GiveBack(str(error)) from error


def size(plain: dict[str, Any]) -> int:
    """About how many bytes of JSON the message makes, by its longest parts."""
    return sum(_length(value) for value in plain.values())


def _length(value: Any) -> int:
    if isinstance(value, str):
        return len(value.encode())
    if isinstance(value, Sequence):
        return sum(_length(part) for part in value)
    if isinstance(value, dict):
        return sum(_length(part) for part in value.values()) + 16 * len(value)
    return 16


def _lost(subject: str, job: wire.Job, error: Exception) -> Lost:
    return Lost(subject=subject, attempt=job.attempt, token=job.token, why=_why(error))


def _why(error: Exception) -> str:
    match error:
        case SeatFault():
            return error.detail
        case BadBundle() | BadMessage():
            return str(error)
    return f"{type(error).__name__}: {error}"[:300]

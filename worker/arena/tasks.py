"""Handles an arena's message: claims the job, plays it, sends the result.

Knows the order of these steps, and the cause of a failure; main.py has Celery and its signals.
Every message ends as a result, as `Lost`, or back in the queue.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import structlog
from msgspec.structs import replace

from matchbox.errors import (
    ArenaStopped,
    BadBundle,
    BadMessage,
    BoxUnavailable,
    Forbidden,
    IllegalMove,
    KeyRefused,
    MatchboxError,
    NotFound,
    SeatFault,
    ServerUnreachable,
    Unavailable,
    quoted,
)
from matchbox.match import wire
from matchbox.match.wire import (
    AnyJob,
    Claim,
    Learned,
    MatchPlayed,
    PlayMatch,
    TakeTurn,
    Teach,
    TriedOut,
    TryOut,
    TurnTaken,
    Verified,
    Verify,
)
from matchbox.registry import broken_game
from sandbox.policy import longest_answer_ms
from worker.arena.learning import give_lesson
from worker.arena.match_seats import parse_limits
from worker.arena.play import play_job
from worker.arena.quarantine import try_alone
from worker.arena.tryout import try_out
from worker.arena.turn import take_turn
from worker.arena.verification import verify

if TYPE_CHECKING:
    from sandbox.box import Box
    from worker.arena.client import ServerClient

log = structlog.get_logger(__name__)

Send = Callable[[str, dict[str, Any]], None]
"""Hands a task and its message to the broker. Raises Unavailable."""

RENEW_S: Final = 30.0
_REFUSALS: Final = (BadMessage, Forbidden, NotFound)
"""The errors with which the server refuses a result for good."""


class Requeue(Exception):
    """The message goes back to its queue: this arena is stopping, or cannot reach the server.

    `stopped` is True if the server gives this arena no jobs.
    """

    def __init__(self, why: str, *, stopped: bool = False) -> None:
        super().__init__(why)
        self.stopped = stopped


class ArenaFaults:
    """Counts the jobs at which the platform failed in this arena, for its reports."""

    def __init__(self) -> None:
        self.run = secrets.token_hex(8)
        """Names this run of the arena, in which they are counted."""
        self.count = 0
        self.last = ""
        """The cause of the last one."""
        self.refused = 0
        """The number of jobs that the server refused, which are no faults of the arena."""

    def note(self, why: str) -> None:
        """Counts a fault with this cause."""
        self.count, self.last = self.count + 1, why.encode("utf-8", "replace").decode()


class _Superseded(Exception):
    """The job is over, or another attempt holds it: there is nothing to send."""


class Arena:
    """Plays the jobs of one worker, one at a time.

    Without a `send`, it has no broker, and all results go to the server.
    """

    def __init__(
        self,
        client: ServerClient,
        box: Box,
        send: Send | None,
        stopping: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = time.monotonic,
        *,
        name: str = "",
        patience_s: float = 300.0,
    ) -> None:
        self._client = client
        self._box = box
        self._next_box: Box | None = None
        self._changing = threading.Lock()
        self._send = send
        self._stopping = stopping
        self._clock = clock
        self._name = name
        self._patience_s = patience_s
        self._under_way: tuple[AnyJob, float] | None = None
        """The current job, and the clock time of its last progress."""
        self._longest_s = 0.0
        """How long the current job may go on without progress if that is more than `patience_s`."""
        self.faults = ArenaFaults()
        self.doing = ""
        """The match that is being played, or the name of another task; "" while there is no job.
        Any thread may read it."""

    def claim(self) -> Claim | None:
        """The claim of the current job. None if the arena is idle, or has made no progress for
        `patience_s` seconds and for longer than the job's bots may take for an answer: then another
        arena gets the job. Any thread may call it."""
        at, patience_s = self._under_way, max(self._patience_s, self._longest_s)
        if at is None or self._clock() - at[1] > patience_s:
            return None
        return at[0].claim(self._name)

    def change_box(self, box: Box) -> None:
        """Plays the next jobs in this box, and then closes the one so far. Another thread may call
        it. A box that was given before, and not used yet, is closed."""
        with self._changing:
            unused, self._next_box = self._next_box, box
        if unused is not None:
            _close(unused)

    def run(self, task: str, message: dict[str, Any]) -> None:
        """Does the job and sends its result, or reports it lost. Raises BadMessage, Requeue."""
        with self._changing:
            new, self._next_box = self._next_box, None
        if new is not None:
            former, self._box = self._box, new
            _close(former)
        job = _job_of(task, message)
        self._under_way = job, self._clock()
        self.doing = str(message.get("match") or task.rpartition(".")[2])
        try:
            self._run(job)
        finally:
            self._under_way, self.doing = None, ""

    def _run(self, job: AnyJob) -> None:
        result: Any
        try:
            if not self._client.claim(job):
                raise _Superseded
            limits = parse_limits(job.limits)
            # The box waits as long for an answer, before it says that the machine stood still.
            self._longest_s = (longest_answer_ms(limits) + limits.patience_ms) / 1000 + RENEW_S
            task, result = self._perform(job)
        except _Superseded:
            log.info("job.superseded", subject=job.subject, attempt=job.attempt)
            return
        except Unavailable as error:
            if isinstance(error, BoxUnavailable):  # The server learns of it by the report alone.
                self.faults.note(str(error))
            raise Requeue(str(error), stopped=isinstance(error, ArenaStopped)) from error
        except Requeue:
            raise
        except Forbidden as error:
            # The server's secret is a new one, or the job was taken away: no fault of this arena.
            log.warning("job.refused", subject=job.subject, why=str(error))
            self.faults.refused += 1
            self._report_lost(job, _cause(error))
            return
        except Exception as error:
            if not isinstance(error, MatchboxError) or isinstance(error, IllegalMove):
                log.exception("job.failed", subject=job.subject)
            self._lose(job, _cause(error))
            return
        try:
            self._hand_in(task, result)
        except KeyRefused:
            raise
        except _REFUSALS as error:
            log.error("result.refused", subject=job.subject, why=str(error))
            if isinstance(error, BadMessage):
                self._lose(job, _cause(error))

    def lose(self, task: str, message: dict[str, Any], why: str) -> None:
        """Reports the job of this message as lost. Raises BadMessage, Requeue."""
        self._lose(_job_of(task, message), why)

    def _lose(self, job: AnyJob, why: str) -> None:
        self.faults.note(why)
        self._report_lost(job, why)

    def _report_lost(self, job: AnyJob, why: str) -> None:
        """Reports the job as lost. If the server refuses that, the job is over here all the same:
        it ends with its lease. Raises KeyRefused, Requeue."""
        try:
            self._hand_in(wire.LOST, job.lost(why))
        except KeyRefused:
            raise
        except _REFUSALS as error:
            log.error("result.refused", subject=job.subject, why=str(error))

    def _perform(self, job: AnyJob) -> tuple[str, Any]:
        """The result of the job, and the ledger's task for it."""
        match job:
            case PlayMatch():
                return wire.RECORD, self._play(job)
            case TryOut():
                return wire.SETTLE, self._try_out(job)
            case Teach():
                return wire.REMEMBER, self._teach(job)
            case TakeTurn():
                return wire.BOOK_TURN, self._take_turn(job)
            case Verify():
                return wire.BOOK_VERIFICATION, self._verify(job)

    def _try_out(self, job: TryOut) -> TriedOut:
        bundle = self._client.bundle(job.version)
        watch = partial(self._lease_renewer(job), 0)
        if job.beside is None:
            return try_out(job, bundle, self._box, watch=watch)
        beside = self._client.bundle(job.beside.version)
        return try_alone(job, bundle, beside, self._box, watch)

    def _play(self, job: PlayMatch) -> MatchPlayed:
        bundles = {seat.version: self._client.bundle(seat.version) for seat in job.seats}
        memories = {
            seat.memory: self._client.memory(seat.memory) for seat in job.seats if seat.memory
        }
        watch = self._lease_renewer(job)
        played = play_job(job, bundles, self._box, watch, memories=memories, reports=True)
        return replace(played, arena=self._name)

    def _teach(self, job: Teach) -> Learned:
        bundle = self._client.bundle(job.pupil.version)
        memory = self._client.memory(job.pupil.memory) if job.pupil.memory else b""
        watch = partial(self._lease_renewer(job), 0)
        return give_lesson(job, bundle, memory, self._client.record, self._box, watch)

    def _take_turn(self, job: TakeTurn) -> TurnTaken:
        versions = {seat.version for seat in job.seats if seat is not None}
        bundles = {version: self._client.bundle(version) for version in versions}
        return take_turn(job, bundles, self._box, partial(self._lease_renewer(job), 0))

    def _verify(self, job: Verify) -> Verified:
        record, watch = self._client.record(job.match), self._lease_renewer(job)
        bundle, memory = partial(_found, self._client.bundle), partial(_found, self._client.memory)
        return verify(job, record, bundle, memory, self._box, watch)

    def _lease_renewer(self, job: AnyJob) -> Callable[[int], None]:
        """Returns a function that renews the job's lease; call it while the job goes on. Raises
        Requeue if this arena is stopping, _Superseded if another attempt holds the job."""
        renewed = self._clock()

        def report(bouts: int) -> None:
            nonlocal renewed
            self._under_way = job, self._clock()
            if self._stopping():
                raise Requeue("this arena is stopping")
            if self._clock() - renewed > RENEW_S:
                renewed = self._clock()
                if not self._renew(job):
                    raise _Superseded

        return report

    def _renew(self, job: AnyJob) -> bool:
        """Whether the job goes on. It does while the server cannot be reached, since the lease is
        kept then: see `jobs.overdue`."""
        try:
            return self._client.claim(job)
        except ServerUnreachable as error:
            log.warning("lease.not_renewed", subject=job.subject, why=str(error))
            return True

    def _hand_in(self, task: str, result: Any) -> None:
        """Sends the result through the broker; to the server if it is long or no broker answers.

        A turn goes to the server at once, since a person waits and the ledger may be busy.
        """
        plain = wire.to_plain(result)
        try:
            send = self._send
            if send and task != wire.BOOK_TURN and size(plain) <= wire.BROKER_BYTES:
                try:
                    send(task, plain)
                    return
                except Unavailable as error:
                    log.warning("broker.unavailable", why=str(error))
            self._client.post(task, result)
        except Unavailable as error:
            raise Requeue(str(error), stopped=isinstance(error, ArenaStopped)) from error


def _job_of(task: str, message: dict[str, Any]) -> AnyJob:
    """The job of this message. Raises BadMessage."""
    try:
        kind = wire.JOBS[task]
    except KeyError:
        raise BadMessage(f"no task for an arena is called {quoted(task)}") from None
    return wire.from_plain(kind, message)


def _close(box: Box) -> None:
    """Closes a box that plays no more jobs. A failure is only logged."""
    try:
        box.close()
    except Exception:  # Of whatever kind: the arena has another box by now, and goes on.
        log.exception("box.not_closed")


def size(plain: dict[str, Any]) -> int:
    """Roughly the bytes of JSON that the message makes, from its strings, lists and mappings."""
    return sum(_length(value) for value in plain.values())


def _length(value: Any) -> int:
    if isinstance(value, str):
        return len(value.encode())
    if isinstance(value, Sequence):
        return sum(_length(part) for part in value)
    if isinstance(value, dict):
        return sum(_length(part) for part in value.values()) + 16 * len(value)
    return 16


def _found(fetch: Callable[[str], bytes], digest: str) -> bytes | None:
    """The bytes that the server has; None if it has none with this digest."""
    try:
        return fetch(digest)
    except NotFound:
        return None


def _cause(error: Exception) -> str:
    match error:
        case SeatFault():
            return error.detail
        case BadBundle() | BadMessage():
            return str(error)
    if broken := broken_game(error):
        return str(broken)[:300]
    return f"{type(error).__name__}: {error}"[:300]

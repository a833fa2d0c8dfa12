"""One bot's process as its referee sees it: a question in, an answer out, or a fault.

Knows times, sizes, and whose fault a missing answer is; knows nothing of the frames' contents.
"""

from __future__ import annotations

import errno
import os
import select
import signal
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Final

from matchbox.errors import SeatFault
from matchbox.match import output
from matchbox.match.output import Output
from sandbox.meter import (
    FREE_SLEEP_MS,
    GRACE_MS,
    Bank,
    Meter,
    Question,
    cpu_clock,
    run_delay_ns,
    too_long,
)
from sandbox.policy import (
    CHUNK_BYTES,
    FRAME_DECISIONS,
    PRINT_STACK,
    QUESTION_BYTES,
    TAG_BYTES,
    Limits,
    rlimits,
)
from sandbox.verdict import ExitStatus, verdict
from sandbox.zygote_client import ZygoteClient

_LEAVING_MS: Final = 200
_WHERE_MS: Final = 200
_QUIET_MS: Final = 20
_NO_WAIT: Final = socket.MSG_DONTWAIT
_GRACE: Final = struct.pack("ll", 0, GRACE_MS * 1000)
"""The time that the kernel waits for an answer before we poll, as a `struct timeval`."""
_GONE: Final = (
    *(errno.ENOENT, errno.ESRCH, errno.EINVAL),  # Its files in /proc, its pidfd, its clock.
    *(errno.EPIPE, errno.ECONNRESET, errno.ENOTCONN),  # Its channel.
)
"""The errors of calls about a process that has ended."""
_TAGS: Final = 64
"""The number of tags that are drawn at a time."""


class BoxSeat:
    """A fresh fork of a zygote, for one bot. The zygote is free again when the seat is closed.

    Every answer is paid from `bank`, which the bot's other seats may share. Raises SeatFault.
    """

    def __init__(self, zygote: ZygoteClient, limits: Limits, bank: Bank | None = None) -> None:
        delay = run_delay_ns("thread-self")
        fork = zygote.fork(rlimits(limits, zygote.baseline_bytes), limits.patience_ms / 1000)
        self.zygote = zygote
        self._limits = limits
        self._channel = fork.channel
        self._channel.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _GRACE)
        self._descriptor = fork.channel.fileno()
        self._tags = _tags()
        self._output = fork.output
        self.pid = fork.pid
        self._clock = cpu_clock(fork.pid)
        self._handle = fork.handle
        self._poll = select.poll()
        self._poll.register(self._channel, select.POLLIN)
        self._poll.register(self._output, select.POLLIN)
        self._log = Output(limits.log_bytes)
        self._prints = False
        """Whether the bot printed while a question was open. From then on its output is read during
        questions."""
        self._bank = bank or Bank(limits)
        self._last = False
        """Whether the bank holds less than a whole decision's time."""
        self._begun = self._rested = 0
        """The bot's processor time in ns at the last question, and at its answer."""
        self._asked = 0
        """When the last question was asked, in ns of the monotonic clock."""
        self._delay = delay
        """The last reading of `delays_ns`. The process itself has waited for nothing yet."""
        self._restless = False
        """Whether the bot has worked between two questions. From then on, this seat is stopped
        between questions. The bot's other seats are not stopped: they would notice, and so learn
        about this one."""
        self._stopped = False
        self._budget = 0.0
        self._meter: Meter | None = None
        """The meter of a question that takes longer than the grace period."""
        self.closed = False
        self._exit_status: ExitStatus | None = None
        self._fault: SeatFault | None = None

    def ask(self, frame: bytes, decisions: int = 1, *, start: bool = False) -> bytes:
        """The one frame that answers this one, within its limits. Raises SeatFault for good.

        `decisions` is the number of questions in the frame; `start` says that it loads the bot. If
        a frame of more than FRAME_DECISIONS takes too long, the fault is `shared` and nothing is
        charged. After any fault the seat is closed, and every further question raises it again.
        """
        if self._fault is not None:
            raise SeatFault(self._fault.kind, self._fault.detail)
        try:
            return self._exchange(frame, decisions, start)
        except SeatFault as fault:
            late = fault.kind == "timeout"
            self._fault = self._bank_empty() if late and self._last else fault
            if late and not self._last and decisions > FRAME_DECISIONS:
                fault.shared = True
            elif self._exit_status is None:
                self._charge()
            if late:
                self._print_where()
            self.close()
            raise self._fault from None

    @property
    def stderr(self) -> str:
        """The bot's output, stdout and stderr together, up to the limit, with its marks."""
        if not self.closed:
            self._drain()
        return self._log.text()

    @property
    def cpu_ms(self) -> float:
        """The processor time that the bot has used, including loading, in milliseconds."""
        return self._exit_status.cpu_ms if self._exit_status else self._rested / 1e6

    @property
    def peak_bytes(self) -> int:
        """The most memory that the process has held, Python's own included; 0 before its end."""
        return self._exit_status.max_rss if self._exit_status else 0

    def close(self) -> None:
        """Kills the process and waits for its end. May be called twice.

        A zygote that must not be forked again is ended with it.
        """
        if self.closed:
            return
        if self._exit_status is None:
            with suppress(SeatFault):  # A zygote that has died took its fork with it.
                self._reap()
        self._drain()
        self.closed = True
        self._channel.close()
        os.close(self._output)
        os.close(self._handle)
        if not self.zygote.healthy:
            self.zygote.kill()

    def _exchange(self, frame: bytes, decisions: int, start: bool) -> bytes:
        """The answer to a question. Most come at once, so that case does as little as possible."""
        limits, bank = self._limits, self._bank
        if self.closed:
            raise SeatFault("platform", "the seat was closed before this question")
        if len(frame) > QUESTION_BYTES:
            raise SeatFault("platform", f"the question is longer than {QUESTION_BYTES} bytes")
        begun = self._begun = self._cpu_ns()
        self._meter = None
        # A fresh fork has only raised its wall, which costs the bot nothing.
        thought = (begun - self._rested) / 1e6 if self._rested else 0.0
        bank.left_ms -= thought
        if thought > limits.restless_ms:
            self._restless = True
        if self._stopped:
            self._stop(False)
        if thought > limits.off_turn_ms:
            raise SeatFault("protocol", f"thought for {thought:.0f} ms while it was not asked")
        budget = self._budget = limits.start_cpu_ms if start else self._budget_ms(decisions)
        tag = next(self._tags)
        self._asked = time.monotonic_ns()
        if len(frame) <= CHUNK_BYTES:
            self._send(tag + b"\0" + frame)
        else:
            for packet in _split_packets(tag, frame):
                self._send(packet)
        answer = self._receive(tag, limits.longest_answer(decisions))
        rested = self._rested = self._cpu_ns()
        used = (rested - begun) / 1e6
        if used > budget:
            raise too_long(used, budget)
        if self._restless:  # Not earlier: a stopped process could not print its stack.
            self._stop(True)
        slept = self._slept_ms(used)
        # Loading has a budget and time of its own, but sleep during loading is charged.
        bank.left_ms -= slept if start else used + slept
        if start:
            bank.pay_loading(used)
        return answer

    def _stop(self, stopped: bool) -> None:
        """Stops the process until the next question, or lets it go on."""
        self._stopped = stopped
        with suppress(ProcessLookupError):  # If it has ended, the next question finds that out.
            number = signal.SIGSTOP if stopped else signal.SIGCONT
            signal.pidfd_send_signal(self._handle, number)

    def _budget_ms(self, decisions: int) -> float:
        """Milliseconds of processor time that a question may use. Raises SeatFault for none."""
        left = self._bank.left_ms
        if left <= 0:
            raise self._bank_empty()
        whole = self._limits.cpu_ms * max(1, min(decisions, FRAME_DECISIONS))
        self._last = left < whole
        return left if self._last else whole

    def _charge(self) -> None:
        """Charges the bank for an unanswered question, if the process's clock can still be read."""
        with suppress(OSError):
            used = (time.clock_gettime_ns(self._clock) - self._begun) / 1e6
            slept = 0.0 if self._meter is None else self._meter.slept_ms(used)
            self._bank.left_ms -= used + slept

    def _bank_empty(self) -> SeatFault:
        why = f"used all of its {self._limits.bank_ms} ms for the match"
        if self._bank.loading_ms <= 0:
            why += ", also for loading, whose own time was used up"
        return SeatFault("timeout", why)

    def _send(self, packet: bytes) -> None:
        """Sends the packet. Waits no longer than the bot may take for its answer."""
        while True:
            try:
                self._channel.send(packet, _NO_WAIT)
                return
            except BlockingIOError:
                self._poll.modify(self._channel, select.POLLOUT)
                self._wait()
                self._poll.modify(self._channel, select.POLLIN)
            except OSError as error:
                raise self._exit_fault(error) from None

    def _receive(self, tag: bytes, longest: int) -> bytes:
        room = TAG_BYTES + longest + 1
        try:
            if self._prints or self._budget < GRACE_MS or self._meter is not None:
                packet = self._receive_polled(room)
            else:
                packet = os.read(self._descriptor, room)
        except BlockingIOError:
            self._watch().next_check_ms = 0
            packet = self._receive_polled(room)
        except OSError as error:
            raise self._exit_fault(error) from None
        if not packet:
            raise self._exit_fault()
        if not packet.startswith(tag):
            raise SeatFault("protocol", "sent an answer that nobody had asked for")
        if len(packet) == room:
            raise SeatFault("protocol", f"sent an answer longer than {longest} bytes")
        return packet[TAG_BYTES:]

    def _receive_polled(self, room: int) -> bytes:
        """The packet, while output and clocks are looked after; b"" if the channel has ended."""
        while not self._wait():
            pass
        try:
            return self._channel.recv(room, _NO_WAIT)
        except OSError as error:
            raise self._exit_fault(error) from None

    def _wait(self) -> bool:
        """Waits once, reading output and clocks; True if the channel is ready. Raises SeatFault."""
        ready, meter = False, self._watch()
        for descriptor, _ in self._poll.poll(meter.next_check_ms):
            if descriptor == self._output:
                self._prints = True
                self._drain()
            else:
                ready = True
        if not ready:
            try:
                meter.check(self._is_ready)
            except OSError as error:
                raise self._exit_fault(error) from None
        return ready

    def _watch(self) -> Meter:
        """The meter of this question, made when it is first needed."""
        if self._meter is None:
            question = Question(self._begun, self._asked, self._delay)
            left = self._bank.left_ms
            self._meter = Meter(self.pid, question, self._budget, self._limits, left)
        return self._meter

    def _slept_ms(self, used: float) -> float:
        """Milliseconds that the bot has slept during this question, which used so many."""
        if time.monotonic_ns() - self._asked < (used + FREE_SLEEP_MS) * 1e6:
            return 0.0
        meter = self._watch()
        try:
            slept = meter.slept_ms(used)
        except OSError as error:
            raise self._exit_fault(error) from None
        self._delay = meter.delay_ns
        return slept if slept >= FREE_SLEEP_MS else 0.0

    def _is_ready(self) -> bool:
        return any(descriptor != self._output for descriptor, _ in self._poll.poll(0))

    def _cpu_ns(self) -> int:
        try:
            return time.clock_gettime_ns(self._clock)
        except OSError as error:
            raise self._exit_fault(error) from None

    def _print_where(self) -> None:
        """Has a process that is out of time print where it is, if it can, for its author."""
        watch = select.poll()
        watch.register(self._output, select.POLLIN)
        self._drain()
        self._log.feed(output.WHERE)
        with suppress(OSError):
            signal.pidfd_send_signal(self._handle, PRINT_STACK)
        until, patience = time.monotonic() + _WHERE_MS / 1000, _WHERE_MS
        while watch.poll(patience) and time.monotonic() < until and self._drain():
            patience = _QUIET_MS

    def _exit_fault(self, error: OSError | None = None) -> SeatFault:
        """The fault of a process that is ending, or that goes on with its channel closed. An error
        of ours that says nothing about the process is the platform's fault."""
        if error is not None and error.errno not in _GONE:
            return SeatFault("platform", f"the bot's process could not be watched: {error}")
        allowed = self._begun / 1e6 + self._budget
        self._charge()
        try:
            ended = self._reap(_LEAVING_MS)
            return verdict(ended, self._limits, allowed, self.zygote.inherited_bytes)
        except SeatFault as fault:
            return fault

    def _reap(self, patience_ms: int = 0) -> ExitStatus:
        """Gives the process time to end, kills it if it stays, and returns how it ended."""
        watch = select.poll()
        watch.register(self._handle, select.POLLIN)
        stays = not watch.poll(patience_ms)
        if stays:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)
        self._exit_status = replace(self.zygote.reap(), killed_by_host=stays)
        return self._exit_status

    def _drain(self) -> bool:
        """Reads what the bot has printed; keeps what fits and drops the rest. False if there is
        nothing."""
        try:
            text = os.read(self._output, 64 * 1024)
        except BlockingIOError:
            return False
        if not text:
            with suppress(KeyError):
                self._poll.unregister(self._output)
        self._log.feed(text)
        return bool(text)


def _tags() -> Iterator[bytes]:
    """Marks that no bot can predict. They are drawn many at a time, because a system call for each
    would take most of the time."""
    while True:
        drawn = os.urandom(_TAGS * TAG_BYTES)
        for at in range(0, len(drawn), TAG_BYTES):
            yield drawn[at : at + TAG_BYTES]


def _split_packets(tag: bytes, frame: bytes) -> Iterator[bytes]:
    """The question in parts that fit a packet; each part but the last is marked as incomplete."""
    last = max(0, len(frame) - 1) // CHUNK_BYTES
    for at in range(last):
        yield tag + b"\1" + frame[at * CHUNK_BYTES : (at + 1) * CHUNK_BYTES]
    yield tag + b"\0" + frame[last * CHUNK_BYTES :]

"""A running zygote as its host sees it: started once, forked often, killed at the end.

Knows processes, descriptors and the zygote's commands (described in zygote.py); knows no limits.
"""

from __future__ import annotations

import json
import os
import select
import socket
import struct
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from matchbox.errors import BoxUnavailable, SeatFault
from sandbox.launch import CREDENTIALS, Launch, channel_pair
from sandbox.policy import DESCRIPTORS, EXIT_STATUS, HELLO, SERIAL_BYTES
from sandbox.verdict import ExitStatus

_START_S: Final = 30.0
_MAX_REPLY_S: Final = 30.0


@dataclass(frozen=True, slots=True)
class Fork:
    """A fresh process that waits for its first question.

    `output` is our end of the pipe that it prints to, `pid` its number here, `handle` its pidfd.
    """

    channel: socket.socket
    output: int
    pid: int
    handle: int


class ZygoteClient:
    """One zygote. `healthy` becomes False when it must not be forked again.

    `baseline_bytes` is its address space, `inherited_bytes` the memory that its forks begin with.

    Raises BoxUnavailable if it does not start.
    """

    def __init__(self, launch: Launch) -> None:
        try:
            self._launched = launch()
        except OSError as error:
            raise BoxUnavailable(f"the box did not start: {error}") from error
        self._control = self._launched.control
        self._control.settimeout(_START_S)
        self.healthy = True
        self.seats = 0
        try:
            ready, self.pid = _first_packet(self._control)
            report = json.loads(ready)
            # A zygote that has failed may have ended by now.
            sizes = (0, 0) if "failed" in report else _memory(self.pid)
            self.baseline_bytes, self.inherited_bytes = sizes
        except (OSError, ValueError) as error:
            printed = self._launched.error_output()
            self._control.close()
            late = isinstance(error, TimeoutError)
            why = f"it was not ready after {_START_S:.0f} s" if late else _with_advice(printed)
            raise BoxUnavailable(f"the box did not start: {why}") from error
        if "failed" in report or report["python"] != list(sys.version_info[:2]):
            self.kill()
            raise BoxUnavailable(f"the box did not start: {_start_failure(report)}")
        self.raised: dict[str, bool] = report["raised"]

    def reserve_memory(self, memory_mb: int) -> None:
        """Lets the next seats have this many MiB. Raises SeatFault("platform")."""
        try:
            self._launched.reserve_memory(memory_mb)
        except OSError as error:
            self.healthy = False
            raise SeatFault("platform", f"no room for {memory_mb} MiB: {error}") from error

    def fork(self, limits: Mapping[str, int], patience_s: float) -> Fork:
        """The process of a fresh seat, behind the whole wall. Raises SeatFault("platform").

        The zygote has that many seconds for each of its answers about the seat, but at most
        _MAX_REPLY_S: an arena renews no lease meanwhile.
        """
        patience_s = min(patience_s, _MAX_REPLY_S)
        self.seats += 1
        try:
            channel, theirs, output, writer = _connections()
        except OSError as error:
            raise SeatFault("platform", f"a seat could not be made: {error}") from error
        channel.settimeout(patience_s)
        self._control.settimeout(patience_s)
        try:
            with theirs:
                lent = DESCRIPTORS.pack(theirs.fileno(), writer)
                order = json.dumps(limits).encode()
                self._control.sendmsg([order], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, lent)])
            hello, pid = _first_packet(channel)
            if hello != HELLO:
                raise OSError("the fork ended before its wall stood")
            handle = os.pidfd_open(pid)
        except OSError as error:
            printed = _printed(output)
            channel.close()
            os.close(output)
            self.healthy = False
            raise SeatFault("platform", f"a seat could not be made: {printed or error}") from error
        finally:
            os.close(writer)
        channel.settimeout(None)
        return Fork(channel, output, pid, handle)

    def reap(self) -> ExitStatus:
        """The end of the last fork, which must be dead or dying. Raises SeatFault("platform")."""
        serial = self.seats.to_bytes(SERIAL_BYTES, "big")
        try:
            self._control.send(serial)
            reply = self._control.recv(4096)
            if reply[:SERIAL_BYTES] != serial:
                raise OSError("the zygote gave no answer")
            exit_status = ExitStatus(*EXIT_STATUS.unpack(reply[SERIAL_BYTES:]))
        except (OSError, struct.error) as error:
            self.healthy = False
            raise SeatFault("platform", "the box of the bot has died") from error
        self.healthy = self.healthy and exit_status.clean
        return exit_status

    @property
    def has_died(self) -> bool:
        """Whether the zygote has closed its channel, as it does when it dies."""
        watch = select.poll()
        watch.register(self._control, 0)  # The end of a channel is always told.
        return bool(watch.poll(0))

    def kill(self) -> None:
        """Ends the zygote and everything in its box. May be called twice."""
        self.healthy = False
        if self._control.fileno() >= 0:
            self._control.close()
            self._launched.end()


def _connections() -> tuple[socket.socket, socket.socket, int, int]:
    """Our and a seat's end of its channel, then of the pipe that it prints to. Raises OSError."""
    channel, theirs = channel_pair()
    try:
        output, writer = os.pipe()
    except OSError:
        channel.close()
        theirs.close()
        raise
    os.set_blocking(output, False)
    return channel, theirs, output, writer


def _with_advice(printed: str) -> str:
    """The box's output, with advice if the cause is known."""
    if "namespace" in printed or "uid map" in printed:
        return f"{printed}; let this account make user namespaces (see `sysctl -a | grep userns`)"
    return printed


def _start_failure(report: Mapping[str, Any]) -> str:
    """The reason that a zygote gave for not being ready."""
    if "failed" in report:
        return str(report["failed"])
    inside, here = ("{}.{}".format(*version) for version in (report["python"], sys.version_info))
    return f"it holds Python {inside}, and this is Python {here}: build it from a base of {here}"


def _first_packet(channel: socket.socket) -> tuple[bytes, int]:
    """The first packet, and the pid, in our own namespace, of the process that sent it."""
    packet, extra, _, _ = channel.recvmsg(4096, socket.CMSG_SPACE(CREDENTIALS.size))
    channel.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
    for level, kind, data in extra:
        if packet and (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS):
            return packet, int(CREDENTIALS.unpack(data)[0])
    raise OSError("the other side has closed the connection")


def _memory(pid: int) -> tuple[int, int]:
    """The process's address space, and the memory of its own that each of its forks holds from its
    start, in bytes. Pages of files count only when a fork uses them."""
    space, held, of_files, *_ = map(int, Path(f"/proc/{pid}/statm").read_text().split())
    page = os.sysconf("SC_PAGE_SIZE")
    return space * page, (held - of_files) * page


def _printed(output: int) -> str:
    with suppress(OSError):
        if select.select([output], [], [], 0)[0]:
            return os.read(output, 2000).decode(errors="replace").strip()[-300:]
    return ""

"""A host that plays from afar: a real `matchbox arena --join`, over a line that can be cut.

Knows the command and sockets; knows nothing of jobs.
"""

from __future__ import annotations

import os
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from tests.installation import children
from tests.services import needs

WAIT_S: Final = 240


@dataclass
class Wire:
    """A line between a host and the server that can be cut."""

    target: tuple[str, int]
    listener: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))
    open: set[socket.socket] = field(default_factory=set)
    is_cut: bool = False

    @property
    def url(self) -> str:
        """The address at this end."""
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def cut(self) -> None:
        """Ends every connection, and takes no new one."""
        self.is_cut = True
        for one in list(self.open):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        """Takes connections again."""
        self.is_cut = False

    def serve(self) -> None:
        """Passes bytes on until the listener is closed."""
        with suppress(OSError):
            while True:
                near, _ = self.listener.accept()
                threading.Thread(target=self._connect, args=(near,), daemon=True).start()

    def _connect(self, near: socket.socket) -> None:
        """Passes bytes on in both directions until an end closes, or the line is cut."""
        with near, suppress(OSError):
            if self.is_cut:
                return
            with socket.create_connection(self.target) as far:
                others = {near: far, far: near}
                self.open |= set(others)
                try:
                    while not self.is_cut and _pass_on(others):
                        pass
                finally:
                    self.open -= set(others)


def _pass_on(others: dict[socket.socket, socket.socket]) -> bool:
    """Waits for bytes at either end and passes them to the other; False at an end of one."""
    ready, _, _ = select.select(list(others), [], [])
    for one in ready:
        data = one.recv(1 << 16)
        if not data:
            return False
        others[one].sendall(data)
    return True


@contextmanager
def wired(server_url: str) -> Iterator[Wire]:
    """A line to the server at that address, for the length of the block."""
    parts = urlsplit(server_url)
    wire = Wire((parts.hostname or "", parts.port or 0))
    threading.Thread(target=wire.serve, daemon=True).start()
    try:
        yield wire
    finally:
        wire.listener.close()
        wire.cut()


@dataclass(frozen=True)
class Host:
    """A host with one arena, and its line to the server."""

    wire: Wire
    process: subprocess.Popen[bytes]
    """The command, which starts the arena again when it dies."""

    def arena(self) -> int:
        """The process that plays; 0 while there is none."""
        return next(iter(children(self.process.pid)), 0)


@contextmanager
def joined(wire: Wire, key: str, data: Path) -> Iterator[Host]:
    """A host that plays with this key; it ends with the block. Its log is beside the folder `data`
    for its arena's."""
    command = [needs("setpriv"), "--pdeathsig", "TERM", sys.executable]
    command += ["-c", "from cli.main import main; main()", "arena", "--join", wire.url]
    command += ["--arenas", "1", "--data", str(data)]
    environment = {"PATH": os.environ["PATH"], "MATCHBOX_ARENA_KEY": key}
    with data.with_suffix(".log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        yield Host(wire, process)
    finally:
        process.terminate()
        process.wait(WAIT_S)

"""One client that stops a web server, as far as it lets him: half-sent requests, streams.

Each attack keeps its connections until its block ends, and opens lost ones again.
"""

from __future__ import annotations

import selectors
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

import httpx

ATTACKER: Final = "127.0.0.2"
"""On Linux every address in 127.0.0.0/8 is this machine's."""
NEIGHBOUR: Final = "127.0.0.3"
HALF_A_LOGIN: Final = (
    b"POST /login HTTP/1.1\r\nHost: matchbox\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\nname=alice"
)
HALF_A_HEAD: Final = b"GET / HTTP/1.1\r\nHost: matchbox\r\nX-Slow: "
STREAM: Final = b"GET /api/v1/events HTTP/1.1\r\nHost: matchbox\r\n\r\n"
_LOOK_S: Final = 0.5


class Hoard:
    """Connections of one address. Each has sent something, and sends more now and then."""

    def __init__(self, port: int, sent: bytes, drip: bytes = b"x") -> None:
        self._to = ("127.0.0.1", port)
        self._sent = sent
        self._drip = drip
        self._open = selectors.DefaultSelector()
        self.answers: list[bytes] = []
        """The first bytes of every answer."""
        self.tries = self.lost = 0
        self.most_granted = self.ended = 0
        """Requests that were answered with 200 and are open: at most; and that were closed."""
        self._granted: set[object] = set()

    @property
    def held(self) -> int:
        """The number of open connections."""
        return len(self._open.get_map())

    def connect(self) -> None:
        """Opens another connection. If that is refused, it counts as lost."""
        self.tries += 1
        client = socket.socket()
        client.bind((ATTACKER, 0))
        client.settimeout(_LOOK_S)
        try:
            client.connect(self._to)
            client.sendall(self._sent)
        except OSError:
            self.lost += 1
            client.close()
            return
        client.setblocking(False)
        self._open.register(client, selectors.EVENT_READ)

    def look(self) -> None:
        """Reads all data that has come, closes finished connections, and sends a little more to all
        others."""
        for key, _ in self._open.select(0):
            client: socket.socket = key.fileobj  # type: ignore[assignment]
            try:
                data = client.recv(4096)
            except OSError:
                data = b""
            if data:
                self.answers.append(data)
                if b"HTTP/1.1 200 " in data:
                    self._granted.add(client)
                    self.most_granted = max(self.most_granted, len(self._granted))
            else:
                self._close(client)
        for key in list(self._open.get_map().values()):
            with suppress(OSError):
                key.fileobj.send(self._drip)  # type: ignore[union-attr]

    def close(self) -> None:
        """Closes all of them."""
        for key in list(self._open.get_map().values()):
            self._close(key.fileobj)  # type: ignore[arg-type]
        self._open.close()

    def _close(self, client: socket.socket) -> None:
        self.lost += 1
        if client in self._granted:
            self._granted.remove(client)
            self.ended += 1
        self._open.unregister(client)
        client.close()


@contextmanager
def hoarding(port: int, sent: bytes, many: int, drip: bytes = b"x") -> Iterator[Hoard]:
    """This many connections from one address, opened again whenever they are lost."""
    hoard, over = Hoard(port, sent, drip), threading.Event()

    def keep() -> None:
        while not over.is_set():
            while hoard.held < many and not over.is_set():
                before = hoard.lost
                hoard.connect()
                if hoard.lost > before:
                    break
            hoard.look()
            over.wait(0.05)

    thread = threading.Thread(target=keep, daemon=True)
    thread.start()
    try:
        yield hoard
    finally:
        over.set()
        thread.join()
        hoard.close()


def neighbour(port: int, timeout_s: float) -> httpx.Client:
    """A client at another address that opens a new connection for every request."""
    transport = httpx.HTTPTransport(local_address=NEIGHBOUR)
    return httpx.Client(
        base_url=f"http://127.0.0.1:{port}",
        transport=transport,
        timeout=timeout_s,
        headers={"Connection": "close"},
    )

"""The gunicorn workers of the platform: a request takes a thread once it is here as a whole.

Until then it costs its connection and nothing else, and only for so long: headers and body have a
deadline each, and an address has so many connections. So a thread never waits for what a client
sends. It does wait for a client that reads an answer slowly, so one address has half of the threads
at most, and its further requests wait for the others of its own.
"""

from __future__ import annotations

import errno
import resource
import selectors
import socket
import time
from collections import Counter, defaultdict, deque
from concurrent.futures import Future
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from gunicorn.http import get_parser
from gunicorn.http.errors import NoMoreData
from gunicorn.workers.gthread import TConn, ThreadWorker

from server.app import MOST_BYTES
from server.rate_limits import network_of
from server.request_buffer import RequestBuffer
from server.routes import internal

if TYPE_CHECKING:
    from matchbox.settings import Settings

STALLED_S: Final = 30.0
"""An answer is given up when the client has read nothing for this long."""
LINGER_S: Final = 2.0
"""How long a client may take to notice that an answered connection is closed."""
_READ_BYTES: Final = 64 << 10
_DESCRIPTORS: Final = 4096
_SPARE_DESCRIPTORS: Final = 256
"""Descriptors kept for the database, the broker and files."""
_CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"
_NOBODY_THERE: Final = (errno.EAGAIN, errno.ECONNABORTED, errno.EWOULDBLOCK)


class Connection(TConn):
    """A client's connection, and what has arrived of its next request."""

    def __init__(
        self, worker: BufferingWorker, client: socket.socket, address: Any, server: Any
    ) -> None:
        outlet = _Outlet(client.family, client.type, client.proto, client.detach())
        super().__init__(worker.cfg, outlet, address, server)
        self.host = network_of(address[0]) if isinstance(address, tuple) else ""
        self.request = RequestBuffer(worker.most_bytes)
        self.deadline = 0.0
        self.ends = False
        """No other request may follow the one that is being answered."""
        self.lingers = False
        """It has been answered, and is closed as soon as the client closes it."""


class _Outlet(socket.socket):
    """A socket whose timeout is for no progress, however long the answer is."""

    def sendall(self, data: Any, flags: int = 0) -> None:
        """Sends everything. Raises TimeoutError where the client takes nothing for so long."""
        left = memoryview(data)
        while left:
            left = left[self.send(left, flags) :]


class BufferingWorker(ThreadWorker):
    """Reads requests in its main loop, and answers them in threads."""

    most_bytes = MOST_BYTES
    """Of a body that is kept."""
    is_public = True
    """Strangers connect to it."""

    def load_wsgi(self) -> None:
        """Loads the application, which has read the settings."""
        super().load_wsgi()
        settings: Settings = self.wsgi.extensions["matchbox"].settings
        self._headers_s = float(settings.headers_seconds)
        self._body_s = float(settings.body_seconds)
        counts = self.is_public and not settings.trusted_proxies
        self._per_address = settings.connections_per_address if counts else 0
        self._held: Counter[str] = Counter()
        self._share = max(1, self.cfg.threads // 2) if counts else self.cfg.threads
        self._answering: Counter[str] = Counter()
        self._queued: defaultdict[str, deque[Connection]] = defaultdict(deque)
        """Complete requests of an address that has its share of the threads."""
        self._waiting: set[Connection] = set()
        self._next_look = 0.0
        self.worker_connections = min(self.cfg.worker_connections, _room())

    def accept(self, listener: socket.socket) -> None:
        """Takes a connection, or turns it away where its address has enough of them."""
        try:
            client, address = listener.accept()
        except OSError as error:
            if error.errno not in _NOBODY_THERE:
                raise
            return
        conn = Connection(self, client, address, listener.getsockname())
        self.nr_conns += 1
        self._held[conn.host] += 1
        if self._per_address and self._held[conn.host] > self._per_address:
            self._tell(conn, _answer(429, "too many connections from your address"))
            self._drop(conn)
        else:
            self._wait(conn, self._headers_s)

    def finish_request(self, conn: Connection, fs: Future[bool]) -> None:
        """Waits for the connection's next request, or closes it."""
        self._give_back(conn.host)
        keeps = not fs.cancelled() and fs.exception() is None and fs.result()
        if keeps and self.alive and not conn.ends:
            self._wait(conn, self.cfg.keepalive if conn.request.is_empty else self._headers_s)
            self._advance(conn)
        else:
            self._linger(conn)

    def handle(self, conn: Connection) -> bool:
        """Answers a request that is here as a whole; true where another may follow."""
        req = None
        try:
            conn.sock.settimeout(STALLED_S)
            req = next(conn.parser)
            req._expected_100_continue = False  # It has been told, or need not be.
            req.must_close = req.must_close or conn.ends
            return bool(self.handle_request(req, conn))
        except (NoMoreData, StopIteration):
            return False
        except OSError as error:  # It went away, or reads nothing.
            self.log.debug("Client lost: %s", error)
            return False
        except Exception as error:  # noqa: BLE001  # gunicorn tells them apart
            self.handle_error(req, conn.sock, conn.client, error)
            return False

    def murder_pending(self) -> None:
        """Closes the connections whose time is over; once a second."""
        now = time.monotonic()
        if now < self._next_look and self.alive:
            return
        self._next_look = now + 1.0
        for conn in list(self._waiting):
            if conn.lingers or conn.request.is_empty:
                if now >= conn.deadline or not self.alive:
                    self._drop(conn)
            elif now >= conn.deadline:
                self._refuse(conn, 408, "the request took too long to arrive")

    def _wait(self, conn: Connection, within_s: float) -> None:
        """Reads from the connection, for so long at most."""
        conn.sock.setblocking(False)
        conn.deadline = time.monotonic() + within_s
        self._waiting.add(conn)
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._read, conn))

    def _read(self, conn: Connection, _: object) -> None:
        """Takes what has arrived."""
        try:
            data = conn.sock.recv(_READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._drop(conn)
        elif not conn.lingers:
            if conn.request.is_empty:
                conn.deadline = time.monotonic() + self._headers_s
            knew = conn.request.has_head
            conn.request.feed(data)
            if conn.request.has_head and not knew:
                conn.deadline = time.monotonic() + self._body_s
            self._advance(conn)

    def _advance(self, conn: Connection) -> None:
        """Gives the request to a thread once it is complete."""
        request = conn.request
        if request.refusal:
            self._refuse(conn, *request.refusal)
        elif request.is_complete:
            self._forget(conn)
            conn.ends = request.too_long
            conn.parser = get_parser(self.cfg, iter([request.take()]), conn.client)
            self._queued[conn.host].append(conn)
            self._answer_next(conn.host)
        elif request.awaits_continue:
            request.awaits_continue = False
            self._tell(conn, _CONTINUE)

    def _answer_next(self, host: str) -> None:
        """Gives a thread to the address's next request, unless it has its share of them."""
        if self._queued[host] and self._answering[host] < self._share:
            self._answering[host] += 1
            self.enqueue_req(self._queued[host].popleft())
        if not self._queued[host]:
            del self._queued[host]

    def _give_back(self, host: str) -> None:
        """Takes note that a request of the address has been answered."""
        self._answering[host] -= 1
        if not self._answering[host]:
            del self._answering[host]
        self._answer_next(host)

    def _refuse(self, conn: Connection, status: int, why: str) -> None:
        """Says why, as far as the client listens, and closes the connection."""
        self._tell(conn, _answer(status, why))
        self._linger(conn)

    def _tell(self, conn: Connection, data: bytes) -> None:
        conn.sock.setblocking(False)
        try:
            conn.sock.send(data)
        except OSError:
            self.log.debug("Client lost before %r", data[:32])

    def _linger(self, conn: Connection) -> None:
        """Closes our side, and waits a moment for the client to have read the answer."""
        self._forget(conn)
        try:
            conn.sock.shutdown(socket.SHUT_WR)
        except OSError:
            self._drop(conn)
            return
        conn.lingers = True
        self._wait(conn, LINGER_S)

    def _forget(self, conn: Connection) -> None:
        """Reads from the connection no more."""
        if conn in self._waiting:
            self._waiting.remove(conn)
            self.poller.unregister(conn.sock)

    def _drop(self, conn: Connection) -> None:
        """Closes the connection."""
        self._forget(conn)
        conn.close()
        self.nr_conns -= 1
        self._held[conn.host] -= 1
        if not self._held[conn.host]:
            del self._held[conn.host]


class InternalWorker(BufferingWorker):
    """The worker for arenas: long results, and many arenas at one address."""

    most_bytes = internal.MOST_BYTES
    is_public = False


def _answer(status: int, why: str) -> bytes:
    """A whole answer in plain text, after which the connection is closed."""
    text = f"{why}\n".encode()
    head = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\nConnection: close\r\n"
    head += f"Content-Type: text/plain\r\nContent-Length: {len(text)}\r\n\r\n"
    return head.encode() + text


def _room() -> int:
    """How many connections may be open, with as many descriptors as the process is let have."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = hard == resource.RLIM_INFINITY
    wanted = max(soft, _DESCRIPTORS if unlimited else min(hard, _DESCRIPTORS))
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return max(64, wanted - _SPARE_DESCRIPTORS)

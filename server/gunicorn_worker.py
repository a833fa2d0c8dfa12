"""The platform's gunicorn workers, which give a request to a thread once all of it has arrived.

Until then a request costs only its connection. Headers and body each have a deadline, and an
address has a limited number of connections. So a thread never waits for a client to send. A thread
does wait for a client that reads its answer slowly. So an address may use at most half of the
threads, and its further requests wait for its own earlier ones.
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

from server.app import MAX_BYTES
from server.rate_limits import network_of
from server.request_buffer import RequestBuffer
from server.routes import internal

if TYPE_CHECKING:
    from matchbox.settings import Settings

STALLED_S: Final = 30.0
"""The time, in seconds, after which an answer is given up if the client reads nothing."""
LINGER_S: Final = 2.0
"""The time, in seconds, that a client has to close a connection after we have closed it."""
_READ_BYTES: Final = 64 << 10
_DESCRIPTORS: Final = 4096
_SPARE_DESCRIPTORS: Final = 256
"""Descriptors that are kept free for the database, the broker and files."""
_CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"
_NOBODY_THERE: Final = (errno.EAGAIN, errno.ECONNABORTED, errno.EWOULDBLOCK)


class Connection(TConn):  # type: ignore[misc]  # gunicorn has no types
    """A client's connection, with the part of its next request that has arrived."""

    def __init__(
        self, worker: BufferingWorker, client: socket.socket, address: Any, server: Any
    ) -> None:
        outlet = _Outlet(client.family, client.type, client.proto, client.detach())
        super().__init__(worker.cfg, outlet, address, server)
        self.host = network_of(address[0]) if isinstance(address, tuple) else ""
        self.request = RequestBuffer(worker.most_bytes)
        self.deadline = 0.0
        self.ends = False
        """True if no other request may follow the one that is being answered."""
        self.lingers = False
        """True if the connection only waits for the client to close it."""


class _Outlet(socket.socket):
    """A socket whose timeout limits each wait for progress, and not the time of a whole answer."""

    def sendall(self, data: Any, flags: int = 0) -> None:
        """Sends everything. Raises TimeoutError if the client takes nothing within the timeout."""
        left = memoryview(data)
        while left:
            left = left[self.send(left, flags) :]


class BufferingWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """Reads requests in its main loop, and answers them in threads."""

    most_bytes = MAX_BYTES
    """The longest body that is kept."""
    is_public = True
    """True if strangers connect to this worker."""

    def load_wsgi(self) -> None:
        """Loads the application, and takes the limits from its settings."""
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
        """Complete requests by address, which wait while the address has its share of threads."""
        self._waiting: set[Connection] = set()
        self._next_look = 0.0
        self.worker_connections = min(self.cfg.worker_connections, _room())

    def accept(self, listener: socket.socket) -> None:
        """Accepts a connection, or refuses it if its address has too many."""
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
            self._send_now(conn, _answer(429, "too many connections from your address"))
            self._drop(conn)
        else:
            self._wait(conn, self._headers_s)

    def finish_request(self, conn: Connection, fs: Future[bool]) -> None:
        """Waits for the connection's next request, or closes the connection."""
        self._give_back(conn.host)
        keeps = not fs.cancelled() and fs.exception() is None and fs.result()
        if keeps and self.alive and not conn.ends:
            self._wait(conn, self.cfg.keepalive if conn.request.is_empty else self._headers_s)
            self._advance(conn)
        else:
            self._linger(conn)

    def handle(self, conn: Connection) -> bool:
        """Answers a complete request; returns whether another may follow."""
        req = None
        try:
            conn.sock.settimeout(STALLED_S)
            req = next(conn.parser)
            req._expected_100_continue = False  # `_advance` has sent it, if it was needed.
            req.must_close = req.must_close or conn.ends
            return bool(self.handle_request(req, conn))
        except (NoMoreData, StopIteration):
            return False
        except OSError as error:  # The client has gone, or reads nothing.
            self.log.debug("Client lost: %s", error)
            return False
        except Exception as error:  # noqa: BLE001  # gunicorn tells them apart
            self.handle_error(req, conn.sock, conn.client, error)
            return False

    def murder_pending(self) -> None:
        """Closes the connections that are past their deadline, at most once a second."""
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
        """Waits for data on the connection, for at most this many seconds."""
        conn.sock.setblocking(False)
        conn.deadline = time.monotonic() + within_s
        self._waiting.add(conn)
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._read, conn))

    def _read(self, conn: Connection, _: object) -> None:
        """Takes the data that has arrived, or closes the connection if the client has."""
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
        """Queues the request for a thread once it is complete, or refuses it."""
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
            self._send_now(conn, _CONTINUE)

    def _answer_next(self, host: str) -> None:
        """Gives the address's next request to a thread, unless the address has its share."""
        if self._queued[host] and self._answering[host] < self._share:
            self._answering[host] += 1
            self.enqueue_req(self._queued[host].popleft())
        if not self._queued[host]:
            del self._queued[host]

    def _give_back(self, host: str) -> None:
        """Frees the thread of an answered request for the address's next one."""
        self._answering[host] -= 1
        if not self._answering[host]:
            del self._answering[host]
        self._answer_next(host)

    def _refuse(self, conn: Connection, status: int, why: str) -> None:
        """Sends the reason, if the client still reads, and closes the connection."""
        self._send_now(conn, _answer(status, why))
        self._linger(conn)

    def _send_now(self, conn: Connection, data: bytes) -> None:
        conn.sock.setblocking(False)
        try:
            conn.sock.send(data)
        except OSError:
            self.log.debug("Client lost before %r", data[:32])

    def _linger(self, conn: Connection) -> None:
        """Closes our side, and gives the client LINGER_S seconds to read the answer."""
        self._forget(conn)
        try:
            conn.sock.shutdown(socket.SHUT_WR)
        except OSError:
            self._drop(conn)
            return
        conn.lingers = True
        self._wait(conn, LINGER_S)

    def _forget(self, conn: Connection) -> None:
        """Stops reading from the connection."""
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
    """The worker for arenas, which send long results and may share an address."""

    most_bytes = internal.MAX_BYTES
    is_public = False


def _answer(status: int, why: str) -> bytes:
    """A complete answer in plain text, which says that the connection closes."""
    text = f"{why}\n".encode()
    head = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\nConnection: close\r\n"
    head += f"Content-Type: text/plain\r\nContent-Length: {len(text)}\r\n\r\n"
    return head.encode() + text


def _room() -> int:
    """How many connections may be open. Raises the process's limit of descriptors first."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = hard == resource.RLIM_INFINITY
    wanted = max(soft, _DESCRIPTORS if unlimited else min(hard, _DESCRIPTORS))
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return max(64, wanted - _SPARE_DESCRIPTORS)

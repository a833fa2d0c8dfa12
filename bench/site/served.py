"""The web server with a given database, in the processes that `matchbox up` starts for visitors.

Neither ledger nor arenas run: nothing changes while pages are measured.
"""

from __future__ import annotations

import gzip
import time
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from cli import folder, up
from cli.supervisor import Program, Supervisor
from matchbox.settings import read_settings
from worker import broker

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

START_S: Final = 60.0
ANSWER_S: Final = 120.0
_IDLE_S: Final = 1.0
"""The server closes a connection that is idle for two seconds."""
_NO_LIMIT: Final = "100000"
"""The limit of requests and logins in a minute: the benchmark sends all requests from one
address."""


class Fetched(NamedTuple):
    """An answer, and the time to its first byte."""

    status: int
    first_byte_s: float
    body: bytes
    """The body as it was sent, compressed if the server compresses it."""
    encoding: str

    @property
    def text(self) -> str:
        """The body as text."""
        plain = gzip.decompress(self.body) if self.encoding == "gzip" else self.body
        return plain.decode(errors="replace")


class Site:
    """A running web server, over one connection, which is opened anew after a pause."""

    def __init__(self, port: int, source: str = "") -> None:
        at = (source, 0) if source else None
        self.port = port
        self._connection = HTTPConnection(up.HOST, port, timeout=ANSWER_S, source_address=at)
        self._used = -_IDLE_S

    def get(self, path: str, token: str = "") -> Fetched:
        """Requests a path, as the account of the token if there is one."""
        headers = {"Accept-Encoding": "gzip", "User-Agent": "bench"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if time.monotonic() > self._used + _IDLE_S:
            self._connection.close()
            self._connection.connect()
        started = time.perf_counter()
        self._connection.request("GET", path, headers=headers)
        answer = self._connection.getresponse()
        taken = time.perf_counter() - started
        encoding = answer.getheader("Content-Encoding", "")
        found = Fetched(answer.status, taken, answer.read(), encoding)
        self._used = time.monotonic()
        return found

    def close(self) -> None:
        """Closes the connection. The server keeps running."""
        self._connection.close()


@contextmanager
def serving(url: str, place: Path) -> Iterator[int]:
    """The port of a web server over the database at this address, until the block ends.

    Raises RuntimeError if it does not start.
    """
    place = folder.make(place)
    with ExitStack() as stack:
        public, internal = (stack.enter_context(up.listen(0)) for _ in range(2))
        port: int = public.getsockname()[1]
        environment = _environment(place, port, url)
        broker.prepare(place)
        supervisor = Supervisor(folder.logs(place), lambda text: None)
        stack.callback(supervisor.kill)
        stack.callback(supervisor.stop)
        supervisor.add(Program("broker", broker.command(place), environment))
        listeners = up.Listeners(public, internal)
        web = up.programs(read_settings(environment), environment, place, listeners)[0]
        supervisor.add(web)
        _wait(port)
        yield port


def _environment(place: Path, port: int, url: str) -> Mapping[str, str]:
    given = {
        "MATCHBOX_DATABASE_URL": url,
        "MATCHBOX_BROKER_URL": broker.address(place),
        "MATCHBOX_REQUESTS_PER_MINUTE": _NO_LIMIT,
        "MATCHBOX_LOGINS_PER_MINUTE": _NO_LIMIT,
    }
    return {**up.inherited_environment(), **folder.environment(place, port, given)}


def _wait(port: int) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        site = Site(port)
        try:
            if site.get("/healthz").status == 200:
                return
        except OSError:
            time.sleep(0.1)
        finally:
            site.close()
    raise RuntimeError(f"the web server did not start within {START_S:.0f} s")

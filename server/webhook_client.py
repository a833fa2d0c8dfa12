"""Signs a webhook's message as Standard Webhooks 1.0.0 specifies, and posts it once.

Knows HTTP and the signature, but no notices and no database. Follows no redirect and uses no proxy.
Only the status of an answer counts. The standard is at https://www.standardwebhooks.com.
"""

from __future__ import annotations

import hmac
import io
import secrets
import socket
import ssl
from base64 import b64decode, b64encode
from collections.abc import Mapping
from contextlib import suppress
from http.client import (
    BadStatusLine,
    HTTPConnection,
    HTTPException,
    HTTPSConnection,
    RemoteDisconnected,
)
from typing import Any, Final

from matchbox.errors import Unavailable
from server.ssrf_guard import Deadline, Resolve, UrlParts, addresses_of, connect, read_url

TIMEOUT_S: Final = 5.0
"""The time for everything from the first packet to the headers of the answer."""
READ_BYTES: Final = 1024
"""The number of bytes of an answer's body that are read; they are ignored."""
GONE: Final = 410
"""The status of a receiver that wants no more messages."""
_PREFIX: Final = "whsec_"


class _Line:
    """A connection for http.client, whose reads and writes all end by one deadline."""

    def __init__(self, line: socket.socket, deadline: Deadline) -> None:
        self._line, self._deadline = line, deadline

    def sendall(self, data: bytes) -> None:
        """Sends all the data."""
        self._line.settimeout(self._deadline.left())
        self._line.sendall(data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        """Returns a file from which the answer is read."""
        return io.BufferedReader(_Reader(self._line, self._deadline))

    def close(self) -> None:
        """Does nothing: the caller closes the connection."""


class _Reader(io.RawIOBase):
    def __init__(self, line: socket.socket, deadline: Deadline) -> None:
        self._line, self._deadline = line, deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._line.settimeout(self._deadline.left())
        return self._line.recv_into(buffer)


def make_secret() -> str:
    """Returns a new secret for signatures: whsec_ and 32 random bytes in base64."""
    return _PREFIX + b64encode(secrets.token_bytes(32)).decode()


def signature(secret: str, message: str, at: int, body: bytes) -> str:
    """Returns the header webhook-signature of a message.

    `message` is its id, and `at` the time at which it is sent, in seconds since the epoch.
    """
    key = b64decode(secret.removeprefix(_PREFIX))
    signed = f"{message}.{at}.".encode() + body
    return "v1," + b64encode(hmac.digest(key, signed, "sha256")).decode()


def headers(secret: str, message: str, at: int, body: bytes) -> dict[str, str]:
    """Returns the headers to post the body with. The arguments are those of `signature`."""
    return {
        "Content-Type": "application/json",
        "User-Agent": "Matchbox",
        "Connection": "close",
        "webhook-id": message,
        "webhook-timestamp": str(at),
        "webhook-signature": signature(secret, message, at, body),
    }


def post(
    url: str,
    body: bytes,
    given: Mapping[str, str],
    *,
    anywhere: bool,
    resolve: Resolve = addresses_of,
    trust: ssl.SSLContext | None = None,
) -> int:
    """Posts the body with the headers `given`; returns the status of the answer.

    Raises Unavailable if no answer comes in time, BadOption for a URL that is not allowed, or
    Forbidden if the host's addresses are not all public. `anywhere` allows every address.
    """
    place = read_url(url, anywhere=anywhere)
    deadline = Deadline(TIMEOUT_S)
    try:
        line = connect(place, deadline, anywhere=anywhere, resolve=resolve)
        with line:
            return _ask(_secured(line, place, deadline, trust), place, body, given, deadline)
    except (OSError, HTTPException, UnicodeError) as error:
        raise Unavailable(f"{place.host} did not answer: {_why(error)}") from error


def _secured(
    line: socket.socket, place: UrlParts, deadline: Deadline, trust: ssl.SSLContext | None
) -> socket.socket:
    if not place.secure:
        return line
    line.settimeout(deadline.left())
    return (trust or ssl.create_default_context()).wrap_socket(line, server_hostname=place.host)


def _ask(
    line: socket.socket, place: UrlParts, body: bytes, given: Mapping[str, str], deadline: Deadline
) -> int:
    kind = HTTPSConnection if place.secure else HTTPConnection
    with line:
        connection = kind(place.host, place.port)
        connection.sock = _Line(line, deadline)
        connection.request("POST", place.target, body, dict(given))
        answer = connection.getresponse()
        with suppress(OSError, HTTPException):
            answer.read(READ_BYTES)
        return answer.status


def _why(error: Exception) -> str:
    if isinstance(error, BadStatusLine) and not isinstance(error, RemoteDisconnected):
        return "its answer is not HTTP"  # The error has the answer, which nobody is to read.
    return str(error) or type(error).__name__

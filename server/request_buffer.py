"""Collects the bytes of a connection until they hold a whole request.

Knows where headers and body end, and how long they may be; the parser behind it checks the rest.
Opens nothing and waits for nothing.
"""

from __future__ import annotations

from typing import Final

HEAD_BYTES: Final = 64 << 10
"""The most bytes of a request's first line and headers together."""
DRAINED_BYTES: Final = 32 << 20
"""The number of bytes of a too long body that are read, so that its sender gets the answer."""
_END: Final = b"\r\n\r\n"
_DIGITS: Final = 16
"""A length with this many digits is too long, whatever the digits are."""


class RequestBuffer:
    """Collects the requests of one connection, one after the other."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._data = bytearray()
        self._start()

    def _start(self) -> None:
        self.has_head = False
        self.refusal: tuple[int, str] | None = None
        """The status and the reason if the request is refused before it has arrived."""
        self.awaits_continue = False
        """True if the client waits for `100 Continue` before it sends the body."""
        self.too_long = False
        """True if the body is longer than is allowed. It is dropped, and no request may follow."""
        self._head = 0
        self._length = 0
        self._dropped = 0
        self._looked = 0

    @property
    def is_empty(self) -> bool:
        """True if no byte of a request has arrived yet."""
        return not self._data and not self.has_head

    @property
    def is_complete(self) -> bool:
        """True if all bytes of the request that are to be read have arrived."""
        if not self.has_head:
            return False
        if self.too_long:
            return self._dropped >= min(self._length, DRAINED_BYTES)
        return len(self._data) >= self._head + self._length

    def feed(self, data: bytes) -> None:
        """Adds data that has arrived."""
        self._data += data
        if not self.has_head:
            self._look_for_head()
        if self.too_long:
            self._dropped += len(self._data) - self._head
            del self._data[self._head :]

    def take(self) -> bytes:
        """Returns the bytes of the complete request. Bytes after it begin the next request."""
        assert self.is_complete
        end = min(self._head + self._length, len(self._data))
        request = bytes(self._data[:end])
        rest = bytes(self._data[end:])
        self._data = bytearray()
        self._start()
        self.feed(rest)
        return request

    def _look_for_head(self) -> None:
        found = self._data.find(_END, max(0, self._looked - len(_END) + 1))
        self._looked = len(self._data)
        if found > HEAD_BYTES or (found < 0 and self._looked > HEAD_BYTES):
            self.refusal = 431, "the headers are longer than 64 KiB"
        elif found >= 0:
            self.has_head = True
            self._head = found + len(_END)
            self._read_head(bytes(self._data[:found]))

    def _read_head(self, head: bytes) -> None:
        """Finds the length of the body. The parser refuses a length that is not valid."""
        fields = [line.partition(b":") for line in head.split(b"\r\n")[1:]]
        headers = [(name.strip().lower(), value.strip().lower()) for name, _, value in fields]
        if any(name == b"transfer-encoding" for name, _ in headers):
            self.refusal = 411, "send the body with a Content-Length, not in chunks"
            return
        lengths = {value for name, value in headers if name == b"content-length"}
        if len(lengths) == 1 and (length := lengths.pop()).isdigit():
            self._length = int(length.lstrip(b"0")[:_DIGITS] or b"0")
        waits = (b"expect", b"100-continue") in headers
        self.too_long = self._length > self._most_bytes
        if self.too_long and waits:
            self._length = 0
        self.awaits_continue = waits and not self.is_complete

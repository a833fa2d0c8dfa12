"""Limits how many event streams are open, in a process and for each account or address.

Each process counts its own streams in memory. If there is a broker, its Redis counts the streams
of each account or address over all processes.
"""

from __future__ import annotations

import time
from collections import Counter
from threading import Lock
from typing import TYPE_CHECKING, Final
from uuid import uuid4

import redis
import structlog

from matchbox.errors import TooMany, Unavailable
from server.rate_limits import storage_uri

if TYPE_CHECKING:
    from collections.abc import Callable

    from matchbox.settings import Settings

STREAMS: Final = 24
"""The most streams of a process. It is well under the web server's number of threads."""
LIFE_S: Final = 30.0
"""The seconds for which a stream lasts: few, so that a server that stops does not wait for its
streams."""
_FORGOTTEN_S: Final = 2 * LIFE_S
"""The seconds for which a stream still counts after its process was killed."""
_BROKER_S: Final = 2.0
_OPEN: Final = """
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[1])
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[4])
redis.call('EXPIRE', KEYS[1], ARGV[5])
return 1
"""

log = structlog.get_logger(__name__)


class Streams:
    """Counts the event streams of this process, and of each account or address."""

    def __init__(self, settings: Settings) -> None:
        self._each = settings.streams_per_address
        self._lock = Lock()
        self._open: Counter[str] = Counter()
        self._broker = _broker(settings.broker_url)

    def open(self, who: str) -> Callable[[], None]:
        """Takes a place for a stream of `who`; call the returned function to free it.

        Raises TooMany if `who` has too many already, Unavailable if no place is left.
        """
        with self._lock:
            if self._open[who] >= self._each:
                raise TooMany(self._refusal())
            if self._open.total() >= STREAMS:
                raise Unavailable("too many event streams are open; try again in a few seconds")
            self._open[who] += 1
        try:
            place = self._count(who)
        except BaseException:
            self._close(who, "")
            raise
        return lambda: self._close(who, place)

    def _count(self, who: str) -> str:
        """Takes a place in the count of all processes; returns its name, empty without a broker.

        Raises TooMany if the account or address has no place left.
        """
        if self._broker is None:
            return ""
        place, now = uuid4().hex, time.time()
        numbers = (now, self._each, now + _FORGOTTEN_S, place, int(_FORGOTTEN_S))
        try:
            taken = self._broker.eval(_OPEN, 1, _key(who), *map(str, numbers))
        except redis.RedisError as error:
            log.warning("streams.counted_alone", why=str(error))
            return ""
        if not taken:
            raise TooMany(self._refusal())
        return place

    def _close(self, who: str, place: str) -> None:
        with self._lock:
            self._open[who] -= 1
            if not self._open[who]:
                del self._open[who]
        if place and self._broker is not None:
            try:
                self._broker.zrem(_key(who), place)
            except redis.RedisError as error:
                log.warning("streams.forgotten_later", why=str(error))

    def _refusal(self) -> str:
        return f"{self._each} event streams of yours are open; close one first"


def _key(who: str) -> str:
    return f"matchbox-streams/{who}"


def _broker(url: str) -> redis.Redis | None:
    """A client of the broker at that address; None if there is none."""
    if not url:
        return None
    address = storage_uri(url).replace("redis+unix://", "unix://", 1)
    return redis.Redis.from_url(address, socket_timeout=_BROKER_S, socket_connect_timeout=_BROKER_S)

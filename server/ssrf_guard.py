"""Connects to hosts that strangers name, after it has checked that their addresses are public.

Knows addresses, names and sockets, but neither HTTP nor notices. A name is resolved once, and the
connection goes to the address that was checked. So a name that resolves to another address the
second time gains nothing.
"""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from threading import Thread
from typing import Final
from urllib.parse import urlsplit

from matchbox.errors import BadOption, Forbidden

LONGEST_URL: Final = 500
Resolve = Callable[[str, int], Sequence[str]]
"""Returns the numeric addresses of a host, for a port. Raises OSError if it has none."""
_HOST: Final = re.compile(r"[a-z0-9._-]{1,253}|[0-9a-f:.]{2,45}")
_TRIED: Final = 4
"""The number of addresses of a host that are tried."""


@dataclass(frozen=True, slots=True)
class UrlParts:
    """The parts of a URL, as a connection needs them."""

    secure: bool
    host: str
    port: int
    target: str
    """The path and the query."""


class Deadline:
    """A time by which several steps must all be done, however slow each of them is."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Returns the seconds that are left. Raises TimeoutError if none are."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("it took too long")
        return left


def read_url(url: str, *, anywhere: bool) -> UrlParts:
    """Returns the parts of a URL.

    Unless `anywhere`, it must use HTTPS and must not hold a private address. A host's name is not
    resolved here, but by `connect`. Raises BadOption for a URL that is not allowed.
    """
    if len(url) > LONGEST_URL or not url.isascii() or not url.isprintable() or " " in url:
        raise BadOption(f"a URL has up to {LONGEST_URL} ASCII characters and no space").of("url")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise BadOption(f"that is not a URL: {error}").of("url") from None
    if parts.scheme not in (("https", "http") if anywhere else ("https",)):
        raise BadOption(
            "the URL must start with https://" + (" or http://" if anywhere else "")
        ).of("url")
    host = parts.hostname or ""
    if not _HOST.fullmatch(host) or "@" in parts.netloc or port == 0 or parts.fragment:
        raise BadOption("a URL must have a host, and no user name, fragment or port 0").of("url")
    if not anywhere and _is_number(host) and not is_public(host):
        raise BadOption(f"{host} is not a public address; name one that everybody can reach").of(
            "url"
        )
    secure = parts.scheme == "https"
    query = f"?{parts.query}" if parts.query else ""
    return UrlParts(secure, host, port or (443 if secure else 80), (parts.path or "/") + query)


def is_public(address: str) -> bool:
    """True for an address in the public internet: not of this machine or its networks, and no
    multicast address."""
    found: IPv4Address | IPv6Address = ip_address(address)
    if isinstance(found, IPv6Address):
        if found.sixtofour is not None or found.is_site_local:
            return False
        found = found.ipv4_mapped or found
    return found.is_global and not (found.is_multicast or found.is_reserved)


def addresses_of(host: str, port: int) -> list[str]:
    """Returns the host's addresses as this machine resolves them, each once. Raises OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(where[0]) for *_, where in found))


def connect(
    place: UrlParts, deadline: Deadline, *, anywhere: bool, resolve: Resolve = addresses_of
) -> socket.socket:
    """Connects to one of the place's addresses, which must all be public unless `anywhere`.

    Raises Forbidden if one is not public, or OSError if none answers in time.
    """
    addresses = _resolved(place, deadline, resolve)[:_TRIED]
    if not anywhere and not all(is_public(address) for address in addresses):
        raise Forbidden(f"{place.host} has no public address")
    trouble = OSError(f"{place.host} has no address")
    for number, address in enumerate(addresses):
        share = deadline.left() / (len(addresses) - number)
        try:
            return socket.create_connection((address, place.port), timeout=share)
        except OSError as error:
            trouble = error
    raise trouble


def _resolved(place: UrlParts, deadline: Deadline, resolve: Resolve) -> Sequence[str]:
    """The host's addresses. Raises OSError, also if its name server does not answer in time: a
    thread then waits for it in vain, until the machine's own resolver gives up."""
    found: Future[Sequence[str]] = Future()

    def ask() -> None:
        try:
            found.set_result(resolve(place.host, place.port))
        except (OSError, UnicodeError) as error:
            found.set_exception(error)

    left = deadline.left()
    Thread(target=ask, name="resolver", daemon=True).start()
    try:
        return found.result(left)
    except TimeoutError as error:
        raise TimeoutError("its name was not resolved in time") from error


def _is_number(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True

"""A hundred open pages that request news, and the time that another visitor waits beside them."""

from __future__ import annotations

import re
import threading
import time
from contextlib import contextmanager
from html.parser import HTMLParser
from statistics import quantiles
from typing import TYPE_CHECKING, Final, NamedTuple

from bench.site.served import Site

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

OPEN: Final = 100
BESIDE: Final = 4.0
"""The most time that a visitor's slow pages may take beside the open ones, as a multiple of that
without them."""
ASKED: Final = 100
"""The number of pages that the visitor opens."""
_LONGEST_S: Final = 5.0


class Beside(NamedTuple):
    """The time of the 95th of a hundred pages, alone and beside the open pages."""

    alone_ms: float
    beside_ms: float
    polls: int
    errors: int

    @property
    def ratio(self) -> float:
        """The time beside the open pages, as a multiple of that alone."""
        return self.beside_ms / self.alone_ms

    @property
    def held(self) -> bool:
        """Whether the goal is met."""
        return self.ratio <= BESIDE and not self.errors


class Polled(NamedTuple):
    """A repeated request of a page: its path, and its interval."""

    path: str
    every_s: float


class _Live(HTMLParser):
    """Collects the parts of a page that request news."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Polled] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Takes a part's address, if it is requested at intervals."""
        known = dict(attrs)
        every = re.fullmatch(r"every (\d+)s", known.get("hx-trigger") or "")
        path = known.get("hx-get")
        if every and path:
            self.found.append(Polled(path, float(every[1])))


def live_parts(html: str) -> list[Polled]:
    """Returns the requests that the page repeats while it is open."""
    parser = _Live()
    parser.feed(html)
    return parser.found


def beside(port: int, pages: Sequence[str], visited: Sequence[str], asked: int = ASKED) -> Beside:
    """Visits pages alone, and beside OPEN others; each open page has an address of its own.

    Raises RuntimeError if one of the open pages requests no news.
    """
    site = Site(port)
    parts = [live_parts(site.get(path).text) for path in pages]
    site.close()
    if not all(parts):
        raise RuntimeError("one of the pages to keep open asks for no news")
    alone = _visit(port, visited, asked)
    with _open(port, [polled for part in parts for polled in part]) as counts:
        time.sleep(_LONGEST_S)
        busy = _visit(port, visited, asked)
    return Beside(alone, busy, counts[0], counts[1])


def _visit(port: int, paths: Sequence[str], asked: int) -> float:
    site = Site(port)
    taken = []
    for turn in range(asked):
        taken.append(1000 * site.get(paths[turn % len(paths)]).first_byte_s)
        time.sleep(0.02)
    site.close()
    return quantiles(taken, n=20)[-1]


@contextmanager
def _open(port: int, pages: Sequence[Polled]) -> Iterator[list[int]]:
    """Keeps the pages open; yields the numbers of polls and of errors so far."""
    counts, over, lock = [0, 0], threading.Event(), threading.Lock()

    def keep_open(number: int) -> None:
        page = pages[number % len(pages)]
        site = Site(port, f"127.0.1.{number + 1}")
        over.wait(page.every_s * number / OPEN)
        while not over.is_set():
            try:
                failed = site.get(page.path).status not in (200, 204, 304)
            except OSError:
                failed = True
            with lock:
                counts[0] += 1
                counts[1] += failed
            over.wait(page.every_s)
        site.close()

    threads = [threading.Thread(target=keep_open, args=(number,)) for number in range(OPEN)]
    for thread in threads:
        thread.start()
    try:
        yield counts
    finally:
        over.set()
        for thread in threads:
            thread.join()

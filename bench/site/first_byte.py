"""The time to the first byte of each page with a full database, beside an empty one.

Both are requested in turn, so that other work on the machine disturbs both. The least of the times
counts, since other work makes a page slower, never quicker. Also adds up the bytes that a browser
loads when it first opens a page.
"""

from __future__ import annotations

from dataclasses import dataclass
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bench.site.addresses import Address
    from bench.site.served import Fetched, Site

RATIO: Final = 4.0
"""The most time that a page's first byte may take, as a multiple of the empty platform's."""
PAGE_BYTES: Final = 200_000
FIGURE_BYTES: Final = 600_000
"""The most bytes of a first load, without and with a figure."""
MAX_MS: Final = {"/matches": 100.0}
"""The most milliseconds that the first byte of some pages may take, whatever it takes with an empty
database."""
_FIGURE: Final = "data-plotly"
_FETCHED: Final = "data-steps"
"""The attribute with the address that the script of a page requests first."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page, as one kind of visitor gets it."""

    rule: str
    who: str
    """The name of the account; "" for a visitor without one."""
    empty_ms: float
    full_ms: float
    loaded: int
    """The bytes of the first load with the full database; 0 if the page is not HTML."""
    figure: bool

    @property
    def ratio(self) -> float:
        """The time with the full database, as a multiple of that with the empty one."""
        return self.full_ms / self.empty_ms

    @property
    def most_bytes(self) -> int:
        """The most bytes that its first load may have."""
        return FIGURE_BYTES if self.figure else PAGE_BYTES

    @property
    def held(self) -> bool:
        """Whether the goals are met. A download may be long, but must begin as soon as other
        pages."""
        slow = self.full_ms > MAX_MS.get(self.rule, self.full_ms)
        return self.ratio <= RATIO and not slow and self.loaded <= self.most_bytes


@dataclass(frozen=True, slots=True)
class Platform:
    """A running platform, and the tokens of its accounts."""

    site: Site
    tokens: Mapping[str, str]


class Measure:
    """Measures pages on an empty and a full platform, each several times."""

    def __init__(self, empty: Platform, full: Platform, repeats: int, most: float) -> None:
        """Measures a page with a ratio above `most` five times as often."""
        self._empty, self._full, self._repeats, self._most = empty, full, repeats, most
        self._sizes: dict[str, int] = {}

    def page(
        self, who: str, empty: Address, full: Address, *, whatever: bool = False
    ) -> Page | None:
        """Measures the page as this account gets it; None if the account may not see it.

        With `whatever`, also measures a redirection or a refusal. Raises RuntimeError for a page
        that fails.
        """
        pairs = ((self._empty, empty), (self._full, full))
        first = [_get(platform, who, address) for platform, address in pairs]
        statuses = {one.status for one in first}
        if max(statuses) >= 500:
            raise RuntimeError(
                f"{full.path} answers {max(statuses)}: see the log of the web server"
            )
        if statuses != {200} and not whatever:
            return None
        taken: tuple[list[float], list[float]] = ([], [])
        for turn in range(5 * self._repeats):
            if turn == self._repeats and min(taken[1]) <= self._most * min(taken[0]):
                break
            for side in (0, 1) if turn % 2 else (1, 0):
                platform, address = pairs[side]
                taken[side].append(1000 * _get(platform, who, address).first_byte_s)
        text = first[1].text
        html = text.lstrip().startswith("<!doctype html>")
        return Page(
            rule=full.rule,
            who=who,
            empty_ms=min(taken[0]),
            full_ms=min(taken[1]),
            loaded=len(first[1].body) + self._files(text) if html else 0,
            figure=_FIGURE in text,
        )

    def _files(self, text: str) -> int:
        """The bytes of all scripts, style sheets and pictures that the page names, and of its
        script's first request."""
        parser = _Files()
        parser.feed(text)
        for path in parser.found - self._sizes.keys():
            self._sizes[path] = len(self._full.site.get(path).body)
        return sum(self._sizes[path] for path in parser.found)


class _Files(HTMLParser):
    """Collects the addresses of the files that a page loads."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Takes every address of a file that is not a link to follow."""
        if tag != "a":
            values = (value for _, value in attrs if value)
            self.found |= {value for value in values if value.startswith("/assets/")}
        self.found |= {value for name, value in attrs if name == _FETCHED and value}


def _get(platform: Platform, who: str, address: Address) -> Fetched:
    return platform.site.get(address.path, platform.tokens[who] if who else "")

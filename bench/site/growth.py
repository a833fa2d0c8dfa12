"""`make growth`: the cost of pages and the ledger from a thousand matches to a million. Exits with
1 if a goal is missed.

Each size is measured beside the smallest, on SQLite, and with --postgres on that server as well.
There is a bot for every hundred matches, so 10 to 10,000.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.site.books import Size
from bench.site.first_byte import Page
from bench.site.ledger import Started, started
from bench.site.sides import Side, filled_database, pages, platform
from cli import output
from server.db.session import Database

SMALLEST: Final = 1_000
LARGEST: Final = 1_000_000
TIMES: Final = 10
"""The factor from one size to the next."""
MATCHES_A_BOT: Final = 100
PAGES: Final = 2.0
"""The most time that a page's first byte may take, as a multiple of the smallest platform's."""
TICKS: Final = 2.0
"""The most time that a tick may take, as a multiple of the smallest platform's."""
MEMORY: Final = 1.5
"""The most memory that a ledger may use, as a multiple of the smallest platform's."""
FIRST_S: Final = 30.0
"""The most seconds that a ledger may take from its start to its first result."""
LONG_DEALS: Final = 66
LONG_KB: Final = 4.0
"""The most kB that a match of LONG_DEALS deals may take, without the free part of a SQLite file."""
WEIGHED: Final = (200, 600)
"""The numbers of such matches on two platforms. The additional matches take the difference in size
between the two."""
COLUMNS: Final = (
    "matches", "bots", "kB a match", "slowest page", "ratio", "tick ms", "book ms", "standings s",
    "first result s", "memory MB", "of standings MB", "held",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Grown:
    """A platform of one size, beside the smallest."""

    size: Size
    match_kb: float
    """The room of a match in kB, with its indexes and its share of everything else, but without the
    free part of a SQLite file."""
    slowest: Page
    """The page with the largest ratio to the smallest platform's."""
    ledger: Started
    least: Started
    """The ledger of the smallest platform."""

    @property
    def held(self) -> bool:
        """Whether every goal is met."""
        return (
            self.slowest.ratio <= PAGES
            and self.ledger.tick_ms <= TICKS * self.least.tick_ms
            and self.ledger.memory_mb <= MEMORY * self.least.memory_mb
            and self.ledger.first_result_s <= FIRST_S
        )


def main(words: Sequence[str]) -> int:
    """Measures on each database; returns 0 if every goal is met."""
    options = _options(words)
    held = True
    for kind in ("sqlite", "postgres") if options.postgres else ("sqlite",):
        with tempfile.TemporaryDirectory(prefix="mbx-growth-") as folder:
            long_kb = _long_match_kb(kind, Path(folder), options)
            found = _grow(kind, options.keep or Path(folder), options)
        output.note(f"a match of {LONG_DEALS} deals takes {long_kb:.1f} kB on {kind}")
        output.table(COLUMNS, map(_cells, found), f"growth on {kind}")
        held &= long_kb <= LONG_KB and all(one.held for one in found)
    return 0 if held else 1


def _grow(kind: str, folder: Path, options: argparse.Namespace) -> list[Grown]:
    """Measures each size beside the smallest, and throws it away before the next one."""
    measured: list[tuple[Size, float, Page, Started]] = []
    with ExitStack() as stack:
        smallest = stack.enter_context(_side(kind, SMALLEST, folder, options))
        size = SMALLEST * TIMES
        while size <= options.most:
            with _side(kind, size, folder, options) as side:
                shown = pages(
                    smallest, side, repeats=options.repeats, most=PAGES, only=options.only
                )
                for page in shown:
                    if page.ratio > PAGES:
                        output.note(_slow(page))
                slowest = max(shown, key=lambda page: page.ratio)
                match_kb = _bytes(side.url) / size / 1000
                measured.append((_size(size), match_kb, slowest, started(side.url)))
            output.note(f"{size:,} matches on {kind} measured")
            size *= TIMES
        least = started(smallest.url)  # Last, since it takes the waiting matches off the pages.
    return [Grown(*one, least) for one in measured]


def _slow(page: Page) -> str:
    """A line for a page that takes too long."""
    name = f"{page.rule} {page.who}".strip()
    return f"{name}: {page.full_ms:.1f} ms, {page.ratio:.1f} times the {page.empty_ms:.1f} ms"


def _long_match_kb(kind: str, folder: Path, options: argparse.Namespace) -> float:
    """The room, in kB, of one more match of LONG_DEALS deals."""
    taken: list[int] = []
    for matches in WEIGHED:
        size = Size(SMALLEST // MATCHES_A_BOT, matches, LONG_DEALS)
        name = f"{matches}x{LONG_DEALS}"
        postgres = options.postgres
        with filled_database(kind, name, size, folder, postgres=postgres, keep=False) as made:
            taken.append(_bytes(made[0]))
    return (taken[1] - taken[0]) / (WEIGHED[1] - WEIGHED[0]) / 1000


def _size(matches: int) -> Size:
    return Size(matches // MATCHES_A_BOT, matches)


def _side(
    kind: str, matches: int, folder: Path, options: argparse.Namespace
) -> AbstractContextManager[Side]:
    return platform(
        kind, str(matches), _size(matches), folder,
        postgres=options.postgres, keep=bool(options.keep),
    )  # fmt: skip


def _bytes(url: str) -> int:
    """The size of a database in bytes, without the free part of a SQLite file."""
    with closing(Database(url)) as database:
        return database.size()


def _cells(grown: Grown) -> list[str]:
    ledger, least, slowest = grown.ledger, grown.least, grown.slowest
    return [
        f"{grown.size.matches:,}",
        f"{grown.size.bots:,}",
        f"{grown.match_kb:.1f}",
        f"{slowest.rule} {slowest.who}".strip(),
        f"{slowest.ratio:.1f}",
        f"{ledger.tick_ms:.0f} ({ledger.tick_ms / least.tick_ms:.1f})",
        f"{ledger.book_ms:.1f} ({ledger.book_ms / least.book_ms:.1f})",
        f"{ledger.standings_s:.0f}",
        f"{ledger.first_result_s:.1f}",
        f"{ledger.memory_mb:.0f} ({ledger.memory_mb / least.memory_mb:.1f})",
        f"{ledger.refit_memory_mb:.0f} ({ledger.refit_memory_mb / least.refit_memory_mb:.1f})",
        "yes" if grown.held else "no",
    ]


def _options(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m bench.site.growth", description=__doc__)
    parser.add_argument("--most", type=int, default=LARGEST, help="the matches of the largest")
    parser.add_argument("--repeats", type=int, default=5, help="of each page on each platform")
    parser.add_argument("--only", default="", help="pages with this text in their rule")
    parser.add_argument("--postgres", help="the URL of a Postgres server that may be filled")
    parser.add_argument("--keep", type=Path, help="keep the books in this folder, or use them")
    options = parser.parse_args(words)
    if options.most < SMALLEST * TIMES or options.repeats < 1:
        parser.error(f"the least are {SMALLEST * TIMES} matches and 1 repeat")
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

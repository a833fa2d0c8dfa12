"""`python -m bench.site`: asks for every page of a platform with many bots and matches, beside one
with almost none, and is 1 where a must is missed.

The books are made for it and thrown away: on SQLite, and with --postgres on that server as well.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from sqlalchemy import create_engine, text

from bench.site import pollers
from bench.site.addresses import addresses
from bench.site.books import EMPTY, Filled, Size, fill
from bench.site.bouts import GAME
from bench.site.first_byte import Measure, Page, Platform
from bench.site.pollers import Beside
from bench.site.served import Site, serving
from cli import output

WHO: Final = ("", "alice", "charlie")
COLUMNS: Final = ("page", "for", "empty ms", "full ms", "ratio", "kB", "held")
POLLED: Final = ("open pages", "alone ms", "beside ms", "ratio", "polls", "errors", "held")
OPEN: Final = ("/", "/leaderboards/{game}", "/bots/{owner}/{name}")
"""Pages that ask for news on a platform at rest too."""
VISITED: Final = ("/", "/matches", "/leaderboards/{game}", "/bots/{owner}/{name}")


def main(words: Sequence[str]) -> int:
    """Measures on each database; returns 0 if every must is held."""
    options = _options(words)
    if options.beside:
        return 0 if _beside(options.beside, {"game": GAME}) else 1
    kinds = ["sqlite"] if not options.postgres else ["sqlite", "postgres"]
    held = True
    for kind in options.on or kinds:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mbx-site-")))
            sides = [
                stack.enter_context(_platform(kind, name, size, folder, options))
                for name, size in (("empty", EMPTY), ("full", Size(options.bots, options.matches)))
            ]
            held &= _measure(kind, sides, options)
    return 0 if held else 1


def _measure(kind: str, sides: Sequence[tuple[int, Filled]], options: argparse.Namespace) -> bool:
    """Prints what was measured; returns whether every must is held."""
    (empty_port, empty), (full_port, full) = sides
    found = _pages((empty_port, empty), (full_port, full), options)
    output.table(COLUMNS, map(_cells, found), f"first byte on {kind}, {options.matches:,} matches")
    missed = [page for page in found if not page.held]
    if missed:
        output.table(COLUMNS, map(_cells, missed), "musts that are missed")
    if options.only:
        return not missed
    return _beside(full_port, full.named) and not missed


def _beside(port: int, named: Mapping[str, Any]) -> bool:
    """Keeps pages open and visits others; returns whether the must is held.

    Leaves out pages with a part that `named` lacks.
    """
    opened, visited = (
        [path.format(**named) for path in paths if "owner" in named or "{owner}" not in path]
        for paths in (OPEN, VISITED)
    )
    found = pollers.beside(port, opened, visited)
    title = f"another visitor's pages beside open ones, the 95th of {pollers.ASKED}"
    output.table(POLLED, [_beside_cells(found)], title)
    return found.held


def _pages(
    empty: tuple[int, Filled], full: tuple[int, Filled], options: argparse.Namespace
) -> list[Page]:
    (empty_port, before), (full_port, after) = empty, full
    with ExitStack() as stack:
        sites = [Site(port) for port in (empty_port, full_port)]
        for site in sites:
            stack.callback(site.close)
        sides = Platform(sites[0], before.tokens), Platform(sites[1], after.tokens)
        measure = Measure(*sides, options.repeats)
        pairs = zip(addresses(before.named), addresses(after.named), strict=True)
        wanted = [pair for pair in pairs if options.only in pair[1].rule]
        found: list[Page] = []
        for pair in wanted:
            shown = [measure.page(who, *pair) for who in WHO]
            if not any(shown):
                shown = [measure.page(WHO[-1], *pair, whatever=True)]
            found += [page for page in shown if page is not None]
    return found


@contextmanager
def _platform(
    kind: str, name: str, size: Size, folder: Path, options: argparse.Namespace
) -> Iterator[tuple[int, Filled]]:
    """The port of a platform of that size, and what is in its books."""
    place = (options.keep or folder) / f"{kind}-{name}"
    place.mkdir(parents=True, exist_ok=True)
    with _database(kind, name, place, options) as url:
        kept = place / "named.json"
        if kept.exists():
            filled = Filled(**json.loads(kept.read_text()))
        else:
            started = time.monotonic()
            filled = fill(url, size)
            taken = time.monotonic() - started
            output.note(f"{name} books on {kind}: {size.matches:,} matches in {taken:.0f} s")
            kept.write_text(json.dumps(asdict(filled)))
        with serving(url, place) as port:
            yield port, filled


@contextmanager
def _database(kind: str, name: str, place: Path, options: argparse.Namespace) -> Iterator[str]:
    """The URL of a database; a new one on Postgres is dropped at the end unless it is kept."""
    if kind == "sqlite":
        yield f"sqlite:///{place / 'books.db'}"
        return
    server = create_engine(options.postgres, isolation_level="AUTOCOMMIT")
    made = f"bench_site_{name}"
    try:
        with server.connect() as connection:
            there = text("SELECT 1 FROM pg_database WHERE datname = :name")
            if connection.scalar(there, {"name": made}) is None:
                connection.execute(text(f"CREATE DATABASE {made}"))
        yield server.url.set(database=made).render_as_string(hide_password=False)
        if not options.keep:
            with server.connect() as connection:
                connection.execute(text(f"DROP DATABASE {made} WITH (FORCE)"))
    finally:
        server.dispose()


def _cells(page: Page) -> list[str]:
    return [
        page.rule,
        page.who or "anybody",
        f"{page.empty_ms:.1f}",
        f"{page.full_ms:.1f}",
        f"{page.ratio:.1f}",
        f"{page.loaded / 1000:.0f}" if page.loaded else "",
        "yes" if page.held else "no",
    ]


def _beside_cells(beside: Beside) -> list[str]:
    return [
        str(pollers.OPEN),
        f"{beside.alone_ms:.0f}",
        f"{beside.beside_ms:.0f}",
        f"{beside.ratio:.1f}",
        str(beside.polls),
        str(beside.errors),
        "yes" if beside.held else "no",
    ]


def _options(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m bench.site", description=__doc__)
    parser.add_argument("--bots", type=int, default=1_000)
    parser.add_argument("--matches", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=9, help="of each page on each platform")
    parser.add_argument("--only", default="", help="pages with this text in their rule")
    parser.add_argument("--postgres", help="the URL of a Postgres server that may be filled")
    parser.add_argument("--on", nargs="*", choices=("sqlite", "postgres"), help="all by default")
    parser.add_argument("--keep", type=Path, help="keep the books in this folder, or use them")
    parser.add_argument(
        "--beside", type=int, metavar="PORT", help="only keep pages of the platform there open"
    )
    options = parser.parse_args(words)
    if options.bots < EMPTY.bots or options.matches < EMPTY.matches or options.repeats < 1:
        parser.error(f"the least are {EMPTY.bots} bots, {EMPTY.matches} matches and 1 repeat")
    if "postgres" in (options.on or ()) and not options.postgres:
        parser.error("--on postgres needs --postgres URL")
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

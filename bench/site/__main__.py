"""`python -m bench.site`: requests every page of a platform with many bots and matches, beside one
with almost none. Exits with 1 if a goal is missed.

The databases are made for it and thrown away: on SQLite, and with --postgres on that server as
well.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from string import Formatter
from typing import Any, Final

from bench.site import pollers
from bench.site.books import EMPTY, Size
from bench.site.bouts import GAME
from bench.site.first_byte import Page
from bench.site.pollers import Beside
from bench.site.sides import Side, pages, platform
from cli import output
from server.db.models import Season, SeasonState
from server.db.session import Database

COLUMNS: Final = ("page", "for", "empty ms", "full ms", "ratio", "kB", "held")
POLLED: Final = ("open pages", "alone ms", "beside ms", "ratio", "polls", "errors", "held")
OPEN: Final = ("/", "/leaderboards/{game}", "/bots/{owner}/{name}", "/seasons/{season}")
"""Pages that request news even if nothing happens. Their season is marked as under way."""
VISITED: Final = ("/", "/matches", "/leaderboards/{game}", "/bots/{owner}/{name}")


def main(words: Sequence[str]) -> int:
    """Measures on each database; returns 0 if every goal is met."""
    options = _options(words)
    if options.beside:
        return 0 if _beside(options.beside, {"game": GAME}) else 1
    kinds = ["sqlite"] if not options.postgres else ["sqlite", "postgres"]
    held = True
    for kind in options.on or kinds:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mbx-site-")))
            sides = [
                stack.enter_context(
                    platform(
                        kind,
                        name,
                        size,
                        options.keep or folder,
                        postgres=options.postgres,
                        keep=bool(options.keep),
                    )
                )
                for name, size in (("empty", EMPTY), ("full", Size(options.bots, options.matches)))
            ]
            held &= _measure(kind, sides, options)
    return 0 if held else 1


def _measure(kind: str, sides: Sequence[Side], options: argparse.Namespace) -> bool:
    """Prints the measurements; returns whether every goal is met."""
    empty, full = sides
    found = pages(empty, full, repeats=options.repeats, only=options.only)
    output.table(COLUMNS, map(_cells, found), f"first byte on {kind}, {options.matches:,} matches")
    missed = [page for page in found if not page.held]
    if missed:
        output.table(COLUMNS, map(_cells, missed), "musts that are missed")
    if options.only:
        return not missed
    with _under_way(full):
        return _beside(full.port, full.filled.named) and not missed


@contextmanager
def _under_way(side: Side) -> Iterator[None]:
    """Marks the season in the addresses as under way, until the block ends."""
    database = Database(side.url)

    def say(state: SeasonState) -> None:
        with database.write() as session:
            session.get_one(Season, side.filled.named["season"]).state = state

    try:
        say(SeasonState.RUNNING)
        yield
    finally:
        say(SeasonState.FINISHED)
        database.close()


def _beside(port: int, named: Mapping[str, Any]) -> bool:
    """Keeps pages open and visits others; returns whether the goal is met.

    Leaves out pages whose address has a part that `named` lacks.
    """
    opened, visited = (
        [path.format(**named) for path in paths if _parts(path) <= named.keys()]
        for paths in (OPEN, VISITED)
    )
    found = pollers.beside(port, opened, visited)
    title = f"another visitor's pages beside open ones, the 95th of {pollers.ASKED}"
    output.table(POLLED, [_beside_cells(found)], title)
    return found.held


def _parts(path: str) -> set[str]:
    return {part for _, part, _, _ in Formatter().parse(path) if part}


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

"""Two platforms of different sizes side by side, and all their pages measured.

The databases are made for it. On Postgres each platform has one of its own.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Final, NamedTuple

from sqlalchemy import create_engine, text

from bench.site.addresses import addresses
from bench.site.books import Filled, Size, fill
from bench.site.first_byte import RATIO, Measure, Page, Platform
from bench.site.served import Site, serving
from cli import output

WHO: Final = ("", "alice", "charlie")


class Side(NamedTuple):
    """A running platform: its port, the names and tokens in its database, and the database's
    URL."""

    port: int
    filled: Filled
    url: str


def pages(
    empty: Side, full: Side, *, repeats: int, most: float = RATIO, only: str = ""
) -> list[Page]:
    """Measures every page whose rule contains `only`, with `repeats` requests on either side.

    A page with a ratio above `most` gets more requests before it counts as slow.
    """
    before, after = empty.filled, full.filled
    with ExitStack() as stack:
        sites = [Site(side.port) for side in (empty, full)]
        for site in sites:
            stack.callback(site.close)
        sides = Platform(sites[0], before.tokens), Platform(sites[1], after.tokens)
        measure = Measure(*sides, repeats, most)
        pairs = zip(addresses(before.named), addresses(after.named), strict=True)
        wanted = [pair for pair in pairs if only in pair[1].rule]
        found: list[Page] = []
        for pair in wanted:
            shown = [measure.page(who, *pair) for who in WHO]
            if not any(shown):
                shown = [measure.page(WHO[-1], *pair, whatever=True)]
            found += [page for page in shown if page is not None]
    return found


@contextmanager
def platform(
    kind: str, name: str, size: Size, folder: Path, *, postgres: str | None, keep: bool
) -> Iterator[Side]:
    """A platform of that size, made in the folder, or found there if it was kept before."""
    place = folder / f"{kind}-{name}"
    place.mkdir(parents=True, exist_ok=True)
    with _database(kind, name, place, postgres, keep=keep) as url:
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
            yield Side(port, filled, url)


@contextmanager
def _database(
    kind: str, name: str, place: Path, postgres: str | None, *, keep: bool
) -> Iterator[str]:
    """The URL of a database; a new one on Postgres is dropped at the end unless it is kept."""
    if kind == "sqlite":
        yield f"sqlite:///{place / 'books.db'}"
        return
    server = create_engine(postgres or "", isolation_level="AUTOCOMMIT")
    made = f"bench_site_{name}"
    try:
        with server.connect() as connection:
            there = text("SELECT 1 FROM pg_database WHERE datname = :name")
            if connection.scalar(there, {"name": made}) is None:
                connection.execute(text(f"CREATE DATABASE {made}"))
        try:
            yield server.url.set(database=made).render_as_string(hide_password=False)
        finally:
            if not keep:
                with server.connect() as connection:
                    connection.execute(text(f"DROP DATABASE {made} WITH (FORCE)"))
    finally:
        server.dispose()

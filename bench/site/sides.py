"""Two platforms of different sizes side by side, and all their pages measured.

The databases are made for it. On Postgres each platform has one of its own.
"""

from __future__ import annotations

import json
import shutil
import tempfile
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

BOOKS: Final = "books.db"
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
    """A running platform with a database of that size, as `filled_database` makes it."""
    with filled_database(kind, name, size, folder, postgres=postgres, keep=keep) as made:
        url, filled = made
        with serving(url, folder / f"{kind}-{name}" / "data") as port:
            yield Side(port, filled, url)


@contextmanager
def filled_database(
    kind: str, name: str, size: Size, folder: Path, *, postgres: str | None, keep: bool
) -> Iterator[tuple[str, Filled]]:
    """A database of that size, made in the folder, or found there if it was kept before: its URL,
    and its contents. Of one to keep it is a copy, since a ledger plays the waiting matches."""
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
        if not keep:
            yield url, filled
            return
        with _copied(kind, name, place, postgres) as copy:
            yield copy, filled


@contextmanager
def _copied(kind: str, name: str, place: Path, postgres: str | None) -> Iterator[str]:
    """The URL of a copy of the database, which is thrown away at the end."""
    if kind == "sqlite":
        with tempfile.TemporaryDirectory(prefix="copy-", dir=place) as folder:
            copy = Path(folder, BOOKS)
            shutil.copyfile(place / BOOKS, copy)
            yield f"sqlite:///{copy}"
        return
    template = f"TEMPLATE {_postgres_name(name)}"
    with _database(kind, f"{name}_copy", place, postgres, keep=False, made_from=template) as url:
        yield url


def _postgres_name(name: str) -> str:
    return f"bench_site_{name}"


@contextmanager
def _database(
    kind: str, name: str, place: Path, postgres: str | None, *, keep: bool, made_from: str = ""
) -> Iterator[str]:
    """The URL of a database; a new one on Postgres is dropped at the end unless it is kept."""
    if kind == "sqlite":
        yield f"sqlite:///{place / BOOKS}"
        return
    server = create_engine(postgres or "", isolation_level="AUTOCOMMIT")
    made = _postgres_name(name)
    try:
        with server.connect() as connection:
            if made_from:
                connection.execute(text(f"DROP DATABASE IF EXISTS {made} WITH (FORCE)"))
            there = text("SELECT 1 FROM pg_database WHERE datname = :name")
            if connection.scalar(there, {"name": made}) is None:
                connection.execute(text(f"CREATE DATABASE {made} {made_from}"))
        try:
            yield server.url.set(database=made).render_as_string(hide_password=False)
        finally:
            if not keep:
                with server.connect() as connection:
                    connection.execute(text(f"DROP DATABASE {made} WITH (FORCE)"))
    finally:
        server.dispose()

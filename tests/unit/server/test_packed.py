"""The size of a match on disk, and the packing of its deals and lists."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import func, select

from matchbox.dice import deals_from
from server.db.models import Result, User
from server.db.packed import pack_deals, pack_list, unpack_deals, unpack_list
from tests.books import Books, play_out, season_of

MAX_BYTES = 3000
"""A match takes 4 kB at most with a real record of 1.3 kB; a scripted record has 0.4 kB."""
DEALS = 66


@pytest.mark.parametrize(
    "deals",
    [deals_from("ab" * 16, count) for count in (1, 2, DEALS)]
    + [["ab" * 16, "cd" * 16], [*deals_from("ab" * 16, 5), "ef" * 16]],
)
def test_deals_come_back_in_order(deals: list[str]) -> None:
    assert unpack_deals(pack_deals(deals)) == deals


def test_deals_that_follow_from_the_first_take_no_room() -> None:
    packed = pack_deals(deals_from("ab" * 16, DEALS))
    assert (packed.first_deal, packed.deal_count, packed.other_deals) == (b"\xab" * 16, DEALS, b"")


@pytest.mark.parametrize(
    "value", [[], [[0, 1, [1, 2], [-(2**53), 2**53], None]], ["\u00fc\n", 1.5, True, {"a": []}]]
)
def test_lists_come_back_as_they_were(value: list[object]) -> None:
    assert unpack_list(pack_list(value)) == value


def test_a_match_of_66_deals_takes_little_room(
    books: Books, alice: User, bob: User, charlie: User, tmp_path: Path
) -> None:
    versions = [books.bot(alice, f"bot{at}") for at in range(4)]
    versions += [books.bot(bob, f"bot{at}") for at in range(4)]
    books.league(paused=True)
    before = _bytes(tmp_path / "matchbox.db")
    season_of(books, charlie, versions, deals=DEALS, cycles=3)
    play_out(books)
    with books.read() as session:
        results = session.scalar(select(func.count()).select_from(Result)) or 0
    assert results == 3 * 8 * 7
    assert (_bytes(tmp_path / "matchbox.db") - before) / results < MAX_BYTES


def _bytes(path: Path) -> int:
    """Returns the size of a database without free pages, in bytes."""
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("VACUUM")
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.close()
    return 4096 * pages

"""A ranked match is as long as is wished for, by how long those before it took."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from server.db.models import Match, User, Version
from server.services import ranked
from tests.books import Books, open_books, played, season_of


@pytest.fixture
def books(empty_database: Path, tmp_path: Path) -> Iterator[Books]:
    """Books whose ranked matches shall take two seconds, with two to forty deals."""
    path = shutil.copy(empty_database, tmp_path / "matchbox.db")
    knobs = {"match_seconds": 2, "fewest_deals": 2, "most_deals": 40, "match_deals": 4}
    made = open_books(f"sqlite:///{path}", ranked_backlog=3, **knobs)
    made.wall()
    yield made
    made.context.close()


def a_round(books: Books, seconds: Mapping[str, float]) -> list[tuple[frozenset[str], int]]:
    """Who met in the matches fed now, and over how many deals; each bot takes so long for a deal,
    and the referee as long again as the quickest."""
    with books.write() as session:
        ranked.feed(session, settings=books.settings, now=books.clock())
    found = []
    for job in books.dispatch():
        names = [seat.version.bot.name for seat in books.match(job.match).seats]
        own = [seconds[name] * len(job.deals) for name in names]
        whole = sum(own) + min(seconds.values()) * len(job.deals)
        cpu_ms = [1000 * one for one in own]
        books.record(replace(played(job), seconds=whole, cpu_ms=cpu_ms))
        found.append((frozenset(names), len(job.deals)))
    return found


@pytest.mark.parametrize(
    ("seconds", "deals"), [(0.05, 13), (0.1, 7), (0.001, 40), (0.0, 40), (30.0, 2)]
)
def test_a_match_has_the_deals_that_take_as_long_as_is_wished_for(
    books: Books, alice: User, bob: User, seconds: float, deals: int
) -> None:
    books.league()
    pace = {"one": seconds, "two": seconds}
    for owner, name in ((alice, "one"), (bob, "two")):
        books.bot(owner, name)
    assert {many for _, many in a_round(books, pace)} == {4}, "nothing is known yet"
    assert {many for _, many in a_round(books, pace)} == {deals}
    assert {many for _, many in a_round(books, pace)} == {deals}


def test_the_slowest_bot_decides_and_a_new_one_begins_with_the_leagues_number(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    books.league()
    pace = {"quick": 0.05, "other": 0.05, "slow": 0.9}
    for owner, name in ((alice, "quick"), (bob, "other")):
        books.bot(owner, name)
    for _ in range(3):
        a_round(books, pace)
    books.bot(charlie, "slow")
    first = [many for names, many in a_round(books, pace) if "slow" in names]
    assert first == [4] * len(first) != []
    after = [found for _ in range(20) for found in a_round(books, pace)]
    assert {many for names, many in after if "slow" in names} == {2}
    assert {many for names, many in after if "slow" not in names} == {13}


def test_the_size_is_the_matchs_own_and_a_season_keeps_to_its_format(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    books.league()
    versions: list[Version] = [books.bot(alice, "one"), books.bot(bob, "two")]
    for _ in range(2):
        a_round(books, {"one": 0.05, "two": 0.05})
    season_of(books, charlie, versions)
    with books.read() as session:
        found = {(match.why, len(match.deals)) for match in session.query(Match)}
    assert found == {("ranked", 4), ("ranked", 13), ("season", 4)}


def test_without_a_wish_the_leagues_number_stands(books: Books, alice: User, bob: User) -> None:
    books.league()
    for owner, name in ((alice, "one"), (bob, "two")):
        books.bot(owner, name)
    wished = books.context.settings
    none = dataclasses.replace(wished, match_seconds=0)
    books.context = dataclasses.replace(books.context, settings=none)
    for _ in range(2):
        assert {many for _, many in a_round(books, {"one": 0.05, "two": 0.05})} == {4}

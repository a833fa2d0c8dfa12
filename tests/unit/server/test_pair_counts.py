"""The stored counts of finished matches between two refits must not change a standing."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from sqlalchemy import select, update

from matchbox.league import counts
from matchbox.league.counts import Counts
from matchbox.match.wire import PlayMatch
from server.db.models import Entry, Match, MatchState, Result, Season, User
from server.services import account_deletion, pair_counts, ratings, standings
from server.services.pair_counts import PairCountCache
from server.services.standings import ComputedStanding
from server.services.tick import tick
from tests.books import Books, play_out, played, season_of
from tests.plans import explained


@pytest.fixture
def authors(books: Books) -> list[User]:
    """Three rivals with a bot each in the league of bomb."""
    books.league()
    found = [books.person(name) for name in ("alice", "bob", "dora")]
    for author in found:
        books.bot(author, "bot")
    return found


def compute(books: Books, scope: str, kept: PairCountCache | None = None) -> ComputedStanding:
    """Computes the standing like a tick."""
    with books.read() as session:
        return standings.compute(session, scope, kept)


@pytest.mark.parametrize("seed", range(3))
def test_late_shuffled_and_doubled_results_give_the_standing_of_all_rows_to_the_bit(
    books: Books, authors: Sequence[User], seed: int
) -> None:
    kept, chance = PairCountCache(), random.Random(seed)
    late: list[PlayMatch] = []
    for _ in range(4):
        waiting = late + books.tick()
        chance.shuffle(waiting)
        now, late = waiting[:6], waiting[6:]
        for job in [*now, *now[:2]]:
            books.record(played(job))
        assert compute(books, "league:1", kept) == compute(books, "league:1")
        books.clock.pass_by(minutes=1)


def test_counts_of_many_parts_are_those_of_all_rows_and_none_is_copied_often(
    books: Books, authors: Sequence[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    while books.league().finished < 24:
        for job in books.tick():
            books.record(played(job))
        books.clock.pass_by(minutes=1)
    whole, added = compute(books, "league:1"), []

    def add_and_note(one: Counts, other: Counts) -> Counts:
        added.append(len(one.matches) + len(other.matches))
        return counts.add(one, other)

    monkeypatch.setattr(pair_counts, "QUERY_CHUNK", 1)
    monkeypatch.setattr(pair_counts, "add", add_and_note)
    assert compute(books, "league:1") == whole
    assert sum(added) < 24 * 8, "each match is in a few sums, not in all"


def test_only_new_matches_are_read(books: Books, authors: Sequence[User]) -> None:
    kept = PairCountCache()
    for job in books.tick():
        books.record(played(job))
    first = compute(books, "league:1", kept)
    with books.write() as session:
        session.execute(update(Result).values(bouts=[]))
    assert compute(books, "league:1", kept) == first, "what was read once is read no more"
    new = books.tick()[0]
    books.record(played(new))
    assert compute(books, "league:1", kept).matches == first.matches + 1
    kept.forget()
    assert compute(books, "league:1", kept).matches == 1


def test_a_match_that_became_void_is_counted_no_more(books: Books, authors: Sequence[User]) -> None:
    kept = PairCountCache()
    for job in books.tick():
        books.record(played(job))
    before = compute(books, "league:1", kept)
    with books.write() as session:
        finished = select(Match.id).where(Match.state == MatchState.FINISHED).limit(1)
        one = session.scalars(finished).one()
        session.execute(update(Match).where(Match.id == one).values(state=MatchState.VOID))
    after = compute(books, "league:1", kept)
    assert after.matches == before.matches - 1
    assert after.rows_digest != before.rows_digest
    assert after == compute(books, "league:1")


def test_who_is_disqualified_is_left_out_with_its_rows_and_who_is_suspended_is_not(
    books: Books, authors: Sequence[User], charlie: User
) -> None:
    books.league(paused=True)
    season = season_of(books, charlie, [books.version(number) for number in (1, 2, 3)])
    play_out(books)
    scope, kept = f"season:{season.id}", PairCountCache()
    whole = compute(books, scope, kept)
    assert (len(whole.lines), whole.matches) == (3, 6)
    _set_out(books, season, "suspended")
    assert compute(books, scope, kept) == whole
    _set_out(books, season, "disqualified")
    left = compute(books, scope, kept)
    assert left == compute(books, scope)
    assert (len(left.lines), left.matches) == (2, 2)
    assert {line["matches"] for line in left.lines} == {2}


def _set_out(books: Books, season: Season, out: str) -> None:
    with books.write() as session:
        of_the_first = (Entry.season_id == season.id, Entry.version_id == 1)
        session.execute(update(Entry).where(*of_the_first).values(out=out))


def test_the_results_of_a_thousand_matches_are_read_by_their_ids(books: Books) -> None:
    with books.read() as session, explained(session) as plans:
        ratings.played_of(session, [f"{number:032x}" for number in range(1000)])
    assert len(plans) >= 2
    assert not [plan for plan in plans if "state=?" in plan], plans


def test_a_standing_is_computed_after_an_account_was_deleted(
    books: Books, authors: Sequence[User]
) -> None:
    kept = PairCountCache()
    for job in books.tick():
        books.record(played(job))
    before = compute(books, "league:1", kept)
    _delete(books, authors[2])
    after = compute(books, "league:1", kept)
    assert after == compute(books, "league:1")
    assert (len(before.lines), len(after.lines)) == (3, 2)


def test_a_standing_is_computed_after_a_second_deletion_by_a_clock_that_was_put_back(
    books: Books, authors: Sequence[User]
) -> None:
    kept = PairCountCache()
    books.clock.pass_by(minutes=60)
    _delete(books, books.person("eve"))
    books.clock.pass_by(minutes=-60)
    for job in books.tick():
        books.record(played(job))
    compute(books, "league:1", kept)
    _delete(books, authors[2])
    assert compute(books, "league:1", kept) == compute(books, "league:1")


def _delete(books: Books, user: User) -> None:
    with books.write() as session:
        found = session.get_one(User, user.id)
        found.password = None  # so that a new log-in confirms the deletion
    account_deletion.delete_account(books.context, found, "", network="here", begun=books.clock())


def test_the_counts_of_a_season_are_not_kept_after_its_end(
    books: Books, authors: Sequence[User], charlie: User
) -> None:
    with books.read() as session:
        versions = [
            bot.versions[0] for one in authors for bot in session.get_one(User, one.id).bots
        ]
    season = season_of(books, charlie, versions)
    kept, scope = books.context.pair_counts, standings.scope_of(season)
    tick(books.context)
    assert scope in kept._kept
    play_out(books)
    tick(books.context)
    assert books.season(season).state == "finished"
    assert set(kept._kept) == {"league:1"}

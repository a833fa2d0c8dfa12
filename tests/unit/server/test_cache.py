"""Results of slowly changing rows are computed once for each stamp, key and database."""

from __future__ import annotations

from itertools import count

from matchbox.answers.standings import Board
from server import queries
from server.db.models import League, User
from server.services import standings, uploads
from server.services.cache import Cache
from tests.books import Books, open_books


def test_a_value_is_made_again_only_for_another_stamp(books: Books) -> None:
    cache, made = Cache[int](most=2), count()
    with books.read() as session:
        found = [cache.get(session, "a", stamp, lambda: next(made)) for stamp in (1, 1, 2, 2, 1)]
    assert found == [0, 0, 1, 1, 2]


def test_the_value_that_was_longest_unused_goes_first(books: Books) -> None:
    cache, made = Cache[int](most=2), count()
    with books.read() as session:
        found = [cache.get(session, key, 1, lambda: next(made)) for key in "abacab"]
    assert found == [0, 1, 0, 2, 0, 3]


def test_each_database_has_its_own_values(books: Books) -> None:
    cache, made = Cache[int](most=2), count()
    other = open_books(books.settings.database_url)
    with books.read() as one, other.read() as two:
        found = [cache.get(session, "a", 1, lambda: next(made)) for session in (one, two, one)]
    assert found == [0, 1, 0]
    other.context.close()


def test_a_kept_board_follows_its_standing_and_the_names_of_its_owners(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    league = books.league()
    for owner in (alice, bob):
        books.bot(owner, "bot")
    assert board(books, league).lines == []
    refresh(books, league)
    first = board(books, league)
    assert board(books, league) is first
    assert {line.bot for line in first.lines} == {"alice/bot", "bob/bot"}
    books.bot(charlie, "third")
    refresh(books, league)
    assert {line.bot for line in board(books, league).lines} == {
        "alice/bot", "bob/bot", "charlie/third",
    }  # fmt: skip
    with books.write() as session:
        user = session.get_one(User, bob.id)
        user.name, user.deleted_at = "deleted-1", books.clock()
    assert "bob/bot" not in {line.bot for line in board(books, league).lines}


def test_the_stamp_of_a_board_changes_when_bots_come_and_go_without_a_result(
    books: Books, alice: User, bob: User
) -> None:
    league = books.league()
    stamps = [stamp(books, league)]
    for owner in (alice, bob):
        books.bot(owner, "bot")
        refresh(books, league)
        stamps.append(stamp(books, league))
    with books.write() as session:
        uploads.retire(session, alice, "alice/bot", now=books.clock())
    refresh(books, league)
    stamps.append(stamp(books, league))
    with books.write() as session:
        session.get_one(User, bob.id).deleted_at = books.clock()
    stamps.append(stamp(books, league))
    assert len({*stamps}) == len(stamps)
    assert stamp(books, league) == stamps[-1]


def stamp(books: Books, league: League) -> str:
    """The stamp of the league's leaderboard."""
    with books.read() as session:
        return queries.board_stamp(session, league.name)


def board(books: Books, league: League) -> Board:
    """The league's leaderboard, as a page reads it."""
    with books.read() as session:
        return queries.leaderboard(session, league.name)


def refresh(books: Books, league: League) -> None:
    """Computes the league's standing a while later."""
    books.clock.pass_by(minutes=1)
    with books.write() as session:
        standings.refresh(session, standings.scope_of(league), now=books.clock())

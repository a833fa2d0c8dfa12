"""The ranked queue, and the ratings that move with it."""

from __future__ import annotations

from collections import Counter

from sqlalchemy import select

from matchbox.bundle import digest
from server.db.models import League, Match, MatchState, Rating, Role, User, Version
from server.services import accounts, leagues, ranked, uploads
from tests.books import Books, open_books, played


def feed(books: Books) -> int:
    """How many matches were scheduled."""
    with books.write() as session:
        return ranked.feed(session, settings=books.settings, now=books.clock())


def tables(books: Books) -> list[tuple[str, ...]]:
    """The bots of every match on the books, sorted by name."""
    with books.read() as session:
        found = session.scalars(select(Match).order_by(Match.number)).all()
        return [tuple(sorted(s.version.bot.full_name for s in match.seats)) for match in found]


def play(books: Books) -> None:
    """Sends what waits, and books what comes back."""
    for job in books.dispatch():
        assert books.record(played(job))


def test_the_queue_is_filled_and_not_overfilled(books: Books, alice: User, bob: User) -> None:
    books.league()
    books.bot(alice, "one")
    assert feed(books) == 0, "nobody to meet"
    books.bot(bob, "two")
    assert feed(books) == books.settings.ranked_backlog
    assert feed(books) == 0
    play(books)
    assert feed(books) == books.settings.ranked_backlog


def test_bots_of_one_owner_do_not_meet_but_those_of_the_house_do(books: Books, alice: User) -> None:
    books.league()
    with books.write() as session:
        house = accounts.house(session, now=books.clock())
    books.bot(alice, "one")
    books.bot(alice, "two")
    assert feed(books) == 0
    books.bot(house, "simple")
    books.bot(house, "scared")
    for _ in range(30):
        feed(books)
        play(books)
    met = set(tables(books))
    assert ("alice/one", "alice/two") not in met
    assert ("house/scared", "house/simple") in met


def test_everybody_plays_enough_and_then_rests(books: Books, alice: User, bob: User) -> None:
    books.league()
    few = open_books(books.context.database.url, league_matches=5, ranked_backlog=3)
    for owner, name in ((alice, "one"), (bob, "two"), (books.person("dora"), "three")):
        few.bot(owner, name)
    while feed(few):
        play(few)
    games = Counter(name for table in tables(books) for name in table)
    assert min(games.values()) >= 5
    assert sum(games.values()) <= 2 * 3 * 5
    few.context.close()


def test_a_newcomer_is_served_first(books: Books, alice: User, bob: User) -> None:
    books.league()
    books.bot(alice, "one")
    books.bot(bob, "two")
    feed(books)
    play(books)
    books.bot(books.person("dora"), "new")
    feed(books)
    newest = tables(books)[-books.settings.ranked_backlog :]
    assert sum("dora/new" in table for table in newest) >= books.settings.ranked_backlog // 2


def test_a_match_moves_the_ratings_of_its_players(books: Books, alice: User, bob: User) -> None:
    books.league()
    versions = {books.bot(alice, "one").id, books.bot(bob, "two").id}
    feed(books)
    play(books)
    with books.read() as session:
        rows = {row.version_id: row for row in session.scalars(select(Rating))}
    assert rows.keys() == versions
    assert all(row.matches == books.settings.ranked_backlog for row in rows.values())
    assert all(row.sigma < 25 / 3 for row in rows.values())


def test_a_paused_league_is_neither_fed_nor_sent(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    league = books.league()
    books.bot(alice, "one")
    books.bot(bob, "two")
    feed(books)
    with books.write() as session:
        row = session.get_one(League, league.id)
        leagues.set_paused(session, charlie, row, True, now=books.clock())
    assert not books.dispatch()
    assert feed(books) == 0


def test_a_retired_bot_gets_no_more_matches(books: Books, alice: User, bob: User) -> None:
    books.league()
    one = books.bot(alice, "one")
    books.bot(bob, "two")
    books.bot(books.person("dora"), "three")
    with books.write() as session:
        uploads.retire(session, alice, books.the_bot(one), now=books.clock())
    feed(books)
    assert all("alice/one" not in table for table in tables(books))


def test_new_rules_begin_a_new_rating(books: Books, alice: User, bob: User) -> None:
    league = books.league()
    books.bot(alice, "one")
    books.bot(bob, "two")
    feed(books)
    job = books.dispatch()[0]
    books.record(played(job))
    with books.write() as session:
        session.get_one(League, league.id).rules = "0"
    assert books.league().rules == "1"
    with books.read() as session:
        assert session.scalars(select(Rating)).all() == []
        states = Counter(match.state for match in session.scalars(select(Match)))
    assert states == {MatchState.FINISHED: 1, MatchState.VOID: books.settings.ranked_backlog - 1}


def test_an_entrant_s_name_is_the_same_in_every_database(books: Books, alice: User) -> None:
    data = b"from matchbox.games.bomb import *\n"
    version: Version = books.upload(alice, "one", data)
    assert books.version(version.id).entrant == f"alice/one:{digest(data)}"
    assert alice.role == Role.AUTHOR

"""Comparisons on SQLite and on Postgres, really played, whatever messages are lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from matchbox.match.wire import PlayMatch
from server.db.migrations import migrate
from server.db.models import Bot, Comparison
from server.queries import comparisons as queries
from server.services import comparisons, job_kinds
from server.services.tick import tick
from tests.books import Books, open_books, really_played
from tests.builders import shipped


@pytest.fixture(params=["sqlite", "postgres"])
def books(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Books]:
    """Books of either kind, with a wall reported."""
    url = f"sqlite:///{tmp_path / 'books.db'}"
    if request.param == "postgres":
        url = request.getfixturevalue("postgres_database")
    migrate(url)
    opened = open_books(url, match_deals=5)
    opened.wall()
    opened.league()
    yield opened
    opened.context.close()


def test_a_better_version_is_found_beside_the_ranked_queue_though_messages_are_lost(
    books: Books,
) -> None:
    alice, bob = books.person("alice"), books.person("bob")
    books.bot(bob, "rival", shipped("bomb", "scared"))
    books.bot(alice, "mine", shipped("bomb", "simple"))
    newest = books.bot(alice, "mine", shipped("bomb", "medium"))
    with books.write() as session:
        bot = session.get_one(Bot, newest.bot_id)
        row = comparisons.start(
            session, alice, bot.full_name, games=1000, settings=books.settings, now=books.clock()
        )
        number = row.id
    tick(books.context)
    assert "comparison" in {queue for _, queue, _ in books.postman.letters}
    books.postman.take()  # all of it is lost
    books.clock.pass_by(minutes=books.settings.lease_minutes + 1)
    with books.write() as session:
        assert job_kinds.sweep(session, settings=books.settings, now=books.clock())
    for _ in range(20):
        tick(books.context)
        for job in books.sent(PlayMatch):
            books.record(really_played(books, job))
        if not due_or_running(books, number):
            break
    with books.read() as session:
        told = queries.comparison(session, alice, number)
        (line,) = queries.comparisons(session, alice, bot="alice/mine").items
    assert (told.state, told.verdict) == ("finished", "better")
    assert told.games == 2 * sum(told.pairs or []) == 10 * told.finished
    assert told.ci95 is not None
    assert told.elo is not None
    assert 60 < told.ci95[0] < told.elo < told.ci95[1]
    assert line.plain().items() <= told.plain().items()


def due_or_running(books: Books, number: int) -> bool:
    """Returns whether the comparison is not over."""
    with books.read() as session:
        return session.get_one(Comparison, number).state == "running"

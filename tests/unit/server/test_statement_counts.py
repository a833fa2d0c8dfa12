"""What a page asks the database does not grow with the bots and versions of an account."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.orm import Session

from server import queries
from server.db.models import User
from server.queries import comparisons as compared
from server.queries import history
from server.services import comparisons
from tests.books import SIMPLE, Books


def asked(books: Books, query: Callable[[Session], Any]) -> int:
    """The number of statements of this query."""
    statements: list[str] = []
    with books.read() as session:
        connection = session.connection()
        event.listen(connection, "before_cursor_execute", lambda *told: statements.append(told[2]))
        query(session)
    return len(statements)


@pytest.mark.parametrize(
    "query",
    [
        pytest.param(lambda s, alice: queries.author(s, "alice"), id="author"),
        pytest.param(lambda s, alice: queries.bot(s, "alice", "one", alice), id="bot"),
        pytest.param(lambda s, alice: history.ratings(s, "alice", "one"), id="ratings"),
        pytest.param(compared.comparisons, id="comparisons"),
    ],
)
def test_more_bots_and_versions_need_no_more_statements(
    books: Books, alice: User, query: Callable[[Session, User], Any]
) -> None:
    books.league()
    books.bot(alice, "one", SIMPLE + b"# 1\n")
    more(books, alice, 2)
    few = asked(books, lambda session: query(session, alice))
    for number in range(3, 7):
        more(books, alice, number)
    assert asked(books, lambda session: query(session, alice)) <= few


def more(books: Books, alice: User, number: int) -> None:
    """One more bot, one more version of the first, and a comparison of it with the last."""
    books.bot(alice, f"more-{number}")
    books.bot(alice, "one", SIMPLE + b"# %d\n" % number)
    with books.write() as session:
        actor = session.get_one(User, alice.id)
        asked: dict[str, Any] = {"challenger": number, "defender": number - 1, "games": 20}
        comparisons.start(
            session, actor, "one", **asked, settings=books.settings, now=books.clock()
        )
        comparisons.cancel_all(session, actor, now=books.clock())  # few may run at once

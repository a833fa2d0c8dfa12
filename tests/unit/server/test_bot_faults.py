"""The faults of a bot are read newest first, and only as far as they are shown."""

from __future__ import annotations

from server.db.models import User
from server.queries.bot_faults import bot_faults
from tests.books import Books
from tests.plans import explained


def test_the_newest_faults_are_found_without_sorting_all_of_them(books: Books, alice: User) -> None:
    books.bot(alice, "one")
    with books.read() as session, explained(session, only="result") as plans:
        assert bot_faults(session, "alice", "one", None).items == []
    (plan,) = plans
    assert "ix_match_seat_version_id_created_at_number_seat_match_id" in plan
    assert "ORDER BY" not in plan

"""The form that opens a table: bots from the list, and bots by name."""

from __future__ import annotations

import pytest

from dashboard import play as pages
from server.db.models import User
from server.queries import play
from tests.books import Books
from tests.unit.server.routes.conftest import Browse


@pytest.fixture
def bots(books: Books, bob: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """Adds two bots, of which the lists have one."""
    monkeypatch.setattr(pages, "LISTED", 1)
    books.bot(bob, "simple")
    books.bot(bob, "timid")


def test_a_bot_that_is_named_beside_the_list_takes_the_seat(
    browse: Browse, alice: User, books: Books, bots: None
) -> None:
    visitor = browse(alice)
    assert 'name="other-1"' in visitor.get("/play/bomb").text
    for typed, player in (("", "bob/timid"), (" bob/simple ", "bob/simple")):
        fields = {"seats": "2", "seat-0": "me", "seat-1": "bob/timid", "other-1": typed}
        answer = visitor.send("/play/bomb", **fields)
        assert answer.status_code == 303, answer.text
        table = answer.location.rpartition("/")[2]
        with books.read() as session:
            found = play.table(session, table, alice, settings=books.settings)
        assert [seat.name for seat in found.seats] == ["alice", player]


def test_a_name_that_no_bot_has_is_refused_and_stays_in_its_field(
    browse: Browse, alice: User, bots: None
) -> None:
    fields = {"seats": "2", "seat-0": "me", "seat-1": "bob/timid", "other-1": "bob/nobody"}
    answer = browse(alice).send("/play/bomb", **fields)
    assert answer.status_code == 404
    assert "There is no bot bob/nobody" in answer.text
    assert 'value="bob/nobody"' in answer.text

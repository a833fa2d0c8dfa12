"""Operators get a notice of each finding about the platform's health, and one when it is over."""

from __future__ import annotations

from sqlalchemy import select

from matchbox.answers.health import Finding
from server.db.models import Notice, User
from server.services import alarms
from tests.books import Books


def finding(text: str = "The disk is almost full.", about: str = "") -> Finding:
    """A finding about the disk."""
    return Finding(
        kind="disk",
        about=about,
        page="/docs/symptoms",
        level="bad",
        text=text,
        remedy="Free some space.",
    )


def look(books: Books, *found: Finding, seconds: int = 0) -> int:
    """Checks the health after this time; returns the number of findings announced."""
    books.clock.pass_by(seconds=seconds)
    with books.write() as session:
        return alarms.note(session, found, now=books.clock())


def told(books: Books, user: User) -> list[tuple[str, str]]:
    """Returns the kinds and texts of the person's notices."""
    with books.read() as session:
        mine = select(Notice).where(Notice.user_id == user.id).order_by(Notice.id)
        return [(one.kind, one.text) for one in session.scalars(mine)]


def test_a_finding_that_lasts_is_told_once_and_so_is_its_end(
    books: Books, alice: User, charlie: User
) -> None:
    assert look(books, finding()) == 0
    assert look(books, finding(), seconds=29) == 0
    assert look(books, finding(), seconds=2) == 1
    assert look(books, finding("The disk has 10 MB left."), seconds=31) == 0
    assert look(books) == 0
    assert look(books, seconds=119) == 0
    assert look(books, seconds=2) == 1
    assert look(books, seconds=121) == 0
    assert told(books, charlie) == [
        ("finding", "The disk is almost full. Free some space."),
        ("finding-over", "This is over: The disk has 10 MB left."),
    ]
    assert told(books, alice) == []


def test_a_finding_that_is_gone_at_once_is_not_told(books: Books, charlie: User) -> None:
    look(books, finding())
    assert look(books, seconds=15) == 0
    assert look(books, finding(), seconds=20) == 0
    assert told(books, charlie) == []


def test_a_finding_that_comes_and_goes_is_told_once(books: Books, charlie: User) -> None:
    look(books, finding())
    look(books, finding(), seconds=31)
    for _ in range(5):
        look(books, seconds=60)
        look(books, finding(), seconds=60)
    assert [kind for kind, _ in told(books, charlie)] == ["finding"]


def test_two_things_of_one_kind_are_told_apart(books: Books, charlie: User) -> None:
    look(books, finding(about="one"), finding(about="two"))
    assert look(books, finding(about="one"), finding(about="two"), seconds=31) == 2
    assert len(told(books, charlie)) == 2


def test_a_finding_from_a_clock_that_was_ahead_is_told_in_time(books: Books, charlie: User) -> None:
    assert look(books, finding()) == 0
    assert look(books, finding(), seconds=-3600) == 0
    assert look(books, finding(), seconds=31) == 1
    assert look(books) == 0
    assert look(books, seconds=-3600) == 0
    assert look(books, seconds=121) == 1


def test_a_finding_of_one_of_two_ledgers_is_told(books: Books, charlie: User) -> None:
    for _ in range(4):
        look(books, finding(), seconds=7)
        look(books, seconds=8)
    assert [kind for kind, _ in told(books, charlie)] == ["finding"]

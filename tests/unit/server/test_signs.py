"""The processes' signs of life: which ones are missing, and the cost of a sign."""

from __future__ import annotations

from math import ceil

from server.db.models import Setting
from server.services import signs
from tests.books import Books

ONE, TWO = signs.of_ledger("ledger@one"), signs.of_ledger("ledger@two")


def give(books: Books, *names: str, seconds: float = 0) -> None:
    """Gives these signs every 15 s, the last time after `seconds` seconds."""
    steps = max(1, ceil(seconds / 15))
    for _ in range(steps):
        books.clock.pass_by(seconds=seconds / steps)
        for name in names:
            signs.give(books.context, name)


def silent(books: Books) -> set[str]:
    """Returns the missing signs."""
    with books.read() as session:
        return set(signs.silent(session))


def stored_at(books: Books) -> int:
    """Returns when a sign was last stored."""
    with books.read() as session:
        return session.get_one(Setting, signs.PROCESSES).changed_at


def test_nobody_is_silent_who_has_never_given_a_sign(books: Books) -> None:
    assert silent(books) == set()
    give(books, signs.WEB)
    books.clock.pass_by(minutes=60)
    assert silent(books) == set()  # no other process goes on either


def test_a_process_is_silent_if_others_have_gone_on_for_long_enough(books: Books) -> None:
    give(books, signs.WEB, signs.INTERNAL)
    give(books, signs.WEB, seconds=45)
    assert silent(books) == set()
    give(books, signs.WEB, seconds=15)
    assert silent(books) == {signs.INTERNAL}
    give(books, signs.INTERNAL)
    assert silent(books) == set()


def test_after_a_stop_of_all_each_process_has_time_for_its_first_sign(books: Books) -> None:
    give(books, signs.WEB, signs.INTERNAL)
    books.clock.pass_by(minutes=60)
    give(books, signs.WEB, seconds=45)
    assert silent(books) == set()
    give(books, signs.WEB, seconds=30)
    assert silent(books) == {signs.INTERNAL}


def test_processes_that_share_a_sign_do_not_store_it_one_after_the_other(books: Books) -> None:
    give(books, signs.WEB)
    before = stored_at(books)
    give(books, signs.WEB, seconds=7)
    assert stored_at(books) == before
    give(books, signs.WEB, seconds=8)
    assert stored_at(books) == before + 15_000


def test_a_ledger_that_ends_in_order_is_not_missed(books: Books) -> None:
    give(books, ONE, TWO)
    signs.take_back(books.context, TWO)
    give(books, ONE, seconds=60)
    assert silent(books) == set()


def test_a_ledger_that_never_comes_back_is_forgotten_after_an_hour(books: Books) -> None:
    give(books, ONE, TWO)
    give(books, ONE, seconds=60)
    assert silent(books) == {TWO}
    give(books, ONE, seconds=3600)
    assert silent(books) == set()


def test_a_clock_that_was_ahead_makes_nobody_silent(books: Books) -> None:
    books.clock.pass_by(minutes=60)
    give(books, signs.WEB, ONE)
    books.clock.pass_by(minutes=-60)
    give(books, signs.WEB, signs.INTERNAL, seconds=15)
    give(books, signs.WEB, signs.INTERNAL, ONE, seconds=15)
    assert silent(books) == set()
    assert stored_at(books) == books.clock()


def test_a_start_by_a_clock_that_was_ahead_hides_no_silence(books: Books) -> None:
    books.clock.pass_by(minutes=60)
    give(books, signs.WEB, ONE)
    with books.write() as session:
        signs.note(session, signs.TICK, now=books.clock())
    books.clock.pass_by(minutes=-60)
    give(books, signs.WEB, ONE, seconds=15)
    assert not late(books), "the ledger has time for its next tick"
    give(books, signs.WEB, seconds=60)
    assert silent(books) == {ONE}
    assert late(books)


def late(books: Books) -> bool:
    """Whether the last tick is too old."""
    with books.read() as session:
        return signs.ledger_is_late(session, books.settings, books.clock())

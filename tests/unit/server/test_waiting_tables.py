"""Tables whose bots are to move: their turns wait in the queue, and none ends because of that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from server.db.models import PlayTable, Turn, User
from server.services import broker, jobs, play, signs, slow_tables, walls
from server.services.table_turns import TURN
from server.services.tick import tick
from server.times import HOUR_MS
from tests.books import Books
from tests.unit.server.test_play import (
    book,
    open_table,
    seen,
    sent_turns,
    taken,
    turns,
)

IDLE = 5


def report(books: Books, *, walled: bool = True) -> None:
    """Stores the report of an arena that plays matches."""
    told = {"box": "bwrap", "walled": walled, "why": "" if walled else "no namespaces"}
    with books.write() as session:
        walls.report_wall(session, {**told, "arena": "one@here"}, now=books.clock())


def note_slow(books: Books, table: str) -> None:
    """Notes that a turn at the table took long."""
    with books.write() as session:
        slow_tables.note(session, session.get_one(PlayTable, table), 20.5, now=books.clock())


@pytest.fixture
def table(books: Books, alice: User, bob: User) -> str:
    """A table of alice's with a bot of bob's to move, where nobody may be idle for long."""
    settings = replace(books.settings, play_idle_minutes=IDLE)
    books.context = replace(books.context, settings=settings)
    books.bot(bob, "simple")
    report(books)
    return open_table(books, alice, ["bob/simple", "me"])


def test_only_who_opened_a_table_is_slow_and_only_at_tables_that_they_open(
    books: Books, alice: User, bob: User
) -> None:
    def joined(opener: User, friend: User) -> str:
        name = open_table(books, opener, ["friend", "me"])
        with books.write() as session:
            secret = play.join_secret(session.get_one(PlayTable, name), books.settings)
            play.join(session, friend, name, secret, settings=books.settings, now=books.clock())
        return name

    def slow_at(table: str) -> set[int]:
        with books.read() as session:
            row = session.get_one(PlayTable, table)
            return slow_tables.slow_people(session, row, now=books.clock())

    hers, his = joined(alice, bob), joined(bob, alice)
    note_slow(books, hers)
    assert slow_at(hers) == slow_at(joined(alice, bob)) == {alice.id}
    assert slow_at(his) == set()


def test_a_table_whose_opener_nobody_knows_makes_nobody_slow(
    books: Books, alice: User, table: str
) -> None:
    with books.write() as session:
        session.get_one(PlayTable, table).opener_id = None
    note_slow(books, table)
    sent_turns(books)
    open_table(books, alice, ["bob/simple", "me"])
    assert sent_turns(books) == [("arena.take_turn", "turn")]


@pytest.mark.parametrize("slow", [False, True])
def test_a_turn_keeps_its_place_in_the_queue_and_its_table_goes_on(
    books: Books, alice: User, table: str, slow: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if slow:
        note_slow(books, table)
        with books.write() as session:
            play.leave(session, alice, table, now=books.clock())
        table = open_table(books, alice, ["bob/simple", "me"])
    job = turns(books)[-1]
    with books.read() as session:
        known = {(f"turn:{turn.id}", turn.attempt) for turn in session.query(Turn)}
    monkeypatch.setattr(broker, "jobs", lambda url, *, taken_s: known)
    settings = replace(books.settings, broker_url="redis://nowhere")
    context = replace(books.context, settings=settings)
    for _ in range(4 * 2 * IDLE):
        books.clock.pass_by(seconds=15)
        report(books)
        tick(context)
    assert turns(books) == [], "nothing is sent again, so nothing loses its place"
    books.claim(job, "one@here")
    assert book(books, taken(books, job))
    assert seen(books, table, alice).state == "persons"


def test_a_claimed_turn_is_not_kept(books: Books, alice: User, table: str) -> None:
    (job,) = turns(books)
    books.claim(job, "one@here")
    with books.write() as session:
        turn = session.get_one(Turn, 1)
        held = turn.deadline
        assert not jobs.keep(session, TURN, [1], turn.attempt, books.clock() + HOUR_MS)
        session.refresh(turn)
        assert turn.deadline == held


def test_a_turn_that_is_sent_again_and_again_ends_no_table(
    books: Books, alice: User, table: str
) -> None:
    for _ in range(2 * IDLE):
        books.clock.pass_by(minutes=1)
        report(books)
        tick(books.context)
    assert turns(books)[-1].attempt > 3
    assert seen(books, table, alice).state == "bots"


def park(books: Books) -> None:
    """Lets the table's turn be lost too often."""
    with books.write() as session:
        turn = session.get_one(Turn, 1)
        turn.attempt, turn.deadline = jobs.MAX_ATTEMPTS, jobs.DUE


@pytest.mark.parametrize(
    "break_it, happens, why",
    [
        (lambda _: None, lambda _: None, "no arena takes jobs"),
        (lambda _: None, lambda books: report(books, walled=False), "no namespaces"),
        (park, report, "sent 20 times, and it never came back"),
    ],
    ids=["no arena", "no wall", "lost"],
)
def test_a_table_whose_turn_nobody_can_play_ends_and_says_why(
    books: Books,
    alice: User,
    table: str,
    break_it: Callable[[Books], None],
    happens: Callable[[Books], None],
    why: str,
) -> None:
    break_it(books)
    tick(books.context)
    for minute in range(IDLE + 2):
        assert minute > IDLE - 2 or seen(books, table, alice).state == "bots"
        books.clock.pass_by(minutes=1)
        happens(books)
        tick(books.context)
    ended = seen(books, table, alice)
    assert ended.why == f"The platform could not play the bots' moves for 5 minutes: {why}"
    assert ended.state == "ended"


def test_a_table_outlives_a_stop_of_the_platform(books: Books, alice: User, table: str) -> None:
    signs.give(books.context, signs.WEB)
    books.clock.pass_by(minutes=300)
    tick(books.context)
    assert seen(books, table, alice).state == "bots"
    signs.give(books.context, signs.WEB)
    for _ in range(3 * IDLE + 1):
        books.clock.pass_by(seconds=20)
        signs.give(books.context, signs.WEB)
    tick(books.context)
    assert seen(books, table, alice).state == "ended"

"""Tables with people: opened, joined, played by turns, ended; and each viewer's view."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from sqlalchemy import update

from matchbox import registry
from matchbox.answers.matches import EVERYBODY
from matchbox.answers.play import Table
from matchbox.errors import (
    BadMessage,
    BadOption,
    Conflict,
    Forbidden,
    NotFound,
    TooMany,
    UnknownGame,
)
from matchbox.game import Plain
from matchbox.match import record as records
from matchbox.match import replay, wire
from matchbox.match.record import Record
from matchbox.match.wire import Said, TakeTurn, TurnTaken
from server import outbox, queries
from server.db.models import PlaySeat, PlayState, PlayTable, Turn, User, VersionState
from server.queries import play as reading
from server.services import (
    account_operations,
    accounts,
    jobs,
    play,
    slow_tables,
    table_turns,
    walls,
)
from server.services.job_lines import job_line
from server.services.table_turns import TURN
from server.services.tick import tick
from tests.books import Books, lost, open_books
from tests.plans import explained
from worker.arena.turn import take_turn

DAY = 24 * 60
"""The minutes of a day."""
RANDOM = {
    "skull": b"from matchbox.games.skull import RandomAgent\n\nBOT = RandomAgent\n",
    "war": b"from matchbox.games.war import HighestPlayer\n\nBOT = HighestPlayer\n",
}


def open_table(books: Books, actor: User, seats: Sequence[str], **more: Any) -> str:
    """Opens a table; returns its id."""
    asked: dict[str, Any] = {"game": "bomb", "options": {}, **more}
    with books.write() as session:
        return play.open_table(
            session, actor, seats=seats, **asked, settings=books.settings, now=books.clock()
        ).id


def seen(books: Books, table: str, viewer: User | None, **more: Any) -> Table:
    """Returns the table as the viewer sees it."""
    with books.read() as session:
        return reading.table(session, viewer, table, settings=books.settings, **more)


def move(books: Books, actor: User, table: str, played: Plain) -> None:
    """Makes a move."""
    with books.write() as session:
        play.move(session, actor, table, played, settings=books.settings, now=books.clock())


def turns(books: Books) -> list[TakeTurn]:
    """Returns the turns sent since the last call."""
    outbox.flush(books.context.database, books.postman, books.clock())
    return books.sent(TakeTurn)


def taken(books: Books, job: TakeTurn) -> TurnTaken:
    """Returns the result of an arena without a wall."""
    with books.read() as session:
        versions = [seat.version for seat in job.seats if seat]
        bundles = {version: queries.bundle(session, version) for version in versions}
    return take_turn(job, bundles, None)


def book(books: Books, message: TurnTaken) -> bool:
    """Books a turn."""
    with books.write() as session:
        return table_turns.book(session, message, settings=books.settings, now=books.clock())


def parked_turns(books: Books) -> int:
    """Returns how many turns are parked, as the platform's health tells."""
    with books.read() as session:
        return job_line(session, "turn", TURN, books.clock()).parked


def play_to_the_end(books: Books, table: str, *persons: User) -> None:
    """Plays to the end; each person takes the first offered move."""
    while seen(books, table, persons[0]).state in ("bots", "persons"):
        for job in turns(books):
            book(books, taken(books, job))
        for person in persons:
            if choices := seen(books, table, person).choices:
                move(books, person, table, choices[0].move)


def row_of(books: Books, table: str) -> PlayTable:
    """Returns the table's row."""
    with books.read() as session:
        row = session.get_one(PlayTable, table)
        assert row.seats
    return row


def record_of(books: Books, table: str) -> Record:
    """Returns the record of a finished table."""
    packed = row_of(books, table).record
    assert packed is not None
    return records.unpack(packed)


def test_a_person_plays_against_a_bot_to_the_end(books: Books, alice: User, bob: User) -> None:
    books.bot(bob, "simple")
    table = open_table(books, alice, ["me", "bob/simple"])
    first = seen(books, table, alice)
    assert (first.state, first.me, first.to_move) == ("persons", 0, [0])
    assert [seat.name for seat in first.seats] == ["alice", "bob/simple"]
    assert first.choices[0].words.startswith("Draw the top card")
    play_to_the_end(books, table, alice)
    over = seen(books, table, None)
    assert over.state == "finished"
    assert sorted(over.places or []) == [1, 2]
    record = record_of(books, table)
    with books.read() as session:
        shown = reading.steps(session, None, table, None)
        everybody = reading.steps(session, None, table, EVERYBODY).steps[0].view
        with pytest.raises(NotFound):
            reading.steps(session, None, table, 2)
    assert [sum(seat["hand"].values()) for seat in everybody["seats"]] == [6, 6]
    replay.replay(registry.game("bomb"), record)
    assert records.digest(record) == over.digest
    assert record.seats[0] == "person"
    assert shown.steps[-1].text == record.bouts[0].why


def test_bots_that_begin_are_asked_at_once(books: Books, alice: User, bob: User) -> None:
    books.bot(bob, "simple")
    table = open_table(books, alice, ["bob/simple", "me"])
    assert seen(books, table, alice).state == "bots"
    (job,) = turns(books)
    assert job.said == []
    assert [seat is None for seat in job.seats] == [False, True]
    assert book(books, taken(books, job))
    assert seen(books, table, alice).state == "persons"
    assert not book(books, taken(books, job))  # a message that comes twice


def test_simultaneous_moves_wait_for_both(books: Books, alice: User, bob: User) -> None:
    books.bot(bob, "highest", RANDOM["war"], game="war")
    table = open_table(books, alice, ["bob/highest", "me"], game="war")
    now = seen(books, table, alice)
    assert now.to_move == [1, 0] or now.to_move == [0, 1]
    move(books, alice, table, now.choices[-1].move)
    assert seen(books, table, alice).state == "bots"
    play_to_the_end(books, table, alice)
    assert seen(books, table, alice).state == "finished"


def test_two_persons_move_at_the_same_time(books: Books, alice: User, bob: User) -> None:
    table = open_table(books, alice, ["me", "friend"], game="war")
    secret = seen(books, table, alice).join
    assert secret is not None
    assert seen(books, table, bob, secret=secret).state == "open"
    with books.write() as session:
        play.join(session, bob, table, secret, settings=books.settings, now=books.clock())
    assert seen(books, table, alice).join is None
    move(books, bob, table, seen(books, table, bob).choices[0].move)
    assert seen(books, table, bob).choices == []
    assert seen(books, table, alice).to_move == [0]
    with pytest.raises(Conflict, match="wait for the others"):
        move(books, bob, table, "13 13")
    play_to_the_end(books, table, alice, bob)
    assert turns(books) == []  # no arena is needed
    assert seen(books, table, None).state == "finished"


def test_answers_that_nobody_asked_for_are_refused(books: Books, alice: User, bob: User) -> None:
    books.bot(bob, "random")
    table = open_table(books, alice, ["me", "bob/random"])
    while not (sent := turns(books)):
        move(books, alice, table, seen(books, table, alice).choices[0].move)
    message = taken(books, sent[0])
    more = msgspec.structs.replace(message, said=[*message.said, *message.said])
    with pytest.raises(BadMessage, match="nobody asked for"):
        book(books, more)
    book(books, message)


def test_the_revision_is_told_to_whoever_may_see_the_table(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    """Without the revision, an invited guest's page fetches everything again at every poll."""
    table = open_table(books, alice, ["me", "friend"], game="war")
    secret = seen(books, table, alice).join
    assert secret is not None
    with books.read() as session:

        def told(viewer: User | None, secret: str = "") -> str | None:
            return reading.revision(session, viewer, table, settings=books.settings, secret=secret)

        assert told(alice) == told(bob, secret) == told(None, secret) == told(charlie)
        assert told(alice) is not None
        assert told(bob) is told(bob, "5" * 32) is None


@pytest.mark.parametrize("game", ["bomb", "skull", "war", "thegame", "creatures"])
def test_nothing_hidden_is_told_while_a_table_is_played(
    books: Books, alice: User, bob: User, charlie: User, game: str
) -> None:
    """A person's answers do not depend on cards that their seat may not know. Strangers get
    nothing."""
    rules = registry.game(game)
    seats = 3 if 3 in rules.spec.seats else 2
    table = open_table(books, alice, ["me", *["friend"] * (seats - 1)], game=game)
    secret = seen(books, table, alice).join
    assert secret is not None
    others = [books.person(f"guest{n}") for n in range(1, seats)]
    for other in others:
        with books.write() as session:
            play.join(session, other, table, secret, settings=books.settings, now=books.clock())
    everybody = [alice, *others]
    deal = row_of(books, table).deal
    for _ in range(12):
        if seen(books, table, alice).state != "persons":
            break
        live = table_turns.live_bout(row_of(books, table))
        for seat, person in enumerate(everybody):
            told = seen(books, table, person)
            text = json.dumps(told.plain())
            assert deal not in text
            assert told.view == rules.view(live.state, seat)
            assert all(step.move is None for step in told.steps if step.seat != seat)
            assert all(
                step.view is not None and step.seat in (None, -1, *range(seats))
                for step in told.steps
            )
            if seat not in told.to_move:
                assert told.choices == []
        for stranger in (bob, None):
            with pytest.raises(Forbidden, match="closed to others"):
                seen(books, table, stranger)
        watched = seen(books, table, charlie)
        assert (watched.view, watched.steps, watched.choices, watched.deal) == (None, [], [], None)
        with books.read() as session:
            for viewer in (alice, bob, charlie, None):
                assert reading.plain_record(session, viewer, table) is None
                for eyes in (0, None, EVERYBODY):
                    with pytest.raises(Forbidden):
                        reading.steps(session, viewer, table, eyes)
        mover = seen(books, table, alice).to_move[0]
        choices = seen(books, table, everybody[mover]).choices
        move(books, everybody[mover], table, choices[-1].move)


def test_the_steps_show_what_the_own_seat_was_told(books: Books, alice: User, bob: User) -> None:
    books.bot(bob, "random", RANDOM["skull"], game="skull")
    seats = ["bob/random", "me", "bob/random"]
    table = open_table(books, alice, seats, game="skull")
    play_to_the_end(books, table, alice)
    with books.read() as session:
        alone = reading.steps(session, None, table, 1).steps
    assert [step.view for step in seen(books, table, alice).steps] == [one.view for one in alone]
    assert seen(books, table, alice, since=3).steps == seen(books, table, alice).steps[3:]


def test_the_rules_refuse_a_wrong_move(books: Books, alice: User, bob: User) -> None:
    books.bot(bob, "simple")
    table = open_table(books, alice, ["me", "bob/simple"])
    for wrong in ("fly", 7, None, ["draw"], {"a": 1}):
        with pytest.raises(BadOption, match="the rules refuse this move"):
            move(books, alice, table, wrong)
    with pytest.raises(Forbidden, match="no seat"):
        move(books, bob, table, "draw")
    with pytest.raises(NotFound):
        move(books, alice, "0" * 32, "draw")
    assert row_of(books, table).said == []


@pytest.mark.parametrize(
    ("game", "wrong", "why"),
    [
        ("bomb", "fly", "the moves are draw, bottom, skip, see and shuffle"),
        ("skull", "bid 40", "place a card that you hold, or bid"),
        ("thegame", [0, 50], "there is no pile 0 with a card 50 for it in the hand"),
        ("creatures", ["attack", 3], "you have no untapped creature of number 3"),
    ],
)
def test_a_refused_move_has_the_rules_own_reason(
    books: Books, alice: User, bob: User, game: str, wrong: Plain, why: str
) -> None:
    table = open_table(books, alice, ["me", "friend"], game=game)
    secret = seen(books, table, alice).join
    assert secret is not None
    with books.write() as session:
        play.join(session, bob, table, secret, settings=books.settings, now=books.clock())
    with pytest.raises(BadOption, match=why):
        move(books, alice, table, wrong)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("\ud800", "it holds half a character"),
        (["a", {"\udfff": 1}], "it holds half a character"),
        (1.5, "it holds a float, which is not plain data"),
        (2**60, "it holds a whole number"),
    ],
)
def test_a_move_that_no_bot_could_answer_is_refused(
    books: Books, alice: User, bob: User, wrong: Any, why: str
) -> None:
    books.bot(bob, "simple")
    table = open_table(books, alice, ["me", "bob/simple"])
    with pytest.raises(BadOption, match=re.escape(why)):
        move(books, alice, table, wrong)
    assert row_of(books, table).said == []


def test_a_bots_fault_ends_the_game_as_in_a_match(books: Books, alice: User, bob: User) -> None:
    books.bot(bob, "simple")
    table = open_table(books, alice, ["bob/simple", "me"])
    (job,) = turns(books)
    fault = Said(0, fault="timeout", detail="no answer\0")
    message = TurnTaken(turn=job.turn, attempt=1, token=job.token, said=[fault])
    assert book(books, message)
    over = seen(books, table, alice)
    assert (over.state, over.why, over.places) == ("finished", "timeout", [2, 1])


def test_slow_turns_wait_among_the_matches_and_hold_half_of_the_arenas(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    books.bot(bob, "simple")
    for number in range(2):
        with books.write() as session:
            report = {"box": "bwrap", "walled": True, "arena": f"arena-{number}@here"}
            walls.report_wall(session, report, now=books.clock())
    for _ in range(3):
        open_table(books, alice, ["bob/simple", "me"])
    first, *others = turns(books)
    fault = Said(0, fault="timeout")
    slow = TurnTaken(turn=first.turn, attempt=1, token=first.token, said=[fault], seconds=20.5)
    assert book(books, slow)
    open_table(books, alice, ["bob/simple", "me"])
    assert sent_turns(books) == [], "two of hers are under way"
    for job in others:
        assert book(books, TurnTaken(turn=job.turn, attempt=1, token=job.token, said=[fault]))
    for person in (alice, charlie):
        open_table(books, person, ["bob/simple", "me"])
    assert sent_turns(books) == [(wire.TAKE_TURN_LAST, "ranked"), (wire.TAKE_TURN, "turn")]
    books.clock.pass_by(minutes=61)
    tick(books.context)
    assert set(sent_turns(books)) == {(wire.TAKE_TURN, "turn")}


def test_a_slow_turn_waits_for_as_long_as_a_match(books: Books, alice: User, bob: User) -> None:
    books.bot(bob, "simple")
    table = open_table(books, alice, ["me", "friend"])
    with books.write() as session:
        slow_tables.note(session, session.get_one(PlayTable, table), 20.5, now=books.clock())
    open_table(books, alice, ["bob/simple", "me"])
    last = [(wire.TAKE_TURN_LAST, "ranked")]
    assert sent_turns(books) == last
    books.clock.pass_by(minutes=books.settings.lease_minutes - 0.5)
    tick(books.context)
    assert sent_turns(books) == [], "its message is still in the queue"
    books.clock.pass_by(minutes=1)
    tick(books.context)
    assert sent_turns(books) == last


def test_a_slow_turn_is_not_parked_while_only_express_arenas_report(
    books: Books, alice: User, bob: User
) -> None:
    books.bot(bob, "simple")
    table = open_table(books, alice, ["bob/simple", "me"])
    for express in (True, False):
        with books.write() as session:
            walls.forget(session, lambda _: True)
            slow_tables.note(session, session.get_one(PlayTable, table), 20.5, now=books.clock())
            report = {"arena": "one@h", "box": "bwrap", "walled": True, "express": express}
            walls.report_wall(session, report, now=books.clock())
            often = {"deadline": jobs.DUE, "attempt": jobs.MAX_ATTEMPTS}
            session.execute(update(Turn).values(often))
        tick(books.context)
        assert parked_turns(books) == (not express)


def sent_turns(books: Books) -> list[tuple[str, str]]:
    """Returns the tasks of the turns sent since the last call, with their queues."""
    outbox.flush(books.context.database, books.postman, books.clock())
    found = [(task, queue) for task, queue, _ in books.postman.letters if "turn" in task]
    books.postman.letters.clear()
    return found


def test_only_the_tables_bots_are_believed(books: Books, alice: User, bob: User) -> None:
    books.bot(bob, "simple")
    table = open_table(books, alice, ["bob/simple", "me"])
    (job,) = turns(books)
    for said in ([], [Said(1, ["draw"])], [Said(9, ["draw"])]):
        with pytest.raises(BadMessage, match="not taken by the bots"):
            book(books, TurnTaken(turn=job.turn, attempt=1, token=job.token, said=said))
    with pytest.raises(Forbidden):
        book(books, TurnTaken(turn=job.turn, attempt=1, token="0" * 64, said=[Said(0, ["draw"])]))
    with pytest.raises(NotFound):
        book(books, TurnTaken(turn="turn:99", attempt=1, token="", said=[]))
    assert seen(books, table, alice).state == "bots"


def test_a_lost_turn_is_sent_again_and_a_late_result_counts(
    books: Books, alice: User, bob: User
) -> None:
    books.bot(bob, "simple")
    table = open_table(books, alice, ["bob/simple", "me"])
    (first,) = turns(books)
    tick(books.context)
    assert turns(books) == []
    books.clock.pass_by(seconds=61)
    tick(books.context)
    (second,) = turns(books)
    assert (second.turn, second.attempt, second.said) == (first.turn, 2, first.said)
    with pytest.raises(Conflict):
        books.claim(first)
    books.claim(second)
    assert book(books, taken(books, first))
    assert seen(books, table, alice).state == "persons"
    books.clock.pass_by(minutes=2)
    tick(books.context)
    assert turns(books) == []


def test_a_table_ends_if_the_platform_fails_again_and_again(
    books: Books, alice: User, bob: User
) -> None:
    books.bot(bob, "simple")
    table = open_table(books, alice, ["bob/simple", "me"])
    for _ in range(books.settings.attempts):
        (job,) = turns(books)
        assert books.lose(lost(job))
    ended = seen(books, table, alice)
    assert ended.state == "ended"
    assert "the box did not open" in ended.why
    assert turns(books) == []
    assert parked_turns(books) == 0, "operators can do nothing about it"


def test_a_parked_turn_is_told_until_its_table_ends(books: Books, alice: User, bob: User) -> None:
    books.bot(bob, "simple")
    open_table(books, alice, ["bob/simple", "me"])
    with books.write() as session:
        turn = session.get_one(Turn, 1)
        turn.attempt, turn.deadline = jobs.MAX_ATTEMPTS, jobs.DUE
    books.wall()
    tick(books.context)
    assert parked_turns(books) == 1
    books.clock.pass_by(minutes=books.settings.play_idle_minutes + 1)
    tick(books.context)
    assert parked_turns(books) == 0


def test_a_turn_of_a_table_that_has_ended_is_not_wanted(
    books: Books, alice: User, bob: User
) -> None:
    books.bot(bob, "simple")
    table = open_table(books, alice, ["bob/simple", "me"])
    (job,) = turns(books)
    with books.write() as session:
        play.leave(session, alice, table, now=books.clock())
    with pytest.raises(Conflict, match="not wanted any more"):
        books.claim(job)
    assert not book(books, taken(books, job))
    books.clock.pass_by(minutes=2)
    tick(books.context)
    assert turns(books) == []
    with books.read() as session:
        assert not session.get_one(Turn, 1).wanted
    assert seen(books, table, alice).why == "alice left the table."
    with pytest.raises(Conflict, match="over already"), books.write() as session:
        play.leave(session, alice, table, now=books.clock())


def test_nobody_opens_one_table_after_another(
    books: Books, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(play, "TABLES", 3)
    for _ in range(3):
        table = open_table(books, alice, ["me", "friend"])
        with books.write() as session:
            play.leave(session, alice, table, now=books.clock())
        books.clock.pass_by(minutes=1)
    with pytest.raises(TooMany, match="played at 3 tables within an hour; come back in 58"):
        open_table(books, alice, ["me", "friend"])
    open_table(books, bob, ["me", "friend"])
    books.clock.pass_by(minutes=58)
    open_table(books, alice, ["me", "friend"])


def test_a_table_that_was_opened_by_a_clock_that_was_ahead_ends_like_any_other(
    books: Books, alice: User
) -> None:
    books.clock.pass_by(minutes=DAY)
    table = open_table(books, alice, ["me", "friend"])
    books.clock.pass_by(minutes=-DAY)
    tick(books.context)
    assert seen(books, table, alice).state == "open"
    books.clock.pass_by(minutes=31)
    tick(books.context)
    assert seen(books, table, alice).state == "ended"


def test_a_table_that_nobody_touches_ends(books: Books, alice: User, bob: User) -> None:
    books.bot(bob, "simple")
    table = open_table(books, alice, ["me", "bob/simple"])
    books.clock.pass_by(minutes=29)
    tick(books.context)
    move(books, alice, table, "draw")
    books.clock.pass_by(minutes=29)
    for job in turns(books):
        book(books, taken(books, job))
    tick(books.context)
    assert seen(books, table, alice).state in ("persons", "finished")
    books.clock.pass_by(minutes=31)
    tick(books.context)
    assert row_of(books, table).state in (PlayState.ENDED, PlayState.FINISHED)
    idle = open_table(books, alice, ["me", "friend"])
    books.clock.pass_by(minutes=31)
    tick(books.context)
    assert seen(books, idle, alice).why == "Nobody moved for 30 minutes."


def test_a_game_that_ended_early_is_kept_for_those_who_sat_there(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    books.bot(bob, "random", RANDOM["skull"], game="skull")
    table = open_table(books, alice, ["me", "bob/random"], game="skull")
    while len(seen(books, table, alice).steps) < 4:
        for job in turns(books):
            book(books, taken(books, job))
        if choices := seen(books, table, alice).choices:
            move(books, alice, table, choices[0].move)
    before = seen(books, table, alice)
    with books.write() as session:
        play.leave(session, alice, table, now=books.clock())
    over, record = seen(books, table, alice), record_of(books, table)
    assert (over.state, over.places, over.digest) == ("ended", None, records.digest(record))
    assert [one.text for one in over.steps[:-1]] == [one.text for one in before.steps]
    assert record.bouts[0].moves == [one.move for one in over.steps[1:-1]]
    with books.read() as session:
        for reader in (alice, charlie):
            open_hands = reading.steps(session, reader, table, EVERYBODY).steps
            assert len(open_hands) == len(before.steps) + 1
            plain = reading.plain_record(session, reader, table)
            assert plain is not None
            assert plain["deals"] == [over.deal]
        for stranger in (bob, None):
            assert reading.plain_record(session, stranger, table) is None
            with pytest.raises(Forbidden):
                reading.steps(session, stranger, table, EVERYBODY)
    with pytest.raises(Forbidden):
        seen(books, table, bob)


def test_a_game_without_a_move_has_no_record(books: Books, alice: User, bob: User) -> None:
    books.bot(bob, "simple")
    table = open_table(books, alice, ["me", "bob/simple"])
    with books.write() as session:
        play.leave(session, alice, table, now=books.clock())
    assert row_of(books, table).record is None
    assert seen(books, table, alice).digest is None
    with books.read() as session:
        assert reading.plain_record(session, alice, table) is None
        with pytest.raises(Conflict, match="no record"):
            reading.steps(session, alice, table, 0)


def test_tables_that_are_over_for_long_are_deleted(books: Books, alice: User, bob: User) -> None:
    books.bot(bob, "simple")
    over = open_table(books, alice, ["bob/simple", "me"])
    play_to_the_end(books, over, alice)
    left = open_table(books, alice, ["bob/simple", "me"])
    books.clock.pass_by(minutes=80 * DAY)
    tick(books.context)
    assert row_of(books, left).state == PlayState.ENDED
    young = open_table(books, alice, ["bob/simple", "me"])
    books.clock.pass_by(minutes=11 * DAY)
    tick(books.context)
    with pytest.raises(NotFound):
        seen(books, over, alice)
    assert [row_of(books, table).id for table in (left, young)] == [left, young]
    books.clock.pass_by(minutes=80 * DAY)
    tick(books.context)
    with books.read() as session:
        kept = [row.table_id for row in session.query(Turn)]
        assert [row.id for row in session.query(PlayTable)] == [young]
        assert {row.table_id for row in session.query(PlaySeat)} == {young}
    assert set(kept) == {young}


def test_the_tables_of_an_account_are_listed_by_pages_without_reading_those_of_others(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    many = open_books(books.context.database.url, play_tables=20, play_tables_each=20)
    mine, others = [], []
    for _ in range(5):
        mine.append(open_table(many, alice, ["me", "friend"]))
        others.append(open_table(many, bob, ["me", "friend"]))
        many.clock.pass_by(minutes=1)
    with books.write() as session:
        ended = {"state": PlayState.ENDED}
        session.execute(update(PlayTable).where(PlayTable.id == others[0]).values(**ended))
    whole = {alice: mine[::-1], charlie: []}
    whole[charlie] = sorted(
        {*mine, *others[1:]}, key=lambda one: (row_of(books, one).created_at, one), reverse=True
    )
    for viewer, wanted in whole.items():
        found: list[str] = []
        cursor = None
        with books.read() as session, explained(session, only="FROM play_seat") as plans:
            while cursor is not None or not found:
                page = reading.tables(session, viewer, many.settings, cursor=cursor, limit=2)
                found += [one.id for one in page.items]
                cursor = page.next
        assert found == wanted
        newest = [plan for plan in plans if "user_id=?" in plan]
        assert newest
        for plan in newest:
            assert "COVERING INDEX ix_play_seat_user_id_created_at_table_id" in plan, plan
            assert "TEMP B-TREE" not in plan, plan
    with books.read() as session, pytest.raises(BadOption, match="is not a cursor"):
        reading.tables(session, alice, many.settings, cursor="soon")
    many.context.close()


def test_no_more_tables_are_open_than_allowed(books: Books, alice: User, bob: User) -> None:
    books.bot(bob, "simple")
    url = books.context.database.url
    narrow = open_books(url, play_tables=3, play_tables_each=2)
    tables = [open_table(narrow, alice, ["me", "bob/simple"]) for _ in range(2)]
    with pytest.raises(TooMany, match="2 open tables"):
        open_table(narrow, alice, ["me", "bob/simple"])
    open_table(narrow, bob, ["me", "friend"])
    with pytest.raises(TooMany, match="3 tables are open"):
        open_table(narrow, bob, ["me", "friend"])
    with narrow.write() as session:
        play.leave(session, alice, tables[0], now=narrow.clock())
    open_table(narrow, alice, ["me", "bob/simple"])
    closed = open_books(url, play_tables=0)
    with pytest.raises(Forbidden, match="switched off play"):
        open_table(closed, alice, ["me", "bob/simple"])
    for opened in (narrow, closed):
        opened.context.close()


def test_it_refuses_tables_that_cannot_be(books: Books, alice: User, bob: User) -> None:
    version = books.bot(bob, "simple")
    for seats in (["bob/simple", "bob/simple"], ["me", "me"]):
        with pytest.raises(BadOption, match="take one seat"):
            open_table(books, alice, seats)
    with pytest.raises(BadOption, match="played by 2 players"):
        open_table(books, alice, ["me"])
    with pytest.raises(NotFound):
        open_table(books, alice, ["me", "bob/nobody"])
    with pytest.raises(UnknownGame):
        open_table(books, alice, ["me", "friend"], game="chess")
    with pytest.raises(Conflict, match="no active version for war"):
        open_table(books, alice, ["me", "bob/simple"], game="war")
    with pytest.raises(BadOption, match="players decide nothing"):
        open_table(books, alice, ["me", "friend"], game="war", options={"play": "dealt"})
    with books.write() as session:
        session.merge(version).state = VersionState.SUSPENDED
    with pytest.raises(Conflict, match="no active version"):
        open_table(books, alice, ["me", "bob/simple"])


def test_a_strangers_bot_does_not_play_without_a_wall(books: Books, alice: User, bob: User) -> None:
    books.bot(bob, "simple")
    with books.write() as session:
        house = accounts.house(session, now=books.clock())
    books.bot(house, "simple")
    books.wall(walled=False)
    with pytest.raises(Conflict, match="no namespaces; choose a bot of the house"):
        open_table(books, alice, ["me", "bob/simple"])
    assert open_table(books, alice, ["me", "house/simple"])


def test_a_link_lets_one_person_in(books: Books, alice: User, bob: User) -> None:
    table = open_table(books, alice, ["me", "friend"])
    secret = seen(books, table, alice).join or ""

    def join(actor: User, key: str) -> None:
        with books.write() as session:
            play.join(session, actor, table, key, settings=books.settings, now=books.clock())

    with pytest.raises(Forbidden, match="link"):
        join(bob, "0" * 32)
    with pytest.raises(Forbidden, match="link"):
        join(bob, "é")
    with pytest.raises(Forbidden):
        seen(books, table, bob, secret="wrong")
    join(alice, secret)  # has a seat already: nothing changes
    assert seen(books, table, alice).state == "open"
    join(bob, secret)
    assert seen(books, table, bob).me == 1
    dora = books.person("dora")
    with pytest.raises(Conflict, match="no seat is free"):
        join(dora, secret)
    with pytest.raises(Forbidden, match="no seat is free"):
        seen(books, table, dora, secret=secret)
    assert secret not in json.dumps(seen(books, table, bob).plain())
    with books.write() as session:
        play.leave(session, alice, table, now=books.clock())
    with pytest.raises(Forbidden, match=r"ended early.* open a table of your own"):
        seen(books, table, dora, secret=secret)


def test_operators_see_and_close_tables(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    table = open_table(books, alice, ["me", "friend"])
    with books.read() as session:
        assert [one.id for one in reading.tables(session, alice, books.settings).items] == [table]
        assert reading.tables(session, bob, books.settings).items == []
        listed = reading.tables(session, charlie, books.settings)
    assert [one.id for one in listed.items] == [table]
    with pytest.raises(Forbidden), books.write() as session:
        play.close(session, bob, table, now=books.clock())
    with books.write() as session:
        play.close(session, charlie, table, now=books.clock())
    assert seen(books, table, alice).why == "An operator closed the table."
    with pytest.raises(Conflict, match="over already"), books.write() as session:
        play.close(session, charlie, table, now=books.clock())


def test_nobody_plays_against_the_bots_of_a_closed_account(
    books: Books, alice: User, bob: User
) -> None:
    books.bot(bob, "simple")
    with books.write() as session:
        session.get_one(User, bob.id).closed_at = books.clock()
    with books.read() as session:
        assert reading.opponents(session, "bomb", 50) == []
    with pytest.raises(Conflict, match="no active version"):
        open_table(books, alice, ["bob/simple", "me"])


def test_the_opponents_are_the_active_bots(books: Books, alice: User, bob: User) -> None:
    books.bot(bob, "simple")
    books.upload(alice, "waiting")
    with books.read() as session:
        found = reading.opponents(session, "bomb", 50)
        assert reading.opponents(session, "war", 50) == []
        with pytest.raises(UnknownGame):
            reading.opponents(session, "chess", 50)
    assert [(one.bot, one.version, one.rank) for one in found] == [("bob/simple", 1, None)]


def test_of_many_bots_without_a_rank_the_newest_are_offered(books: Books, bob: User) -> None:
    for name in ("two", "three", "one"):
        books.bot(bob, name)
    with books.read() as session:
        found = reading.opponents(session, "bomb", 2)
    assert [one.bot for one in found] == ["bob/one", "bob/three"]


def test_a_turn_of_a_strangers_bot_waits_while_an_arena_has_no_wall(
    books: Books, alice: User, bob: User
) -> None:
    books.bot(bob, "simple")
    table = open_table(books, alice, ["me", "bob/simple"])
    for job in turns(books):
        book(books, taken(books, job))
    books.wall(walled=False)
    while choices := seen(books, table, alice).choices:
        move(books, alice, table, choices[0].move)
    tick(books.context)
    assert (turns(books), seen(books, table, alice).state) == ([], "bots")
    books.wall()
    books.clock.pass_by(minutes=1)
    tick(books.context)
    (job,) = turns(books)
    books.wall(walled=False)
    with pytest.raises(Conflict, match="no wall around bots"):
        books.claim(job, "arena")


def test_the_tables_of_an_account_that_is_closed_or_deleted_end(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    waiting = open_table(books, alice, ["me", "friend"])
    begun = open_table(books, bob, ["me", "friend"])
    other = open_table(books, bob, ["me", "friend"])
    secret = seen(books, begun, bob).join or ""
    with books.write() as session:
        play.join(session, alice, begun, secret, settings=books.settings, now=books.clock())
        account_operations.leave_everything(session, alice, now=books.clock())
    for table, state in ((waiting, "ended"), (begun, "ended"), (other, "open")):
        assert seen(books, table, charlie).state == state
    assert seen(books, begun, bob).why == "alice left the table."

"""Tables that go on from a position of a match: the deal, the moves before, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from matchbox import registry
from matchbox.errors import BadOption, Conflict, Forbidden, NotFound
from matchbox.match import replay
from matchbox.match.record import Record, entrant
from matchbox.match.wire import PlayMatch
from server.db.models import User
from server.services import kept_records, play, positions
from server.services.positions import Place
from tests.books import Books, really_played, season_of
from tests.unit.server.test_play import (
    RANDOM,
    book,
    open_table,
    play_to_the_end,
    row_of,
    seen,
    taken,
    turns,
)
from tests.unit.server.test_play import record_of as record_of_table

BOT = b"from matchbox.games.bomb import SimplePlayer\n\nBOT = SimplePlayer\n"


@pytest.fixture
def jobs(books: Books, alice: User, bob: User, charlie: User) -> list[PlayMatch]:
    """The matches of a season of bomb between alice/mine and bob/yours."""
    books.league(paused=True)
    versions = [books.bot(alice, "mine", BOT), books.bot(bob, "yours", BOT)]
    season_of(books, charlie, versions, deals=1)
    return books.tick()


@pytest.fixture
def record(books: Books, jobs: list[PlayMatch]) -> Record:
    """The record of a match between them, which was really played."""
    for job in jobs:
        books.record(really_played(books, job))
    with books.read() as session:
        return kept_records.record_of(session, jobs[0].match)


def test_a_person_goes_on_from_the_middle_of_a_match(
    books: Books, record: Record, alice: User
) -> None:
    moves = 5
    place = Place(record.match, 1, moves)
    table = open_table(books, alice, ["me", "bob/yours"], place=place)
    bout = record.bouts[1]
    assert row_of(books, table).deal == record.deals[bout.deal]
    for job in turns(books):
        assert [one.moves for one in job.said] == [[move] for move in bout.moves[:moves]]
        assert book(books, taken(books, job))
    now = seen(books, table, alice)
    assert now.state == "persons"
    assert len(now.steps) > moves
    play_to_the_end(books, table, alice)
    assert seen(books, table, None).state == "finished"
    assert record_of_table(books, table).bouts[0].moves[:moves] == bout.moves[:moves]


@pytest.mark.parametrize("number", [0, 1])
def test_a_bot_answers_as_it_did_in_the_match(
    number: int, books: Books, alice: User, bob: User, charlie: User
) -> None:
    """It has the random numbers of the match, in each rotation and each seat."""
    books.league(paused=True, game="skull")
    versions = [
        books.bot(one, "random", RANDOM["skull"] + f"# {one.name}\n".encode(), game="skull")
        for one in (alice, bob)
    ]
    season_of(books, charlie, versions, league="skull", deals=1)
    job = books.tick()[0]
    books.record(really_played(books, job))
    with books.read() as session:
        record = kept_records.record_of(session, job.match)
    game, bout = registry.game("skull"), record.bouts[number]
    movers = [seat for _, made in replay.iterate_moves(game, record, bout) for seat in made]
    for bots_seat in (0, 1):
        owner = record.seats[entrant(bots_seat, bout.rotation, 2)]
        bot = ("alice" if owner == versions[0].digest else "bob") + "/random"
        seats = [bot, "me"] if bots_seat == 0 else ["me", bot]
        moves = [at for at, seat in enumerate(movers) if seat == bots_seat][-1]
        place = Place(record.match, number, moves)
        table = open_table(books, alice, seats, game="skull", place=place)
        (turn,) = turns(books)
        assert taken(books, turn).said[0].moves == [bout.moves[moves]]
        with books.write() as session:
            play.leave(session, alice, table, now=books.clock())


def test_the_options_are_those_of_the_match(books: Books, record: Record, alice: User) -> None:
    place = Place(record.match, 0, 2)
    table = open_table(books, alice, ["bob/yours", "me"], place=place)
    assert row_of(books, table).options == record.options
    with pytest.raises(BadOption, match="has its options; give none"):
        open_table(books, alice, ["me", "bob/yours"], place=place, options={"deck": "standard"})


@pytest.mark.parametrize(
    ("changed", "error", "text"),
    [
        ({"match": "0" * 32}, NotFound, "there is no match '0000"),
        ({"bout": 10_000}, NotFound, "has no bout 10001"),
        ({"bout": -1}, NotFound, "has no bout 0"),
        ({"moves": 10_000}, BadOption, "choose an earlier position"),
    ],
)
def test_a_position_that_is_not_there_is_refused(
    changed: dict[str, Any], error: type[Exception], text: str,
    books: Books, record: Record, alice: User,
) -> None:  # fmt: skip
    place = Place(**{"match": record.match, "bout": 0, "moves": 1, **changed})
    with pytest.raises(error, match=text):
        open_table(books, alice, ["me", "bob/yours"], place=place)


def test_another_game_or_size_is_refused(books: Books, record: Record, alice: User) -> None:
    place = Place(record.match, 0, 1)
    books.bot(alice, "skuller", RANDOM["skull"], game="skull")
    for game, seats in (("skull", ["me", "alice/skuller"]), ("skull", ["me", "friend", "friend"])):
        with pytest.raises(BadOption, match="is one of bomb with 2 seats"):
            open_table(books, alice, seats, game=game, place=place)


def test_a_match_that_is_not_over_is_closed(
    books: Books, jobs: list[PlayMatch], alice: User
) -> None:
    with pytest.raises(Forbidden, match="are closed until it is over"):
        open_table(books, alice, ["me", "bob/yours"], place=Place(jobs[0].match, 0, 1))


def test_a_match_of_other_rules_is_refused(
    books: Books, record: Record, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(positions, "record_of", lambda *_: replace(record, rules="0"))
    with pytest.raises(Conflict, match="was played by rules 0 of "):
        open_table(books, alice, ["me", "bob/yours"], place=Place(record.match, 0, 1))

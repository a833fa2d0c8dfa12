"""The files that an arena with a key may fetch for a job: those that the job names, and no
others."""

from __future__ import annotations

from matchbox.match.wire import TryOut
from server.db.models import (
    Draft,
    DraftState,
    Lesson,
    Match,
    MatchSeat,
    MatchVerification,
    PlaySeat,
    PlayTable,
    Role,
    Turn,
    User,
    Version,
    VersionState,
)
from server.services.job_files import files_of
from tests.books import Books

ONE, TWO, MEMORY, MATCH = "1" * 64, "2" * 64, "a" * 64, "c" * 32


def version(name: str) -> Version:
    """A version with this digest."""
    return Version(digest=name)


def test_a_match_needs_its_bots_and_their_memories_and_a_check_its_record(books: Books) -> None:
    seats = [MatchSeat(version=version(ONE), memory=MEMORY), MatchSeat(version=version(TWO))]
    match = Match(id=MATCH, seats=seats)
    again = MatchVerification(match_id=MATCH, match=match)
    with books.read() as session:
        assert files_of(session, match) == {ONE, TWO, MEMORY}
        assert files_of(session, again) == {ONE, TWO, MEMORY, MATCH}


def test_a_lesson_needs_its_pupil_and_the_records_that_it_learns_from(books: Books) -> None:
    first = Lesson(version=version(ONE), before=None, played=[[MATCH, 0], ["d" * 32, 1]])
    later = Lesson(version=version(ONE), before=MEMORY, played=[])
    with books.read() as session:
        assert files_of(session, first) == {ONE, MATCH, "d" * 32}
        assert files_of(session, later) == {ONE, MEMORY}


def test_a_turn_needs_the_bots_at_the_table(books: Books) -> None:
    table = PlayTable(seats=[PlaySeat(version=None), PlaySeat(version=version(TWO))])
    with books.read() as session:
        assert files_of(session, Turn(table=table)) == {TWO}


def test_a_try_out_needs_its_file_and_in_quarantine_a_bot_of_the_house(books: Books) -> None:
    books.league(paused=True)
    shipped = books.bot(books.person("house", Role.HOUSE), "shipped")
    suspect = books.bot(books.person("alice", Role.AUTHOR), "suspect")
    with books.write() as session:
        row = session.get_one(Version, suspect.id)
        assert files_of(session, row) == {suspect.digest}
        row.state = VersionState.QUARANTINED
        assert files_of(session, row) == {suspect.digest, shipped.digest}
        draft = Draft(digest=ONE, state=DraftState.PENDING, owner=User(name="bob"))
        assert files_of(session, draft) == {ONE}
    assert not books.sent(TryOut)

"""The faults of a bot are read newest first, and only as far as they are shown."""

from __future__ import annotations

from sqlalchemy import event

from matchbox.match.record import Bout, Fault
from matchbox.match.wire import PlayMatch
from server.db.models import MatchSeat, Result, User, Version
from server.queries.bot_faults import bot_faults
from server.services import record_removal
from tests.books import Books, played, scripted, season_of
from tests.plans import explained, loads_of, without


def test_the_newest_faults_are_found_without_sorting_all_of_them(books: Books, alice: User) -> None:
    books.bot(alice, "one")
    with books.read() as session, explained(session, only="result") as plans:
        assert bot_faults(session, None, "alice", "one").items == []
    (plan,) = plans
    assert "ix_match_seat_version_id_created_at_number_seat_match_id" in plan
    assert "ORDER BY" not in plan


def test_a_match_whose_record_was_removed_names_no_faults(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    def crash(job: PlayMatch, deal: int, rotation: int) -> Bout:
        return Bout(deal, rotation, ["draw"], [2, 1], [0, 1], "a crash", [Fault(0, 0, "crash")])

    books.league(paused=True)
    season_of(books, charlie, [books.bot(alice, "one"), books.bot(bob, "two")])
    first, second = books.dispatch()
    for job in (first, second):
        books.record(played(job, scripted(job, crash)))
    with books.write() as session:
        record_removal.remove_records(session, [first.match], 30)
    read: list[str] = []
    with books.read() as session, loads_of(Result) as results, loads_of(Version) as versions:
        event.listen(MatchSeat, "load", load := lambda row, _: read.append(row.match_id))
        found = bot_faults(session, None, "alice", "one").items
        event.remove(MatchSeat, "load", load)
    assert without(results, "logs", "printed", "diagnostics", "notes", "moves", "bouts")
    assert without(versions, "report")
    assert read == [second.match], "what was removed is not even read: it may be years of matches"
    assert {one.match for one in found} == {second.match}

"""The faults of a bot: everybody sees kinds and places; its owner and operators see the details."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from matchbox.errors import FaultKind
from matchbox.match import record as records
from matchbox.match.record import Fault
from matchbox.match.wire import Note, PlayMatch
from server.db.models import Match
from tests.books import Books, played
from tests.unit.server.routes.conftest import Caller, problem

PATH = "/bots/alice/alice-bot/faults"


def with_faults(job: PlayMatch, entrant: int) -> Any:
    """Returns the job's result, in which this entrant fails in every bout of rotation 0 until it is
    excluded."""
    message = played(job)
    record = records.unpack(message.record)
    kinds: list[FaultKind] = ["crash", "timeout", "excluded"]
    first = [bout for bout in record.bouts if bout.rotation == 0]
    for bout, kind in zip(first, kinds, strict=False):
        bout.faults[:] = [Fault(step=len(bout.moves), seat=entrant, kind=kind)]
        bout.places[:] = [1 + (seat == entrant) for seat in range(2)]
    notes = [Note(entrant, 0, 0, "crash", "ValueError: hers alone")]
    return replace(message, record=records.pack(record), notes=notes)


def test_each_fault_has_its_place_and_details_are_for_the_owner(
    queued: str, books: Books, nobody: Caller, as_alice: Caller, as_bob: Caller, as_charlie: Caller
) -> None:
    none: Any = nobody.get(PATH).json
    assert none == {"items": [], "next": None}
    for job in books.dispatch():
        with books.read() as session:
            seats = session.get_one(Match, job.match).seats
            (hers,) = [one.seat for one in seats if one.version.bot.full_name == "alice/alice-bot"]
        assert books.record(with_faults(job, hers))
    told: Any = nobody.get(PATH).json
    assert {one["kind"] for one in told["items"]} <= {"crash", "timeout"}
    first = [one for one in told["items"] if one["match"] == queued]
    assert first[0]["kind"] == "crash"
    assert (first[0]["bout"], first[0]["version"], first[0]["detail"]) == (0, 1, None)
    assert [one["detail"] for one in told["items"] if one["detail"]] == []
    for reader in (as_alice, as_charlie):
        own: Any = reader.get(PATH).json
        assert {one["detail"] for one in own["items"] if one["kind"] == "crash"} == {
            "ValueError: hers alone"
        }
        assert [{**one, "detail": None} for one in own["items"]] == told["items"]
    others: Any = as_bob.get(PATH).json
    assert others == told
    his: Any = nobody.get("/bots/bob/bob-bot/faults").json
    assert his["items"] == []


def test_faults_come_page_by_page(queued: str, books: Books, nobody: Caller) -> None:
    for job in books.dispatch():
        books.record(with_faults(job, 0))
    for owner in ("alice", "bob"):
        path = f"/bots/{owner}/{owner}-bot/faults"
        whole: Any = nobody.get(path).json
        read: list[Any] = []
        page: Any = nobody.get(f"{path}?limit=1").json
        while page["next"] is not None:
            read += page["items"]
            page = nobody.get(f"{path}?limit=1&cursor={page['next']}").json
        read += page["items"]
        assert read == whole["items"]
    problem(nobody.get(f"{PATH}?cursor=nothing"), 422)
    problem(nobody.get("/bots/alice/nothing/faults"), 404)

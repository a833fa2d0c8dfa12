"""The requests and answers of an arena on another host with its key, and the limits of the key."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

import msgspec
import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient
from sqlalchemy import select
from werkzeug.test import TestResponse

from matchbox import registry
from matchbox.bundle import digest
from matchbox.errors import Conflict, Unavailable
from matchbox.match import record as records
from matchbox.match import replay, wire
from matchbox.match.host_versions import own_versions
from matchbox.match.wire import MatchPlayed, PlayMatch, TryOut, Verify
from server import queries
from server.db.models import (
    ArenaKey,
    ArenaPart,
    Audit,
    Bot,
    Match,
    MatchState,
    MatchVerification,
    Notice,
    Result,
    User,
    Version,
)
from server.services import (
    arena_keys,
    arenas,
    booking,
    broker,
    dispatch,
    health,
    job_kinds,
    match_verifications,
    remote_arenas,
    stopped_arenas,
    walls,
)
from server.services.arena_lines import arena_lines
from server.services.jobs import DUE
from server.services.passwords import digest_of
from server.services.remote_names import arena_name
from server.services.tick import tick
from tests.books import SIMPLE, Books, played, tried_out
from tests.traced import memory_traced
from tests.unit.server.routes.conftest import Caller, open_season, problem, start_season
from worker.arena.play import play_job

HERE = "arena-1@here"
PARTS = 3


@dataclass
class Host:
    """An arena on another host, or somebody with its stolen key."""

    client: FlaskClient
    name: str
    key: str
    number: int = 1

    @property
    def arena(self) -> str:
        """Returns the arena's full name."""
        return arena_name(self.name, self.number)

    @property
    def headers(self) -> dict[str, str]:
        """Returns the headers of each of its requests."""
        return {"Authorization": f"Bearer {self.key}", "Matchbox-Arena": str(self.number)}

    def send(self, path: str, body: Any) -> TestResponse:
        """Returns the answer to a POST of JSON."""
        return self.client.post(f"/remote{path}", headers=self.headers, json=body)

    def fetch(self, path: str) -> TestResponse:
        """Returns the answer to a GET."""
        return self.client.get(f"/remote{path}", headers=self.headers)

    def knock(self, **other: Any) -> TestResponse:
        """Returns the answer to its request for a job."""
        return self.send("/jobs", {**wire.to_plain(own_versions(("numpy",))), **other})

    def job(self) -> Any:
        """Returns the job that it gets after a report."""
        self.report()
        told = self.knock()
        assert told.status_code == 200, told.text
        found = told.get_json()
        return wire.from_plain(wire.JOBS[found["task"]], found["message"])

    def hand_in(self, task: str, message: msgspec.Struct) -> TestResponse:
        """Returns the answer to a result."""
        return self.send("/results", {"task": task, "message": wire.to_plain(message)})

    def part(self, job: wire.Job, position: int, data: bytes) -> TestResponse:
        """Returns the answer to a part of the job's result."""
        headers = {**self.headers, wire.JOB_HEADER: job.token}
        return self.client.post(f"/remote/parts/{position}", headers=headers, data=data)

    def report(self, job: wire.Job | None = None, **more: Any) -> TestResponse:
        """Returns the answer to a report."""
        claim = None if job is None else wire.to_plain(job.claim())
        return self.send("/walls", {"box": "bwrap", "walled": True, "job": claim, **more})


@pytest.fixture
def queued(books: Books, monkeypatch: pytest.MonkeyPatch) -> Books:
    """The same database, with a broker that holds the sent messages."""

    def take(
        url: str, queues: Iterable[str], suits: Callable[..., bool], *, most: int
    ) -> tuple[str, dict[str, Any]] | None:
        for queue in queues:
            for letter in [one for one in books.postman.letters if one[1] == queue]:
                if suits(letter[0], letter[2]):
                    books.postman.letters.remove(letter)
                    return letter[0], letter[2]
        return None

    monkeypatch.setattr(broker, "take", take)
    monkeypatch.setattr(broker, "jobs", lambda url, taken_s: set())
    settings = replace(books.settings, broker_url="redis://nowhere", replay_percent=100)
    books.context = replace(books.context, settings=settings)
    return books


@pytest.fixture
def lab(queued: Books, app: APIFlask, charlie: User) -> Host:
    """A host with a key."""
    return host(queued, app, charlie, "lab")


@pytest.fixture
def thief(queued: Books, app: APIFlask, charlie: User) -> Host:
    """A client with the stolen key of another host."""
    return host(queued, app, charlie, "attic")


@pytest.fixture
def matches(queued: Books, charlie: User, alice: User, bob: User) -> list[str]:
    """The ids of matches that were sent."""
    started = start_season(queued, charlie, open_season(queued, charlie, alice, bob))
    with queued.write() as session:
        dispatch.dispatch(session, settings=queued.settings, now=queued.clock())
    return started


def host(books: Books, app: APIFlask, operator: User, name: str) -> Host:
    """A host with a new key."""
    app.extensions["matchbox"] = books.context
    with books.write() as session:
        key = arena_keys.make(session, operator, name, now=books.clock()).key
    made = Host(app.test_client(), name, key)
    made.report()
    return made


def honest(books: Books, job: PlayMatch) -> MatchPlayed:
    """Returns the result of an honest arena."""
    with books.read() as session:
        bundles = {seat.version: queries.bundle(session, seat.version) for seat in job.seats}
    return play_job(job, bundles, None)


def forged(message: MatchPlayed) -> MatchPlayed:
    """Returns the result without a move."""
    record = records.unpack(message.record)
    bouts = [msgspec.structs.replace(bout, moves=[]) for bout in record.bouts]
    packed = records.pack(msgspec.structs.replace(record, bouts=bouts))
    return msgspec.structs.replace(message, record=packed)


def send_late(books: Books) -> None:
    """Sends the matches past their deadlines again."""
    knobs: dict[str, Any] = {"settings": books.settings, "now": books.clock()}
    with books.write() as session:
        job_kinds.sweep(session, **knobs)
        dispatch.dispatch(session, **knobs)


def act(books: Books, what: Any, operator: User, name: str) -> None:
    """Lets an operator act on a key."""
    with books.write() as session:
        what(session, operator, name, now=books.clock())


def test_a_key_is_stored_only_as_its_digest(queued: Books, lab: Host) -> None:
    with queued.read() as session:
        (row,) = session.scalars(select(ArenaKey))
        assert row.digest == digest_of(lab.key)
        assert lab.key not in json.dumps([line.detail for line in session.scalars(select(Audit))])
        assert "arena-key.make" in {line.action for line in session.scalars(select(Audit))}


def test_a_host_joins_takes_a_match_and_its_result_is_booked(
    queued: Books, lab: Host, matches: list[str]
) -> None:
    told = lab.send("/joins", wire.to_plain(own_versions(("numpy",))))
    assert told.get_json() == {"arena": "lab-1@key:lab"}
    assert lab.report().status_code == 204
    job = lab.job()
    assert queued.match(job.match).arena == lab.arena
    assert lab.send("/claims", wire.to_plain(job.claim("arena-1@here"))).status_code == 204
    for seat in job.seats:
        assert digest(lab.fetch(f"/bundles/{seat.version}").data) == seat.version
    assert lab.report(job).status_code == 204
    result = msgspec.structs.replace(honest(queued, job), arena="arena-1@here")
    assert lab.hand_in(wire.RECORD, result).get_json() == {"accepted": True}
    found = queued.match(job.match)
    assert (found.state, found.arena) == (MatchState.FINISHED, lab.arena)


def test_a_host_takes_try_outs_first_and_settles_them(
    queued: Books, lab: Host, matches: list[str], alice: User
) -> None:
    version = queued.upload(alice, "timid")
    job = lab.job()
    assert isinstance(job, TryOut)
    assert lab.fetch(f"/bundles/{job.version}").data == SIMPLE
    assert lab.hand_in(wire.SETTLE, tried_out(job)).get_json() == {"accepted": True}
    assert queued.version(version.id).state == "active"


def test_without_a_job_there_is_nothing(lab: Host) -> None:
    assert lab.knock().status_code == 204


def test_a_message_that_a_local_arena_has_claimed_already_is_dropped(
    queued: Books, lab: Host, matches: list[str]
) -> None:
    for _, _, message in queued.postman.letters:
        with queued.write() as session:
            claim = wire.from_plain(PlayMatch, message).claim(HERE)
            job_kinds.claim(session, claim, settings=queued.settings, now=queued.clock())
    assert lab.knock().status_code == 204
    assert {queued.match(name).arena for name in matches} == {HERE}


def test_an_arena_here_does_not_get_a_job_that_a_host_holds(
    queued: Books, lab: Host, matches: list[str]
) -> None:
    job = lab.job()
    with queued.write() as session:
        knobs: dict[str, Any] = {"settings": queued.settings, "now": queued.clock()}
        with pytest.raises(Conflict, match="not wanted any more"):
            job_kinds.claim(session, job.claim(HERE), **knobs)
    assert queued.match(job.match).arena == lab.arena


# What a stolen key cannot do.


def test_a_stolen_key_gets_nothing_for_another_arenas_job(
    queued: Books, lab: Host, thief: Host, matches: list[str]
) -> None:
    job = lab.job()
    stolen = wire.to_plain(job.claim(lab.arena))
    problem(thief.send("/claims", stolen), 409)
    problem(thief.send("/claims", {**stolen, "token": "0" * 64}), 403)
    problem(thief.hand_in(wire.RECORD, honest(queued, job)), 409)
    problem(thief.hand_in(wire.LOST, job.lost("I do not want it")), 409)
    assert thief.report(job).status_code == 204, "the rest of the report counts"
    found = queued.match(job.match)
    assert (found.state, found.arena, found.attempt) == (MatchState.RUNNING, lab.arena, 1)


def test_a_stolen_key_is_bound_to_the_arena_that_took_the_job(
    queued: Books, lab: Host, matches: list[str]
) -> None:
    job, second = lab.job(), replace(lab, number=2)
    problem(second.send("/claims", wire.to_plain(job.claim())), 409)
    problem(second.hand_in(wire.RECORD, honest(queued, job)), 409)
    for number in ("0", "65", "x", "-1", "1" * 30, "0001999", "0001" + "9" * 5000):
        answer = lab.client.post(
            "/remote/jobs", headers={**lab.headers, "Matchbox-Arena": number}, json={}
        )
        assert "Matchbox-Arena is a number from 1 to 64" in problem(answer, 422)["detail"]


def test_a_stolen_key_holds_one_job_at_a_time(queued: Books, lab: Host, matches: list[str]) -> None:
    first, second = lab.job(), lab.job()
    assert first.match != second.match
    assert queued.match(first.match).arena is None
    problem(lab.hand_in(wire.RECORD, honest(queued, first)), 409)


def test_a_stolen_key_reads_no_seed_under_embargo(
    queued: Books, lab: Host, thief: Host, matches: list[str], inside: Caller
) -> None:
    job = lab.job()
    lab.hand_in(wire.RECORD, honest(queued, job))
    problem(thief.fetch(f"/records/{job.match}"), 403)
    problem(lab.fetch(f"/records/{job.match}"), 403)
    thief.job()
    problem(thief.fetch(f"/records/{job.match}"), 403)
    for path in (f"/api/v1/matches/{job.match}", "/api/v1/matches", "/api/v1/account"):
        answer = thief.client.get(path, headers=thief.headers)
        assert answer.status_code in (401, 404)
        assert not [seed for seed in job.deals if seed in answer.text]
    for path in (f"/internal/records/{job.match}", f"/internal/bundles/{job.seats[0].version}"):
        problem(inside.client.get(path, headers=thief.headers), 401)


def test_a_stolen_key_fetches_no_bundle_but_those_of_its_job(
    queued: Books, lab: Host, thief: Host, matches: list[str], bob: User
) -> None:
    sent = list(queued.postman.letters)
    other = queued.bot(bob, "other")
    queued.postman.letters = sent
    problem(thief.fetch(f"/bundles/{other.digest}"), 403)
    job = lab.job()
    assert lab.fetch(f"/bundles/{job.seats[0].version}").status_code == 200
    problem(lab.fetch(f"/bundles/{other.digest}"), 403)
    problem(thief.fetch(f"/bundles/{job.seats[0].version}"), 403)
    problem(lab.fetch(f"/memories/{'0' * 64}"), 403)
    lab.hand_in(wire.RECORD, honest(queued, job))
    problem(lab.fetch(f"/bundles/{job.seats[0].version}"), 403)


def test_a_stolen_key_books_no_result_without_moves(
    queued: Books, lab: Host, matches: list[str]
) -> None:
    job = lab.job()
    told = lab.hand_in(wire.RECORD, forged(honest(queued, job)))
    assert told.get_json() == {"accepted": False}
    found = queued.match(job.match)
    assert (found.state, found.platform_faults) == (MatchState.QUEUED, 0)
    with queued.read() as session:
        assert set(stopped_arenas.stopped(session)) == {lab.arena}
    problem(lab.knock(), 423)


def test_the_other_arenas_of_a_key_are_stopped_as_well_and_any_lets_all_go_on(
    queued: Books, lab: Host, matches: list[str], charlie: User
) -> None:
    other = replace(lab, number=2)
    other.report()
    lab.hand_in(wire.RECORD, forged(honest(queued, lab.job())))
    problem(other.knock(), 423)
    with queued.read() as session:
        judged = health.judge(session, queued.settings, now=queued.clock())
    told = {one.full_name: one.stopped for one in judged.arenas}
    assert f"arena {lab.arena}, which has the same key, was stopped" in told[other.arena]
    assert [one.about for one in judged.findings if one.kind == "stopped"] == [lab.arena]
    with queued.write() as session:
        arenas.resume(session, charlie, other.arena, "its memory is mended", now=queued.clock())
    for arena in (lab, other):
        assert arena.knock().status_code in (200, 204)


def test_a_stolen_key_books_no_result_twice(queued: Books, lab: Host, matches: list[str]) -> None:
    job = lab.job()
    result = honest(queued, job)
    assert lab.hand_in(wire.RECORD, result).get_json() == {"accepted": True}
    assert lab.hand_in(wire.RECORD, result).get_json() == {"accepted": False}
    with queued.read() as session:
        row = session.get_one(Match, job.match)
        assert row.league.finished == 1


def test_a_stolen_key_does_nothing_once_it_is_removed(
    queued: Books, lab: Host, matches: list[str], charlie: User
) -> None:
    lab.report()
    job = lab.job()
    act(queued, arena_keys.remove, charlie, "lab")
    assert queued.match(job.match).arena is None
    result = {"task": wire.RECORD, "message": wire.to_plain(honest(queued, job))}
    for path, body in (
        ("/joins", {}),
        ("/jobs", {}),
        ("/claims", wire.to_plain(job.claim())),
        ("/results", result),
        ("/parts/0", {}),
        ("/walls", {"box": "bwrap", "walled": True}),
    ):
        told = problem(lab.send(path, body), 401)
        assert "was removed" in told["detail"]
    problem(lab.fetch(f"/bundles/{job.seats[0].version}"), 401)
    with queued.read() as session:
        (line,) = [one for one in arena_lines(session, queued.clock()) if one.key]
    assert (line.state, line.key_state) == ("left", "removed")
    tick(queued.context)
    assert queued.match(job.match).attempt == 2, "its match was given away"


def test_a_stolen_key_accuses_no_bot_and_parks_no_match(
    queued: Books, lab: Host, matches: list[str]
) -> None:
    for _ in range(4):
        job = lab.job()
        assert lab.hand_in(wire.LOST, job.lost("the box broke")).status_code == 200
        found = queued.match(job.match)
        assert (found.state, found.platform_faults) == (MatchState.QUEUED, 0)
        other = queued.match(job.match)
        assert other.trouble == "the box broke"
        tick(queued.context)
    job = lab.job()
    bad = msgspec.structs.replace(played(job), logs=[])
    lab.hand_in(wire.RECORD, bad)
    assert queued.match(job.match).platform_faults == 0


def test_a_stolen_key_closes_no_uploads(queued: Books, lab: Host) -> None:
    for walled in (False, None, 1, "yes"):
        problem(lab.report(walled=walled, why="I say so"), 422)
    with queued.read() as session:
        assert walls.wall(session).walled


def test_a_stolen_key_that_knocks_twice_at_once_holds_one_job(
    queued: Books, lab: Host, matches: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = broker.take
    beside: list[Any] = []

    def take(*those: Any, **knobs: Any) -> Any:
        if not beside:
            beside.append(None)
            beside.append(lab.knock())
        return taken(*those, **knobs)

    monkeypatch.setattr(broker, "take", take)
    told = lab.knock()
    assert told.status_code == beside[1].status_code == 200
    with queued.read() as session:
        (held,) = job_kinds.held(session, lab.arena)
    assert held.id == told.get_json()["message"]["match"]


def test_a_host_that_is_drained_while_it_asks_for_a_job_gets_none(
    queued: Books,
    lab: Host,
    matches: list[str],
    charlie: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken = broker.take

    def take(*those: Any, **knobs: Any) -> Any:
        act(queued, arena_keys.drain, charlie, "lab")
        return taken(*those, **knobs)

    lab.report()
    with monkeypatch.context() as patch:
        patch.setattr(broker, "take", take)
        problem(lab.knock(), 423)
    with queued.read() as session:
        assert job_kinds.held(session, lab.arena) == []
    act(queued, arena_keys.undrain, charlie, "lab")
    assert lab.job().match in matches, "the message was not lost"


def test_a_stolen_key_keeps_no_job_by_reporting_for_ever(
    queued: Books, lab: Host, matches: list[str]
) -> None:
    job = lab.job()
    for _ in range(6 * queued.settings.lease_minutes * 2):
        queued.clock.pass_by(seconds=30)
        assert lab.report(job).status_code == 204
    send_late(queued)
    assert queued.match(job.match).arena == lab.arena, "a slow match has its time"
    queued.clock.pass_by(seconds=30)
    told = problem(lab.send("/claims", wire.to_plain(job.claim())), 409)
    assert "for 30 minutes without a result" in told["detail"]
    for _ in range(4):
        queued.clock.pass_by(seconds=15)
        assert lab.report(job).status_code == 204
    send_late(queued)
    found = queued.match(job.match)
    assert (found.arena, found.attempt) == (None, 2)


def test_a_stolen_key_parks_nothing_while_an_arena_here_reports(
    queued: Books, lab: Host, matches: list[str]
) -> None:
    for _ in range(12):
        queued.wall()
        lab.report()
        lab.knock()
        send_late(queued)
    found = [queued.match(name) for name in matches]
    assert {(one.state, one.attempt) for one in found} == {(MatchState.RUNNING, 4)}
    assert lab.knock().status_code == 204
    assert len(queued.postman.letters) == len(matches), "they wait for an arena here"
    with queued.write() as session:
        stop = stopped_arenas.Stop("its memory is damaged", queued.clock())
        stopped_arenas.store(session, {"arena": stop}, now=queued.clock())
    assert lab.job().match in matches, "the arena here is stopped"


def test_a_stolen_key_plays_nothing_unseen(queued: Books, lab: Host, matches: list[str]) -> None:
    second = replace(lab, number=2)
    assert "must report" in problem(second.knock(), 409)["detail"]
    problem(second.report(walled=False), 422)
    problem(second.knock(), 409)
    second.report()
    assert second.knock().status_code == 200


def test_a_false_record_stops_all_arenas_with_its_key(
    queued: Books, lab: Host, thief: Host, matches: list[str]
) -> None:
    second = replace(lab, number=2)
    job, other = lab.job(), second.job()
    assert lab.hand_in(wire.RECORD, forged(honest(queued, job))).get_json() == {"accepted": False}
    problem(second.hand_in(wire.RECORD, honest(queued, other)), 409)
    assert "another arena with its key" in problem(second.knock(), 423)["detail"]
    send_late(queued)
    assert isinstance(thief.job(), PlayMatch), "another host goes on"


def test_a_stolen_key_has_no_record_replayed_but_that_of_its_job(
    queued: Books, lab: Host, thief: Host, matches: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    replayed: list[str] = []
    monkeypatch.setattr(replay, "replay", lambda game, one: replayed.append(one.match))
    job, other = lab.job(), thief.job()
    problem(thief.hand_in(wire.RECORD, honest(queued, job)), 409)
    record = honest(queued, job).record
    foreign = msgspec.structs.replace(honest(queued, other), record=record)
    assert thief.hand_in(wire.RECORD, foreign).get_json() == {"accepted": False}
    assert replayed == []
    lab.hand_in(wire.RECORD, honest(queued, job))
    assert replayed == [job.match]


def test_a_stolen_key_stores_nothing_but_what_was_played(
    queued: Books, lab: Host, matches: list[str]
) -> None:
    job = lab.job()
    result = honest(queued, job)
    packed = zlib.decompressobj()
    text = packed.decompress(result.record)
    padded = zlib.compress(text.replace(b"{", b"{" + b" " * 100_000, 1)) + packed.unused_data
    assert records.unpack(padded) == records.unpack(result.record)
    lab.hand_in(wire.RECORD, msgspec.structs.replace(result, record=padded))
    with queued.read() as session:
        assert session.get_one(Result, job.match).record == result.record
    job = lab.job()
    result = honest(queued, job)
    told = msgspec.structs.replace(records.unpack(result.record), libraries={"x": "y" * 5000})
    result = msgspec.structs.replace(result, record=records.pack(told))
    assert lab.hand_in(wire.RECORD, result).get_json() == {"accepted": False}
    assert "too long" in queued.match(job.match).trouble


def test_a_stolen_key_keeps_no_record_from_being_checked(
    queued: Books, lab: Host, matches: list[str]
) -> None:
    job = lab.job()
    result = honest(queued, job)
    for change, named in (
        ({"python": "9.9"}, "is of Python 9.9"),
        ({"libraries": {"greenlet": "9", "numpy": "1.0"}}, "is of numpy 1.0 and the server has 2."),
        ({"libraries": {"greenlet": "9", "random": "1"}}, "is of random 1 and the server has none"),
    ):
        told = msgspec.structs.replace(records.unpack(result.record), **change)
        foreign = msgspec.structs.replace(result, record=records.pack(told))
        assert named in problem(lab.hand_in(wire.RECORD, foreign), 422)["detail"]
    assert queued.match(job.match).state == MatchState.RUNNING
    assert lab.hand_in(wire.LOST, job.lost("refused")).get_json() == {"accepted": True}
    after = queued.match(job.match)
    assert (after.state, after.platform_faults) == (MatchState.QUEUED, 0)


def test_a_stolen_key_fills_no_memory_with_a_record(
    queued: Books, lab: Host, matches: list[str]
) -> None:
    job = lab.job()
    result = honest(queued, job)
    record = records.unpack(result.record)
    bout = record.bouts[0]
    many = [msgspec.structs.replace(bout, deal=deal) for deal in range(1000)]
    long = [msgspec.structs.replace(bout, moves=["draw"] * 10_000_000)]
    for bouts, why in ((many, "has 1000 bouts, more than 4"), (long, "longer than 534144")):
        packed = records.pack(msgspec.structs.replace(record, bouts=bouts))
        forgery = msgspec.structs.replace(result, record=packed)
        assert lab.hand_in(wire.RECORD, forgery).get_json() == {"accepted": False}
        assert why in queued.match(job.match).trouble
        send_late(queued)
        job = lab.job()
        result = honest(queued, job)
        record = records.unpack(result.record)


def test_a_stolen_key_fills_no_memory_with_one_move(
    queued: Books, lab: Host, matches: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    job = lab.job()
    result = honest(queued, job)
    record = records.unpack(result.record)
    wide = msgspec.structs.replace(record.bouts[0], moves=[[[]] * 1_000_000])
    packed = records.pack(msgspec.structs.replace(record, bouts=[wide]))
    assert len(packed) < 10_000
    unpack, unpacked = records.unpack, list[bytes]()

    def count(data: bytes, **limits: Any) -> records.Record:
        unpacked.append(data)
        return unpack(data, **limits)

    monkeypatch.setattr(records, "unpack", count)
    forgery = msgspec.structs.replace(result, record=packed)
    with memory_traced() as most:
        assert lab.hand_in(wire.RECORD, forgery).get_json() == {"accepted": False}
        assert most() < 30 << 20
    assert unpacked == [packed], "it is not unpacked again while other writers wait"
    assert "longer than 534144 bytes" in queued.match(job.match).trouble


@pytest.mark.parametrize("text", [b'{"task": "ledger.record", "message": [%s]}', b"[%s]"])
def test_a_stolen_key_fills_no_memory_with_parts(
    queued: Books, lab: Host, matches: list[str], text: bytes
) -> None:
    job = lab.job()
    many = b"[]," * (wire.PART_BYTES // 3)
    head, tail = text.split(b"%s")
    for position, data in enumerate([head, many, many, b"[]" + tail]):
        assert lab.part(job, position, data).status_code == 204
    with memory_traced() as most:
        problem(lab.send("/results", {}), 422)
        assert most() < 20 << 20


def test_a_stolen_key_fills_no_disk_with_parts(
    queued: Books, lab: Host, matches: list[str], charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_arenas, "_MAX_PARTS", 2)

    def kept() -> int:
        with queued.read() as session:
            return len(session.scalars(select(ArenaPart)).all())

    second = replace(lab, number=2)
    of_lab, of_second = lab.job(), second.job()
    assert lab.part(of_lab, 0, b"x").status_code == 204
    assert second.part(of_second, 0, b"x").status_code == 204
    problem(second.part(of_second, 1, b"x"), 503)
    lab.report(leaving=True)
    send_late(queued)
    lab.job()
    assert kept() == 1, "the parts of a job that is over are dropped"
    act(queued, arena_keys.remove, charlie, "lab")
    assert kept() == 0


def test_a_stolen_key_reports_no_number_that_is_none(lab: Host) -> None:
    for wrong in ({"load": float("nan")}, {"load": float("inf")}, {"load": -1}, {"cores": 1 << 80}):
        problem(lab.report(**wrong), 422)


def test_a_message_of_another_time_is_dropped_and_no_other_is_lost(
    queued: Books, lab: Host, matches: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    task, queue, message = queued.postman.letters[0]
    queued.postman.letters.insert(0, (task, queue, {**message, "token": "0" * 64}))
    queued.postman.letters.insert(0, ("arena.unknown", queue, message))
    before = len(queued.postman.letters)

    def fail(*_: Any, **__: Any) -> bool:
        raise Unavailable("the database is busy")

    with monkeypatch.context() as patch:
        patch.setattr(job_kinds, "claim_unclaimed", fail)
        problem(lab.knock(), 503)
    assert len(queued.postman.letters) == before - 1, "it has dropped the unknown one only"
    jobs = {lab.job().match}
    assert jobs <= set(matches)


def test_nobody_else_comes_in(
    queued: Books, lab: Host, as_charlie: Caller, arena: Caller, matches: list[str]
) -> None:
    for token in ("", as_charlie.token, arena.token, "mba_" + "x" * 43):
        stranger = replace(lab, key=token)
        for path in ("/joins", "/jobs", "/claims", "/results", "/walls", "/parts/0"):
            problem(stranger.send(path, {}), 401)
        problem(stranger.fetch(f"/bundles/{'0' * 64}"), 401)


# What it is told.


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        ({"release": "0.0.1"}, "install release"),
        ({"python": "2.7"}, "install Python"),
        ({"rules": {}}, "other rules of bomb"),
        ({"match": "0" * 32}, "another state of release"),
        ({"match": ""}, "the same commit or package"),
        ({"libraries": {}}, "set MATCHBOX_LIBRARIES=numpy there"),
        ({"libraries": {"numpy": "1.0"}}, "this arena has numpy 1.0 and the server has"),
    ],
)
def test_a_host_that_is_not_like_the_server_is_told_what_to_do(
    queued: Books, lab: Host, matches: list[str], other: dict[str, Any], sentence: str
) -> None:
    for path in ("/joins", "/jobs"):
        told = lab.send(path, {**wire.to_plain(own_versions(("numpy",))), **other})
        assert sentence in problem(told, 426)["detail"]
    assert {queued.match(name).arena for name in matches} == {None}
    problem(lab.send("/jobs", {"release": 1}), 422)


def test_a_host_that_drains_ends_its_job_and_gets_no_other(
    queued: Books, lab: Host, matches: list[str], charlie: User
) -> None:
    lab.report()
    job = lab.job()
    act(queued, arena_keys.drain, charlie, "lab")
    with queued.read() as session:
        line = arena_keys.line(session, "lab", now=queued.clock())
    assert (line.state, line.arenas, line.jobs) == ("draining", 1, 1)
    assert lab.send("/claims", wire.to_plain(job.claim())).status_code == 204
    assert lab.hand_in(wire.RECORD, honest(queued, job)).get_json() == {"accepted": True}
    assert "draining" in problem(lab.knock(), 423)["detail"]
    with queued.read() as session:
        assert arena_keys.line(session, "lab", now=queued.clock()).jobs == 0
    act(queued, arena_keys.undrain, charlie, "lab")
    assert isinstance(lab.job(), PlayMatch)


def test_a_host_holds_no_job_once_another_arena_of_its_key_is_stopped(
    queued: Books, lab: Host, matches: list[str]
) -> None:
    other = replace(lab, number=2)
    held = other.job()
    claim = wire.to_plain(held.claim())
    assert other.send("/claims", claim).status_code == 204
    lab.hand_in(wire.RECORD, forged(honest(queued, lab.job())))
    assert "does not hold" in problem(other.send("/claims", claim), 409)["detail"]


def test_a_stopped_host_that_claims_its_job_gives_it_to_another_arena(
    queued: Books, lab: Host, matches: list[str]
) -> None:
    job = lab.job()
    assert lab.send("/claims", wire.to_plain(job.claim())).status_code == 204
    queued.wall()
    with queued.write() as session:
        stop = stopped_arenas.Stop("its memory is damaged", queued.clock())
        stopped_arenas.store(session, {lab.arena: stop}, now=queued.clock())
    problem(lab.send("/claims", wire.to_plain(job.claim())), 423)
    assert queued.match(job.match).deadline == DUE


def test_a_host_that_says_goodbye_gives_its_job_back(
    queued: Books, lab: Host, matches: list[str]
) -> None:
    job = lab.job()
    lab.report(leaving=True)
    tick(queued.context)
    assert queued.match(job.match).attempt == 2


def faults(books: Books, arena: str) -> tuple[int, str]:
    """Returns the number of the arena's faults, and the cause of the last one."""
    with books.read() as session:
        lines = arena_lines(session, books.clock())
    return next((one.faults, one.fault) for one in lines if one.full_name == arena)


def test_a_host_whose_process_dies_in_the_middle_of_a_job_has_a_fault(
    queued: Books, lab: Host, matches: list[str]
) -> None:
    lab.report(run="a")
    lab.job()
    for run in "abb":  # The answer to its first report is lost.
        lab.report(run=run)
    assert faults(queued, lab.arena) == (1, walls.DIED)
    job = lab.job()
    lab.report(job, run="b", faults=1, fault="a seat could not be made")
    assert faults(queued, lab.arena) == (2, "a seat could not be made")
    lab.report(leaving=True)
    lab.report(run="c")
    assert faults(queued, lab.arena)[0] == 2, "it was shut down"
    send_late(queued)
    lab.hand_in(wire.RECORD, honest(queued, lab.job()))
    lab.report(run="d")
    assert faults(queued, lab.arena)[0] == 2, "it had no job left"


def test_a_long_result_comes_in_parts(queued: Books, lab: Host, matches: list[str]) -> None:
    job = lab.job()
    assert lab.part(job, 0, b"no object").status_code == 204
    problem(lab.send("/results", {}), 422)
    text = json.dumps({"task": wire.RECORD, "message": wire.to_plain(honest(queued, job))})
    size = -(-len(text) // PARTS)
    for position in (0, 1, 1, 2, 0):
        data = text[position * size : (position + 1) * size].encode()
        assert lab.part(job, position, data).status_code == 204
    problem(lab.part(job, remote_arenas.PARTS, b"x"), 422)
    problem(lab.part(job, 3, b"x" * (wire.PART_BYTES + 1)), 422)
    assert lab.send("/results", {}).get_json() == {"accepted": True}
    assert queued.match(job.match).state == MatchState.FINISHED
    with queued.read() as session:
        assert session.scalars(select(ArenaPart)).all() == []
    assert lab.send("/results", {}).get_json() == {"accepted": False}, "its answer was lost"
    problem(lab.part(job, 0, b"the job is done"), 409)


def test_a_part_that_comes_again_with_other_bytes_replaces_all_that_follow_it(
    queued: Books, lab: Host, matches: list[str]
) -> None:
    job = lab.job()
    text = json.dumps({"task": wire.RECORD, "message": wire.to_plain(honest(queued, job))})
    for position in range(3):
        lab.part(job, position, b"of a longer result")
    lab.part(job, 0, text.encode())
    assert lab.send("/results", {}).get_json() == {"accepted": True}


def test_parts_of_an_earlier_job_are_not_mixed_with_those_of_the_next(
    queued: Books, lab: Host, matches: list[str]
) -> None:
    """Two processes with one number, or a request that arrives late."""
    before = lab.job()
    job = lab.job()
    text = json.dumps({"task": wire.RECORD, "message": wire.to_plain(honest(queued, job))})
    assert lab.part(job, 0, text.encode()).status_code == 204
    problem(lab.part(before, 0, b"of the earlier job"), 409)
    problem(lab.part(before, 1, b"of the earlier job"), 409)
    assert lab.send("/results", {}).get_json() == {"accepted": True}
    assert queued.match(job.match).state == MatchState.FINISHED


def test_the_parts_of_a_result_that_cannot_be_booked_now_are_kept_until_it_is(
    queued: Books, lab: Host, matches: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> bool:
        raise Unavailable("the database is busy")

    job = lab.job()
    text = json.dumps({"task": wire.RECORD, "message": wire.to_plain(honest(queued, job))})
    lab.part(job, 0, text.encode())
    with monkeypatch.context() as patch:
        patch.setattr(booking, "book", fail)
        problem(lab.send("/results", {}), 503)
    assert lab.send("/results", {}).get_json() == {"accepted": True}
    assert queued.match(job.match).state == MatchState.FINISHED
    with queued.read() as session:
        assert session.scalars(select(ArenaPart)).all() == []


# A share of the matches is played again elsewhere.


def checked(books: Books, lab: Host, *others: str) -> tuple[PlayMatch, list[Any]]:
    """Returns a match of the host, and the verifications sent while these arenas report."""
    books.context = replace(books.context, settings=replace(books.settings, verify_percent=100))
    lab.client.application.extensions["matchbox"] = books.context
    for name in (lab.arena, *others):
        report = {"box": "bwrap", "walled": True, "arena": name}
        with books.write() as session:
            walls.report_wall(session, report, now=books.clock())
    job = lab.job()
    lab.hand_in(wire.RECORD, honest(books, job))
    found = [
        wire.from_plain(Verify, letter[2])
        for letter in books.postman.letters
        if letter[0] == wire.VERIFY
    ]
    return job, found


def verified(job: Verify, finding: wire.Finding) -> wire.Verified:
    """Returns an arena's finding."""
    return wire.Verified(
        verification=job.verification, attempt=job.attempt, token=job.token, finding=finding
    )


@pytest.mark.parametrize(
    ("finding", "stops"),
    [("different", True), ("same", False), ("unrepeatable", False), ("replayed_only", False)],
)
def test_a_host_whose_match_another_arena_finds_different_is_stopped(
    queued: Books, lab: Host, matches: list[str], arena: Caller, finding: Any, stops: bool
) -> None:
    job, (again,) = checked(queued, lab, HERE)
    assert again.match == job.match
    assert lab.job().kind == "match", "nobody checks his own host"
    with queued.write() as session:
        knobs: dict[str, Any] = {"settings": queued.settings, "now": queued.clock()}
        job_kinds.claim(session, again.claim(HERE), **knobs)
    body = {"task": wire.BOOK_VERIFICATION, "message": wire.to_plain(verified(again, finding))}
    arena.client.application.extensions["matchbox"] = queued.context
    told = arena.client.post("/internal/results", headers=arena.headers, json=body)
    assert told.get_json() == {"accepted": True}
    with queued.read() as session:
        stopped = stopped_arenas.stopped(session)
        assert set(stopped) == ({lab.arena} if stops else set())
        judged = health.judge(session, replace(queued.settings, broker_url=""), now=queued.clock())
    assert ("stopped" in {one.kind for one in judged.findings}) is stops
    if stops:
        assert job.match in stopped[lab.arena].why
        assert HERE in stopped[lab.arena].why


TOLD: Final = {
    "": [1, 1],
    "an unrepeatable bot": [0, 1],
    "the host goes on": [1, 2],
    "eight days": [1, 2],
    "another host": [1, 2],
    "an account asked for the first": [1, 2],
    "an account asked for the second": [1, 2],
    "the host tried them out": [1, 2],
    "the same owner": [1, 2],
}
"""The notices after each of two findings, for each reason why the second does not stop the host."""


@pytest.mark.parametrize("excuse", TOLD)
def test_bots_of_one_owner_that_do_not_repeat_themselves_stop_no_host(
    excuse: str,
    queued: Books,
    lab: Host,
    matches: list[str],
    alice: User,
    bob: User,
    charlie: User,
    arena: Caller,
) -> None:
    arena.client.application.extensions["matchbox"] = queued.context
    sent = []
    if excuse == "an unrepeatable bot":
        with queued.write() as session:
            own = select(Version).join(Version.bot).where(Bot.owner_id == alice.id)
            for version in session.scalars(own):
                version.report = {**(version.report or {}), "unrepeatable": True}
    if excuse == "the host tried them out":
        with queued.write() as session:
            for version in session.scalars(select(Version)):
                version.report = {**(version.report or {}), "unrepeatable": True}
                version.arena = arena_name("lab", 2)
    second = alice if excuse == "the same owner" else bob
    for owner, place in ((alice, "first"), (second, "second")):
        job, found = checked(queued, lab, HERE)
        again = next(one for one in found if one.match == job.match)
        with queued.write() as session:
            knobs: dict[str, Any] = {"settings": queued.settings, "now": queued.clock()}
            job_kinds.claim(session, again.claim(HERE), **knobs)
            row = session.get_one(Match, job.match)
            assert row.result is not None
            record = records.unpack(row.result.record)
            owners = [seat.version.bot.owner_id for seat in row.seats]
            if excuse == f"an account asked for the {place}":
                number = int(again.verification.partition(":")[2])
                session.get_one(MatchVerification, number).asker_id = bob.id
        places = [replay.MoveIndex(0, move) for move in range(len(record.bouts[0].moves))]
        seats = [replay.seats_at(registry.game("bomb"), record, place) for place in places]
        _, move = places[seats.index({owners.index(owner.id)})]
        message = msgspec.structs.replace(verified(again, "different"), bout=0, move=move)
        body = {"task": wire.BOOK_VERIFICATION, "message": wire.to_plain(message)}
        told = arena.client.post("/internal/results", headers=arena.headers, json=body)
        assert told.get_json() == {"accepted": True}
        with queued.read() as session:
            sent.append(session.scalars(select(Notice.text).where(Notice.kind == "finding")).all())
            stopped = set(stopped_arenas.stopped(session))
        assert stopped == (set() if owner is alice or excuse else {lab.arena})
        if excuse == "eight days" and owner is alice:
            queued.clock.pass_by(minutes=8 * 24 * 60)
        if excuse == "another host" and owner is alice:
            with queued.write() as session:
                session.get_one(Match, job.match).arena = arena_name("attic", 1)
        if excuse == "the host goes on" and owner is alice:
            with queued.write() as session:
                arenas.stop(session, charlie, lab.arena, "to look at it", now=queued.clock())
                queued.clock.pass_by(seconds=1)
                arenas.resume(session, charlie, lab.arena, "it is sound", now=queued.clock())
            queued.clock.pass_by(seconds=1)
    assert [len(one) for one in sent] == TOLD[excuse]
    first = "bob" if excuse == "an unrepeatable bot" else "alice"
    assert f"one of {first}/" in sent[1][0]
    if excuse == "the same owner":
        count = "2 of 2 checks of this host's matches with bots of the same owner differed."
        assert [count in text for text in sent[1]] == [False, True]
    if excuse == "the host tried them out":
        assert all("an arena with the same key made that try-out" in text for text in sent[1])


def test_checks_that_an_account_asks_for_notify_the_operators_and_stop_no_host(
    queued: Books, lab: Host, matches: list[str], alice: User, arena: Caller
) -> None:
    arena.client.application.extensions["matchbox"] = queued.context
    job, found = checked(queued, lab, HERE)
    knobs: dict[str, Any] = {"settings": queued.settings, "now": queued.clock()}
    with queued.write() as session:
        session.scalars(select(MatchVerification)).one().asker_id = alice.id
    counts = []
    for _ in range(5):
        with queued.write() as session:
            job_kinds.claim(session, found[-1].claim(HERE), **knobs)
        message = wire.to_plain(verified(found[-1], "different"))
        body = {"task": wire.BOOK_VERIFICATION, "message": message}
        told = arena.client.post("/internal/results", headers=arena.headers, json=body)
        assert told.get_json() == {"accepted": True}
        with queued.write() as session:
            assert stopped_arenas.stopped(session) == {}
            texts = session.scalars(select(Notice.text).where(Notice.kind == "finding")).all()
            row = match_verifications.ask(session, alice, job.match, **knobs)
            found.append(match_verifications.job_of(row, queued.settings))
        counts.append(len(texts))
    assert counts == [1, 2, 2, 3, 3]
    for text in texts:
        assert "No author's bot can be the reason" in text
        assert "an account asked for this verification" in text
    assert texts[2].endswith("In the last 7 days 4 of 4 checks of this host's matches differed so.")


def test_a_check_of_a_match_under_embargo_is_told_once_the_match_is_open(
    queued: Books, lab: Host, matches: list[str]
) -> None:
    job, _ = checked(queued, lab, HERE)
    place = f"/api/v1/matches/{job.match}/verification"
    (other,) = set(matches) - {job.match}
    with queued.write() as session:
        session.get_one(Match, other).deals = job.deals
    problem(lab.client.get(place), 404)
    with queued.write() as session:
        session.get_one(Match, other).state = MatchState.VOID
    assert lab.client.get(place).get_json()["state"] == "waiting"


def test_another_host_checks_where_no_arena_is_here(
    queued: Books, lab: Host, thief: Host, matches: list[str]
) -> None:
    queued.clock.pass_by(minutes=2)  # The arena of the fixture has not reported since.
    job, (again,) = checked(queued, lab, thief.arena)
    queued.postman.letters = [one for one in queued.postman.letters if one[0] == wire.VERIFY]
    assert lab.knock().status_code == 204
    assert len(queued.postman.letters) == 1, "the message waits for another host"
    assert thief.job() == again
    assert thief.fetch(f"/records/{job.match}").status_code == 200
    thief.hand_in(wire.BOOK_VERIFICATION, verified(again, "different"))
    with queued.read() as session:
        assert set(stopped_arenas.stopped(session)) == {lab.arena}


def test_while_an_arena_here_reports_no_host_checks(
    queued: Books, lab: Host, thief: Host, matches: list[str]
) -> None:
    _, (again,) = checked(queued, lab, thief.arena, HERE)
    queued.postman.letters = [one for one in queued.postman.letters if one[0] == wire.VERIFY]
    assert thief.knock().status_code == 204
    assert len(queued.postman.letters) == 1, "the message waits for the arena here"
    with queued.write() as session:
        report = {"box": "bwrap", "walled": True, "arena": HERE}
        walls.report_wall(session, {**report, "leaving": True}, now=queued.clock())
    queued.clock.pass_by(minutes=2)
    with queued.write() as session:
        express = {**report, "arena": "arena-express@here", "express": True}
        walls.report_wall(session, express, now=queued.clock())
    assert thief.job() == again


def test_a_check_that_is_out_of_date_is_dropped_by_a_host_that_may_not_make_it(
    queued: Books, lab: Host, matches: list[str]
) -> None:
    def waiting() -> list[int]:
        return [told["attempt"] for task, _, told in queued.postman.letters if task == wire.VERIFY]

    checked(queued, lab, HERE)
    queued.clock.pass_by(minutes=queued.settings.lease_minutes + 1)
    lab.report()
    send_late(queued)
    assert waiting() == [1, 2]
    while lab.knock().status_code == 200:
        continue
    assert waiting() == [2]


def test_nothing_is_checked_without_another_host_or_if_the_settings_say_so(
    queued: Books, lab: Host, matches: list[str]
) -> None:
    queued.clock.pass_by(minutes=2)
    _, found = checked(queued, lab, arena_name("lab", 2))
    assert found == []
    queued.context = replace(queued.context, settings=replace(queued.settings, verify_percent=0))
    lab.client.application.extensions["matchbox"] = queued.context
    with queued.write() as session:
        told = {"box": "bwrap", "walled": True, "arena": HERE}
        walls.report_wall(session, told, now=queued.clock())
    lab.hand_in(wire.RECORD, honest(queued, lab.job()))
    with queued.read() as session:
        assert session.scalars(select(MatchVerification)).all() == []

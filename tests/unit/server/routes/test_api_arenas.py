"""Arenas and their keys over the API: what operators do with them, and who else may not."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from server.db.models import MatchState, User
from server.services import walls
from tests.books import Books, played, season_of
from tests.unit.server.routes.conftest import Caller, problem

ARENA = "arena-1@a-host"
WHY = {"reason": "a loose cable"}


def test_an_operator_stops_an_arena_and_lets_it_go_on(
    books: Books, as_alice: Caller, as_charlie: Caller
) -> None:
    with books.write() as session:
        report = {"box": "bwrap", "walled": True, "arena": ARENA}
        walls.report_wall(session, report, now=books.clock())
    for step in ("stop", "go-on"):
        problem(as_alice.post(f"/arenas/{ARENA}/{step}", WHY), 403)
    stopped = as_charlie.post(f"/arenas/{ARENA}/stop", WHY)
    assert (stopped.status_code, stopped.get_json()["stopped"]) == (200, "a loose cable")
    problem(as_charlie.post(f"/arenas/{ARENA}/stop", WHY), 409)
    resumed = as_charlie.post(f"/arenas/{ARENA}/go-on", WHY)
    assert (resumed.status_code, resumed.get_json()["stopped"]) == (200, "")
    problem(as_charlie.post(f"/arenas/{ARENA}/go-on", WHY), 409)


def test_an_operator_counts_the_matches_of_an_arena_and_makes_them_void(
    books: Books, as_alice: Caller, as_charlie: Caller, alice: User, bob: User, charlie: User
) -> None:
    books.league(paused=True)
    season_of(books, charlie, [books.bot(alice, "one"), books.bot(bob, "two")])
    played_there, played_elsewhere = books.dispatch()
    for job, arena in ((played_there, ARENA), (played_elsewhere, "arena-2@a-host")):
        books.record(replace(played(job), arena=arena))
    since = {"since": "2020-01-01"}
    problem(as_alice.get(f"/arenas/{ARENA}/matches?since=2020-01-01"), 403)
    problem(as_alice.post(f"/arenas/{ARENA}/void", {**WHY, **since}), 403)
    counted: Any = as_charlie.get(f"/arenas/{ARENA}/matches?since=2020-01-01").json
    assert counted["count"] == 1
    gone: Any = as_charlie.post(f"/arenas/{ARENA}/void", {**WHY, **since, "again": False}).json
    assert (gone["count"], gone["again"]) == (1, 0)
    assert books.match(played_there.match).state == MatchState.VOID
    assert books.match(played_elsewhere.match).state == MatchState.FINISHED


def test_an_operator_makes_drains_and_removes_a_key(as_alice: Caller, as_charlie: Caller) -> None:
    problem(as_alice.get("/arena-keys"), 403)
    problem(as_alice.post("/arena-keys", {"name": "lab"}), 403)
    made = as_charlie.post("/arena-keys", {"name": "lab"})
    assert made.status_code == 201
    assert made.get_json()["key"].startswith("mba_")
    for step, state in (("drain", "draining"), ("undrain", "works"), ("remove", "removed")):
        problem(as_alice.post(f"/arena-keys/lab/{step}"), 403)
        assert as_charlie.post(f"/arena-keys/lab/{step}").get_json()["state"] == state
        (listed,) = as_charlie.get("/arena-keys").get_json()["items"]
        assert (listed["name"], listed["state"], "key" in listed) == ("lab", state, False)

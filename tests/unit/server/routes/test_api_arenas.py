"""Arenas and their keys over the API: what operators do with them, and who else may not."""

from __future__ import annotations

from server.services import walls
from tests.books import Books
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

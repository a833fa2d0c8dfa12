"""An arena at work: every message becomes a result, a loss, or a message in its queue again."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import count
from typing import Any, cast

import httpx
import pytest

from matchbox.bundle import digest
from matchbox.errors import BadMessage, BoxUnavailable, IllegalMove, Unavailable
from matchbox.match import wire
from matchbox.match.wire import Job, Lost, MatchPlayed, TriedOut
from sandbox.box import Box
from sandbox.box_seat import BoxSeat
from sandbox.meter import Bank
from sandbox.policy import Limits
from tests.unit.worker.bots import GOOD, text, turning
from tests.unit.worker.conftest import LIMITS, DeadBox, a_match, a_try_out
from tests.unit.worker.test_turn import Table
from worker.arena import reports, tasks
from worker.arena.client import ServerClient
from worker.arena.tasks import Arena, Requeue

ONE = GOOD.encode()
TWO = text("class Bot(ScaredPlayer):", "    pass")
LOUD = turning("print('x' * 4000)", "return None")


class World:
    """A server with these bundles, and a broker that keeps the sent messages."""

    def __init__(self, *bundles: bytes, claims: Callable[[int], int] = lambda n: 204) -> None:
        self._bundles = {digest(bundle): bundle for bundle in bundles}
        self._claims = claims
        self.claimed: list[dict[str, Any]] = []
        self.posted: list[dict[str, Any]] = []
        self.walls: list[dict[str, Any]] = []
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.broker_is_up = True
        self.server_is_up = True
        self.refused = ""
        """The task whose results the server refuses."""
        self.refusal = 400
        self.client = ServerClient(
            "http://server", "token", pauses_s=(), transport=httpx.MockTransport(self._answer)
        )

    def keep(self, name: str, data: bytes) -> None:
        """Adds these bytes under that name."""
        self._bundles[name] = data

    def send(self, task: str, message: dict[str, Any]) -> None:
        """Keeps the message, like a broker."""
        if not self.broker_is_up:
            raise Unavailable("the broker cannot be reached")
        self.sent.append((task, message))

    def _answer(self, request: httpx.Request) -> httpx.Response:
        if not self.server_is_up:
            raise httpx.ConnectError("connection refused")
        path = request.url.path
        if path == "/internal/claims":
            self.claimed.append(json.loads(request.content))
            return httpx.Response(self._claims(len(self.claimed)), json={})
        if path == "/internal/walls":
            self.walls.append(json.loads(request.content))
            return httpx.Response(204)
        if path == "/internal/results":
            self.posted.append(json.loads(request.content))
            refused = self.posted[-1]["task"] == self.refused
            return httpx.Response(self.refusal if refused else 200, json={})
        bundle = self._bundles.get(path.rpartition("/")[2])
        return (
            httpx.Response(404, json={}) if bundle is None else httpx.Response(200, content=bundle)
        )


class ClosedBox:
    """A box that does not start."""

    kind = "bwrap"
    libraries = ()

    def seat(self, limits: Limits, bank: Bank) -> BoxSeat:
        raise BoxUnavailable("the box did not start: no more processes")


def plain(job: Job) -> dict[str, Any]:
    """Returns the job as a task's argument."""
    return wire.to_plain(job)


def test_a_match_is_claimed_played_and_sent(box: Box) -> None:
    world = World(ONE, TWO)
    arena = Arena(world.client, box, world.send, name="arena-1@here")
    arena.run(wire.PLAY_MATCH, plain(a_match(ONE, TWO)))
    ((task, message),) = world.sent
    played = wire.from_plain(MatchPlayed, message)
    assert task == wire.RECORD
    assert (played.match, played.attempt, played.token) == ("match", 1, "token")
    claim = {"kind": "match", "subject": "match", "attempt": 1, "token": "token"}
    assert [{**one, "arena": ""} for one in world.claimed] == [{**claim, "arena": ""}]
    assert (played.arena, arena.claim()) == ("arena-1@here", None)


@pytest.mark.parametrize(("bank_ms", "patience_s"), [(60_000, 300.0), (600_000, 750.0)])
def test_an_arena_tells_what_it_is_at_for_as_long_as_it_gets_on(
    bank_ms: int, patience_s: float, box: Box
) -> None:
    """On another host, its own lease may be shorter than the time that the job's bots may take."""
    now = [0.0]
    world = World(ONE, TWO)
    claims: list[wire.Claim | None] = []

    def look() -> bool:
        now[0] += patience_s - 1
        claims.append(arena.claim())
        now[0] += 2
        claims.append(arena.claim())
        return False

    clock = lambda: now[0]  # noqa: E731
    arena = Arena(world.client, box, world.send, look, clock, name="arena-1@here")
    job = a_match(ONE, TWO, limits={**LIMITS, "cpu_ms": 30_000, "bank_ms": bank_ms})
    arena.run(wire.PLAY_MATCH, plain(job))
    assert len(claims) >= 2
    assert claims[:2] == [job.claim("arena-1@here"), None]


def test_a_try_out_is_claimed_by_its_version_and_settled(box: Box) -> None:
    world = World(ONE)
    Arena(world.client, box, world.send).run(wire.TRY_OUT, plain(a_try_out(ONE)))
    ((task, message),) = world.sent
    assert (task, wire.from_plain(TriedOut, message).accepted) == (wire.SETTLE, True)
    assert (world.claimed[0]["kind"], world.claimed[0]["subject"]) == ("version", digest(ONE))


def test_a_result_that_the_server_does_not_take_is_reported_as_lost(box: Box) -> None:
    world = World(ONE, TWO)
    world.broker_is_up, world.refused = False, wire.RECORD
    Arena(world.client, box, world.send).run(wire.PLAY_MATCH, plain(a_match(ONE, TWO)))
    assert [one["task"] for one in world.posted] == [wire.RECORD, wire.LOST]
    lost = wire.from_plain(Lost, world.posted[1]["message"])
    assert lost.subject == "match"
    assert "refused" in lost.why


def test_a_job_that_somebody_else_has_is_dropped(box: Box) -> None:
    world = World(ONE, TWO, claims=lambda n: 409)
    Arena(world.client, box, world.send).run(wire.PLAY_MATCH, plain(a_match(ONE, TWO)))
    assert (world.sent, world.posted) == ([], [])


def test_the_lease_is_renewed_during_a_long_match(box: Box) -> None:
    world = World(ONE, TWO)
    clock = count(0, 20)
    arena = Arena(world.client, box, world.send, clock=lambda: float(next(clock)))
    arena.run(wire.PLAY_MATCH, plain(a_match(ONE, TWO, deals=4)))
    assert len(world.claimed) > 2
    assert [task for task, _ in world.sent] == [wire.RECORD]


def test_the_lease_is_renewed_in_the_middle_of_a_long_bout(box: Box) -> None:
    world = World(ONE, TWO)
    clock = count(0, 40)
    bouts = 2
    Arena(world.client, box, world.send, clock=lambda: float(next(clock))).run(
        wire.PLAY_MATCH, plain(a_match(ONE, TWO, deals=1))
    )
    assert len(world.claimed) > 1 + bouts


def test_a_match_goes_on_while_the_server_is_away(box: Box) -> None:
    world = World(ONE, TWO, claims=lambda n: 503 if n > 1 else 204)
    clock = count(0, 20)
    arena = Arena(world.client, box, world.send, clock=lambda: float(next(clock)))
    arena.run(wire.PLAY_MATCH, plain(a_match(ONE, TWO, deals=4)))
    assert len(world.claimed) > 2
    assert [task for task, _ in world.sent] == [wire.RECORD]


def test_a_job_that_is_superseded_while_it_is_played_is_dropped(box: Box) -> None:
    world = World(ONE, TWO, claims=lambda n: 204 if n == 1 else 409)
    clock = count(0, 40)
    arena = Arena(world.client, box, world.send, clock=lambda: float(next(clock)))
    arena.run(wire.PLAY_MATCH, plain(a_match(ONE, TWO)))
    assert len(world.claimed) == 2
    assert (world.sent, world.posted) == ([], [])


def test_the_lease_of_a_try_out_is_renewed_as_it_goes_on(box: Box) -> None:
    world = World(ONE)
    clock = count(0, 20)
    arena = Arena(world.client, box, world.send, clock=lambda: float(next(clock)))
    arena.run(wire.TRY_OUT, plain(a_try_out(ONE)))
    assert len(world.claimed) > 2
    assert [task for task, _ in world.sent] == [wire.SETTLE]


def test_a_try_out_that_is_superseded_is_dropped(box: Box) -> None:
    world = World(ONE, claims=lambda n: 204 if n == 1 else 409)
    clock = count(0, 40)
    arena = Arena(world.client, box, world.send, clock=lambda: float(next(clock)))
    arena.run(wire.TRY_OUT, plain(a_try_out(ONE)))
    assert (len(world.claimed), world.sent, world.posted) == (2, [], [])


def test_a_fault_of_the_platform_is_reported_as_lost() -> None:
    world = World(ONE, TWO)
    arena = Arena(world.client, cast(Box, DeadBox()), world.send)
    arena.run(wire.PLAY_MATCH, plain(a_match(ONE, TWO)))
    arena.run(wire.TRY_OUT, plain(a_try_out(ONE)))
    found = [(task, wire.from_plain(Lost, message)) for task, message in world.sent]
    assert [(task, one.subject) for task, one in found] == [
        (wire.LOST, "match"),
        (wire.LOST, digest(ONE)),
    ]
    assert {one.why for _, one in found} == {"the box of the bot has died"}


@pytest.mark.parametrize("kind", ["KeyError", "IllegalMove"])
def test_a_game_that_fails_is_named_in_the_loss(
    box: Box, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    module: dict[str, Any] = {"__name__": "matchbox.games.bomb.rules", "IllegalMove": IllegalMove}
    exec(f"def without(*_, **more):\n    raise {kind}('no')", module)
    monkeypatch.setattr(tasks, "play_job", module["without"])
    world = World(ONE, TWO)
    Arena(world.client, box, world.send).run(wire.PLAY_MATCH, plain(a_match(ONE, TWO)))
    ((task, message),) = world.sent
    assert task == wire.LOST
    assert message["why"].startswith(f"the game bomb is broken: without raised {kind}: ")
    assert "(matchbox.games.bomb.rules, line 2)" in message["why"]


def test_a_bundle_that_the_server_does_not_have_is_reported_as_lost(box: Box) -> None:
    world = World(ONE)
    Arena(world.client, box, world.send).run(wire.PLAY_MATCH, plain(a_match(ONE, TWO)))
    ((task, message),) = world.sent
    assert task == wire.LOST
    assert "the server has no /internal/bundles/" in message["why"]


def test_a_long_result_goes_to_the_server(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "BROKER_BYTES", 1000)
    world = World(LOUD, TWO)
    Arena(world.client, box, world.send).run(wire.PLAY_MATCH, plain(a_match(LOUD, TWO)))
    assert world.sent == []
    assert [one["task"] for one in world.posted] == [wire.RECORD]


def test_a_turn_goes_to_the_server_at_once_since_a_person_waits(box: Box) -> None:
    table = Table("bomb", ["simple"], person=1)
    world = World(*table.bundles.values())
    Arena(world.client, box, world.send).run(wire.TAKE_TURN, plain(table.job([])))
    assert [one["task"] for one in world.posted] == [wire.BOOK_TURN]
    assert not world.sent


def test_a_result_that_finds_no_broker_goes_to_the_server(box: Box) -> None:
    world = World(ONE, TWO)
    world.broker_is_up = False
    Arena(world.client, box, world.send).run(wire.PLAY_MATCH, plain(a_match(ONE, TWO)))
    assert [one["task"] for one in world.posted] == [wire.RECORD]


def test_without_a_server_the_message_goes_back(box: Box) -> None:
    world = World(ONE, TWO)
    world.server_is_up = False
    with pytest.raises(Requeue, match="of the server failed"):
        Arena(world.client, box, world.send).run(wire.PLAY_MATCH, plain(a_match(ONE, TWO)))


@pytest.mark.parametrize("first", [1, 2])
def test_an_arena_that_the_server_does_not_know_gives_its_match_back(first: int, box: Box) -> None:
    world = World(ONE, TWO, claims=lambda n: 401 if n >= first else 204)
    clock = count(0, 40)
    arena = Arena(world.client, box, world.send, clock=lambda: float(next(clock)))
    with pytest.raises(Requeue, match="set the same MATCHBOX_ARENA_TOKEN"):
        arena.run(wire.PLAY_MATCH, plain(a_match(ONE, TWO)))
    assert (len(world.claimed), world.sent, world.posted) == (first, [], [])


def test_a_job_that_is_none_of_the_server_s_is_lost_by_no_fault_of_the_arena(box: Box) -> None:
    world = World(ONE, TWO, claims=lambda n: 403)
    arena = Arena(world.client, box, world.send)
    arena.run(wire.PLAY_MATCH, plain(a_match(ONE, TWO)))
    assert (arena.faults.count, arena.faults.last) == (0, "")
    ((task, message),) = world.sent
    assert task == wire.LOST
    assert "it did not start this attempt" in message["why"]


def test_faults_of_the_box_are_told_by_every_report_of_the_run() -> None:
    world = World(ONE, TWO)
    closed = Arena(world.client, cast("Box", ClosedBox()), world.send)
    with pytest.raises(Requeue, match="no more processes"):
        closed.run(wire.PLAY_MATCH, plain(a_match(ONE, TWO)))
    assert world.sent == []
    dead = Arena(world.client, cast("Box", DeadBox()), world.send)
    dead.run(wire.PLAY_MATCH, plain(a_match(ONE, TWO)))
    for arena, cause in ((closed, "no more processes"), (dead, "the box of the bot has died")):
        world.server_is_up = False
        reports.report_now(world.client, arena, {})
        world.server_is_up = True
        reports.report_now(world.client, arena, {})
        reports.report_now(world.client, arena, {})
        first, second = world.walls[-2:]
        assert (first["faults"], second["faults"]) == (1, 1)
        assert first["run"] == second["run"] != ""
        assert cause in first["fault"]
    assert closed.faults.run != dead.faults.run


def test_a_report_names_the_match_that_is_being_played(box: Box) -> None:
    def claims(_: int) -> int:
        reports.report_now(world.client, arena, {})
        return 204

    job = a_match(ONE, TWO)
    world = World(ONE, TWO, claims=claims)
    arena = Arena(world.client, box, world.send)
    arena.run(wire.PLAY_MATCH, plain(job))
    reports.report_now(world.client, arena, {})
    assert [one["doing"] for one in world.walls] == [job.match, ""]


@pytest.mark.parametrize("refusal", [403, 404])
@pytest.mark.parametrize(("box_", "refused"), [(None, wire.RECORD), (DeadBox(), wire.LOST)])
def test_a_job_whose_result_the_server_refuses_for_good_is_over_here(
    box: Box, box_: Any, refused: str, refusal: int
) -> None:
    world = World(ONE, TWO)
    world.broker_is_up, world.refused, world.refusal = False, refused, refusal
    arena = Arena(world.client, box_ or box, world.send)
    arena.run(wire.PLAY_MATCH, plain(a_match(ONE, TWO)))
    assert [one["task"] for one in world.posted] == [refused]


def test_whatever_a_report_fails_by_the_next_one_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(ONE, TWO)
    arena = Arena(world.client, cast("Box", DeadBox()), world.send)
    arena.faults.note("no such file: '\udcff'")
    with monkeypatch.context() as patch:
        patch.setattr(world.client, "report_wall", None)
        reports.report_now(world.client, arena, {})
    reports.report_now(world.client, arena, {})
    assert [one["fault"] for one in world.walls] == ["no such file: '?'"]


def test_an_arena_that_is_stopping_gives_its_match_back(box: Box) -> None:
    world = World(ONE, TWO)
    with pytest.raises(Requeue, match="stopping"):
        Arena(world.client, box, world.send, lambda: True).run(
            wire.PLAY_MATCH, plain(a_match(ONE, TWO))
        )
    with pytest.raises(Requeue, match="stopping"):
        Arena(world.client, box, world.send, lambda: True).run(wire.TRY_OUT, plain(a_try_out(ONE)))
    assert (world.sent, world.posted) == ([], [])


def test_a_message_that_is_none_is_refused_by_name(box: Box) -> None:
    with pytest.raises(BadMessage, match="not a PlayMatch message"):
        Arena(World().client, box, World().send).run(wire.PLAY_MATCH, {"match": "m"})
    with pytest.raises(BadMessage, match="no task for an arena is called 'x'"):
        Arena(World().client, box, World().send).run("x", {})


@pytest.mark.parametrize(
    ("task", "job", "subject"),
    [
        (wire.PLAY_MATCH, a_match(ONE, TWO), "match"),
        (wire.PLAY_COMPARISON, a_match(ONE, TWO), "match"),
        (wire.TRY_OUT, a_try_out(ONE), digest(ONE)),
    ],
)
def test_a_job_can_be_reported_as_lost_unplayed(
    task: str, job: Job, subject: str, box: Box
) -> None:
    world = World()
    Arena(world.client, box, world.send).lose(task, plain(job), "it kills every arena")
    ((sent, message),) = world.sent
    assert sent == wire.LOST
    assert (message["subject"], message["why"]) == (subject, "it kills every arena")


def test_the_size_of_a_message_is_about_that_of_its_json() -> None:
    message = wire.to_plain(a_match(ONE, TWO).lost("€" * 10_000))
    assert 30_000 <= tasks.size(message) <= 31_000

"""An arena whose box has no wall, or is the last resort, takes a better one once it works."""

from __future__ import annotations

from typing import Any, Final, cast

import pytest
import structlog

from matchbox.match import wire
from matchbox.settings import Settings
from sandbox.box import KINDS, Box
from sandbox.selftest import SelfTestReport
from tests.unit.worker.conftest import DeadBox, a_match
from tests.unit.worker.test_tasks import ONE, TWO, World
from worker.arena import reports
from worker.arena.tasks import Arena

BWRAP: Final = Settings(box="bwrap")


def test_a_failed_self_test_is_repeated_until_the_wall_stands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found: list[SelfTestReport | OSError] = [
        *(SelfTestReport(False, {}, ["busy"]), OSError("busy"), SelfTestReport(True, {}, []))
    ]

    def examine(kind: str, settings: Settings) -> SelfTestReport:
        one = found.pop(0)
        if isinstance(one, OSError):
            raise one
        return one

    monkeypatch.setattr(reports, "examine", examine)
    monkeypatch.setattr(reports, "AGAIN_S", 0.0)
    wall = reports.wall_report("arena-1@here", "bwrap", BWRAP) | {"express": True}
    assert (wall["walled"], wall["why"]) == (False, "busy")
    monkeypatch.setattr(reports, "open_named", lambda kind, _, *, tested: f"a tested {kind} box")
    changed = list[Any]()
    reports.keep_testing(wall, BWRAP, changed.append)
    assert (wall["walled"], wall["why"], wall["express"], found) == (True, "", True, [])
    assert changed == ["a tested bwrap box"], "the former one may lack the layer that failed"


def test_an_arena_that_fell_back_to_the_last_box_takes_the_best_one_once_it_works(
    monkeypatch: pytest.MonkeyPatch, box: Box
) -> None:
    walled = {"bwrap": [False] * 4, "docker": [False, False, False, True], "process": [True] * 4}
    pauses: list[float] = []

    def examine(kind: str, settings: Settings) -> SelfTestReport:
        stands = walled[kind][len(pauses)]
        return SelfTestReport(stands, {}, [] if stands else [f"no {kind} here"])

    def choose(kind: str, settings: Settings) -> str:
        return next(one for one in KINDS if examine(one, settings).walled)

    monkeypatch.setattr(reports, "examine", examine)
    monkeypatch.setattr(reports, "choose", choose)
    monkeypatch.setattr(reports, "open_named", lambda kind, *_, **__: f"the {kind} box")
    monkeypatch.setattr("time.sleep", pauses.append)
    wall, changed = reports.wall_report("arena-1@here", "process", Settings()), list[Any]()
    assert (wall["box"], wall["walled"], wall["why"]) == ("process", True, "")
    with structlog.testing.capture_logs() as lines:
        reports.keep_testing(wall, Settings(), changed.append)
    assert (wall["box"], wall["walled"], changed) == ("docker", True, ["the docker box"])
    assert pauses == [60.0, 120.0, 240.0]
    assert [(line["event"], line["box"]) for line in lines] == [
        ("box.fell_back", "process"),
        ("wall.stands", "docker"),
    ]
    assert lines[0]["why"] == "bwrap: no bwrap here; docker: no docker here"
    reports.keep_testing(wall, Settings(), changed.append)
    assert len(pauses) == 3, "the box is a good one now"


def test_where_no_box_has_a_wall_the_report_says_why_for_each_kind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        reports, "examine", lambda kind, _: SelfTestReport(False, {}, [f"no {kind} here"])
    )
    wall = reports.wall_report("arena-1@here", "process", Settings())
    assert wall["why"] == ("bwrap: no bwrap here; docker: no docker here; process: no process here")
    assert reports.wall_report("arena-1@here", "bwrap", BWRAP)["why"] == "no bwrap here"


def test_an_arena_plays_its_next_job_in_the_better_box_and_closes_the_other(box: Box) -> None:
    closed = []

    class Weaker(DeadBox):
        def close(self) -> None:
            closed.append(self)
            raise OSError("the daemon is gone")

    world, weaker, unused = World(ONE, TWO), Weaker(), Weaker()
    arena = Arena(world.client, cast("Box", weaker), world.send)
    arena.change_box(cast("Box", unused))
    assert not closed, "it may be in the middle of a match"
    arena.change_box(box)
    assert closed == [unused]
    closed.clear()
    for _ in range(2):
        arena.run(wire.PLAY_MATCH, wire.to_plain(a_match(ONE, TWO)))
    assert closed == [weaker]
    assert [message["box"] for _, message in world.sent] == [box.kind] * 2

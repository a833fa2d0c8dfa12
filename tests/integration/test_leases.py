"""Failed matches are soon played again: after forgotten messages, a frozen arena, a false
record."""

from __future__ import annotations

import json
import time
from base64 import b64decode
from collections.abc import Iterator
from typing import Final

import pytest
from msgspec.structs import replace

from cli import folder
from matchbox.match import wire
from matchbox.settings import Settings
from tests.books import played
from tests.installation import Installation, eventually, installed
from tests.integration.storm import flushed, queues, waiting
from tests.integration.stormy_season import begin, finished, reaches
from tests.integration.test_health import frozen
from worker import broker
from worker.app import make_celery
from worker.arena.journal import Journal

pytestmark = pytest.mark.slow

MATCHES: Final = 2_000
"""Enough matches that the season lasts to the end of the tests."""
LOST_S: Final = 300.0
"""A frozen arena's match is over within this time."""
AGAIN_S: Final = 300.0
"""Results arrive again within this time after the broker has forgotten everything."""
SETTINGS: Final = {"MATCHBOX_LEASE_MINUTES": "60"}
"""The leases are so long that none ends during the tests."""
SLOW: Final = b"""
class Slow(BOT):
    def turn(self, *told):
        sum(range(300_000))
        return super().turn(*told)


BOT = Slow
"""
"""Work makes the season long. A sleep would not: the clock in a box does not wait."""


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """A platform with a season under way."""
    data = tmp_path_factory.mktemp("leases") / "data"
    with installed(data, SETTINGS) as platform:
        begin(platform, MATCHES, more=SLOW)
        reaches(platform, 5)
        yield platform


def test_a_broker_that_forgets_everything_holds_up_the_season_for_seconds(
    platform: Installation,
) -> None:
    with queues(platform) as queue:
        eventually(lambda: flushed(queue))
    time.sleep(2)  # What the arenas were at is over.
    before = finished(platform)
    began = time.monotonic()
    reaches(platform, before + 5)
    took = time.monotonic() - began + 2
    assert took < AGAIN_S, f"it took {took:.0f} s"


def test_the_match_of_a_frozen_arena_is_played_by_another(platform: Installation) -> None:
    names = {one["name"]: one["full_name"] for one in platform.get("/health")["arenas"]}
    arena = names["arena-1"]
    journal = Journal(folder.arena(platform.data) / f"{arena}.job")

    def taken_over_after() -> float:
        """The seconds in which another arena has played the match. 0 if the arena was frozen
        without one, or had sent its result by then."""
        with frozen(platform.programs()["arena-1"]):
            began = time.monotonic()
            if (job := journal.unfinished()) is None:
                return 0.0
            match = job.message["match"]

            def over() -> bool:
                return bool(platform.get(f"/matches/{match}")["state"] == "finished")

            eventually(over, LOST_S, "the match waits for the frozen arena", pause_s=1)
            by = platform.get(f"/matches/{match}")["arena"]
        return 0.0 if by == arena else time.monotonic() - began

    assert eventually(taken_over_after, 3 * LOST_S) < LOST_S
    reaches(platform, finished(platform) + 10)


def test_a_false_record_is_refused_and_the_arena_gets_no_more_jobs(platform: Installation) -> None:
    arenas = {one["name"]: one["full_name"] for one in platform.get("/health")["arenas"]}

    def stopped() -> dict[str, str]:
        lines = platform.get("/health")["arenas"]
        return {one["name"]: one["stopped"] for one in lines if one["stopped"]}

    def go_on() -> None:
        platform.post(f"/arenas/{arenas['arena-2']}/go-on", reason="the test tries again")

    if "arena-2" in stopped():  # By an earlier go at this test.
        go_on()

    def lied_about() -> str:
        """Sends a false record until the arena is stopped; returns the id of its match. If this
        arena has really played that match, the test cannot use it: then lets the arena continue,
        and returns ""."""
        with queues(platform) as queue:
            message, *_ = eventually(lambda: waiting(queue, wire.PLAY_MATCH))
        (plain,), *_ = json.loads(b64decode(json.loads(message)["body"]))
        job = wire.from_plain(wire.PlayMatch, plain)
        false = replace(played(job), arena=arenas["arena-2"])
        app = make_celery(Settings(broker_url=broker.address(platform.data)), "ledger")
        app.send_task(wire.RECORD, args=[wire.to_plain(false)])
        app.close()

        eventually(stopped)
        if platform.get(f"/matches/{job.match}").get("arena") != arenas["arena-2"]:
            return job.match
        go_on()
        return ""

    def over() -> set[str]:
        return {one["id"] for one in platform.items("/matches", state="finished")}

    match = eventually(lied_about)
    told = stopped()
    earlier = over()
    assert set(told) == {"arena-2"}
    assert match in told["arena-2"]
    kinds = {one["kind"] for one in platform.get("/health")["findings"]}
    assert "stopped" in kinds
    eventually(lambda: platform.get(f"/matches/{match}")["state"] == "finished", LOST_S)
    by = platform.get(f"/matches/{match}")["arena"]
    assert by == arenas["arena-1"], "another arena has played it"
    reaches(platform, finished(platform) + 10)
    late = [platform.get(f"/matches/{name}")["arena"] for name in over() - earlier]
    assert set(late) == {by}

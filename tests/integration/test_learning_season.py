"""A season of creatures whose bots learn, on the real platform, and its proof by the real command.

Arenas are killed on the way and messages come twice: lessons are given again, to the same memory.
"""

from __future__ import annotations

import json
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest
import redis

from matchbox.match import wire
from tests.installation import Installation, eventually, installed
from tests.integration.storm import again, queues, waiting

pytestmark = pytest.mark.slow

SEASON_S: Final = 400.0
DOCUMENT: Final = Path(__file__).parents[1] / "documents" / "creatures" / "stilllearning.py"
"""The learning player from the game's source document."""
PUPIL: Final = "charlie/stilllearning"
BOTS: Final = (PUPIL, "house/autopilot", "house/racer")


def begin(platform: Installation) -> None:
    """Starts a season of three bots, of which one learns from round to round."""
    platform.operator()
    version = platform.upload("stilllearning", DOCUMENT.read_bytes(), game="creatures").json()["id"]
    assert platform.verdict(version)["state"] == "active"
    how = {"learning": "fresh", "cycles": 1}
    platform.post("/seasons", name="school", league="creatures", deals=1, format=how)
    for bot in BOTS:
        platform.post("/seasons/school/enter", bot=bot)
    platform.post("/seasons/school/start")


def lessons(platform: Installation) -> list[dict[str, Any]]:
    """Returns the lessons so far."""
    return [one for one in platform.items("/seasons/school/lessons") if one["state"] != "waiting"]


def proof(platform: Installation, what: str) -> tuple[int, dict[str, Any]]:
    """Returns the exit code and the output of `matchbox season verify`."""
    done = platform.command("season", "verify", what, "--json")
    return done.returncode, json.loads(done.stdout or "{}")


def have_learned(platform: Installation, many: int) -> bool:
    """Whether so many lessons are over."""
    return len(lessons(platform)) >= many


def is_over(platform: Installation) -> bool:
    """Whether the season has ended."""
    return bool(platform.get("/seasons/school")["state"] == "finished")


def lessons_come_twice(queue: redis.Redis) -> int:
    """Puts the waiting lessons into the queue a second time; returns their number."""
    found = waiting(queue, wire.LEARN)
    mine = [one for one in found if wire.LEARN in one.decode()]
    for message in mine:
        queue.lpush(wire.QUEUES[wire.LEARN], again(message))
    return len(mine)


def test_a_season_that_learns_survives_kills_and_is_proved_whole(tmp_path: Path) -> None:
    with installed(tmp_path / "data") as platform:
        begin(platform)
        with queues(platform) as queue:
            for given in (1, 2):
                eventually(partial(have_learned, platform, given), SEASON_S, "nobody learns")
                platform.kill(f"arena-{given}")
                lessons_come_twice(queue)
        eventually(partial(is_over, platform), SEASON_S, "the season does not end")
        learned = lessons(platform)
        rounds = [one["round"] for one in learned]
        assert {one["bot"] for one in learned} == {PUPIL}
        assert rounds == sorted(set(rounds))
        assert len(rounds) > 1
        assert all(one["state"] == "learned" and one["after"] for one in learned)
        for before, after in pairwise(learned):
            assert after["before"] == before["after"]
        code, found = proof(platform, "school")
        assert code == 0
        assert found["same"] == found["matches"] == found["out_of"] > 0
        assert found["lessons"]["same"] == found["lessons"]["out_of"] == len(learned)
        assert found["standing"]["same"]
        assert platform.get("/seasons/school")["verified"]["same"] == found["same"]

"""A season on the real platform, undisturbed and in a storm that spares nothing.

The same seed has to give the same records, byte for byte, and the same standing, on the embedded
broker and books, and on Debian's Redis with Postgres. `make chaos` plays a longer one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
import redis

from tests.installation import installed
from tests.integration.chaos import (
    FROZEN,
    KILLED,
    OTHERS,
    SHORT_S,
    Season,
    Storm,
    begin,
    calm,
    deliver_twice,
    outcome,
    reaches,
    script,
)

pytestmark = pytest.mark.slow

MATCHES: Final = 240
SEED: Final = "a storm of every kind"
BLOWS: Final = len(KILLED) + len(FROZEN) + len(OTHERS) - 1
"""One of each kind; the disk is filled by `make chaos` alone, since that takes a mount."""


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Season:
    """The season as it should be."""
    season = calm(tmp_path_factory.mktemp("calm") / "data", MATCHES)
    assert len(season.digests) == len(set(season.matches)) == MATCHES
    assert len(set(season.digests)) == MATCHES
    return season


def test_a_script_is_drawn_from_its_seed_and_strikes_everything_once() -> None:
    drawn = script(SEED, MATCHES, BLOWS, SHORT_S, disk=False)
    assert drawn == script(SEED, MATCHES, BLOWS, SHORT_S, disk=False)
    assert drawn != script("another", MATCHES, BLOWS, SHORT_S, disk=False)
    struck = {(blow.kind, blow.target) for blow in drawn}
    assert {name for kind, name in struck if kind == "kill"} == set(KILLED)
    assert {name for kind, name in struck if kind == "freeze"} == set(FROZEN)
    assert {kind for kind, name in struck if not name} == set(OTHERS) - {"fill"}
    assert [blow.due for blow in drawn] == sorted(blow.due for blow in drawn)
    assert all(0 < blow.due < MATCHES for blow in drawn)


def test_a_season_in_a_storm_ends_as_one_in_which_nothing_happened(
    undisturbed: Season, tmp_path: Path
) -> None:
    with installed(tmp_path / "data") as platform:
        begin(platform, MATCHES)
        storm = Storm(platform, script(SEED, MATCHES, BLOWS, SHORT_S, disk=False))
        storm.rage()
        season = outcome(platform, MATCHES)
    assert storm.struck.total() == BLOWS
    assert season.standing == undisturbed.standing
    assert season.records == undisturbed.records


def test_a_season_survives_on_a_redis_that_forgets_everything_and_on_postgres(
    undisturbed: Season, tmp_path: Path, redis_url: str, postgres_database: str
) -> None:
    settings = {
        "MATCHBOX_BROKER_URL": redis_url.removesuffix("/0") + "/3",
        "MATCHBOX_DATABASE_URL": postgres_database,
    }
    with installed(tmp_path / "data", settings) as platform:
        begin(platform, MATCHES)
        with redis.Redis.from_url(settings["MATCHBOX_BROKER_URL"]) as queue:
            reaches(platform, 30)
            platform.kill("ledger")
            deliver_twice(platform, queue)
            reaches(platform, 60)
            platform.kill("arena-2")
            queue.flushdb()
            season = outcome(platform, MATCHES)
    assert season.standing == undisturbed.standing
    assert season.records == undisturbed.records

"""A season on the real platform, undisturbed and in a storm that spares nothing.

The same seed has to give the same records, byte for byte, and the same standing, on the embedded
broker and books, and on Debian's Redis with Postgres. In the storm a host plays from afar, and each
bot that an author uploads gets its verdict. `make chaos` plays a longer season.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from cli import folder
from matchbox.errors import BadSetting
from tests.installation import installed
from tests.integration.chaos import stormy, weather
from tests.integration.storm import (
    FROZEN,
    KILLED,
    OF_DATABASE,
    OF_HOST,
    OTHERS,
    SHORT_S,
    Storm,
    deliver_twice,
    queues,
    script,
)
from tests.integration.stormy_season import SEED as SEASON
from tests.integration.stormy_season import Season, begin, calm, outcome, reaches
from tests.integration.uploads import KINDS, VERDICT_S, Upload, faults

pytestmark = pytest.mark.slow

MATCHES: Final = 240
LIMIT_S: Final = 900.0
"""Other tests run beside the storm, and the author has one try-out under way at a time: where they
are slow, the last uploads wait for many others. `make chaos` allows 300 seconds."""
SEED: Final = "a storm of every kind"
BLOWS: Final = len(KILLED) + len(FROZEN) + len(OTHERS) + len(OF_HOST) - 1
"""One blow of each kind. Only `make chaos` fills the disk, since that takes a mount."""


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
    assert {name for kind, name in struck if kind == "kill"} == {*KILLED, "host"}
    assert {name for kind, name in struck if kind == "freeze"} == {*FROZEN, "host"}
    assert {kind for kind, name in struck if not name} == set(OTHERS) - {"fill"}
    assert {kind for kind, name in struck if name == "host"} == set(OF_HOST)
    assert [blow.due for blow in drawn] == sorted(blow.due for blow in drawn)
    assert all(0 < blow.due < MATCHES for blow in drawn)


def test_a_script_strikes_a_database_of_its_own_as_well() -> None:
    blows = BLOWS + len(OF_DATABASE)
    drawn = script(SEED, MATCHES, blows, SHORT_S, disk=False, database=True)
    assert {blow.kind for blow in drawn if blow.target == "database"} == set(OF_DATABASE)


def version(**more: Any) -> dict[str, Any]:
    """A version that was accepted a second after its upload."""
    times = {"created_at": "2026-01-01T00:00:00Z", "settled_at": "2026-01-01T00:00:01Z"}
    report = {"verdict": "accepted", "reasons": []}
    return {"state": "active", "trouble": "", "report": report, **times, **more}


@pytest.mark.parametrize(
    ("verdict", "told", "fault"),
    [
        ("accepted", version(), ""),
        ("accepted", version(settled_at="2026-01-01T00:05:01Z"), "after 301 s"),
        ("accepted", version(settled_at=None, state="pending", report=None), "has no verdict"),
        ("crash", version(), "should be refused (crash)"),
        ("accepted", version(state="suspended"), "should be active (accepted)"),
    ],
)
def test_an_upload_without_the_right_verdict_in_time_is_named(
    verdict: str, told: dict[str, Any], fault: str
) -> None:
    found = faults(Upload("bot", 1, verdict), told, VERDICT_S)
    assert bool(found) == bool(fault)
    assert all(fault in one and one.startswith("bot ") for one in found)


def test_a_season_in_a_storm_ends_as_one_in_which_nothing_happened(
    undisturbed: Season, tmp_path: Path
) -> None:
    with stormy(tmp_path / "data", tmp_path / "host") as (platform, host):
        storm = Storm(platform, script(SEED, MATCHES, BLOWS, SHORT_S, disk=False), host)
        seen = weather(platform, MATCHES, SEASON, storm, undisturbed, LIMIT_S)
    assert seen.wrong == []
    assert storm.struck.total() == BLOWS
    assert seen.uploads["uploads"] == seen.uploads["verdicts"] > len(KINDS)
    assert seen.uploads["slowest_s"] <= LIMIT_S
    assert seen.from_afar


def test_a_season_survives_on_a_redis_that_forgets_everything_and_on_postgres(
    undisturbed: Season, tmp_path: Path, redis_url: str, postgres_database: str
) -> None:
    settings = {
        "MATCHBOX_BROKER_URL": redis_url.removesuffix("/0") + "/3",
        "MATCHBOX_DATABASE_URL": postgres_database,
    }
    with installed(tmp_path / "data", settings) as platform:
        begin(platform, MATCHES)
        with queues(platform) as queue:
            reaches(platform, 30)
            platform.kill("ledger")
            deliver_twice(platform, queue)
            reaches(platform, 60)
            platform.kill("arena-2")
            queue.flushdb()
            season = outcome(platform, MATCHES)
    with pytest.raises(BadSetting, match="has its database at postgresql"):
        folder.settings_of(tmp_path / "data")
    assert season.standing == undisturbed.standing
    assert season.records == undisturbed.records

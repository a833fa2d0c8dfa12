"""What is lost is played again soon: a frozen arena's match, and a broker's forgotten messages."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Final

import pytest

from tests.installation import Installation, eventually, installed
from tests.integration.chaos import begin, embedded, finished, flushed, reaches
from tests.integration.test_health import frozen

pytestmark = pytest.mark.slow

MATCHES: Final = 400
LOST_S: Final = 90.0
"""A frozen arena's match is over by then."""
AGAIN_S: Final = 20.0
"""Results come again so soon after the broker has forgotten everything."""
SETTINGS: Final = {"MATCHBOX_LEASE_MINUTES": "60"}
"""So long that no lease ends here by itself."""


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """A platform with a season under way."""
    data = tmp_path_factory.mktemp("leases") / "data"
    with installed(data, SETTINGS, anew=True) as platform:
        begin(platform, MATCHES)
        reaches(platform, 5)
        yield platform


def test_a_broker_that_forgets_everything_holds_up_the_season_for_seconds(
    platform: Installation,
) -> None:
    with embedded(platform) as queue:
        eventually(lambda: flushed(queue))
    time.sleep(2)  # What the arenas were at is over.
    before = finished(platform)
    began = time.monotonic()
    reaches(platform, before + 5)
    took = time.monotonic() - began + 2
    assert took < AGAIN_S, f"it took {took:.0f} s"


def test_the_matches_of_a_frozen_arena_are_played_by_another(
    platform: Installation,
) -> None:
    def held() -> list[dict[str, Any]]:
        return platform.items("/matches", state="running")

    with frozen(platform.programs()["arena-1"]):
        began = time.monotonic()
        stuck = {one["id"] for one in held()}
        assert stuck

        def over() -> bool:
            states = {platform.get(f"/matches/{name}")["state"] for name in stuck}
            return states == {"finished"}

        eventually(over, LOST_S, "a match waits for the frozen arena", pause_s=1)
        took = time.monotonic() - began
    assert took < LOST_S
    reaches(platform, finished(platform) + 10)

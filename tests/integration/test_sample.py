"""Bots that keep state, on a platform that plays many bouts at once, are found, announced and
played narrow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from matchbox.match.wire import ALONE
from matchbox.settings_of_play import WIDTH
from tests.installation import Installation, eventually, installed
from tests.unit.worker.bots import COUNTING

pytestmark = pytest.mark.slow

WIDE = 8
STATEFUL = {"alice/counting", "bob/counting"}
SETTINGS = {
    "MATCHBOX_WIDTH": str(WIDE),
    "MATCHBOX_LEAGUE_MATCHES": "6",
    "MATCHBOX_RANKED_BACKLOG": "2",
    "MATCHBOX_SAMPLE_PERCENT": "100",  # one match's sample may miss what a bot seldom does
}


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """A platform that plays bomb alone, with an operator."""
    with installed(tmp_path_factory.mktemp("sample") / "data", SETTINGS) as platform:
        platform.operator()
        for league in platform.get("/leagues")["items"]:
            if league["game"] != "bomb":
                platform.post(f"/leagues/{league['name']}/pause")
        assert platform.ask("PATCH", "/leagues/bomb", json={"deals": 16}).is_success
        yield platform


def matches_of(platform: Installation, bot: str) -> list[dict[str, Any]]:
    """Returns the bot's finished matches with their details, oldest first."""
    found = platform.items("/matches", bot=bot, state="finished")
    return [platform.get(f"/matches/{one['id']}") for one in reversed(found)]


def test_a_bot_that_keeps_state_is_found_in_its_try_out_and_plays_no_match_in_company(
    platform: Installation,
) -> None:
    ever = COUNTING.replace(b"% 2 == 0", b"> 1")  # In every bout but a process's first.
    version = platform.upload("counting", ever, token=platform.author("bob")).json()["id"]
    assert platform.verdict(version)["state"] == "active"
    told = platform.get(f"/versions/{version}")
    assert told["stateful"]
    assert "keeps state" in told["report"]["reasons"][0]
    played = eventually(lambda: matches_of(platform, "bob/counting"), why=platform.logs)
    assert {one["width"] for one in played} == {ALONE}


def test_one_that_hides_it_there_is_found_by_the_sample_and_is_then_played_one_bout_at_a_time(
    platform: Installation,
) -> None:
    alice = platform.author("alice")
    seldom = COUNTING.replace(b"% 2 == 0", b"% 2 == 1 < begun[0] - 5")
    version = platform.upload("counting", seldom, token=alice).json()["id"]
    assert platform.verdict(version)["state"] == "active"
    eventually(lambda: platform.get(f"/versions/{version}")["stateful"], why=platform.logs)
    notices = platform.ask("GET", "/notices", token=alice).json()["items"]
    (notice,) = [one for one in notices if one["kind"] == "stateful"]
    found = notice["at"]

    def later() -> list[dict[str, Any]]:
        played = matches_of(platform, "alice/counting")
        return played if played and played[-1]["created_at"] > found else []

    played = eventually(later, why=platform.logs)
    (shown,) = [one for one in played if one["id"] in notice["text"]]
    assert shown["width"] == WIDE
    assert {one["width"] for one in played if one["created_at"] > found} == {ALONE}
    for one in (shown, played[-1]):
        told = platform.command("verify", one["id"], "--data", str(platform.data))
        assert told.stdout.startswith("same"), told.stdout + told.stderr


def test_the_others_stay_wide(platform: Installation) -> None:
    for name in ("simple", "medium"):
        bot = f"house/{name}"

        def widths(bot: str = bot) -> set[int]:
            return {
                one["width"]
                for one in matches_of(platform, bot)
                if not {entrant["bot"] for entrant in one["entrants"]} & STATEFUL
            }

        # The matches of the folder's first minute were made with the usual width.
        assert eventually(widths, why=platform.logs) <= {WIDE, WIDTH}
        versions = platform.get(f"/bots/{bot}")["versions"]
        assert not any(one["stateful"] for one in versions)
        assert versions[0]["sampled"] > 0

"""A person plays against bots on a real platform: arena, broker, box. Some of them are killed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from matchbox import registry
from matchbox.match import replay
from matchbox.match.record import Record
from tests.installation import Installation, eventually, installed
from tests.integration.test_health import frozen

pytestmark = pytest.mark.slow

QUICK = b"""from matchbox.games.bomb import SimplePlayer

class Quick(SimplePlayer):
    pass
"""
SLOW = b"""import time
from matchbox.games.bomb import SimplePlayer

class Slow(SimplePlayer):
    def turn(self, game_data, play_a_card):
        end = time.process_time() + 0.005
        while time.process_time() < end:
            pass
        return super().turn(game_data, play_a_card)
"""


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """A platform with one arena and the shipped bots."""
    folder = tmp_path_factory.mktemp("play") / "data"
    with installed(folder, {"MATCHBOX_ARENAS": "1"}) as platform:
        platform.operator()
        yield platform


def mine(platform: Installation, name: str) -> dict[str, Any]:
    """Returns the table once a person is to move or the game is over."""

    def look() -> dict[str, Any]:
        table: dict[str, Any] = platform.get(f"/tables/{name}")
        return {} if table["state"] in ("open", "bots") else table

    return eventually(look, why=platform.logs())


def opened(platform: Installation, game: str, bot: str) -> str:
    """Opens a table at which this shipped bot begins; returns its id."""
    eventually(platform.settled, why=platform.logs())
    name: str = platform.post("/tables", game=game, seats=[f"house/{bot}", "me"])["id"]
    return name


@pytest.mark.parametrize(("game", "bot"), [("bomb", "simple"), ("creatures", "racer")])
def test_a_game_is_played_through_arena_and_broker(
    platform: Installation, game: str, bot: str
) -> None:
    name = opened(platform, game, bot)
    while (table := mine(platform, name))["state"] == "persons":
        platform.post(f"/tables/{name}/moves", move=table["choices"][0]["move"])
    assert table["state"] == "finished", table["why"]
    record = msgspec.convert(table["record"], Record)
    replay.replay(registry.game(game), record)
    assert not record.bouts[0].faults


def test_a_duel_goes_on_from_the_middle_of_a_match(platform: Installation) -> None:
    def readable() -> dict[str, Any]:
        for one in platform.items("/matches", game="creatures", state="finished"):
            match: dict[str, Any] = platform.get(f"/matches/{one['id']}")
            if match["record"]:
                return match
        return {}

    match = eventually(readable, why=platform.logs())
    moves = match["record"]["bouts"][0]["moves"]
    half = len(moves) // 2
    place = {"match": match["id"], "bout": 0, "moves": half}
    seats = ["me", match["entrants"][1]["bot"]]
    name = platform.post("/tables", game="creatures", seats=seats, place=place)["id"]
    while (table := mine(platform, name))["state"] == "persons":
        platform.post(f"/tables/{name}/moves", move=table["choices"][0]["move"])
    assert table["state"] == "finished", table["why"]
    record = msgspec.convert(table["record"], Record)
    replay.replay(registry.game("creatures"), record)
    assert record.bouts[0].moves[:half] == moves[:half]
    assert not record.bouts[0].faults


def test_a_table_survives_the_death_of_arena_server_and_broker(platform: Installation) -> None:
    name = opened(platform, "skull", "bluffer")
    table = mine(platform, name)
    for program in ("arena-1", "internal", "broker", "web"):
        if table["state"] != "persons":
            break
        platform.post(f"/tables/{name}/moves", move=table["choices"][-1]["move"])
        platform.kill(program)
        table = mine(platform, name)
    assert table["state"] in ("persons", "finished")
    assert [step["seat"] for step in table["steps"]][1] in (0, 1)


def test_a_person_does_not_wait_for_a_match_that_holds_all_other_arenas(tmp_path: Path) -> None:
    settings = {"MATCHBOX_ARENAS": "1", "MATCHBOX_EXPRESS_ARENA": "true"}
    with installed(tmp_path / "data", settings) as platform:
        platform.operator()
        eventually(platform.settled, why=platform.logs())
        eventually(platform.rests, why=platform.logs())
        assert platform.command("league", "edit", "bomb", "--deals", "300").returncode == 0
        version = platform.upload("slow", SLOW).json()["id"]
        assert platform.verdict(version)["state"] == "active"
        arenas = {one["name"]: one["express"] for one in platform.get("/health")["arenas"]}
        assert (arenas["arena-1"], arenas["arena-express"]) == (False, True)

        def played() -> list[Any]:
            return platform.items("/matches", bot="charlie/slow", state="running")

        slow = eventually(played, why=platform.logs)
        with frozen(platform.programs()["arena-1"]):
            name = opened(platform, "bomb", "simple")
            assert mine(platform, name)["state"] == "persons"
            assert platform.verdict(platform.upload("other", QUICK).json()["id"])
            assert platform.get(f"/matches/{slow[0]['id']}")["state"] in ("running", "queued")

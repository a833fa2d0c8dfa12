"""Every shipped bot passes the try-out of an upload, the same as anybody's."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from cli import named_bots
from cli.playing import try_file
from matchbox import registry
from matchbox.bundle import read_bundle
from matchbox.game import fill_options
from matchbox.match import record as records
from matchbox.match.wire import Entrant
from matchbox.settings import Settings
from tests.builders import CHECKOUT, a_job
from worker.arena.play import play_job

BOTS = [(game, bot.name) for game in registry.games() for bot in named_bots.shipped(game)]


@pytest.mark.parametrize(("game", "name"), BOTS, ids=map("-".join, BOTS))
def test_it_passes_the_try_out_of_an_upload_and_plays_the_same_twice(game: str, name: str) -> None:
    report = try_file(named_bots.find(game, name).data, game, None, None, name, Settings())
    assert (report.verdict, report.reasons) == ("accepted", [])
    assert not report.unrepeatable


@pytest.mark.parametrize("game", sorted(registry.games()))
def test_none_keeps_state_between_bouts(game: str) -> None:
    spec, bots = registry.game(game).spec, named_bots.shipped(game)
    for bot in bots:
        seats = [bot, *[bots[0]] * (max(2, spec.seats[0]) - 1)]
        job = a_job(
            registry.game(game),
            seats=len(seats),
            deals=6,
            width=6,
            options=fill_options(spec, {}),
            sample=6,
        )
        job = replace(job, seats=[Entrant(one.version, one.class_name) for one in seats])
        played = play_job(job, {one.version: one.data for one in seats}, None)
        assert (played.sampled, played.stateful, played.unrepeatable) == (6, [], []), bot.name


@pytest.mark.parametrize("seats", [3, 5])
def test_regret_plays_as_bluffer_does_at_tables_of_three_and_more(seats: int) -> None:
    found = []
    for bot in (named_bots.find("skull", name) for name in ("regret", "bluffer")):
        job = a_job(registry.game("skull"), seats=seats, deals=6, width=6)
        job = replace(job, seats=[Entrant(bot.version, bot.class_name)] * seats)
        record = records.unpack(play_job(job, {bot.version: bot.data}, None).record)
        found.append([bout.moves for bout in record.bouts])
    assert found[0] == found[1]


@pytest.mark.parametrize(("game", "name"), BOTS, ids=map("-".join, BOTS))
def test_it_says_first_what_it_does(game: str, name: str) -> None:
    source = read_bundle(named_bots.find(game, name).data).files["player.py"].decode()
    assert source.startswith(f'"""{name.capitalize()}'[:6])
    assert source.partition("\n")[0].rstrip('"').endswith(".")


def test_every_game_has_one_beside_its_documents() -> None:
    strong = {"bomb": "counter", "skull": "regret", "war": "reader"}
    strong |= {"thegame": "counting", "creatures": "racer"}
    assert strong.items() <= set(BOTS)


def test_none_is_missing_in_the_table_of_all() -> None:
    page = (CHECKOUT / "docs/bots.md").read_text()
    for game, name in BOTS:
        part = page.partition(f"## {registry.game(game).spec.title}\n")[2].partition("\n## ")[0]
        assert f"| `{name}` |" in part

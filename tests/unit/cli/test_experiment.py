"""What an experiment is asked for in words, and what is refused."""

from __future__ import annotations

import pytest

from cli.experiment import Wish, kind_of, make_plan, play_sitting, read_players, task_of
from cli.shipped import find_all
from matchbox import registry
from matchbox.errors import BadOption
from matchbox.lab.counts import count
from matchbox.match.record import unpack
from tests.unit.cli.conftest import Run


@pytest.mark.parametrize(
    ("text", "sizes"),
    [("3", [3]), ("2-4", [2, 3, 4]), ("5,2", [2, 5]), ("1-2,2-3", [1, 2, 3])],
)
def test_table_sizes_are_written_as_ranges_and_lists(text: str, sizes: list[int]) -> None:
    assert read_players(text) == sizes


@pytest.mark.parametrize("text", ["two", "4-2", "2-", "2,,3", ",", "2-3-4", "-3"])
def test_anything_else_is_no_table_size(text: str) -> None:
    with pytest.raises(BadOption, match="is no table size: write one as 3"):
        read_players(text)


def a_wish(*bots: str, players: str = "", mirror: bool = False, mixed: bool = False) -> Wish:
    """Bomb, twice."""
    return Wish("bomb", find_all("bomb", list(bots)), 2, "seed", (), players, mirror, mixed)


def test_a_plan_has_the_bots_in_their_order() -> None:
    plan = make_plan(a_wish("scared", "simple", "scared"))
    assert plan.names([0, 1, 2]) == ["scared", "simple", "scared-2"]
    assert (plan.sizes, plan.games) == ([2], 2)


@pytest.mark.parametrize(
    ("wish", "told"),
    [
        (a_wish(), "nobody plays"),
        (a_wish("simple"), "one bot alone has nobody to play"),
        (a_wish("simple", "scared", players="3"), "bomb is played by 2 players, not 3"),
        (a_wish("simple", "scared", mixed=True), "--mixed is for games played together"),
        (
            Wish("skull", find_all("skull", ["random"]), 2, "seed", (), "2", mirror=True),
            "--mirror is for games of two seats",
        ),
    ],
)
def test_what_cannot_be_played_is_refused(wish: Wish, told: str) -> None:
    with pytest.raises(BadOption, match=told):
        make_plan(wish)


@pytest.mark.parametrize("game", ["bomb", "skull", "thegame", "creatures"])
def test_what_is_counted_of_a_batch_is_in_its_record(game: str) -> None:
    names = {"bomb": ["scared", "medium"], "creatures": ["racer", "autopilot"]}
    bots = find_all(game, names.get(game, ["random", "random"]))
    plan = make_plan(Wish(game, bots, 3, "seed", (), "2"))
    sitting = next(kind_of(plan).sittings(plan))
    done = play_sitting({bot.version: bot.data for bot in bots}, {}, None, sitting)
    assert done.counts == count(registry.game(game), sitting, unpack(done.record), [])


def test_a_process_is_handed_the_bots_of_its_batch_alone() -> None:
    bots = find_all("bomb", ["scared", "medium", "simple"])
    plan = make_plan(Wish("bomb", bots, 3, "seed"))
    bundles = {bot.version: bot.data for bot in bots}
    for sitting in kind_of(plan).sittings(plan):
        own, memories, played = task_of(sitting, bundles, {"0" * 64: b"of another"})
        assert own == {bots[who].version: bots[who].data for who in sitting.who}
        assert (memories, played) == ({}, sitting)


def test_without_table_sizes_there_is_a_seat_for_every_bot_or_every_size() -> None:
    for game, bots, sizes in (
        ("skull", ["random"], [2]),
        ("skull", ["random"] * 4, [4]),
        ("thegame", ["random"], [1, 2, 3, 4, 5, 6, 7]),
    ):
        assert make_plan(Wish(game, find_all(game, bots), 2, "seed")).sizes == sizes


def test_a_wrong_table_size_is_wrong_usage(matchbox: Run) -> None:
    told = matchbox("simulate", "bomb", "simple", "scared", "--players", "9-7")
    assert (told.code, told.out) == (2, "")
    assert "write one as 3, or some as 2-6" in told.err

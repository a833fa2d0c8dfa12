"""An experiment's request in words, and its refusals."""

from __future__ import annotations

from typing import Any

import pytest

from cli.named_bots import bundles, contestants, find_all
from laboratory.planning import kind_of, make_plan
from laboratory.sittings import play_task, task_of
from matchbox import registry
from matchbox.errors import BadOption
from matchbox.lab.counts import count
from matchbox.lab.plan import Plan
from matchbox.match.record import unpack
from matchbox.settings import Settings

USUAL = Settings()


def planned(game: str, *bots: str, games: int = 2, **given: Any) -> Plan:
    """A plan between shipped bots."""
    return make_plan(game, contestants(find_all(game, list(bots))), games, "seed", USUAL, **given)


def test_a_plan_has_the_bots_in_their_order() -> None:
    plan = planned("bomb", "scared", "simple", "scared")
    assert plan.names([0, 1, 2]) == ["scared", "simple", "scared-2"]
    assert (plan.sizes, plan.games) == ([2], 2)


@pytest.mark.parametrize(
    ("bots", "given", "told"),
    [
        ("bomb", {}, "there are no bots"),
        ("bomb simple", {}, "one bot has no opponent"),
        ("bomb simple scared", {"sizes": [3]}, "bomb is played by 2 players, not 3"),
        ("bomb simple scared", {"mixed": True}, "--mixed is for cooperative games"),
        ("skull random", {"sizes": [2], "mirror": True}, "--mirror is for games of two seats"),
    ],
)
def test_what_cannot_be_played_is_refused(bots: str, given: dict[str, Any], told: str) -> None:
    with pytest.raises(BadOption, match=told):
        planned(*bots.split(), **given)


@pytest.mark.parametrize("game", ["bomb", "skull", "thegame", "creatures"])
def test_what_is_counted_of_a_batch_is_in_its_record(game: str) -> None:
    names = {"bomb": ["scared", "medium"], "creatures": ["racer", "autopilot"]}
    bots = find_all(game, names.get(game, ["random", "random"]))
    plan = make_plan(game, contestants(bots), 3, "seed", USUAL, sizes=[2])
    sitting = next(kind_of(plan).sittings(plan))
    done = play_task(None, (bundles(bots), {}, sitting))
    assert done.counts == count(registry.game(game), sitting, unpack(done.record), [])


def test_a_process_is_handed_the_bots_of_its_batch_alone() -> None:
    bots = find_all("bomb", ["scared", "medium", "simple"])
    plan = make_plan("bomb", contestants(bots), 3, "seed", USUAL)
    for sitting in kind_of(plan).sittings(plan):
        own, memories, played = task_of(sitting, bundles(bots), {"0" * 64: b"of another"})
        assert own == {bots[who].version: bots[who].data for who in sitting.bots}
        assert (memories, played) == ({}, sitting)


def test_without_table_sizes_there_is_a_seat_for_every_bot_or_every_size() -> None:
    assert planned("skull", "random").sizes == [2]
    assert planned("skull", *["random"] * 4).sizes == [4]
    assert planned("thegame", "random").sizes == [1, 2, 3, 4, 5, 6, 7]

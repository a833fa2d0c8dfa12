"""A game's facts about its bouts: the report of each kind of fact."""

from __future__ import annotations

from typing import Any

import pytest

from cli.named_bots import find
from matchbox.errors import BadGame
from matchbox.game import Outcome
from matchbox.games.bomb.rules import Bomb
from matchbox.lab.counts import count
from matchbox.lab.facts import Sum
from matchbox.lab.plan import Contestant, Plan, Sitting, sittings_of
from matchbox.match import record as records
from worker.arena.play import play_job


def summed(*facts: dict[str, Any]) -> dict[str, Any]:
    """Returns the summary of these bouts."""
    total = Sum("bomb")
    for one in facts:
        total.add(one)
    return total.result(len(facts))


def test_yes_or_no_is_a_share_of_the_games() -> None:
    assert summed({"won": True}, *[{"won": False}] * 3) == {"won": 0.25}


def test_a_number_is_a_mean() -> None:
    assert summed({"rounds": 3}, {"rounds": 4}) == {"mean_rounds": 3.5}


def test_numbers_by_name_are_shares_of_their_total() -> None:
    found = summed({"ends": {"met": 3, "own": 0}}, {"ends": {"met": 0, "own": 1}})
    assert found == {"ends": {"met": 0.75, "own": 0.25}}


def test_bouts_that_are_alike_count_as_often_as_they_were() -> None:
    facts = {"won": True, "rounds": 3, "ends": {"met": 2, "own": 1}}
    total = Sum("bomb")
    total.add(facts, 2)
    assert total.result(2) == summed(facts, facts)


@pytest.mark.parametrize(
    "facts",
    [
        [{"won": True}, {"won": 2}],
        [{"won": True}, {"won": {"a": 1}}],
        [{"won": {"a": 1}}, {"won": 1}],
    ],
)
def test_a_fact_of_another_kind_than_before_is_the_games(facts: list[dict[str, Any]]) -> None:
    with pytest.raises(BadGame, match=r"returned values of different kinds for won$"):
        summed(*facts)


@pytest.mark.parametrize("kinds", [(1, {"b": 1}), ({"b": 1}, 1)])
def test_so_is_one_whose_kinds_differ_within_a_dict(kinds: tuple[Any, Any]) -> None:
    facts = [{"won": True, "by": {"a": one}, "rounds": 2} for one in kinds]
    with pytest.raises(BadGame, match=r"values of different kinds for by$"):
        summed(*facts)
    none = {"won": True, "by": {}, "rounds": 2}
    summed(none, facts[0], none)


@pytest.mark.parametrize(
    "facts",
    [
        [{"rounds": 1}, {"x": 1}],
        [{"rounds": 1}, {}],
        [{}, {"rounds": 1}],
        [{"rounds": 1}, {"rounds": 2, "x": True}],
    ],
)
def test_a_fact_that_some_bouts_lack_is_the_games(facts: list[dict[str, Any]]) -> None:
    with pytest.raises(BadGame, match=r"facts of bomb returned (rounds|x) for some bouts, but not"):
        summed(*facts)


def test_nothing_counted_has_shares_of_nothing() -> None:
    assert summed({"ends": {"met": 0}}) == {"ends": {"met": 0.0}}


def test_a_table_of_counts_stays_one() -> None:
    found = summed({"cards": {"Bear": {"W": 1}}}, {"cards": {"Bear": {"W": 2, "L": 1}}})
    assert found == {"cards": {"Bear": {"W": 3, "L": 1}}}


class TellingBomb(Bomb):
    """A Bomb that reports where it ended."""

    def facts(self, state: Any) -> dict[str, Any]:
        """Returns whether the given state is over."""
        return {"over": self.outcome(state) is not None}


def a_sitting() -> tuple[Sitting, dict[str, bytes]]:
    """Four games of two shipped bots."""
    bots = [find("bomb", "simple"), find("bomb", "scared")]
    named = [Contestant(bot.name, bot.version) for bot in bots]
    plan = Plan("bomb", Bomb.spec.rules, named, 2, "seed")
    (sitting,) = sittings_of(plan, (0, 1), ["0" * 32, "1" * 32], (0, 1))
    return sitting, {bot.version: bot.data for bot in bots}


def test_a_game_is_asked_about_the_state_that_a_bout_ended_in() -> None:
    sitting, bundles = a_sitting()
    played = play_job(sitting.job, bundles, None)
    counts = count(TellingBomb(), sitting, records.unpack(played.record), played.notes)
    assert [bout.facts for bout in counts.bouts] == [{"over": True}] * 4
    assert [bout.bots for bout in counts.bouts] == [(0, 1), (1, 0)] * 2


@pytest.mark.parametrize(
    "found",
    [
        *(None, {"over": "yes"}, {"by": {"a": {"b": {"c": 1}}}}),
        *({"share": 0.5}, {"share": float("nan")}, {"by": {"a": 1.0}}),
        *({"moves": 1}, {"players": True}, {"mean": 1}, {"mean_rounds": True}, {1: True}),
    ],
)
def test_facts_that_do_not_add_up_are_the_games(found: Any) -> None:
    class Muddled(Bomb):
        def facts(self, state: Any) -> Any:
            return found

    sitting, bundles = a_sitting()
    played = play_job(sitting.job, bundles, None)
    with pytest.raises(BadGame, match="facts of bomb returned"):
        count(Muddled(), sitting, records.unpack(played.record), played.notes)


def test_rules_that_do_not_repeat_themselves_are_named() -> None:
    class Clocked(TellingBomb):
        def outcome(self, state: Any) -> Any:
            found = super().outcome(state)
            return found and Outcome(found.places, found.scores, "at night")

    sitting, bundles = a_sitting()
    played = play_job(sitting.job, bundles, None)
    with pytest.raises(BadGame, match="the rules of bomb do not repeat themselves"):
        count(Clocked(), sitting, records.unpack(played.record), played.notes)


@pytest.mark.parametrize("taken", [None, 1.5, True])
def test_turns_that_do_not_add_up_are_the_games(taken: Any) -> None:
    class Turning(Bomb):
        def turns(self, moves: Any) -> Any:
            return taken

    sitting, bundles = a_sitting()
    played = play_job(sitting.job, bundles, None)
    with pytest.raises(BadGame, match=f"turns of bomb returned {taken}; it returns a whole number"):
        count(Turning(), sitting, records.unpack(played.record), played.notes)


def test_a_game_that_tells_nothing_is_not_asked() -> None:
    sitting, bundles = a_sitting()
    played = play_job(sitting.job, bundles, None)
    counts = count(Bomb(), sitting, records.unpack(played.record), played.notes)
    assert [bout.facts for bout in counts.bouts] == [{}] * 4

"""The results of a comparison between its batches."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from server.services.interim_results import Plan, _gauntlet
from server.services.ratings import Played
from tests.unit.league.builders import bout


def test_a_gauntlet_without_deals_shows_nothing_but_contradictory_rows_are_an_error() -> None:
    row: Any = SimpleNamespace(
        challenger=SimpleNamespace(entrant="new"), defender=SimpleNamespace(entrant="old")
    )
    plan = Plan([], 2, cooperative=False, sequential=False)
    one = bout(("new", "x"), (1, 2))
    found = _gauntlet(row, plan, Played([one], 1, {}, Counter()))
    assert (found["verdict"], found["difference"]) == ("undecided", None)
    twice = Played([one, replace(one, places=(2, 1))], 1, {}, Counter())
    with pytest.raises(ValueError, match="two different results"):
        _gauntlet(row, plan, twice)

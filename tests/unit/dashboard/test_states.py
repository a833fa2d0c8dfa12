"""The pages' words for matches and seasons in each state."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.dashboard.cast import make_app
from tests.unit.dashboard.states import STATES, season


def get(path: str) -> str:
    """The page as alice gets it."""
    return make_app(STATES).test_client().get(path).text


def test_a_void_match_says_so_once() -> None:
    assert get("/matches/void").count("Void:") == 1
    assert "Its deals, moves and results are shown" not in get("/matches/void")


def test_a_season_that_is_frozen_says_who_starts_it() -> None:
    assert "An operator starts the season." not in get("/seasons/14")
    by_hand = season(14).model_copy(update={"starts_at": None})
    source = replace(STATES, season=lambda number: by_hand)
    page = make_app(source).test_client().get("/seasons/14").text
    assert "Versions are fixed. An operator starts the season." in page


def test_versions_are_said_to_be_fixed_once_they_are() -> None:
    fixed = "the version that was fixed"
    assert [number for number in (11, 12, 14, 15) if fixed in get(f"/seasons/{number}")] == [14, 15]

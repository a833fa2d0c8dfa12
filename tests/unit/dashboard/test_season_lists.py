"""The lists of seasons: the page of all seasons, and a league's list."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dashboard.tabs import page_numbers
from matchbox.answers.leagues import Seasons
from tests.unit.dashboard import seasons
from tests.unit.dashboard.cast import OPERATOR, SOURCE, html


def test_the_list_is_asked_as_the_address_says_and_leads_to_older_seasons() -> None:
    asked: list[dict[str, Any]] = []

    def listed(**which: Any) -> Seasons:
        asked.append(which)
        return Seasons(items=[seasons.season_line()], next="41")

    source = replace(SOURCE, seasons=listed)
    newest, older = html("/seasons", source), html("/seasons?league=cup&cursor=72", source)
    assert asked == [
        {"league": None, "cursor": None, "limit": 30},
        {"league": "cup", "cursor": "72", "limit": 30},
    ]
    assert 'href="/seasons?cursor=41">Older seasons' in newest
    assert 'href="/seasons?league=cup&amp;cursor=41">Older seasons' in older
    assert "Seasons of cup" in older
    assert "Older seasons" not in html("/seasons")


def test_a_list_without_seasons_leads_back_to_the_newest() -> None:
    source = replace(OPERATOR, seasons=lambda **asked: Seasons(items=[], next=None))
    assert "No season here" in html("/seasons?league=cup", source)
    assert "Make the first one below" in html("/seasons", source)


def test_a_league_shows_some_of_its_seasons_and_leads_to_all() -> None:
    def league(name: str) -> Any:
        return seasons.league(name, season_count=1234)

    page = html("/leagues/cup", replace(SOURCE, league=league))
    assert 'href="/seasons?league=cup">All 1,234 seasons' in page
    assert "/seasons?league=cup" not in html("/leagues/cup")


def test_a_season_leads_to_the_next_one_of_its_league() -> None:
    coming = {7: seasons.season_line().model_copy(update={"id": 8, "state": "open"})}
    source = replace(SOURCE, following=coming.get)
    assert 'Next: <a href="/seasons/8">' in html("/seasons/7", source)
    assert "Next: " not in html("/seasons/8", source)


@pytest.mark.parametrize(
    ("chosen", "last", "row"),
    [
        (1, 1, [1]),
        (2, 4, [1, 2, 3, 4]),
        (1, 9, [1, 2, 3, 0, 9]),
        (5, 9, [1, 0, 3, 4, 5, 6, 7, 0, 9]),
        (200, 200, [1, 0, 198, 199, 200]),
    ],
)
def test_a_row_of_numbers_has_the_ends_and_those_around_the_chosen_one(
    chosen: int, last: int, row: list[int]
) -> None:
    assert page_numbers(chosen, last) == row

"""A spectator's first pages: finished matches, and bots that can be told apart."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from dashboard import drawings, replays
from dashboard.figures import colour
from tests.unit.dashboard import cast
from tests.unit.dashboard.cast import MATCH, SOURCE, html
from tests.unit.dashboard.test_pages import get


@pytest.mark.parametrize(
    ("query", "state"), [("", "finished"), ("?state=", None), ("?bot=alice/careful", None)]
)
def test_who_comes_to_watch_sees_what_was_played(query: str, state: str | None) -> None:
    asked: list[Any] = []

    def matches(**filters: Any) -> Any:
        asked.append(filters.get("state"))
        return SOURCE.matches(**filters)

    html(f"/matches{query}", replace(SOURCE, matches=matches))
    assert asked == [state]


def test_a_match_at_tables_of_one_opens_with_its_longest_bout() -> None:
    bouts = [cast.bout(at, places=[1], scores=[3], seats=[0], moves=at) for at in range(4)]
    (one, *_) = cast.match(MATCH).entrants
    alone = cast.match(MATCH, bouts=bouts, entrants=[one])
    assert replays.first_shown(alone, None) == 3


def test_no_two_bots_of_a_match_look_alike() -> None:
    alike = [name for name in map("bob/b{}".format, range(40)) if colour(name) == colour("bob/b0")]
    assert len(alike) > 3
    told = drawings.tints([*alike[:3], alike[0]])
    assert list(told) == alike[:3]
    assert told[alike[0]] == colour(alike[0])
    assert len(set(told.values())) == 3


def test_a_bot_in_several_seats_is_told_apart_by_its_place_from_1() -> None:
    told = drawings.distinct_names(["a/one", "b/two", "a/one", "b/one"])
    assert told == ["a/one (1)", "two", "a/one (3)", "b/one"]
    assert drawings.distinct_names(["a/one", "deleted-author-7/one"])[1] == "a deleted author/one"


def test_a_match_has_no_internal_name_of_a_deleted_author() -> None:
    match = cast.match(MATCH)
    gone = [
        one.model_copy(update={"owner": "deleted-author-7", "bot": f"deleted-author-7/{one.name}"})
        for one in match.entrants
    ]
    source = replace(SOURCE, match=lambda name: cast.match(MATCH, entrants=gone))
    for number in range(len(match.bouts or [])):
        page = get(f"/matches/{MATCH}?bout={number}", source)
        assert "a deleted author/" in page.text
        told = [attrs.get("title", "") + attrs.get("aria-label", "") for _, attrs in page.elements]
        assert not [one for one in (page.text, *told) if "deleted-author-7" in one]


def test_a_board_and_its_transcript_colour_a_bot_alike() -> None:
    alike = [name for name in map("bob/b{}".format, range(40)) if colour(name) == colour("bob/b0")]
    one = cast.match(MATCH).entrants[0]
    entrants = [one.model_copy(update={"bot": name, "name": name[4:]}) for name in alike[:2]]
    told = cast.match(MATCH, entrants=entrants)
    page = html(f"/matches/{MATCH}?bout=1&step=3", replace(SOURCE, match=lambda name: told))
    given = drawings.tints(alike[:2])
    for name in alike[:2]:
        board, _, lines = page.partition('id="transcript"')
        assert f'<tspan fill="{given[name]}">' in board
        assert f'fill="{given[name]}"' in lines


@pytest.mark.parametrize(("score", "points"), [(1, "1 point"), (12, "12 points")])
def test_the_strip_of_a_team_counts_its_points(score: int, points: str) -> None:
    match = SOURCE.match(MATCH).model_copy(update={"score": float(score)})
    bout = (match.bouts or [])[0].model_copy(update={"scores": [score] * 2, "faults": []})
    assert replays.mark(match, bout, 0).title == f"Deal 1, rotation 1: {points}"


def test_a_match_says_its_times_in_full() -> None:
    page = html(f"/matches/{MATCH}")
    times = re.findall(r'(scheduled|finished) <time datetime="([^"]+)">([^<]+) UTC</time>', page)
    assert [one for one, *_ in times] == ["scheduled", "finished"]
    assert all(shown == exact[:19].replace("T", " ") for _, exact, shown in times)

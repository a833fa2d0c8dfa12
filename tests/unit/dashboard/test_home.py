"""The first page: the match on the stage, and the links into the site."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dashboard import home
from matchbox.answers.leagues import Seasons
from matchbox.answers.matches import Matches, MatchLine
from tests.unit.dashboard import cast, seasons
from tests.unit.dashboard.cast import EMPTY, SOURCE, make_app
from tests.unit.dashboard.test_pages import get


def a_match(*points: float | None, score: float | None = None) -> MatchLine:
    """A match with these shares."""
    (row,) = cast.matches(state="finished").items
    entrants = [
        one.model_copy(update={"points": share})
        for one, share in zip(row.entrants, points, strict=False)
    ]
    return row.model_copy(update={"entrants": entrants, "score": score})


def test_the_closest_match_whose_result_is_known_is_on_the_stage() -> None:
    level, clear = a_match(0.5, 0.5), a_match(0.9, 0.1)
    hidden, team = a_match(None, None), a_match(None, None, score=61.0)
    assert sorted([hidden, team, clear, level], key=home.margin) == [level, clear, team, hidden]


def test_the_results_that_came_last_come_first() -> None:
    early, late = (
        a_match(0.5, 0.5).model_copy(
            update={"id": name * 32, "finished_at": f"2026-11-0{day}T18:00:00Z"}
        )
        for name, day in (("a", 1), ("b", 2))
    )
    source = replace(SOURCE, matches=lambda **asked: Matches(items=[early, late], next=None))
    page = get("/?part=now", source).text
    last = page[page.index("Just finished") :]
    assert last.index("bbbbbbbb") < last.index("aaaaaaaa")


def test_a_bout_without_a_fault_that_tells_a_story_is_played() -> None:
    fault = cast.bout(4)
    short, long = cast.bout(0, moves=2), cast.bout(1, moves=400)
    good, better = cast.bout(2, moves=20), cast.bout(3, moves=40)
    assert fault.faults
    assert home.typical_bout([fault, short, long, good, better]) == 4
    assert home.typical_bout([fault, long]) == 1


def test_the_stage_names_the_bout_for_its_script() -> None:
    page = get("/")
    (stage,) = [attrs for _, attrs in page.elements if attrs.get("id") == "stage"]
    steps = make_app().test_client().get(stage["data-steps"])
    assert steps.status_code == 200
    assert {"text", "board"} <= set(steps.get_json()["steps"][0])
    assert "A close match of Bomb" in page.text


def test_a_result_that_is_still_closed_is_not_on_the_stage() -> None:
    row = a_match(None, None)
    closed = replace(SOURCE, matches=lambda **asked: Matches(items=[row], next=None))
    held = replace(SOURCE, match=lambda name: cast.waiting("finished", embargo="not yet"))
    for source in (closed, held, EMPTY):
        assert not [a for _, a in get("/", source).elements if a.get("id") == "stage"]


def test_a_match_of_a_game_that_is_no_longer_installed_is_not_on_the_stage() -> None:
    lines = cast.matches(state="finished")
    gone = lines.items[0].model_copy(update={"game": "gone", "title": "gone"})
    listed = replace(SOURCE, matches=lambda **asked: Matches(items=[gone], next=None))
    played = cast.match(cast.MATCH).model_copy(update={"game": "gone"})
    page = get("/", replace(listed, match=lambda name: played))
    assert not [a for _, a in page.elements if a.get("id") == "stage"]


def test_the_three_ways_in_lead_to_write_to_watch_and_to_play() -> None:
    page = get("/")
    (ways,) = [at for at, (_, attrs) in enumerate(page.elements) if attrs.get("class") == "ways"]
    links = [
        a["href"]
        for tag, a in page.elements[ways:]
        if tag == "a" and "button" in a.get("class", "")
    ]
    assert links[:3] == ["/submit", f"/matches/{cast.MATCH}", "/play"]


def test_running_and_coming_seasons_are_told() -> None:
    def line(**own: Any) -> Any:
        return seasons.season_line().model_copy(update=own)

    known = [
        line(id=1, name="Old", state="finished"),
        line(id=2, name="Now", state="running"),
        line(id=3, name="Later", state="open", starts_at=None),
        line(id=4, name="Sooner", state="open", starts_at=seasons.LATER),
    ]
    asked: list[Any] = []

    def under_way(**which: Any) -> Seasons:
        asked.append(which)
        return Seasons(items=known, next=None)

    page = get("/", replace(SOURCE, seasons=under_way)).text
    assert asked == [{"over": False, "limit": 200}]
    assert "Old" not in page
    assert page.index("Now") < page.index("Sooner") < page.index("Later")
    assert "No season is under way" in get("/", EMPTY).text


def test_what_is_being_played_is_asked_for_alone() -> None:
    whole, part = get("/"), get("/?part=now")
    (asked,) = [attrs["hx-get"] for _, attrs in whole.elements if attrs.get("id") == "now"]
    assert asked == "/?part=now"
    assert [attrs.get("hx-get") for _, attrs in part.elements if attrs.get("id") == "now"] == [
        asked
    ]
    assert part.text in whole.text
    assert "A close match" not in part.text


def test_the_first_page_shows_the_figure_that_ranks() -> None:
    lines = [
        cast.line(
            rank, f"eve/b{rank}", elo, 9.0, 50, score=score, score_ci95=[score - 0.01, score + 0.01]
        )
        for rank, elo, score in ((1, 1490.0, 0.61), (2, 1510.0, 0.55))
    ]
    page = get("/", replace(SOURCE, leaderboard=lambda game: cast.board(*lines, by="borda")))
    assert "61.0% ± 1.0" in page.text
    assert "1490 ± 9" not in page.text

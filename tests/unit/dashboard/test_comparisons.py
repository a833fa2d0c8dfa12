"""Comparisons on the pages, and who sees them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dashboard import figures
from dashboard.comparisons import finding, measure, so_far
from matchbox.answers.matches import Matches
from matchbox.answers.queue import Waiting
from tests.unit.dashboard import cast
from tests.unit.dashboard.cast import NOBODY, SOURCE, make_app
from tests.unit.dashboard.compared import COMPARABLE, COMPARISONS, row
from tests.unit.dashboard.test_pages import get


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (
            1,
            (
                "It is not clear yet whether version 4 is better",
                "5 more are still to play",
                "66.7% of the points, ±4.8, in 150 deals",
            ),
        ),
        (2, ("Version 4 is better than version 3", "+35 Elo, 95% interval +4 to +62", "2 bouts")),
        (3, ("is suspended", "−0.012 points a bout", "bob/ledger")),
    ],
)
def test_a_comparison_says_what_it_found(number: int, told: tuple[str, ...]) -> None:
    page = get(f"/comparisons/{number}")
    assert [words for words in told if words not in page.text] == []


def test_the_queued_matches_of_a_comparison_are_counted_in_english() -> None:
    last = replace(SOURCE, comparison=lambda number: row(number, finished=19))
    assert "in 19 matches; 1 more is still to play" in get("/comparisons/1", last).text


def test_one_whose_last_match_is_parked_says_so() -> None:
    parked = cast.matches().items[0].model_copy(update={"state": "parked"})
    waiting = Waiting(place=None, seconds=None, reason="The platform failed at it too often.")

    def matches(*, state: str, **asked: Any) -> Matches:
        return Matches(items=[parked] if state == "parked" else [], next=None)

    waits = cast.match(parked.id).model_copy(update={"waiting": waiting})
    source = replace(SOURCE, matches=matches, match=lambda name: waits)
    assert (
        "Its matches wait: The platform failed at it too often."
        in get("/comparisons/1", source).text
    )


def test_only_one_that_runs_asks_again_and_can_be_cancelled() -> None:
    for number, running in ((1, True), (2, False)):
        page = get(f"/comparisons/{number}")
        found = next(one for tag, one in page.elements if one.get("id") == "found")
        assert ("hx-trigger" in found) is running
        forms = [one["action"] for tag, one in page.elements if tag == "form" and "action" in one]
        assert (f"/comparisons/{number}/cancel" in forms) is running
        assert ("A cancelled comparison cannot be taken up again" in page.text) is running


def test_the_form_offers_accepted_versions_and_what_is_left_of_the_day() -> None:
    page = get("/bots/alice/careful")
    assert "9,500 of your 20,000 bouts for today are left" in page.text
    assert "4 against 3" in page.text
    bounds = [one for tag, one in page.elements if one.get("name") == "games"]
    assert bounds[0]["max"] == "9500"


@pytest.mark.parametrize(
    ("own", "told"),
    [
        ({"versions": [4]}, "A comparison needs two accepted versions"),
        ({"left": 0}, "you get new ones after midnight, UTC"),
        ({"budget": 0, "left": 0, "versions": [4]}, "The operator has switched off comparisons."),
        ({"cooperative": True}, "the same deals, each with itself"),
    ],
)
def test_where_nothing_can_be_asked_it_says_why(own: dict[str, Any], told: str) -> None:
    offered = COMPARABLE.model_copy(update=own)
    source = replace(SOURCE, comparable=lambda owner, name: offered)
    assert told in get("/bots/alice/careful", source).text


def test_nobody_is_shown_the_way_in_and_no_form() -> None:
    client = make_app(NOBODY).test_client()
    assert client.get("/comparisons/1").location == "/login?next=/comparisons/1"
    mine = replace(SOURCE, bot=lambda owner, name: cast.bot(owner, name, mine=False))
    assert "Compare versions" not in get("/bots/alice/careful", mine).text


@pytest.mark.parametrize(
    ("own", "said", "measured"),
    [
        ({"verdict": "not-better"}, "Version 4 is not 20 Elo better than version 3", ""),
        ({"verdict": "not-better", "llr": None}, "Version 4 is not better than version 3", ""),
        (
            {"verdict": "better", "bounds": [-20.0, 0.0]},
            "Version 4 is less than 20 Elo worse than version 3",
            "",
        ),
        ({"state": "finished", "elo": 3.4}, "bouts are too few to say", "+3 Elo"),
        ({"difference": 0.25}, "not clear yet", "+0.250 points a bout"),
    ],
)
def test_the_finding_is_a_sentence(own: dict[str, Any], said: str, measured: str) -> None:
    told = row(9, **own)
    assert said in finding(told)
    assert measure(told) == measured


@pytest.mark.parametrize(
    ("verdict", "ci95", "said"),
    [
        ("better", [-4.0, 30.0], "contains 0"),
        ("better", [-30.0, -4.0], "lies below 0"),
        ("better", [4.0, 30.0], ""),
        ("not-better", [2.0, 12.0], "lies above 0"),
        ("not-better", [-12.0, -2.0], ""),
    ],
)
def test_an_interval_that_does_not_agree_with_the_verdict_is_explained(
    verdict: str, ci95: list[float], said: str
) -> None:
    over = row(2, state="finished", verdict=verdict, elo=sum(ci95) / 2, ci95=ci95)
    source = replace(SOURCE, comparison=lambda number: over)
    text = get("/comparisons/2", source).text
    assert ("Why the interval" in text) is bool(said)
    assert f"Why the interval {said}" in text or not said


def test_a_comparison_without_spread_says_why_it_has_no_estimate() -> None:
    even = row(2, state="finished", elo=None, ci95=None, p_better=None, pairs=[0, 0, 150, 0, 0])
    source = replace(SOURCE, comparison=lambda number: even)
    assert "none: all deals came out the same" in get("/comparisons/2", source).text
    assert "all deals came out the same" not in get("/comparisons/2").text


def test_what_is_so_far_shrinks_and_is_told_only_of_a_comparison_that_runs() -> None:
    assert so_far(row(1, pairs=[1, 0, 2, 0, 1])) == (
        "50.0% of the points, ±31.9, in 4 deals from both sides"
    )
    assert so_far(row(1, pairs=[100, 0, 200, 0, 100])).startswith("50.0% of the points, ±3.5, in")
    assert [so_far(row(1, pairs=none)) for none in (None, [0] * 5)] == ["", ""]
    assert "So far" in get("/comparisons/1").text
    assert "So far" not in get("/comparisons/2").text


def test_the_figure_shows_every_look_between_the_walls() -> None:
    drawn = figures.walk(COMPARISONS[1])
    line, *walls = drawn.data
    assert list(zip(line.x, line.y, strict=True)) == [
        (0, 0.0),
        (100, 0.4),
        (200, 0.9),
        (300, 1.23),
    ]
    assert [wall.y[0] for wall in walls] == [-2.9444, 2.9444]
    assert [wall.y for wall in figures.walk(COMPARISONS[3]).data[1:]] == [(0.0, 0.0)]
    empty = figures.walk(row(5, looks=[]))
    assert empty.data[0].x == (0,)
    assert [note.text for note in empty.layout.annotations] == ["No batch is over yet."]
    assert not figures.walk(row(5)).layout.annotations


def test_what_is_so_far_of_few_deals_says_how_far_it_reaches_to_either_side() -> None:
    assert so_far(row(1, pairs=[0, 0, 0, 0, 3])) == (
        "100.0% of the points, 95% interval 43.9% to 100.0%, in 3 deals from both sides"
    )
    assert so_far(row(1, pairs=[0, 0, 1, 0, 0])).endswith("in 1 deal from both sides")


def test_a_share_of_nearly_nothing_or_all_is_not_called_so() -> None:
    assert so_far(row(1, pairs=[9999, 1, 0, 0, 0])).startswith("less than 0.05% of the points, ")
    assert so_far(row(1, pairs=[0, 0, 0, 1, 9999])).startswith("more than 99.95% of the points, ")
    assert so_far(row(1, pairs=[9999, 0, 0, 0, 0])).startswith("0.0% of the points, ")
    assert so_far(row(1, pairs=[0, 0, 0, 0, 9999])).startswith("100.0% of the points, ")


def test_the_question_is_told_with_the_bounds_that_were_asked_for() -> None:
    close = row(2, bounds=[-2.5, 0.5])
    page = get("/comparisons/2", replace(SOURCE, comparison=lambda number: close))
    assert "at most −2.5 Elo better, or 0.5 and more" in page.text

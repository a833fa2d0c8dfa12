"""The history of a bot's rating: the figure, the sentence, the files."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import plotly.graph_objects as go
import pytest

from dashboard import figures
from dashboard.downloads import ratings_csv
from dashboard.ratings import figure, finding
from matchbox.answers.standings import RatingPoint
from tests.unit.dashboard.cast import EMPTY, HISTORY, SOURCE, make_app, rated
from tests.unit.dashboard.test_pages import get

BOT = "alice/careful"
THAN = "than at first, around the mean of all versions, which changes when others come"
TOO_NEW = "has not been rated for long enough to show a change"


def score(day: int, value: float, half: float) -> RatingPoint:
    """A point of a team."""
    told = {"elo": None, "ci95": None, "score": value, "score_ci95": (value - half, value + half)}
    return rated(1, day, 10 * day, 0.0, 0.0).model_copy(update=told)


def traces(points: list[RatingPoint], mode: str) -> list[go.Scatter]:
    """The figure's traces of that mode, if the last point's version plays."""
    return [one for one in figure(BOT, points, points[-1].version).data if one.mode == mode]


def test_each_version_has_a_band_and_upon_it_its_line() -> None:
    modes = [one.mode for one in figure(BOT, HISTORY, 4).data]
    assert modes == ["lines"] * 2 + ["lines+markers"] * 2
    band, line = traces(HISTORY, "lines")[0], traces(HISTORY, "lines+markers")[0]
    assert band.x == (*line.x, *line.x[::-1])
    assert band.y == (1780.0, 1515.0, 1435.0, 1180.0)
    assert line.y == (1480.0, 1475.0)
    assert line.customdata[1] == ["v3: 1475 (1435 to 1515)", "120 matches"]
    assert line.customdata[0][1] == "1 match"


def test_the_newest_version_has_the_bot_s_colour_and_each_line_its_name() -> None:
    old, new = traces(HISTORY, "lines+markers")
    assert (old.line.color, new.line.color) == (figures.COLOURS[-1], figures.colour(BOT))
    named = figure(BOT, HISTORY, 4).layout.annotations
    assert [(one.text, one.y) for one in named] == [("v3", 1475.0), ("v4", 1574.2)]


def test_a_team_s_history_is_its_score() -> None:
    points = [score(1, 60.0, 2.0), score(2, 71.5, 0.5)]
    assert figure(BOT, points, 1).layout.yaxis.title.text.startswith("Score per bout")
    assert traces(points, "lines+markers")[0].y == (60.0, 71.5)
    assert finding(points, 1) == "Version 1 has risen by 11.5 points a bout"


@pytest.mark.parametrize(
    ("last", "told"),
    [
        (rated(4, 9, 1200, 1574.2, 11.0), f"Version 4 is rated 44 Elo higher {THAN}"),
        (rated(4, 9, 1200, 1380.0, 11.0), f"Version 4 is rated 150 Elo lower {THAN}"),
        (rated(4, 9, 1200, 1500.0, 11.0), "Version 4 is rated about as it was at first"),
        (rated(5, 9, 1, 1500.0, 200.0), f"Version 5 {TOO_NEW}"),
    ],
)
def test_the_finding_is_of_the_newest_version_and_as_sure_as_the_intervals(
    last: RatingPoint, told: str
) -> None:
    assert finding([*HISTORY[:-1], last], last.version) == told


def test_a_provisional_rating_is_no_start_of_a_rise() -> None:
    points = [rated(1, 1, 1, 400.0, 300.0), rated(1, 2, 50, 1033.0, 40.0)]
    assert finding(points, 1) == f"Version 1 {TOO_NEW}"
    assert finding([*points, rated(1, 3, 90, 1040.0, 30.0)], 1).endswith("as it was at first")


def test_the_bot_s_page_shows_it_with_its_data() -> None:
    page = get("/bots/alice/careful")
    assert f"Version 4 is rated 44 Elo higher {THAN}." in page.text
    assert "1574 ± 11" in page.text
    found = [one for tag, one in page.elements if one.get("data-figure") == "figure-data"]
    assert len(found) == 1


@pytest.mark.parametrize("points", [[], HISTORY[:1]])
def test_without_two_points_there_is_no_figure(points: list[RatingPoint]) -> None:
    source = replace(SOURCE, ratings=lambda owner, name: points)
    assert "data-figure" not in get("/bots/alice/careful", source).text
    assert EMPTY.ratings("alice", "careful") == []


def test_the_same_is_there_as_csv_and_json() -> None:
    client = make_app(SOURCE).test_client()
    rows = list(csv.DictReader(io.StringIO(client.get("/bots/alice/careful/ratings.csv").text)))
    assert [(row["version"], row["elo"], row["elo_low"]) for row in rows][-1] == (
        "4", "1574.2", "1563.2",
    )  # fmt: skip
    assert client.get("/bots/alice/careful/ratings.json").json == [
        point.plain() for point in HISTORY
    ]
    assert (
        "".join(ratings_csv([score(1, 60.0, 2.0)])).splitlines()[1].endswith("10,,,,60.0,58.0,62.0")
    )

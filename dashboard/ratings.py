"""How a bot's rating has moved, version by version: the figure, what it says, the rows as CSV.

Knows templates and words, as dashboard.pages; the source has the points.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator

from flask import Response, jsonify

from dashboard import figures, wording
from dashboard.source import Row, Source

COLUMNS = ("version", "at", "matches", "elo", "elo_low", "elo_high",
           "score", "score_low", "score_high")  # fmt: skip


def rules(source: Source) -> Iterator[tuple[str, Callable[..., Response]]]:
    """Every address and its view, whose name is the endpoint's."""

    def ratings_csv(owner: str, name: str) -> Response:
        response = Response(as_csv(source.ratings(owner, name)), mimetype="text/csv")
        response.headers["Content-Disposition"] = f'attachment; filename="{name}-ratings.csv"'
        return response

    def ratings_json(owner: str, name: str) -> Response:
        return jsonify(source.ratings(owner, name))

    yield "/bots/<owner>/<name>/ratings.csv", ratings_csv
    yield "/bots/<owner>/<name>/ratings.json", ratings_json


def of_bot(source: Source, owner: str, name: str) -> Row | None:
    """What the bot's page shows; None where there are no two points to draw a line between."""
    points = source.ratings(owner, name)
    if len(points) < 2:
        return None
    return {"figure": figure(f"{owner}/{name}", points), "finding": finding(points),
            "points": points[::-1]}  # fmt: skip


def finding(points: list[Row]) -> str:
    """What became of the newest version, in a sentence without its end."""
    version = points[-1]["version"]
    own = [point for point in points if point["version"] == version]
    value, interval = measure_of(own[0])
    before, now = own[0][interval], own[-1][interval]
    change = own[-1][value] - own[0][value]
    unit = "Elo" if value == "elo" else "points a bout"
    if before[0] <= now[1] and now[0] <= before[1]:
        return f"Version {version} stands about where it was first rated"
    moved = wording.whole(abs(change)) if value == "elo" else wording.mean(abs(change))
    return f"Version {version} has {'risen' if change > 0 else 'fallen'} by {moved} {unit}"


def figure(bot: str, points: Iterable[Row]) -> Row:
    """How the bot's versions moved: a band for the 95% interval, the line upon it, its end named.

    The newest is drawn in the bot's colour, those before it grey. `points` are as Source tells
    them, two or more.
    """
    ways: dict[int, list[Row]] = {}
    for point in points:
        ways.setdefault(point["version"], []).append(point)
    newest = max(ways)
    tints = {
        version: figures.colour(bot) if version == newest else figures.COLOURS[-1]
        for version in ways
    }
    some = ways[newest][0]
    title = "Elo" if measure_of(some)[0] == "elo" else "Score per bout"
    return {
        "data": [
            *(_band(way, tints[version]) for version, way in ways.items()),
            *(_way(way, tints[version]) for version, way in ways.items()),
        ],
        "layout": figures.layout(
            height=320,
            margin={"l": 8, "r": 40, "t": 8, "b": 48},
            xaxis={"title": figures.heading("Time (UTC)"), "type": "date"},
            yaxis={"title": figures.heading(f"{title} (band: 95% interval)")},
            annotations=[
                {
                    "x": way[-1]["at"],
                    "y": way[-1][measure_of(way[-1])[0]],
                    "text": f"v{version}",
                    "showarrow": False,
                    "xanchor": "left",
                    "xshift": 8,
                }
                for version, way in ways.items()
            ],
        ),
    }


def measure_of(point: Row) -> tuple[str, str]:
    """The names of a point's value and of its interval."""
    return ("elo", "ci95") if point["elo"] is not None else ("score", "score_ci95")


def as_csv(points: Iterable[Row]) -> str:
    """The points with a header line."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for one in points:
        elo, score = one["ci95"] or (None, None), one["score_ci95"] or (None, None)
        row = [one["version"], one["at"], one["matches"], one["elo"], *elo, one["score"], *score]
        writer.writerow(row)
    return out.getvalue()


def _band(way: list[Row], tint: str) -> Row:
    ends = [point[measure_of(point)[1]] for point in way]
    times = [point["at"] for point in way]
    red, green, blue = bytes.fromhex(tint[1:])
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [*times, *times[::-1]],
        "y": [*(high for _, high in ends), *(low for low, _ in ends[::-1])],
        "fill": "toself",
        "fillcolor": f"rgba({red},{green},{blue},0.2)",
        "line": {"width": 0},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _way(way: list[Row], tint: str) -> Row:
    value, interval = measure_of(way[0])
    digits = 0 if value == "elo" else 1
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": [point["at"] for point in way],
        "y": [point[value] for point in way],
        "line": {"color": tint, "width": 2.5},
        "marker": {"size": 5},
        "customdata": [
            [
                f"v{point['version']}: {point[value]:.{digits}f} "
                f"({point[interval][0]:.{digits}f} to {point[interval][1]:.{digits}f})",
                f"{point['matches']} matches",
            ]
            for point in way
        ],
        "hovertemplate": "%{x}<br>%{customdata[0]}<br>%{customdata[1]}<extra></extra>",
        "showlegend": False,
    }

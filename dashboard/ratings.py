"""The history of a bot's rating, version by version: the figure and its caption.

Knows templates and words, like dashboard.pages; the source has the points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from flask import Response, jsonify

from dashboard import downloads, figures, wording
from dashboard.responses import csv_file
from dashboard.source import Source
from matchbox.league.line import PROVISIONAL_ELO

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from matchbox.answers import Interval
    from matchbox.answers.standings import RatingPoint


def rules(source: Source) -> Iterator[tuple[str, Callable[..., Response]]]:
    """Yields every address with its view; the view's name is the endpoint."""

    def ratings_csv(owner: str, name: str) -> Response:
        return csv_file(downloads.ratings_csv(source.ratings(owner, name)), f"{name}-ratings")

    def ratings_json(owner: str, name: str) -> Response:
        return jsonify([point.plain() for point in source.ratings(owner, name)])

    yield "/bots/<owner>/<name>/ratings.csv", ratings_csv
    yield "/bots/<owner>/<name>/ratings.json", ratings_json


class Rated(NamedTuple):
    """A bot's ratings on its page; the newest of the `points` comes first."""

    figure: figures.Drawn
    finding: str
    points: Sequence[RatingPoint]


def of_bot(bot: str, points: Sequence[RatingPoint], active: int | None) -> Rated | None:
    """Returns a bot's ratings for its page; None for fewer than two points.

    The caption is about the version that plays, or if none does, the newest that was rated.
    """
    if len(points) < 2:
        return None
    rated = {point.version for point in points}
    meant = active if active in rated else max(rated)
    return Rated(_drawn(bot, tuple(points), meant), finding(points, meant), points[::-1])


@lru_cache(maxsize=256)
def _drawn(bot: str, points: tuple[RatingPoint, ...], meant: int) -> figures.Drawn:
    return figures.Drawn.of(figure(bot, points, meant))


def finding(points: Iterable[RatingPoint], version: int) -> str:
    """Returns a sentence, without a full stop, on how this version's rating changed.

    Provisional ratings do not count. Elo is around the mean of all versions with results, so it
    also changes when others come; the sentence does not say that the version got better or worse.
    """
    own = [point for point in points if point.version == version and not _provisional(point)]
    if len(own) < 2:
        return f"Version {version} has not been rated for long enough to show a change"
    first, (low, high) = _measured(own[0])
    last, (lowest, highest) = _measured(own[-1])
    if low <= highest and lowest <= high:
        return f"Version {version} is rated about as it was at first"
    change = last - first
    of_elo = own[0].elo is not None
    if not of_elo:
        way = "risen" if change > 0 else "fallen"
        return f"Version {version} has {way} by {abs(change):.1f} points a bout"
    way = "higher" if change > 0 else "lower"
    return (
        f"Version {version} is rated {wording.whole(abs(change))} Elo {way} than at first, around "
        "the mean of all versions, which changes when others come"
    )


def figure(bot: str, points: Iterable[RatingPoint], meant: int) -> go.Figure:
    """Returns a figure of the versions' ratings.

    Each version has a line with a label at its end, in a band for the 95% interval. The version
    `meant` has the bot's colour; the others are grey. Needs two points.
    """
    ways: dict[int, list[RatingPoint]] = {}
    for point in points:
        ways.setdefault(point.version, []).append(point)
    tints = {
        version: figures.colour(bot) if version == meant else figures.COLOURS[-1]
        for version in ways
    }
    title = "Elo" if ways[meant][0].elo is not None else "Score per bout"
    return figures.plot(
        [
            *(_band(way, tints[version]) for version, way in ways.items()),
            *(_way(way, tints[version]) for version, way in ways.items()),
        ],
        height=320,
        margin={"l": 8, "r": 40, "t": 8, "b": 48},
        xaxis={"title": figures.heading("Time (UTC)"), "type": "date"},
        yaxis={"title": figures.heading(f"{title} (band: 95% interval)")},
        annotations=[
            {
                "x": way[-1].at,
                "y": _measured(way[-1])[0],
                "text": f"v{version}",
                "showarrow": False,
                "xanchor": "left",
                "xshift": 8,
            }
            for version, way in ways.items()
        ],
    )


def _provisional(point: RatingPoint) -> bool:
    """Returns whether a point of Elo is provisional, as a line of the board is."""
    return point.ci95 is not None and point.ci95[1] - point.ci95[0] > PROVISIONAL_ELO


def _measured(point: RatingPoint) -> tuple[float, Interval]:
    """Returns the point's value with its interval."""
    value, interval = (
        (point.elo, point.ci95) if point.elo is not None else (point.score, point.score_ci95)
    )
    assert value is not None
    assert interval is not None
    return value, interval


def _band(way: Sequence[RatingPoint], tint: str) -> go.Scatter:
    import plotly.graph_objects as go

    ends = [_measured(point)[1] for point in way]
    times = [point.at for point in way]
    red, green, blue = bytes.fromhex(tint[1:])
    return go.Scatter(
        mode="lines",
        x=[*times, *times[::-1]],
        y=[*(high for _, high in ends), *(low for low, _ in ends[::-1])],
        fill="toself",
        fillcolor=f"rgba({red},{green},{blue},0.2)",
        line={"width": 0},
        hoverinfo="skip",
    )


def _way(way: Sequence[RatingPoint], tint: str) -> go.Scatter:
    import plotly.graph_objects as go

    return go.Scatter(
        mode="lines+markers",
        x=[point.at for point in way],
        y=[_measured(point)[0] for point in way],
        line={"color": tint, "width": 2.5},
        marker={"size": 5},
        customdata=[_hover(point) for point in way],
        hovertemplate="%{x}<br>%{customdata[0]}<br>%{customdata[1]}<extra></extra>",
    )


def _hover(point: RatingPoint) -> list[str]:
    value, (low, high) = _measured(point)
    digits = 0 if point.elo is not None else 1
    spread = f"({low:.{digits}f} to {high:.{digits}f})"
    matches = wording.plural(point.matches, "match", "matches")
    return [f"v{point.version}: {value:.{digits}f} {spread}", matches]

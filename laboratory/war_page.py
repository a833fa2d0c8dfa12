"""The page of `simulate war --html`: how the totals spread, and how the hands predict them.

One file that loads nothing.
"""

from __future__ import annotations

from collections import Counter
from html import escape
from typing import TYPE_CHECKING, Any

from laboratory.experiment_page import COLOURS, PAINT, STYLE, figure_html, table
from matchbox.games.war import statistics

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matchbox.games.war.statistics import GameResult


def page(document: Mapping[str, Any], results: Sequence[GameResult]) -> str:
    """The two figures, the sentences and the table of the document's figures as HTML."""
    title = f"{document['games']} games of dealt Addition War"
    sentences = "".join(f"<p>{escape(one)}</p>\n" for one in statistics.sentences(dict(document)))
    rows = "".join(
        f"<tr><th scope=row>{escape(key)}</th><td>{escape(_value_text(value))}</td></tr>\n"
        for key, value in document.items()
        if key != "lower_initial_wins"
    )
    return f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>
<meta name="viewport" content="width=device-width"><style>{STYLE}</style>
<h1>{escape(title)}</h1>
{sentences}<figure>{_totals_figure(results)}</figure>
<figure>{_hands_figure(results)}</figure>
<table><tbody>
{rows}</tbody></table>
{_cases(document["lower_initial_wins"])}{PAINT}</html>
"""


def _cases(cases: Sequence[Mapping[str, int]]) -> str:
    """The listed games that were won from the lower initial total, as a table."""
    if not cases:
        return ""
    rows = [list(map(str, case.values())) for case in cases]
    head = f"<h2>Games won from the lower initial total, the first {len(cases)}</h2>\n"
    return head + table(list(cases[0]), rows)


def _value_text(value: object) -> str:
    """A figure as text, or several with their names."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_value_text(one)}" for name, one in value.items())
    return " to ".join(map(str, value)) if isinstance(value, list) else str(value)


def _totals_figure(results: Sequence[GameResult]) -> str:
    """How many games ended with each total, for winners and losers."""
    import plotly.graph_objects as go

    figure = go.Figure()
    for name, colour, pick in (("losers", COLOURS[1], min), ("winners", COLOURS[0], max)):
        counts = sorted(Counter(pick(one.final) for one in results if one.winner).items())
        totals, games = [total for total, _ in counts], [number for _, number in counts]
        figure.add_bar(x=totals, y=games, name=name, marker_color=colour)
    figure.update_layout(
        title="How far do the totals lie apart?",
        xaxis_title="final total, points",
        yaxis_title="games",
        barmode="overlay",
        bargap=0,
    )
    return figure_html(figure, True)


def _hands_figure(results: Sequence[GameResult]) -> str:
    """The mean final total of player 1 by its initial total, with the number of games."""
    import plotly.graph_objects as go

    finals: dict[int, list[int]] = {}
    for one in results:
        finals.setdefault(one.initial[0], []).append(one.final[0])
    initials = sorted(finals)
    figure = go.Figure(
        go.Scatter(
            x=initials,
            y=[sum(finals[one]) / len(finals[one]) for one in initials],
            customdata=[len(finals[one]) for one in initials],
            hovertemplate="initial %{x}: mean final %{y:.1f} in %{customdata} games",
            mode="markers",
            marker_color=COLOURS[0],
        )
    )
    figure.update_layout(
        title="A better hand makes a better total",
        xaxis_title="initial total of player 1, points",
        yaxis_title="mean final total of player 1, points",
    )
    return figure_html(figure, False)

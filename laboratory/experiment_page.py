"""The page of `simulate --html`: figures and their tables in one file that loads nothing."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from matchbox.lab import result_rows

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Mapping, Sequence

    import plotly.graph_objects as go

    from laboratory.experiment import Document
    from matchbox.lab.grid import GridResult
    from matchbox.lab.matrix import MatrixResult
    from matchbox.lab.places import PlacesResult

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#595959")
"""Colours that everybody can tell apart (Okabe and Ito)."""

STYLE = """:root { color-scheme: light dark; --ink: #1f2328; --quiet: #57606a; --paper: #fff }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --quiet: #9198a1; --paper: #0d1117 } }
body { font: 16px system-ui; margin: 2rem auto; max-width: 64rem; padding: 0 1rem;
  color: var(--ink); background: var(--paper) }
td, th { padding: .2rem .6rem; text-align: right; font-variant-numeric: tabular-nums }
th[scope=row] { text-align: left; font-weight: 500 }
figure { margin: 2rem 0; overflow-x: auto } figcaption, summary { color: var(--quiet) }"""

PAINT = """<script>
const dark = matchMedia("(prefers-color-scheme: dark)");
function paint() {
  const ink = dark.matches ? "#e6edf3" : "#1f2328", line = dark.matches ? "#30363d" : "#d8dee4";
  for (const drawn of document.querySelectorAll(".plotly-graph-div"))
    Plotly.relayout(drawn, {"font.color": ink,
      "xaxis.gridcolor": line, "yaxis.gridcolor": line,
      "xaxis.zerolinecolor": line, "yaxis.zerolinecolor": line});
}
dark.addEventListener("change", paint);
paint();
</script>
"""
"""Gives the figures the reader's colours, light or dark, and follows a change of them."""


def page(document: Document, histograms: Mapping[str, Counter[int]]) -> str:
    """The experiment as HTML. `histograms` has for each group the number of games by their number
    of turns, moves or points."""
    title = f"{document['game']}: {', '.join(dict.fromkeys(document['bots']))}"
    caption = (
        f"{document['games']} games each, seed {document['seed']}, box {document['box']}"
        + "".join(f", {name} {value}" for name, value in document["options"].items())
    )
    drawn, columns, rows = _parts(document)
    counted = "points" if result_rows.is_grid(document) else "turns"
    drawn.append(
        (f"How many games came to how many {counted}", _histogram_figure(histograms, counted))
    )
    figures = "".join(
        f"<figure><figcaption>{escape(text)}</figcaption>\n"
        f"{figure_html(figure, not number)}</figure>\n"
        for number, (text, figure) in enumerate(drawn)
    )
    return f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>
<meta name="viewport" content="width=device-width">
<style>{STYLE}</style>
<h1>{escape(title)}</h1>
<p>{escape(caption)}</p>
{figures}<details open><summary>The figures as a table</summary>
{table(columns, rows)}</details>
{_counts(document)}{PAINT}</html>
"""


def _counts(document: Document) -> str:
    """The game's own counts of its pairs, such as the wins of every card."""
    counted = result_rows.counts_rows(document) if result_rows.is_matrix(document) else {}
    return "".join(
        f"<details open><summary>{escape(name)}</summary>\n{table(columns, rows)}</details>\n"
        for name, (columns, *rows) in counted.items()
    )


Drawn = list[tuple[str, "go.Figure"]]


def _parts(document: Document) -> tuple[Drawn, Sequence[str], Sequence[Sequence[str]]]:
    """The figures of that kind of experiment with their descriptions, and its table."""
    if result_rows.is_matrix(document):
        caption = "Share won by the bot that moves first, in %, with its 95% interval"
        columns, *rows = result_rows.pair_rows(document)
        return [(caption, _matrix_figure(document))], columns, rows
    if result_rows.is_grid(document):
        caption = "Mean score of every team, with its 95% bootstrap band"
        sizes = [f"{size} player{'s' * (size > 1)}" for size in result_rows.sizes_of(document)]
        shown = [(caption, _scores_figure(document))]
        return shown, ["bot", *sizes], result_rows.grid_rows(document)
    assert result_rows.is_places(document)
    columns = ["players", "bot", "games", "won %", "mean place"]
    caption = "Share of games won, in %, with its 95% interval"
    return [(caption, _places_figure(document))], columns, result_rows.place_rows(document)


def _matrix_figure(document: MatrixResult) -> go.Figure:
    """The win matrix as a heat map whose colours are neutral at one half."""
    import plotly.graph_objects as go

    bots = document["bots"]
    shares = {(pair["first"], pair["second"]): pair for pair in document["pairs"]}
    cells = [[shares.get((first, second)) for second in bots] for first in bots]
    return go.Figure(
        go.Heatmap(
            x=bots,
            y=bots,
            z=[[100 * cell["first_share"] if cell else None for cell in row] for row in cells],
            text=[
                [
                    result_rows.percent(cell["first_share"], cell["ci95"]) if cell else ""
                    for cell in row
                ]
                for row in cells
            ],
            texttemplate="%{text}",
            colorscale="RdBu",
            zmid=50,
            zmin=0,
            zmax=100,
            colorbar={"title": "% won"},
        ),
        {
            "xaxis": {"title": "moves second", "side": "top"},
            "yaxis": {"title": "moves first", "autorange": "reversed"},
        },
    )


def _scores_figure(document: GridResult) -> go.Figure:
    """A line per bot over the table sizes, on top of its interval band."""
    import plotly.graph_objects as go

    figure = go.Figure()
    bots = list(dict.fromkeys(cell["bot"] for cell in document["cells"]))
    for number, bot in enumerate(bots):
        cells = [cell for cell in document["cells"] if cell["bot"] == bot]
        sizes = [cell["players"] for cell in cells]
        low, high = ([cell["ci95"][bound] for cell in cells] for bound in (0, 1))
        colour = COLOURS[number % len(COLOURS)]
        band = {"x": [*sizes, *sizes[::-1]], "y": [*high, *low[::-1]], "fill": "toself"}
        figure.add_scatter(
            **band, fillcolor=colour, opacity=0.25, mode="none", hoverinfo="skip", showlegend=False
        )
        figure.add_scatter(
            x=sizes,
            y=[cell["mean"] for cell in cells],
            name=bot,
            mode="lines+markers",
            line={"color": colour},
            customdata=[[*cell["ci95"], cell["games"], cell["max"]] for cell in cells],
            hovertemplate="%{y:.2f} (%{customdata[0]:.2f} to %{customdata[1]:.2f}), "
            "%{customdata[2]} games, most %{customdata[3]}",
        )
    return figure.update_layout(
        xaxis={"title": "players", "dtick": 1},
        yaxis={"title": "mean score", "rangemode": "tozero"},
        width=800,
        height=400,
    )


def _places_figure(document: PlacesResult) -> go.Figure:
    """The share of first places of every bot over the table sizes, with its interval."""
    import plotly.graph_objects as go

    figure = go.Figure()
    for number, bot in enumerate(document["bots"]):
        found = [
            (table["players"], one)
            for table in document["tables"]
            for one in table["places"]
            if one["bot"] == bot
        ]
        figure.add_scatter(
            x=[size + number / 25 for size, _ in found],
            y=[100 * one["first_share"] for _, one in found],
            error_y={
                "symmetric": False,
                "array": [100 * (one["ci95"][1] - one["first_share"]) for _, one in found],
                "arrayminus": [100 * (one["first_share"] - one["ci95"][0]) for _, one in found],
            },
            mode="markers",
            marker={"color": COLOURS[number % len(COLOURS)]},
            name=bot,
            customdata=[one["games"] for _, one in found],
            hovertemplate="%{y:.1f}% of %{customdata} games",
        )
    return figure.update_layout(
        xaxis={"title": "players", "dtick": 1},
        yaxis={"title": "games won, %", "rangemode": "tozero"},
        height=400,
    )


def _histogram_figure(histograms: Mapping[str, Counter[int]], counted: str) -> go.Figure:
    """The share of games with each number, a line per group."""
    import plotly.graph_objects as go

    figure = go.Figure()
    for number, (group, games) in enumerate(histograms.items()):
        values = range(min(games), max(games) + 1)
        figure.add_scatter(
            x=list(values),
            y=[100 * games[value] / games.total() for value in values],
            customdata=[games[value] for value in values],
            name=group,
            mode="lines",
            line={"color": COLOURS[number % len(COLOURS)], "shape": "hvh"},
            visible=True if number < len(COLOURS) else "legendonly",
            hovertemplate="%{x}: %{y:.1f}% (%{customdata} games)",
        )
    return figure.update_layout(
        xaxis={"title": counted}, yaxis={"title": "games, %", "rangemode": "tozero"}, height=400
    )


def figure_html(figure: go.Figure, with_library: bool) -> str:
    """The figure as an element; the first on a page includes the plotting library."""
    figure.update_layout(
        template="plotly_white",
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        margin={"t": 40},
    )
    html: str = figure.to_html(full_html=False, include_plotlyjs=with_library)
    return html


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The rows under their columns, as HTML."""
    heads = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>\n" for row in rows
    )
    return f"<table><thead><tr>{heads}</tr></thead><tbody>\n{body}</tbody></table>\n"

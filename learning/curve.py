"""The learning curve: the strength of the table by the number of iterations. Knows games and files.

At every point a new table is written, and the bot that uses it plays Bluffer.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from cli import named_bots
from cli.game_options import plan_of
from laboratory.experiment import run
from laboratory.worker_pool import worker_pool
from matchbox.lab.result_rows import is_places

if TYPE_CHECKING:
    import plotly.graph_objects as go

GAME: Final = "skull"
RIVAL: Final = "bluffer"
PLOTLY: Final = "../dashboard/static/vendor/plotly-cartesian.min.js"
"""The path from the page to the repository's own copy."""
_TITLE: Final = "How the bot regret learns two-player Skull"


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The result after a number of iterations."""

    iterations: int
    exploitability: float
    """As `table.mean_exploitability`."""
    games: int
    """The number of games behind the share."""
    share: float
    low: float
    high: float


def share(bot: Path, table: str, games: int, seed: str, workers: int) -> tuple[float, float, float]:
    """The share of games that the bot in that folder wins with that table, and its 95% interval."""
    with TemporaryDirectory() as place:
        folder = Path(place) / bot.name
        shutil.copytree(bot, folder)
        (folder / "table.txt").write_text(table)
        learner = named_bots.NamedBot(bot.name, named_bots.pack(folder))
    players = [learner, named_bots.find(GAME, RIVAL)]
    plan = plan_of(GAME, players, games, seed, players="2")
    with worker_pool("none", workers) as pool:
        result = run(plan, named_bots.bundles(players), pool).results.result()
    assert is_places(result)
    if result["faults"]:
        raise RuntimeError(f"a bot of the curve was at fault: {result['faults'][0]}")
    own = next(one for one in result["tables"][0]["places"] if one["bot"] == bot.name)
    low, high = own["ci95"]
    return own["first_share"], low, high


def tsv(points: Sequence[CurvePoint]) -> str:
    """The curve as lines, after a header line."""
    lines: Iterator[Sequence[object]] = map(astuple, points)
    head = [field.name for field in fields(CurvePoint)]
    return "".join("\t".join(map(_cell_text, line)) + "\n" for line in (head, *lines))


def page(points: Sequence[CurvePoint], seed: str) -> str:
    """The curve as a page that loads nothing but the repository's own Plotly.

    `seed` is that of the games; their number is the same at every point.
    """
    figure = draw(points).to_html(full_html=False, include_plotlyjs=PLOTLY, div_id="curve")
    return f"{head(points[0].games, seed)}{figure}\n</html>\n"


def head(games: int, seed: str) -> str:
    """The beginning of the page: its title, and a description of the figure."""
    caption = (
        f"At every point, {games} games of two against {RIVAL}, seed {seed}, with a new table of "
        "that many iterations. Exploitability is how much the best answer wins beyond its share of "
        "a round, as the mean of all kinds of round, each counted once. Made by: make learn."
    )
    return f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{_TITLE}</title>
<style>body {{ font: 16px system-ui; margin: 2rem auto; max-width: 56rem; padding: 0 1rem }}</style>
<h1>{_TITLE}</h1>
<p>{escape(caption)}</p>
"""


def draw(points: Sequence[CurvePoint]) -> go.Figure:
    """The share of games won above, the exploitability below."""
    import plotly.graph_objects as go

    figure = go.Figure()
    iterations = [point.iterations for point in points]
    figure.add_scatter(
        x=iterations,
        y=[100 * point.share for point in points],
        error_y={
            "symmetric": False,
            "array": [100 * (point.high - point.share) for point in points],
            "arrayminus": [100 * (point.share - point.low) for point in points],
        },
        name=f"won against {RIVAL}, %",
        line={"color": "#0072b2"},
    )
    figure.add_scatter(
        x=iterations,
        y=[100 * point.exploitability for point in points],
        name="exploitability of a round, %",
        line={"color": "#d55e00"},
        yaxis="y2",
    )
    return figure.update_layout(
        template="plotly_white",
        height=560,
        xaxis={"title": "iterations", "type": "log", "anchor": "y2"},
        yaxis={"title": "won, % (95%)", "domain": [0.45, 1]},
        yaxis2={"title": "exploitability, %", "domain": [0, 0.38], "type": "log"},
        legend={"orientation": "h", "y": 1.1},
    )


def _cell_text(value: object) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)

"""The figures beside a board: its pairs, its seats, and the lengths of its bouts; with findings.

Turns answers into Plotly figures, like dashboard.figures. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from dashboard import figures, wording

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from matchbox.answers.board_figures import BoardFigures, LengthLine, PairLine, SeatLine

BINS: Final = 60
"""The most bars of the figure of lengths."""
WRITTEN: Final = 6
"""Each cell of the map shows its percentage if there are at most this many bots."""
_CELL_PX: Final = 22
_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


class Bar(NamedTuple):
    """Bouts of `low` to `high` moves."""

    low: int
    high: int
    bouts: int


def decided_pairs(pairs: Iterable[PairLine]) -> list[PairLine]:
    """Returns the pairs whose interval leaves out one half."""
    return [one for one in pairs if not one.ci95[0] <= 0.5 <= one.ci95[1]]


def pairs_finding(found: BoardFigures) -> str:
    """Returns a sentence, without a full stop, on how many pairs are settled."""
    if not found.pairs:
        return "No two of these bots have met yet"
    clear = decided_pairs(found.pairs)
    count = wording.plural(len(found.pairs), "pair")
    if not clear:
        return f"None of the {count} is settled: every interval still contains 50%"
    most = max(clear, key=lambda one: abs(one.share - 0.5))
    winner, loser = (most.first, most.second) if most.share > 0.5 else (most.second, most.first)
    share = 100 * max(most.share, 1 - most.share)
    return (
        f"{len(clear):,} of {count} {'is' if len(clear) == 1 else 'are'} settled; most one-sided: "
        f"{wording.bot(winner)} takes {share:.1f}% from {wording.bot(loser)}"
    )


def pairs(found: BoardFigures, first: int = 1) -> go.Figure:
    """Returns the map of all pairs: the share of the points that the row's bot took from the
    column's bot. `first` is the place of the first bot on the board; bots are numbered from it."""
    import plotly.graph_objects as go

    size = len(found.bots)
    place = {bot: at for at, bot in enumerate(found.bots)}
    shares: list[list[float | None]] = [[None] * size for _ in range(size)]
    beside: list[list[Any]] = [[None] * size for _ in range(size)]
    for one in found.pairs:
        row, column = place[one.first], place[one.second]
        low, high = one.ci95
        shares[row][column], shares[column][row] = round(one.share, 4), round(1 - one.share, 4)
        bouts = wording.plural(one.bouts, "bout")
        beside[row][column] = [bouts, round(low, 4), round(high, 4)]
        beside[column][row] = [bouts, round(1 - high, 4), round(1 - low, 4)]
    places = [str(first + at) for at in range(size)]
    heat = go.Heatmap(
        z=shares,
        x=places,
        y=places,
        customdata=beside,
        zmin=0,
        zmax=1,
        zmid=0.5,
        xgap=1,
        ygap=1,
        hoverongaps=False,
        texttemplate="%{z:.0%}" if size <= WRITTEN else None,
        showscale=False,  # a colour bar sets styles that the content policy forbids
        hovertemplate="row %{y} against column %{x}: %{z:.1%}<br>95% interval %{customdata[1]:.1%}"
        " to %{customdata[2]:.1%}<br>%{customdata[0]}<extra></extra>",
    )
    named = zip(places, found.bots, strict=True)
    names = [f"{at} {figures.label(wording.bot(bot))}" for at, bot in named]
    axis = {"type": "category", "showgrid": False, "categoryarray": places}
    return figures.plot(
        [heat],
        height=max(260, 96 + _CELL_PX * size),
        xaxis={**axis, "title": figures.heading("Opponent, by its number"), "tickangle": 0},
        yaxis={**axis, "range": [size - 0.5, -0.5], "tickvals": places, "ticktext": names},
    )


def seats_finding(seats: Sequence[SeatLine]) -> str:
    """Returns a sentence, without a full stop, on the seat that is worth most."""
    clear = [one for one in seats if not one.ci95[0] <= 0.5 <= one.ci95[1]]
    if not clear:
        return "No seat shows an advantage: every interval contains 50%"
    best = max(clear, key=lambda one: abs(one.share - 0.5))
    several = len({one.players for one in seats}) > 1
    table = f" at tables of {best.players}" if several else ""
    kind = "an advantage" if best.share > 0.5 else "a disadvantage"
    measured = wording.share(best.share, best.ci95)
    return f"The {seat_name(best)} seat is {kind}{table}: it takes {measured} of the points"


def seat_name(one: SeatLine) -> str:
    """Returns "first" for seat 0, and so on."""
    return _ORDINALS[one.seat] if one.seat < len(_ORDINALS) else f"{one.seat + 1}th"


def seats(lines: Sequence[SeatLine]) -> go.Figure:
    """Returns a figure of the share of the points that each seat takes, with its interval."""
    import plotly.graph_objects as go

    several = len({one.players for one in lines}) > 1
    names = [f"{seat_name(one)}{f' of {one.players}' if several else ''}" for one in lines]
    spread = go.Scatter(
        mode="lines",
        x=[end for one in lines for end in (*one.ci95, None)],
        y=[end for name in names for end in (name, name, None)],
        line={"color": figures.COLOURS[0], "width": 8},
        opacity=0.35,
        hoverinfo="skip",
    )
    points = go.Scatter(
        mode="markers",
        x=[one.share for one in lines],
        y=names,
        marker={"size": 10, "color": figures.COLOURS[0]},
        customdata=[[wording.plural(one.bouts, "bout"), *one.ci95] for one in lines],
        hovertemplate="%{y} seat: %{x:.1%}<br>95% interval %{customdata[1]:.1%} to "
        "%{customdata[2]:.1%}<br>%{customdata[0]}<extra></extra>",
    )
    ends = [end for one in lines for end in one.ci95]
    reach = 1.1 * max([0.05, *(abs(end - 0.5) for end in ends)])
    return figures.plot(
        [spread, points],
        height=84 + 34 * max(1, len(lines)),
        xaxis={
            "title": figures.heading("Share of the points"),
            "tickformat": ".0%",
            "range": [0.5 - reach, 0.5 + reach],
            "zeroline": False,
        },
        yaxis={"type": "category", "range": [len(lines) - 0.5, -0.5], "showgrid": False},
        shapes=[
            {
                "type": "line",
                "x0": 0.5,
                "x1": 0.5,
                "yref": "paper",
                "y0": 0,
                "y1": 1,
                "line": {"color": figures.COLOURS[-1], "width": 1.5, "dash": "dash"},
            }
        ],
    )


def lengths_finding(lines: Sequence[LengthLine]) -> str:
    """Returns a sentence, without a full stop, on the lengths of the middle half of the bouts."""
    if not lines:
        return "The moves of no bout have been counted yet"
    low, middle, high = (_quantile(lines, at) for at in (0.25, 0.5, 0.75))
    if low == high:
        return f"Half of all bouts or more take {wording.plural(middle, 'move')}"
    return f"Half of all bouts take {low:,} to {high:,} moves; the median is {middle:,}"


def bars(lines: Sequence[LengthLine]) -> list[Bar]:
    """Returns the bouts by their number of moves, in at most `BINS` bars of the same width."""
    if not lines:
        return []
    low, high = lines[0].moves, lines[-1].moves
    width = -(-(high - low + 1) // BINS)
    counts: dict[int, int] = {}
    for one in lines:
        start = low + (one.moves - low) // width * width
        counts[start] = counts.get(start, 0) + one.bouts
    return [Bar(start, start + width - 1, bouts) for start, bouts in counts.items()]


def lengths(lines: Sequence[LengthLine]) -> go.Figure:
    """Returns a figure of the number of bouts by their number of moves."""
    import plotly.graph_objects as go

    drawn = bars(lines)
    width = drawn[0].high - drawn[0].low + 1 if drawn else 1
    return figures.plot(
        [
            go.Bar(
                x=[(bar.low + bar.high) / 2 for bar in drawn],
                y=[bar.bouts for bar in drawn],
                width=[0.9 * width] * len(drawn),
                marker={"color": figures.COLOURS[0]},
                customdata=[[_moves(bar), wording.plural(bar.bouts, "bout")] for bar in drawn],
                hovertemplate="%{customdata[0]}<br>%{customdata[1]}<extra></extra>",
            )
        ],
        height=300,
        xaxis={"title": figures.heading("Moves of a bout")},
        yaxis={"title": figures.heading("Bouts"), "rangemode": "tozero"},
    )


def _moves(bar: Bar) -> str:
    if bar.low == bar.high:
        return wording.plural(bar.low, "move")
    return f"{bar.low:,} to {bar.high:,} moves"


def _quantile(lines: Sequence[LengthLine], at: float) -> int:
    left = at * sum(one.bouts for one in lines)
    for one in lines:
        left -= one.bouts
        if left <= 0:
            return one.moves
    return lines[-1].moves

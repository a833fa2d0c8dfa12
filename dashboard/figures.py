"""Turns rows into Plotly figures, which Plotly checks. Pure; all figures share one layout.

The first figure imports Plotly, so a process that draws none does not spend time on it.

Draws uncertainty as an interval with the point on top of it. The page sets the colours of text and
grid, because it knows whether it is light or dark. Labels contain no markup, so a figure works
under a content policy without inline styles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice, product, takewhile
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from dashboard import wording

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from matchbox.answers import Interval
    from matchbox.answers.comparisons import Comparison
    from matchbox.answers.standings import Board, BoardLine

COLOURS: Final = ("#0077bb", "#d9601a", "#009988", "#e0317a", "#7a6fd0", "#7d8a00", "#7d7d7d")
"""Distinct for colour-blind readers, with a contrast of at least 3:1 on light and dark pages."""
SYMBOLS: Final = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross")
"""With these, each bot of a leaderboard's figure has a mark of its own."""
FONT: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif"
DRAWN: Final = 40
"""The largest number of bots in a leaderboard's figure; the table shows all."""
_PERSON: Final = b"1108"
"""The hash's personalization; with it, no two shipped players of a game share a colour."""
_ROW_PX: Final = 30
_FRAME_PX: Final = 84
_HEAD, _TAIL = 10, 15
"""The letters that a long label keeps; bots of one owner often differ only at the end."""
_INVISIBLE: Final = {"<": "‹", ">": "›", "&": "＆"}


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure in the form in which a page sends it. It is made once and sent often."""

    height: int
    json: str

    @classmethod
    def of(cls, figure: go.Figure) -> Drawn:
        """Returns the figure as a page sends it."""
        return cls(figure.layout.height, figure.to_json())


class _Measured(NamedTuple):
    """A line of a board with the value that ranks it, and the 95% interval of that value."""

    line: BoardLine
    value: float
    interval: Interval | None


class Mark(NamedTuple):
    """The look of a bot in a figure."""

    colour: str
    symbol: str
    """Plotly's name for it."""


def colour(bot: str) -> str:
    """Returns the bot's own colour."""
    drawn = blake2b(bot.encode(), digest_size=8, person=_PERSON).digest()
    return COLOURS[int.from_bytes(drawn) % len(COLOURS)]


def marks(bots: Iterable[str]) -> dict[str, Mark]:
    """Returns a mark for each of the bots, which no other has while there are free ones.

    A bot has its own colour, or the next free one if another bot has it; once no colour is free,
    bots get another symbol. The order of the bots changes nothing.
    """
    alike = Counter[str]()
    turns: list[tuple[int, str]] = []
    for bot in sorted(set(bots)):
        turns.append((alike[colour(bot)], bot))
        alike[colour(bot)] += 1
    given: dict[str, Mark] = {}
    for _, bot in sorted(turns):
        own, taken = COLOURS.index(colour(bot)), set(given.values())
        turned = (*COLOURS[own:], *COLOURS[:own])
        every = (Mark(tint, symbol) for symbol, tint in product(SYMBOLS, turned))
        given[bot] = next(
            (mark for mark in every if mark not in taken), Mark(turned[0], SYMBOLS[0])
        )
    return given


def board_tints(board: Board) -> dict[str, str]:
    """Returns the colours of the bots in the leaderboard's figure."""
    bots = (one.line.bot for one in islice(_measured(board), DRAWN))
    return {bot: mark.colour for bot, mark in marks(bots).items()}


def label(text: str) -> str:
    """Returns the text for Plotly, shortened in its middle and without markup."""
    plain = _plain(text)
    return plain if len(plain) <= _HEAD + 1 + _TAIL else f"{plain[:_HEAD]}…{plain[-_TAIL:]}"


def finding(board: Board) -> str:
    """Returns a sentence that names the bot in the lead, and says how certain the lead is."""
    best = takewhile(lambda one: one.line.rank == 1, _measured(board))
    level = [wording.bot(one.line.bot) for one in best]
    if not level:
        return "Nobody has been rated yet"
    able = (line for line in board.lines if line.matches or not line.out)
    first = [line for line in able if line.rank_range[0] == 1]
    leader = wording.bot(board.lines[0].bot)
    if len(level) > 1:
        return f"{' and '.join(level) if len(level) == 2 else f'{len(level)} bots'} share the lead"
    if len(first) == 1:
        return f"{leader} leads, and we are sure"
    if len(first) == 2:
        other = wording.bot(next(line.bot for line in first if line is not board.lines[0]))
        return f"{leader} leads, but {other} may be as strong"
    return f"{leader} leads, but {len(first)} bots may be first"


def leaderboard(board: Board) -> go.Figure:
    """Returns a figure of each bot's strength with its 95% interval, the best on top."""
    measured = list(islice(_measured(board), DRAWN))
    unit, digits = _unit(board)
    bots = [one.line.bot for one in measured]
    looks = marks(bots)
    return plot(
        [*_intervals(measured, looks), _points(measured, looks, unit, digits)],
        height=_FRAME_PX + _ROW_PX * max(1, len(measured)),
        xaxis={
            "title": heading(unit),
            "zeroline": False,
            "range": _reach(measured),
            "nticks": 4,  # few enough to stand side by side on a phone
            "tickangle": 0,
        },
        yaxis={
            "range": [max(1, len(bots)) - 0.5, -0.5],
            "type": "category",
            "categoryorder": "array",
            "categoryarray": [_plain(bot) for bot in bots],
            "tickvals": [_plain(bot) for bot in bots],
            "ticktext": [label(wording.bot(bot)) for bot in bots],
            "showgrid": False,
            "automargin": True,
            "ticklabelstandoff": 8,
        },
    )


def walk(comparison: Comparison) -> go.Figure:
    """Returns a figure of a comparison after each batch.

    It shows the log likelihood ratio between the two bounds at which the comparison ends, or else
    the difference so far.
    """
    import plotly.graph_objects as go

    looks = [(0, 0.0), *((bouts, value) for bouts, value in comparison.looks)]
    ends = comparison.llr_bounds or [0.0]
    title = "Log likelihood ratio" if comparison.llr_bounds else "Difference, points a bout"
    last = looks[-1][0] or 1
    line = go.Scatter(
        mode="lines+markers",
        x=[bouts for bouts, _ in looks],
        y=[value for _, value in looks],
        line={"color": COLOURS[0], "width": 2.5},
        hovertemplate="%{x} bouts: %{y:.3f}<extra></extra>",
    )
    bounds = [
        go.Scatter(
            mode="lines",
            x=[0, last],
            y=[end, end],
            line={"color": COLOURS[-1], "width": 1.5, "dash": "dash"},
            hovertemplate="%{y:.2f}<extra></extra>",
        )
        for end in ends
    ]
    return plot(
        [line, *bounds],
        height=280,
        xaxis={"title": heading("Bouts"), "rangemode": "tozero"},
        yaxis={"title": heading(title)},
        annotations=[] if comparison.looks else [_note("No batch is over yet.")],
    )


def _note(text: str) -> dict[str, Any]:
    """Returns a note in a figure that has nothing to show yet."""
    place = {"xref": "paper", "yref": "paper", "x": 0.5, "y": 0.75}
    return {"text": text, "showarrow": False, **place}


def _plain(text: str) -> str:
    """Returns the text without markup."""
    return "".join(_INVISIBLE.get(letter, letter) for letter in text)


def _measured(board: Board) -> Iterator[_Measured]:
    """Returns the lines that have a value, the best first."""
    by_elo = not board.cooperative and board.by != "borda"
    for line in board.lines:
        value, interval = (line.elo, line.ci95) if by_elo else (line.score, line.score_ci95)
        if value is not None:
            yield _Measured(line, value, interval)


def _unit(board: Board) -> tuple[str, int]:
    """Returns the unit of the figure, and its number of decimals."""
    if board.cooperative:
        return "Score per bout", 1
    return ("Expected share of points", 3) if board.by == "borda" else ("Elo", 0)


def _reach(measured: Iterable[_Measured]) -> list[float] | None:
    """Returns a range from a little below the lowest interval to a little above the highest."""
    ends = [end for one in measured for end in (one.interval or [one.value])]
    if not ends:
        return None
    margin = 0.04 * (max(ends) - min(ends)) or 1
    return [min(ends) - margin, max(ends) + margin]


def _intervals(measured: Iterable[_Measured], looks: Mapping[str, Mark]) -> list[go.Scatter]:
    """Returns one trace for each colour, with a thick line for each interval."""
    import plotly.graph_objects as go

    ends: dict[str, tuple[list[float | None], list[str | None]]] = {}
    for line, _, interval in measured:
        if interval is None:
            continue
        x, y = ends.setdefault(looks[line.bot].colour, ([], []))
        x.extend((*interval, None))
        y.extend((_plain(line.bot), _plain(line.bot), None))
    return [
        go.Scatter(
            mode="lines", x=x, y=y, line={"color": tint, "width": 8}, opacity=0.35, hoverinfo="skip"
        )
        for tint, (x, y) in ends.items()
    ]


def _points(
    measured: Sequence[_Measured], looks: Mapping[str, Mark], unit: str, digits: int
) -> go.Scatter:
    """Returns the estimates, hollow while provisional, with the counts on hover."""
    import plotly.graph_objects as go

    lines = [one.line for one in measured]
    tints = [looks[line.bot].colour for line in lines]
    symbols = [looks[line.bot].symbol for line in lines]
    hollow = ["-open" if line.provisional else "" for line in lines]
    return go.Scatter(
        mode="markers",
        x=[one.value for one in measured],
        y=[_plain(line.bot) for line in lines],
        marker={
            "size": 10,
            "color": tints,
            "symbol": list(map(str.__add__, symbols, hollow)),
            "line": {"width": 2.5, "color": tints},
        },
        customdata=[_hover(one, unit, digits) for one in measured],
        hovertemplate="%{customdata[2]}<br>%{customdata[0]}<br>%{customdata[1]}<extra></extra>",
    )


def _hover(measured: _Measured, unit: str, digits: int) -> list[str]:
    line, value, ends = measured
    spread = f" ({ends[0]:.{digits}f} to {ends[1]:.{digits}f})" if ends else ""
    counts = wording.plural(line.matches, "match", "matches")
    if line.wins or line.draws or line.losses:  # A team wins and loses nothing.
        counts += f": {line.wins} won, {line.draws} drawn, {line.losses} lost"
    bouts = (line.bout_wins, line.bout_draws, line.bout_losses)
    if any(bouts):
        counts += f"<br>bouts: {bouts[0]} won, {bouts[1]} drawn, {bouts[2]} lost"
    if line.forfeits:
        counts += f"<br>{wording.plural(line.forfeits, 'bout')} forfeited"
    if line.provisional:
        counts += "<br>provisional"
    name = _plain(wording.bot(line.bot))
    return [f"{unit} {value:.{digits}f}{spread}", counts, name]


def heading(text: str) -> dict[str, Any]:
    """Returns the title of an axis."""
    return {"text": text, "font": {"family": FONT, "size": 14}}


def plot(traces: Sequence[Any], **own: Any) -> go.Figure:
    """Returns a figure of the traces with the layout that all figures share, and `own` on top.

    Raises ValueError where Plotly knows no such property, or refuses its value.
    """
    import plotly.graph_objects as go

    axis = {"fixedrange": True, "ticks": "", "automargin": True}
    shared = {
        "template": "none",  # Plotly's own would add 6 kB to the page
        "font": {"family": FONT, "size": 14},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "margin": {"l": 8, "r": 16, "t": 8, "b": 48},
        "hovermode": "closest",
        "hoverlabel": {"align": "left", "font": {"family": FONT, "size": 13}},
        "dragmode": False,
        "showlegend": False,
    }
    axes = {name: {**axis, **own.get(name, {})} for name in ("xaxis", "yaxis")}
    return go.Figure(traces, {**shared, **own, **axes})

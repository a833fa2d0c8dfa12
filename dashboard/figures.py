"""Rows to Plotly figures, as JSON-ready dicts: pure, one template for all.

Knows how uncertainty is drawn: the interval first, the point upon it. Colours of text and grid are
left to the page, which knows whether it is light or dark; labels hold no markup, so that a figure
can be drawn under a content policy without inline styles.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any, Final, TypeAlias

Figure: TypeAlias = "dict[str, Any]"
Line: TypeAlias = "dict[str, Any]"

COLOURS: Final = ("#0077bb", "#d9601a", "#009988", "#e0317a", "#7a6fd0", "#7d8a00", "#7d7d7d")
"""Told apart by the colour-blind, and at least 3:1 against a light and a dark page."""
FONT: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif"
DRAWN: Final = 40
"""A leaderboard's figure stops after so many bots; the table has all."""
_PERSON: Final = b"28"
"""The first number under which the shipped players of a game do not share colours."""
_ROW_PX: Final = 30
_FRAME_PX: Final = 84
_LABEL: Final = 34
_INVISIBLE: Final = {"<": "‹", ">": "›", "&": "＆"}


def colour(bot: str) -> str:
    """The bot's colour: the same on every figure, whoever else is on it."""
    drawn = blake2b(bot.encode(), digest_size=8, person=_PERSON).digest()
    return COLOURS[int.from_bytes(drawn) % len(COLOURS)]


def label(text: str) -> str:
    """The text as Plotly shows it: without markup, not too long."""
    plain = "".join(_INVISIBLE.get(letter, letter) for letter in text)
    return plain if len(plain) <= _LABEL else plain[: _LABEL - 1] + "…"


def finding(board: Figure) -> str:
    """What a leaderboard says, in a sentence: who leads, and how sure we are."""
    lines = _measured(board)
    if not lines:
        return "Nobody has been rated yet"
    first = [line for line in board["lines"] if line["rank_range"][0] == 1]
    leader = board["lines"][0]["bot"]
    level = [line["bot"] for line in lines if line["rank"] == 1]
    if len(level) > 1:
        return f"{' and '.join(level) if len(level) == 2 else f'{len(level)} bots'} share the lead"
    if len(first) == 1:
        return f"{leader} leads, and we are sure"
    if len(first) == 2:
        other = next(line["bot"] for line in first if line["bot"] != leader)
        return f"{leader} leads, but {other} may be as strong"
    return f"{leader} leads, but {len(first)} bots may be first"


def leaderboard(board: Figure) -> Figure:
    """Each bot's strength with its 95% interval, best on top. `board` is as Source tells it."""
    lines = _measured(board)[:DRAWN]
    unit = "Score per bout" if board["cooperative"] else _unit(board)
    return {
        "data": [*_intervals(lines, board), _points(lines, board, unit)],
        "layout": layout(
            height=_FRAME_PX + _ROW_PX * max(1, len(lines)),
            xaxis={
                "title": heading(unit),
                "zeroline": False,
                "range": _reach(lines, board),
            },
            yaxis={
                "autorange": "reversed",
                "type": "category",
                "categoryorder": "array",
                "categoryarray": [_name(line) for line in lines],
                "showgrid": False,
                "automargin": True,
                "ticklabelstandoff": 8,
            },
        ),
    }


def walk(comparison: Figure) -> Figure:
    """What a comparison showed after each batch: its log likelihood ratio between the two at which
    it ends, or the difference so far. `comparison` is as Source tells it."""
    looks = [(0, 0.0), *((games, value) for games, value in comparison["looks"])]
    ends = comparison["llr_bounds"] or [0.0]
    title = "Log likelihood ratio" if comparison["llr_bounds"] else "Difference, points a game"
    last = looks[-1][0] or 1
    return {
        "data": [
            {
                "type": "scatter",
                "mode": "lines+markers",
                "x": [games for games, _ in looks],
                "y": [value for _, value in looks],
                "line": {"color": COLOURS[0], "width": 2.5},
                "hovertemplate": "%{x} games: %{y:.3f}<extra></extra>",
                "showlegend": False,
            },
            *(
                {
                    "type": "scatter",
                    "mode": "lines",
                    "x": [0, last],
                    "y": [end, end],
                    "line": {"color": COLOURS[-1], "width": 1.5, "dash": "dash"},
                    "hovertemplate": "%{y:.2f}<extra></extra>",
                    "showlegend": False,
                }
                for end in ends
            ),
        ],
        "layout": layout(
            height=280,
            xaxis={"title": heading("Games"), "rangemode": "tozero"},
            yaxis={"title": heading(title)},
        ),
    }


def _measured(board: Figure) -> list[Line]:
    """The lines that have something to draw."""
    value, _ = _keys(board)
    return [line for line in board["lines"] if line[value] is not None]


def _keys(board: Figure) -> tuple[str, str]:
    """The names of a line's value and of its interval."""
    by_elo = not board["cooperative"] and board.get("by") != "borda"
    return ("elo", "ci95") if by_elo else ("score", "score_ci95")


def _unit(board: Figure) -> str:
    return "Expected share of points" if board.get("by") == "borda" else "Elo"


def _reach(lines: Iterable[Line], board: Figure) -> list[float] | None:
    """From a little below the lowest bar to a little above the highest."""
    value, interval = _keys(board)
    ends = [end for line in lines for end in (line[interval] or [line[value]])]
    if not ends:
        return None
    margin = 0.04 * (max(ends) - min(ends)) or 1
    return [min(ends) - margin, max(ends) + margin]


def _intervals(lines: Iterable[Line], board: Figure) -> list[Figure]:
    """One trace a colour: a thick line for each interval."""
    _, interval = _keys(board)
    ends: dict[str, tuple[list[float | None], list[str | None]]] = {}
    for line in lines:
        if line[interval] is None:
            continue
        x, y = ends.setdefault(colour(line["bot"]), ([], []))
        x.extend((*line[interval], None))
        y.extend((_name(line), _name(line), None))
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "x": x,
            "y": y,
            "line": {"color": tint, "width": 8},
            "opacity": 0.35,
            "hoverinfo": "skip",
            "showlegend": False,
        }
        for tint, (x, y) in ends.items()
    ]


def _points(lines: list[Line], board: Figure, unit: str) -> Figure:
    """The estimates, hollow while they are provisional, with the counts on hover."""
    value, _ = _keys(board)
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [line[value] for line in lines],
        "y": [_name(line) for line in lines],
        "marker": {
            "size": 12,
            "color": [colour(line["bot"]) for line in lines],
            "symbol": ["circle-open" if line["provisional"] else "circle" for line in lines],
            "line": {"width": 2.5, "color": [colour(line["bot"]) for line in lines]},
        },
        "customdata": [_hover(line, board, unit) for line in lines],
        "hovertemplate": "%{y}<br>%{customdata[0]}<br>%{customdata[1]}<extra></extra>",
        "showlegend": False,
    }


def _hover(line: Line, board: Figure, unit: str) -> list[str]:
    value, interval = _keys(board)
    digits = 1 if board["cooperative"] else 3 if value == "score" else 0
    low_high = line[interval]
    spread = f" ({low_high[0]:.{digits}f} to {low_high[1]:.{digits}f})" if low_high else ""
    counts = f"{line['matches']} matches: {line['wins']} won, {line['draws']} drawn, "
    counts += f"{line['losses']} lost"
    if line["forfeits"]:
        counts += f"<br>{line['forfeits']} bouts forfeited"
    if line["provisional"]:
        counts += "<br>provisional"
    return [f"{unit} {line[value]:.{digits}f}{spread}", counts]


def _name(line: Line) -> str:
    return label(str(line["bot"]))


def heading(text: str) -> Figure:
    """The title of an axis."""
    return {"text": text, "font": {"family": FONT, "size": 14}}


def layout(**own: Any) -> Figure:
    """The template that every figure shares."""
    axis = {"fixedrange": True, "ticks": "", "automargin": True}
    return {
        "font": {"family": FONT, "size": 14},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "margin": {"l": 8, "r": 16, "t": 8, "b": 48},
        "hovermode": "closest",
        "hoverlabel": {"align": "left", "font": {"family": FONT, "size": 13}},
        "dragmode": False,
        "showlegend": False,
        **own,
        "xaxis": {**axis, **own.get("xaxis", {})},
        "yaxis": {**axis, **own.get("yaxis", {})},
    }

"""The cross table of a season: how each bot did against each other one, best first.

Up to 60 bots are shown whole. If there are more, the reader chooses the bots in the lines and those
in the columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from flask import render_template

from dashboard.draw_cache import cached

if TYPE_CHECKING:
    from markupsafe import Markup

    from dashboard.source import Source
    from matchbox.answers import Interval
    from matchbox.answers.courses import Meeting
    from matchbox.answers.standings import Board, BoardLine

MAX_BOTS: Final = 60
"""The most bots in the lines of a table, and in its columns."""


class Cell(NamedTuple):
    """A bot's result against another one: its share with the 95% interval, and the number of their
    bouts."""

    share: float
    ci95: Interval | None
    bouts: int
    shade: int
    """The shade of the cell, from 0 (everything lost) to 4 (everything won)."""


class Crossed(NamedTuple):
    """A line of the table, with its place on the board; a cell is None where the two have not
    met."""

    place: int
    bot: str
    cells: list[Cell | None]


class Part(NamedTuple):
    """A part of the board, from the first place to the last."""

    number: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class CrossTable:
    """The cross table of a season, drawn, and the parts that may be chosen instead."""

    table: Markup
    bots: int
    parts: Sequence[Part]
    """The parts of the list of all bots; only one if the table is whole."""
    rows: int
    columns: int
    """The numbers of the parts that are shown."""


def cross_table(
    source: Source, season: int, board: Board, rows: int, columns: int
) -> CrossTable | None:
    """Returns the table of these parts, from 1; None for teams, and before any result."""
    if board.cooperative or not board.matches or len(board.lines) < 2:
        return None
    parts = _parts(len(board.lines))
    chosen, others = (parts[min(max(one, 1), len(parts)) - 1] for one in (rows, columns))
    down, across = (board.lines[one.first - 1 : one.last] for one in (chosen, others))
    names = tuple(tuple(line.bot for line in lines) for lines in (down, across))

    def draw() -> str:
        met = source.season_meetings(
            season, [line.version_id for line in down], [line.version_id for line in across]
        )
        lines = crossed(down, across, met, chosen.first)
        of_columns = list(enumerate(names[1], others.first))
        return render_template("season_cross.html", lines=lines, columns=of_columns)

    key = (source, season, board.rows_digest, board.computed_at, chosen, others, names)
    table = cached(key, draw)  # once for each standing: it may have thousands of cells
    return CrossTable(table, len(board.lines), parts, chosen.number, others.number)


def crossed(
    rows: Sequence[BoardLine],
    columns: Sequence[BoardLine],
    meetings: Sequence[Meeting],
    first: int = 1,
) -> list[Crossed]:
    """Returns the lines of the table; `first` is the place of the first one."""
    met = {(one.first, one.second): one for one in meetings}
    return [
        Crossed(place, line.bot, [_cell(met, line, other) for other in columns])
        for place, line in enumerate(rows, first)
    ]


def _cell(met: Mapping[tuple[int, int], Meeting], line: BoardLine, other: BoardLine) -> Cell | None:
    one = met.get((line.version_id, other.version_id))
    return Cell(one.share, one.ci95, one.bouts, min(int(5 * one.share), 4)) if one else None


def _parts(bots: int) -> list[Part]:
    """Returns the parts of a board of that many bots; their sizes differ by one at most."""
    count = -(-bots // MAX_BOTS)
    ends = [bots * number // count for number in range(count + 1)]
    return [Part(at, first + 1, last) for at, (first, last) in enumerate(pairwise(ends), 1)]

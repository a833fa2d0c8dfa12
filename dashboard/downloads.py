"""Answers as files: as CSV, with a column for each field and two more for an interval, or as JSON.

A file is made in parts while it is sent, so a long one begins as soon as a short one. Pure.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pydantic import TypeAdapter

from matchbox.answers.classes import AuthorResult
from matchbox.answers.standings import BoardLine, RatingPoint

if TYPE_CHECKING:
    from matchbox.answers import Answer
    from matchbox.answers.classes import AuthorResults
    from matchbox.answers.standings import Board

Item = TypeVar("Item")
PART: Final = 100
"""The number of lines of a file that are made at a time."""
INTERVALS: Final = {
    "rank_range": "rank",
    "ci95": "elo",
    "score_ci95": "score",
    "mixed_range": "mixed_rank",
    "mixed_ci95": "mixed_score",
}
"""The fields that are intervals, with the prefix of the two columns for their ends."""
_FIRST: Final = ("rank", "rank_range", "bot", "version", "elo", "ci95", "score", "score_ci95")
_LEFT_OUT: Final = ("owner", "name", "version_id")
"""Fields without a column: `bot` contains them, or only the API needs them."""
_LINE: Final = tuple(field.name for field in fields(BoardLine))
BOARD: Final = (*_FIRST, *(name for name in _LINE if name not in (*_FIRST, *_LEFT_OUT)))
"""The fields of a line in a board's CSV, which is read by the names of its columns."""
_LINES: Final = TypeAdapter(list[Any])
_SHARE_ENDS: Final = {"ci95": ("share_low", "share_high")}
RATINGS: Final = tuple(RatingPoint.model_fields)
"""The fields of a point in the CSV of a bot's ratings."""

AUTHORS: Final = tuple(AuthorResult.model_fields)
"""The fields of an author in the CSV of a league's results."""


def board_csv(board: Board) -> Iterator[str]:
    """Returns the leaderboard with a header line. The last column names the figure that ranks."""
    return _written(
        [*_columns(BOARD), "by"], ([*_cells(line, BOARD), board.by] for line in board.lines)
    )


def ratings_csv(points: Iterable[RatingPoint]) -> Iterator[str]:
    """Returns the points of a bot's ratings, with a header line."""
    return _written(_columns(RATINGS), (_cells(point, RATINGS) for point in points))


def author_results_csv(results: AuthorResults) -> Iterator[str]:
    """Returns the authors' results with a header line. The last column names the ranking figure."""
    rows = ([*_cells(one, AUTHORS), results.by] for one in results.items)
    return _written([*_columns(AUTHORS), "by"], rows)


def lines_csv(kind: type[Answer], lines: Iterable[Answer]) -> Iterator[str]:
    """Returns the lines of a figure's data, all of this class, with a header line."""
    names = tuple(kind.model_fields)
    header = [end for name in names for end in _SHARE_ENDS.get(name, (name,))]
    rows = ([cell for name in names for cell in _flat(getattr(line, name))] for line in lines)
    return _written(header, rows)


def lines_json(lines: Iterable[Answer]) -> Iterator[str]:
    """Returns the lines of a figure's data as a JSON array."""
    texts = (one.json_text() for one in lines)
    yield "["
    before = ""
    for part in _parts(texts):
        yield before + ",\n".join(part)
        before = ",\n"
    yield "]\n"


def long_json(answer: Answer, name: str, lines: Iterable[object]) -> Iterator[str]:
    """Returns the answer's `json_text` with these lines as its list `name`, made in parts."""
    empty = f'"{name}":['
    before, _, after = answer.model_copy(update={name: []}).json_text().partition(f"{empty}]")
    yield before + empty
    comma = ""
    for part in _parts(lines):
        yield comma + _LINES.dump_json(part, exclude_unset=True).decode()[1:-1]
        comma = ","
    yield f"]{after}"


def _parts(items: Iterable[Item]) -> Iterator[list[Item]]:
    left = iter(items)
    while part := list(islice(left, PART)):
        yield part


def _flat(value: object) -> Sequence[object]:
    return value if isinstance(value, tuple) else (value,)


def _columns(names: Iterable[str]) -> list[str]:
    ends = {name: (f"{of}_low", f"{of}_high") for name, of in INTERVALS.items()}
    return [column for name in names for column in ends.get(name, (name,))]


def _cells(
    answer: BoardLine | RatingPoint | AuthorResult, names: Iterable[str]
) -> Iterator[object]:
    for name in names:
        value = getattr(answer, name)
        if name in INTERVALS:
            yield from value if value is not None else (None, None)
        else:
            yield int(value) if isinstance(value, bool) else value


def _written(header: Sequence[str], rows: Iterable[Iterable[object]]) -> Iterator[str]:
    for part in _parts(chain([header], rows)):
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(part)
        yield out.getvalue()

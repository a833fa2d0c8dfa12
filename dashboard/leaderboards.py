"""The pages of a leaderboard: the board, its pairs, and its seats and lengths.

Knows addresses and templates, like dashboard.pages; the source has the answers. A long
board is shown 50 bots at a time; its CSV and JSON are whole.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final
from urllib.parse import urlencode

from flask import Response, make_response, render_template, request
from markupsafe import Markup

from dashboard import board_figures, downloads, evidence, figures, sparklines
from dashboard.draw_cache import DrawCache
from dashboard.figures import Drawn
from dashboard.responses import PageResponse, csv_file, json_response
from dashboard.source import Source
from dashboard.tabs import page_of
from matchbox.answers import Answer
from matchbox.answers.board_figures import LengthLine, PairLine, SeatLine
from matchbox.answers.standings import Board, BoardLine

WHOLE: Final = 200
"""A board of at most this many bots is shown whole."""
PAGE_SIZE: Final = 50
"""The number of bots on a page of a longer board."""
TOPS: Final = (20, 40, 60)
"""The numbers of bots that the map of pairs may show."""
LISTED: Final = 100
"""The number of pairs in the table beside the map."""
NAMED: Final = 5
"""The number of the viewer's own bots that are named above a board."""
TABLES: Final = 8
"""The number of tables of a board that are cached."""
_PARTS: Final[dict[str, type[Answer]]] = {
    "pairs": PairLine,
    "seats": SeatLine,
    "lengths": LengthLine,
}
"""The data of the figures that can be downloaded, with the class of its lines."""
_FIGURES: Final = DrawCache[Drawn](64)
"""The figures of boards that were drawn lately."""
_YEAR: Final = 365 * 24 * 3600
_COOKIE: Final = "columns"


def rules(source: Source) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yields every address with its view; the view's name is the endpoint."""
    pages = _Pages(source)
    yield "/leaderboards/<game>", pages.leaderboard
    yield "/leaderboards/<game>.csv", pages.leaderboard_csv
    yield "/leaderboards/<game>.json", pages.leaderboard_json
    yield "/leaderboards/<game>/pairs", pages.leaderboard_pairs
    yield "/leaderboards/<game>/bouts", pages.leaderboard_bouts
    for part, kind in _PARTS.items():
        for ending, view in pages.data(part, kind).items():
            yield f"/leaderboards/<game>/{part}.{ending}", view


class _Pages:
    """The views: one method for each address, which returns the page."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def leaderboard(self, game: str) -> PageResponse:
        stamp = self.source.board_stamp(game)  # Read first: the board may be newer, never older.
        if (seen := request.args.get("seen")) and seen == stamp:
            return Response(status=204)  # nothing has changed since the page was sent
        board = self.source.leaderboard(game)
        viewer = self.source.viewer()
        whole = whole_of(board)
        page = Shown.of(board, whole, viewer.name if viewer else None)
        trails = self.source.rating_trails(game, [line.version_id for line in page.lines])
        sparks = {
            line.version_id: _small_line(board, line, trails[line.version_id])
            for line in page.lines
            if line.version_id in trails
        }
        own = viewer.name if viewer and viewer.name in whole.places else ""
        return render_template(
            "leaderboard.html",
            **values(board, whole.finding),
            stamp=stamp,
            page=page,
            whole=whole,
            sparks=sparks,
            table=_table(board, whole, page.lines, sparks, own) if page.lines else "",
        )

    def leaderboard_csv(self, game: str) -> Response:
        return csv_file(downloads.board_csv(self.source.leaderboard(game)), game)

    def leaderboard_json(self, game: str) -> Response:
        board = self.source.leaderboard(game)
        return json_response(downloads.long_json(board, "lines", board.lines))

    def leaderboard_pairs(self, game: str) -> str:
        board = self.source.leaderboard(game)
        top = request.args.get("top", TOPS[0], int)
        top = top if top in TOPS else TOPS[0]
        page, pages = page_of(request.args.get("page", 1, int), len(board.lines), top)
        after = (page - 1) * top
        found = self.source.board_figures(game, top, after)
        figure = _FIGURES.get(
            ("pairs", board.rows_digest, after, tuple(found.bots)),
            lambda: Drawn.of(board_figures.pairs(found, after + 1)),
        )
        return render_template(
            "board_pairs.html",
            board=board,
            found=found,
            figure=figure,
            finding=board_figures.pairs_finding(found),
            listed=_most_one_sided(found.pairs),
            top=top,
            page=page,
            pages=pages,
            tops=[one for at, one in enumerate(TOPS) if not at or TOPS[at - 1] < found.field],
        )

    def leaderboard_bouts(self, game: str) -> str:
        board = self.source.leaderboard(game)
        found = self.source.board_figures(game, 0, 0)
        seats = _FIGURES.get(
            ("seats", board.rows_digest), lambda: Drawn.of(board_figures.seats(found.seats))
        )
        lengths = _FIGURES.get(
            ("lengths", board.rows_digest), lambda: Drawn.of(board_figures.lengths(found.lengths))
        )
        return render_template(
            "board_bouts.html",
            board=board,
            found=found,
            seats=seats,
            seats_finding=board_figures.seats_finding(found.seats),
            seat_names=[board_figures.seat_name(one) for one in found.seats],
            lengths=lengths,
            lengths_finding=board_figures.lengths_finding(found.lengths),
            bars=board_figures.bars(found.lengths),
        )

    def data(self, part: str, kind: type[Answer]) -> dict[str, Callable[[str], Response]]:
        """Returns the views of a figure's data, by the ending of their addresses."""

        def as_csv(game: str) -> Response:
            lines = downloads.lines_csv(kind, self._lines(game, part))
            return csv_file(lines, f"{game}-{part}")

        def as_json(game: str) -> Response:
            return json_response(downloads.lines_json(self._lines(game, part)))

        as_csv.__name__, as_json.__name__ = f"{part}_csv", f"{part}_json"
        return {"csv": as_csv, "json": as_json}

    def _lines(self, game: str, part: str) -> Iterable[Answer]:
        if part == "pairs":
            return self.source.board_pairs(game)
        lines: Sequence[Answer] = getattr(self.source.board_figures(game, 0, 0), part)
        return lines


@dataclass(frozen=True, slots=True)
class Shown:
    """The part of a board that a page shows."""

    lines: Sequence[BoardLine]
    number: int
    """The page, from 1."""
    pages: int
    found: int
    """The number of bots that the search has found; of all bots without a search."""
    wanted: str
    mine: Sequence[tuple[BoardLine, int]]
    """The viewer's own bots, best first, each with the number of its page."""

    @classmethod
    def of(cls, board: Board, whole: Whole, viewer: str | None, part: int | None = None) -> Shown:
        """Returns this part of the board; without a number, the part that the request asks for by
        `q` and `page`."""
        wanted = request.args.get("q", "").strip()[:64] if part is None else ""
        text = wanted.lower()
        found: Sequence[BoardLine] = board.lines
        if text:
            found = [board.lines[at] for at, name in enumerate(whole.names) if text in name]
        page_size = WHOLE if len(board.lines) <= WHOLE else PAGE_SIZE
        asked = request.args.get("page", 1, int) if part is None else part
        number, pages = page_of(asked, len(found), page_size)
        best = whole.places.get(viewer or "", ())[:NAMED]
        mine = [(board.lines[at], 1 + at // page_size) for at in best]
        lines = found[(number - 1) * page_size : number * page_size]
        return cls(lines, number, pages, len(found), wanted, mine)


@dataclass(frozen=True, slots=True)
class Whole:
    """The values that depend on all lines of a board, even if a page shows only some of them."""

    finding: str
    shared: set[int]
    """The ranks that several bots share."""
    champions: bool
    """Whether any line has a probability of being the best."""
    names: Sequence[str]
    """The bots' full names in lower case, in the order of the lines."""
    places: Mapping[str, Sequence[int]]
    """The places of each author's bots among the lines, from 0."""
    tables: dict[Hashable, Markup] = field(default_factory=dict)
    """The tables drawn lately. The key holds everything that changes how a table looks."""


class _Same:
    """A board as the key of a cache. Only the same object is an equal key; its lines never
    change."""

    def __init__(self, board: Board) -> None:
        self.board = board

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.board is self.board

    def __hash__(self) -> int:
        return id(self.board)


def whole_of(board: Board) -> Whole:
    """Returns what depends on all lines of the board."""
    return _whole(_Same(board))


@lru_cache(maxsize=16)
def _whole(one: _Same) -> Whole:
    board = one.board
    places: defaultdict[str, list[int]] = defaultdict(list)
    for at, line in enumerate(board.lines):
        places[line.owner].append(at)
    return Whole(
        finding=figures.finding(board),
        shared=evidence.tied(board),
        champions=evidence.has_champions(board),
        names=[line.bot.lower() for line in board.lines],
        places=dict(places),
    )


def _table(
    board: Board, whole: Whole, lines: Sequence[BoardLine], sparks: Mapping[int, Markup], own: str
) -> Markup:
    """Returns the table of these lines; `own` is the author whose lines are marked, or "".

    It is drawn once for each standing: a hundred lines take longer than the rest of the page.
    """
    shown = tuple(line.version_id for line in lines)
    key = (shown, tuple(sparks.items()), more_columns(), columns_address("more"), own)
    table = whole.tables.get(key)
    if table is None:
        if len(whole.tables) >= TABLES:
            whole.tables.clear()
        parts = {"board": board, "lines": lines, "sparks": sparks, "whole": whole}
        table = whole.tables[key] = Markup(render_template("board_table.html", **parts))
    return table


def values(board: Board, finding: str | None = None) -> dict[str, object]:
    """Returns the template's values for a board: itself, its figure and its finding.

    The bots' names are part of the figure's key, because a deleted author's name changes.
    """
    names = tuple(line.bot for line in board.lines[: figures.DRAWN])
    key = ("strengths", board.rows_digest, board.title, names)
    return {
        "board": board,
        "figure": _FIGURES.get(key, lambda: Drawn.of(figures.leaderboard(board))),
        "finding": figures.finding(board) if finding is None else finding,
        "drawn": figures.DRAWN,
    }


def more_columns() -> bool:
    """Whether the reader wants all columns of a board: by this request, or else by the last
    choice."""
    return request.args.get(_COOKIE, request.cookies.get(_COOKIE)) == "more"


def columns_address(columns: str, path: str | None = None) -> str:
    """Returns the address of this page with these columns, "more" or "few".

    `path` is the page's, if it may answer a form, whose address no GET has.
    """
    left_out = (_COOKIE, "part", "seen")
    kept = {key: one for key, one in request.args.items() if key not in left_out}
    return f"{path or request.path}?{urlencode({**kept, _COOKIE: columns})}#board"


def remember_columns(response: Response) -> Response:
    """Sets the cookie that remembers the reader's choice, if the request makes one."""
    if (chosen := request.args.get(_COOKIE)) in ("more", "few"):
        answer = make_response(response)
        answer.set_cookie(
            _COOKIE, chosen, max_age=_YEAR, httponly=True, samesite="Lax", secure=request.is_secure
        )
        return answer
    return response


def _small_line(board: Board, line: BoardLine, trail: Sequence[float]) -> Markup:
    """Returns the small line of a version's ratings. That of a score is at least as high as its
    95% interval, so that noise looks like noise."""
    values = _until_now(trail, line)
    if not board.cooperative:
        return sparklines.rating(values)
    low, high = line.score_ci95 or (0.0, 0.0)
    return sparklines.rating(values, high - low, digits=1)


def _until_now(trail: Sequence[float], line: BoardLine) -> list[float]:
    """Returns the stored ratings of a version, and the present one if it has moved since."""
    now = line.elo if line.elo is not None else line.score
    return [*trail] if now is None or now in trail[-1:] else [*trail, now]


def _most_one_sided(pairs: Sequence[PairLine]) -> list[PairLine]:
    return sorted(pairs, key=lambda one: -abs(one.share - 0.5))[:LISTED]

"""The page of a season, and the part of it that follows the season while it is played.

Every visitor's page requests that part every few seconds. So it answers "nothing new" without
drawing anything, and is drawn once for all visitors who see the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from flask import Response, render_template, request

from dashboard import figures, leaderboards, seasons
from dashboard.cross_tables import cross_table
from dashboard.draw_cache import cached
from dashboard.responses import PageResponse

if TYPE_CHECKING:
    from dashboard.source import Source
    from matchbox.answers.leagues import Season
    from matchbox.answers.standings import Board

LIVE: Final = "live"
"""The name of the part."""
OVER: Final = "finished"
_PAGES: Final = ("page", "bots", "against", "lines")


class Requested(NamedTuple):
    """The part of a season that the reader wants to see. Numbers count from 1, and need not
    exist."""

    round: int | None
    page: int
    """The page of the round's matches."""
    bots: int
    """The part of the bots in the lines of the cross table; `against` is the part in the
    columns."""
    against: int
    lines: int
    """The page of the standing."""

    @classmethod
    def now(cls) -> Requested:
        """Returns the part that the request names."""
        numbers = (request.args.get(name, 1, int) for name in _PAGES)
        return cls(request.args.get("round", type=int), *numbers)

    @property
    def kept(self) -> dict[str, int]:
        """The arguments of an address for the same part."""
        return {
            name: number
            for name, number in self._asdict().items()
            if number is not None and (name == "round" or number != 1)
        }


def rules(source: Source) -> Iterator[tuple[str, Callable[..., PageResponse]]]:
    """Yields every address with its view; the view's name is the endpoint."""

    def season(season: int) -> PageResponse:
        return _live(source, season) if request.args.get("part") == LIVE else page(source, season)

    yield "/seasons/<int(max=999999999):season>", season


def page(source: Source, season: int, error: str = "") -> str:
    """Returns the page of a season."""
    found, board = source.season(season), source.season_standings(season)
    mine = source.my_bots() if source.viewer() is not None else []
    return render_template(
        "season.html",
        error=error,
        my_bots=mine,
        **_course(source, found, board),
        **_standing(source, found, board),
    )


def _live(source: Source, number: int) -> PageResponse:
    """Returns the parts of the page that have changed since `seen`; 204 if none has.

    Returns an empty text if the season is in another state. The reader's page then loads itself
    again, since what can be done there has changed as well.
    """
    stamp = source.season_stamp(number)
    course, _, standing = request.args.get("seen", "").partition(".")
    same = standing == stamp.standing
    if same and course == stamp.course:
        return Response(status=204)
    if course and _state_of(course) != _state_of(stamp.course):
        return ""

    def draw() -> str:
        season = source.season(number)
        board = None if same else source.season_standings(number)
        values = _course(source, season, board)
        if board is not None:
            values |= _standing(source, season, board)
        return render_template("_season_live.html", **values)

    viewer = None if same else source.viewer()  # A standing marks the viewer's own lines.
    columns = leaderboards.more_columns(), leaderboards.columns_address("more")
    own = (viewer.name if viewer else "", *columns) if not same else None
    return cached((source, number, stamp, Requested.now(), own), draw)


def _state_of(course: str) -> str:
    """Returns the season's state, with which the stamp of a course begins."""
    return course.partition("-")[0]


def _course(source: Source, season: Season, board: Board | None) -> dict[str, object]:
    """Returns the template's values for the state, the bracket and the rounds.

    `board` is needed only for a season that is over.
    """
    requested, stamp = Requested.now(), source.season_stamp(season.id)
    return {
        "season": season,
        "requested": requested,
        "seen": f"{stamp.course}.{stamp.standing}",
        "found": figures.finding(board) if board and season.state == OVER else "",
        **seasons.values(source, season, requested.round, requested.page),
    }


def _standing(source: Source, season: Season, board: Board) -> dict[str, object]:
    """Returns the template's values for the standing and the cross table."""
    requested, viewer, whole = Requested.now(), source.viewer(), leaderboards.whole_of(board)
    return {
        **leaderboards.values(board, whole.finding),
        "whole": whole,
        "part": leaderboards.Shown.of(
            board, whole, viewer.name if viewer else None, requested.lines
        ),
        "cross": cross_table(source, season.id, board, requested.bots, requested.against),
    }

"""The first page: a close match that plays by itself, links for new visitors, the leaders, and the
seasons.

Knows templates, like dashboard.pages; the figures come from the source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from flask import render_template, request

from dashboard import drawings, figures, game_pages
from dashboard.responses import PageResponse
from matchbox.errors import Forbidden, NotFound

if TYPE_CHECKING:
    from dashboard.source import Source
    from matchbox.answers.games import Game
    from matchbox.answers.leagues import SeasonLine
    from matchbox.answers.matches import Bout, MatchLine
    from matchbox.answers.standings import Board

LATEST: Final = 10
MIN_MOVES: Final = 8
MAX_MOVES: Final = 60
"""The most moves of a bout on the stage. Longer ones take too long, much shorter ones show too
little."""
SEASONS: Final = 6
CONSIDERED: Final = 200
"""The page chooses from at most this many of the newest seasons that are not over."""


class Stage(NamedTuple):
    """The match on the stage, and the index of the bout that is played."""

    match: MatchLine
    bout: int
    why: str
    """The reason for the end of the bout."""
    tints: dict[str, str]
    """The colour of each bot, by its name."""


class Top(NamedTuple):
    """A game with its leaderboard, and a sentence on the certainty of the lead."""

    game: Game
    board: Board | None
    finding: str


def rules(source: Source) -> Iterator[tuple[str, Callable[..., PageResponse]]]:
    """Yields every address with its view; the view's name is the endpoint."""

    def home() -> PageResponse:
        latest = source.matches(state="finished", limit=LATEST).items
        latest = sorted(latest, key=lambda one: one.finished_at or "", reverse=True)
        now: dict[str, object] = {
            "queue": source.queue(),
            "running": source.matches(state="running", limit=6).items,
            "latest": latest,
        }
        if request.args.get("part") == "now":
            return render_template("_now.html", **now)
        games = source.games()
        installed = {game.name for game in games}
        known = source.seasons(over=False, limit=CONSIDERED).items
        return render_template(
            "home.html",
            **now,
            tops=[_top(source, game) for game in games],
            stage=_stage(source, [one for one in latest if one.game in installed]),
            running_seasons=[one for one in known if one.state in ("running", "paused")][:SEASONS],
            coming_seasons=_coming(known),
        )

    yield "/", home


def _top(source: Source, game: Game) -> Top:
    try:
        board = source.leaderboard(game.name)
    except NotFound:
        return Top(game, None, "")
    return Top(game, board, figures.finding(board) if board.matches else "")


def _coming(seasons: Sequence[SeasonLine]) -> list[SeasonLine]:
    """Returns the seasons that take bots or wait for their start, the soonest first."""
    coming = [one for one in seasons if one.state in ("open", "frozen")]
    return sorted(coming, key=lambda one: one.starts_at or "9")[:SEASONS]


def _stage(source: Source, latest: Sequence[MatchLine]) -> Stage | None:
    """Returns the closest of the latest matches whose result may be read, with a bout of it."""
    for match in sorted(latest, key=margin):
        if margin(match) > 1:
            break
        try:
            found = source.match(match.id)
        except (NotFound, Forbidden):
            continue
        if found.bouts and not found.embargo:
            number = typical_bout(found.bouts)
            why = game_pages.ending(found.game, found.bouts[number].why)
            return Stage(match, number, why, drawings.tints_of(found))
    return None


def margin(match: MatchLine) -> float:
    """Returns how far apart the entrants are, from 0 to 1; 1 for a team, and 2 for no result."""
    points = [one.points for one in match.entrants if one.points is not None]
    if len(points) < 2:
        return 2 if match.score is None else 1
    best, second, *_ = sorted(points, reverse=True)
    return best - second


def typical_bout(bouts: Sequence[Bout]) -> int:
    """Returns the index of the bout to show: without a fault, and neither short nor long."""

    def lack(number: int) -> tuple[bool, int, int]:
        moves = bouts[number].moves
        return bool(bouts[number].faults), max(MIN_MOVES - moves, moves - MAX_MOVES, 0), -moves

    return min(range(len(bouts)), key=lack)

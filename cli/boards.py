"""The table of a leaderboard or of a season's standing at the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cli import output

if TYPE_CHECKING:
    from matchbox.answers.standings import Board, BoardLine
    from matchbox.league.line import By

STANDING_COLUMNS: Final = (
    "rank", "bot", "version", "elo", "95%", "matches", "wins", "draws", "losses", "forfeits",
    "bouts",
)  # fmt: skip


_FORMS: Final = {"elo": "{:.0f}", "borda": "{:.1%}", "score": "{:.1f}"}


def figure_name(by: By) -> str:
    """Returns the heading of the figure that ranks."""
    return "elo" if by == "elo" else "score"


def figure_text(by: By, value: float | None) -> str:
    """Returns the figure that ranks: Elo, a share of points, or a score; empty for None."""
    return "" if value is None else _FORMS[by].format(value)


def show_board(board: Board) -> None:
    """Prints a standing for the person at the terminal."""
    rows = [_standing_row(line, board.by) for line in board.lines]
    figure = figure_name(board.by)
    columns = [figure if name == "elo" else name for name in STANDING_COLUMNS]
    matches = output.plural(board.matches, "match", "matches")
    output.table(columns, rows, f"{board.title}: {board.matches} {matches}")


def _standing_row(line: BoardLine, by: By = "elo") -> tuple[object, ...]:
    """The cells of a line, with the figure that ranks: Elo, a share of points, or a score."""
    low, high = line.rank_range
    rank = f"{line.rank}" if low == high else f"{line.rank} ({low}-{high})"
    value, interval = (line.elo, line.ci95) if by == "elo" else (line.score, line.score_ci95)
    spread = f"{_FORMS[by]} to {_FORMS[by]}".format(*interval) if interval else ""
    shown = figure_text(by, value)
    if line.estimated:
        spread += f", {line.estimated} of {line.opponents} opponents estimated"
    won = ("", "", "") if by == "score" else (line.wins, line.draws, line.losses)
    counts = (line.matches, *won, line.forfeits)
    bouts = (line.bout_wins, line.bout_draws, line.bout_losses)
    played = "-".join(map(str, bouts)) if any(bouts) else ""
    marked = line.out or ("provisional" if line.provisional else "")
    bot = f"{line.bot} ({marked})" if marked else line.bot
    return rank, bot, line.version, shown, spread, *counts, played

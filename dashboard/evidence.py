"""The evidence for a standing, in sentences: what ranks the bots, why, and how it was measured.

Knows boards; computes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dashboard.wording import plural

if TYPE_CHECKING:
    from matchbox.answers.standings import Board

MISFIT: Final = 0.01
"""Below this p-value, a single strength for each bot does not predict the results exactly."""
NAMED: Final = 3
"""The number of surprising pairs to name."""


def basis(board: Board) -> str:
    """Returns one or two sentences that say which figure ranks the bots, and why."""
    if board.cooperative:
        return "Ranked by the mean score of a bout that a bot played with copies of itself."
    if board.by == "borda":
        why = (
            "No single strength for each bot predicts these results: some bots beat one that ranks "
            "above them."
            if board.upsets
            else "A single strength for each bot predicts some of these results wrongly."
        )
        return (
            f"{why} So Elo would mislead. The bots are ranked by the share of points that each is "
            "expected to take against the present field."
        )
    if board.lack is None:
        return "Ranked by Elo. Too few pairs have met often enough to tell how well that fits."
    if board.lack.p < MISFIT:
        return (
            "Ranked by Elo. A single strength for each bot does not predict these results exactly, "
            "but no pair is surely off by more than five points, and no bot surely beats one that "
            "is surely stronger."
        )
    return (
        "Ranked by Elo. A single strength for each bot predicts these results, as far as the deals "
        "can tell."
    )


def measure(board: Board) -> str:
    """Returns two sentences: how certain the figures are, and how many deals they rest on."""
    of = f" of {plural(board.deals, 'deal')}" if board.deals else ""
    return (
        f"Intervals are 95% and clustered by deal{of}: results of one deal share their luck. The "
        "ranks a bot may hold are true of all lines at once, with 95% certainty."
    )


def surprises(board: Board) -> list[str]:
    """Returns one sentence for each pair that a single strength predicts worst; none if all fit."""
    if board.upsets:
        return [
            f"{one.winner} took {one.share:.0%} of {one.games:,} bouts against {one.loser}, "
            "which ranks higher"
            for one in board.upsets[:NAMED]
        ]
    if board.lack is None or (board.by == "elo" and board.lack.p >= MISFIT):
        return []
    return [
        f"{pair.first} took {pair.share:.0%} of {pair.games:,} bouts against {pair.second}, "
        f"where {pair.expected:.0%} were expected"
        for pair in board.lack.worst[:NAMED]
    ]


def tied(board: Board) -> set[int]:
    """Returns the ranks that several bots share."""
    ranks = [line.rank for line in board.lines if line.matches]
    return {rank for rank in ranks if ranks.count(rank) > 1}

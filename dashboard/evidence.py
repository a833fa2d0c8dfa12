"""The evidence for a standing, in sentences: what ranks the bots, why, and how it was measured.

Knows boards; computes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dashboard.wording import plural

if TYPE_CHECKING:
    from matchbox.answers.standings import Board

SURE: Final = 0.01
"""Below this p-value the strengths do not explain the results, and Borda scores rank the bots."""
NAMED: Final = 3
"""The number of surprising pairs to name."""


def basis(board: Board) -> str:
    """Returns one or two sentences that say which figure ranks the bots, and why."""
    if board.cooperative:
        return "Ranked by the mean score of a bout that a bot played with copies of itself."
    lack = board.lack
    if board.by == "borda" and lack:
        return (
            f"Strengths do not explain these results ({chance(lack.p)}): some bots beat better "
            "ones and lose to worse. So the mean expected score against everybody ranks, not Elo."
        )
    if lack:
        return f"Strengths explain these results ({chance(lack.p)}), so Elo ranks."
    return (
        "Elo ranks; too few pairs have met often enough to tell whether strengths explain it all."
    )


def measure(board: Board) -> str:
    """Returns two sentences: how certain the figures are, and how many deals they rest on."""
    of = f" of {plural(board.deals, 'deal')}" if board.deals else ""
    return (
        f"Intervals are 95% and clustered by deal{of}: results of one deal share their luck. The "
        "ranks a bot may hold are true of all lines at once, with 95% certainty."
    )


def surprises(board: Board) -> list[str]:
    """Returns one sentence for each pair that the strengths explain badly, the worst first."""
    worst = board.lack.worst if board.lack else []
    return [
        f"{pair.first} took {pair.share:.0%} of {pair.games:,} bouts against {pair.second}, "
        f"where {pair.expected:.0%} were expected"
        for pair in worst[:NAMED]
    ]


def chance(p: float) -> str:
    """Returns a p-value as text: "p = 0.002", "p < 0.001"."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}" if p < 0.1 else f"p = {p:.2f}"


def tied(board: Board) -> set[int]:
    """Returns the ranks that several bots share."""
    ranks = [line.rank for line in board.lines if line.matches]
    return {rank for rank in ranks if ranks.count(rank) > 1}

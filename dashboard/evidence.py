"""What a standing rests on, in sentences: what ranks, whether that is fair, how it was measured.

Knows a board as `Source` tells it; computes nothing.
"""

from __future__ import annotations

from typing import Any, Final

SURE: Final = 0.01
"""Below this p the strengths do not explain the results, and Borda's scores rank."""
NAMED: Final = 3
"""So many of the most surprising pairs are named."""


def basis(board: dict[str, Any]) -> str:
    """What ranks the bots and why, in a sentence or two."""
    lack = board.get("lack")
    if board["cooperative"]:
        return "Ranked by the mean score of a bout that a bot played with copies of itself."
    if board.get("by") == "borda" and lack:
        return (
            f"Strengths do not explain these results ({chance(lack['p'])}): some bots beat better "
            "ones and lose to worse. So the mean expected score against everybody ranks, not Elo."
        )
    if lack:
        return f"Strengths explain these results ({chance(lack['p'])}), so Elo ranks."
    return (
        "Elo ranks; too few pairs have met often enough to tell whether strengths explain it all."
    )


def measure(board: dict[str, Any]) -> str:
    """How sure the figures are and of how many deals, in a sentence."""
    deals = board.get("deals")
    of = f" of {deals:,} {'deal' if deals == 1 else 'deals'}" if deals else ""
    return (
        f"Intervals are 95% and clustered by deal{of}: results of one deal share their luck. The "
        "ranks a bot may hold are true of all lines at once, with 95% certainty."
    )


def surprises(board: dict[str, Any]) -> list[str]:
    """The pairs that strengths explain worst, a sentence each, the worst first."""
    lack = board.get("lack") or {"worst": []}
    return [
        f"{pair['first']} took {pair['share']:.0%} of {pair['games']:,} bouts against "
        f"{pair['second']}, where {pair['expected']:.0%} were expected"
        for pair in lack["worst"][:NAMED]
    ]


def chance(p: float) -> str:
    """A p-value: "p = 0.002", "p < 0.001"."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}" if p < 0.1 else f"p = {p:.2f}"


def tied(board: dict[str, Any]) -> set[int]:
    """The ranks that several bots share."""
    ranks = [line["rank"] for line in board["lines"] if line["matches"]]
    return {rank for rank in ranks if ranks.count(rank) > 1}

"""Comparisons for the pages' cast: one is running, one is over, and one has a field of
opponents."""

from __future__ import annotations

from typing import Any, Final

from matchbox.answers.comparisons import Comparable, Comparison, ComparisonLine
from matchbox.errors import NotFound

AT: Final = "2026-11-21T11:57:00Z"


def row(number: int, **own: Any) -> Comparison:
    """A head to head of alice's versions that is not over."""
    fields: dict[str, Any] = {
        "id": number, "bot": "alice/careful", "game": "bomb", "owner": "alice", "challenger": 4,
        "defender": 3, "field": 0, "bounds": [0.0, 20.0], "games": 300, "most": 10_000,
        "state": "running", "verdict": "undecided", "llr": 1.23, "elo": None, "ci95": None,
        "difference": None, "difference_ci95": None, "why": "", "created_at": AT,
        "finished_at": None, "opponents": [], "looks": [[100, 0.4], [200, 0.9], [300, 1.23]],
        "pairs": [10, 0, 80, 0, 60], "llr_bounds": [-2.9444, 2.9444], "alpha": 0.05, "beta": 0.05,
        "p_better": None, "deals": None, "forfeits": [], "matches": 20, "finished": 15, **own,
    }  # fmt: skip
    return Comparison(**fields)


COMPARISONS: Final = {
    1: row(1),
    2: row(
        2, state="finished", verdict="better", llr=3.1, games=500, elo=35.2, ci95=[4.0, 61.9],
        p_better=0.99, finished_at=AT, looks=[[100, 0.4], [500, 3.1]],
        forfeits=[{"bot": "alice/careful", "version": 3, "version_id": 3, "bouts": 2}],
    ),
    3: row(
        3, state="cancelled", why="version 3 of alice/careful is suspended", field=2, llr=None,
        llr_bounds=None, pairs=None, difference=-0.012, difference_ci95=[-0.03, 0.006], deals=40,
        looks=[[160, 0.02], [320, -0.012]], finished_at=AT,
        opponents=[{"bot": "bob/ledger", "version": 7, "version_id": 9, "difference": -0.012},
                   {"bot": "house/medium", "version": 1, "version_id": 2, "difference": None}],
    ),
}  # fmt: skip


def comparison(number: int) -> Comparison:
    """Returns the comparison of this number."""
    if number not in COMPARISONS:
        raise NotFound(f"there is no comparison {number}")
    return COMPARISONS[number]


def comparisons(owner: str, name: str) -> list[ComparisonLine]:
    """Returns all comparisons."""
    return list(COMPARISONS.values())


COMPARABLE: Final = Comparable(
    versions=[4, 3, 1], challenger=4, defender=3, left=9500, budget=20_000, most=10_000, others=8,
    cooperative=False,
)  # fmt: skip
"""The form for a new comparison."""

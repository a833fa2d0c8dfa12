"""A line of a standing: what is computed of one entrant. Knows no page and computes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

By: TypeAlias = Literal["elo", "borda", "score"]
"""What ranks: Elo, Borda's scores where Elo does not fit, or a cooperative game's score."""


@dataclass(frozen=True, slots=True)
class Line:
    """One entrant's line. On a cooperative board `elo` and `ci95` are None.

    A match is won above, drawn at, lost below half of its points; forfeits count bouts.
    """

    rank: int
    rank_range: tuple[int, int]
    """Best and worst rank it may truly hold: true of all lines at once with 95% certainty."""
    bot: str
    elo: float | None = None
    ci95: tuple[float, float] | None = None
    matches: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    forfeits: int = 0
    provisional: bool = True
    score: float | None = None
    """On a cooperative board the mean; where Borda ranks, the mean expected score, 0 to 1."""
    score_ci95: tuple[float, float] | None = None
    p_champion: float | None = None
    """The chance to be truly the best of all lines."""
    p_better: float | None = None
    """The chance to be truly better than the next line; None on the last."""
    nash: float | None = None
    """Where Borda ranks: Elo against the mixture of bots that nobody beats, 0 or less."""
    mixed_rank: int | None = None
    """On a cooperative game's second board, that of mixed teams; None of who was in none."""
    mixed_range: tuple[int, int] | None = None
    mixed_score: float | None = None
    """What a team scores on average with it in one seat, beside average partners."""
    mixed_ci95: tuple[float, float] | None = None

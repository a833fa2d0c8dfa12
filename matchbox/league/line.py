"""A line of a standing: the figures of one entrant. Knows no page and computes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

By: TypeAlias = Literal["elo", "borda", "score"]
"""The figure that ranks the lines: Elo; Borda's score where Elo misleads; a cooperative game's
score."""
PROVISIONAL_ELO: Final = 100.0
"""Elo: a line with a wider interval is provisional."""


@dataclass(frozen=True, slots=True)
class Line:
    """One entrant's line. On a cooperative board `elo` and `ci95` are None.

    A match or a bout is won with more than half of its points, drawn with half; forfeits are bouts.
    """

    rank: int
    rank_range: tuple[int, int]
    """Best and worst rank; in 95% of cases the ranges of all lines are right."""
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
    """On a cooperative board the mean score; if Borda ranks, the mean expected score against the
    present field, 0 to 1."""
    score_ci95: tuple[float, float] | None = None
    p_champion: float | None = None
    """The probability that it is truly the best of all lines; on a cooperative board, of those with
    20 deals or more."""
    p_better: float | None = None
    """The probability that it is truly better than the next line; None on the last line."""
    nash: float | None = None
    """If Borda's scores rank: its Elo against the mixture of bots that nobody beats, 0 or less. It
    has no interval, so pages do not show it."""
    mixed_rank: int | None = None
    """Its rank on the board of mixed teams of a cooperative game; None if it was in none."""
    mixed_range: tuple[int, int] | None = None
    mixed_score: float | None = None
    """The mean score of a team with this entrant in one seat, beside average partners."""
    mixed_ci95: tuple[float, float] | None = None
    opponents: int | None = None
    """If Borda's scores rank: the number of its opponents in the present field."""
    estimated: int | None = None
    """How many of these it has never met; the results against them are estimated."""
    bout_wins: int = 0
    """0 on a cooperative board, as are the next two."""
    bout_draws: int = 0
    bout_losses: int = 0

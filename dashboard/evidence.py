"""The evidence for a standing, in sentences: the figure that ranks the bots, the reason, and the
measurement.

Knows boards; computes nothing.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from dashboard.wording import bot, plural

if TYPE_CHECKING:
    from matchbox.answers.standings import Board

MISFIT: Final = 0.01
"""Below this p-value, a single strength for each bot does not predict the results exactly."""
NAMED: Final = 3
"""The number of surprising pairs to name."""
ELO: Final = (
    "Ranked by Elo, a number for a bot's strength: a bot that is 100 above another is expected to "
    "take 64% of their points, at 200 above 76%, and less if a seat has a great advantage."
)


def basis(board: Board) -> str:
    """Returns a few sentences about the figure that ranks the bots, with the reason for it."""
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
    return f"{ELO} {_fit(board)}"


def _fit(board: Board) -> str:
    """Returns a sentence on how well Elo predicts the results."""
    if board.lack is None:
        return "Too few pairs have met often enough to tell how well that predicts the results."
    if board.lack.p < MISFIT:
        return (
            "A single strength for each bot does not predict these results exactly. But no pair is "
            "known to be off by more than five points in a hundred, and no bot is known to beat a "
            "stronger one."
        )
    return "As far as the deals can tell, that predicts these results."


def measure(board: Board) -> str:
    """Returns two sentences: one on the certainty of the figures, one on the number of deals behind
    them."""
    of = f" ({plural(board.deals, 'deal')} so far)" if board.deals else ""
    return (
        "The true value lies within the figure after ± in 19 of 20 cases. Bouts of the same deal "
        f"share its luck, so what counts is the number of deals{of}, not of bouts."
    )


def surprises(board: Board) -> list[str]:
    """Returns a sentence for each pair that the ratings predict worst; none if the ratings fit all
    pairs."""
    if board.upsets:
        return [
            f"{bot(one.winner)} took {one.share:.0%} of {one.games:,} bouts against "
            f"{bot(one.loser)}, which ranks higher"
            for one in board.upsets[:NAMED]
        ]
    if board.lack is None or (board.by == "elo" and board.lack.p >= MISFIT):
        return []
    return [
        f"{bot(pair.first)} took {_percent(pair.share, pair.expected)} of {pair.games:,} bouts "
        f"against {bot(pair.second)}, where {_percent(pair.expected, pair.share)} were expected"
        for pair in board.lack.worst[:NAMED]
    ]


def _percent(share: float, other: float) -> str:
    """Returns the share in whole percent; with a decimal if the other would look the same."""
    return f"{share:.1%}" if f"{share:.0%}" == f"{other:.0%}" else f"{share:.0%}"


def tied(board: Board) -> set[int]:
    """Returns the ranks that several bots share."""
    ranks = Counter(line.rank for line in board.lines if line.matches)
    return {rank for rank, bots in ranks.items() if bots > 1}


def has_champions(board: Board) -> bool:
    """Whether any line of the board has a probability of being truly the best."""
    return any(line.p_champion is not None for line in board.lines)

"""Addition War: the totals of many dealt games, and two deals of its document replayed."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from typing import Any, Final

from bench.figures.compare import (
    REFERENCE,
    Ours,
    Row,
    Section,
    between,
    counted,
    ours_exact,
    ours_interval,
    ours_percent,
    value,
)
from bench.figures.laboratory import Laboratory
from laboratory import war_experiment
from laboratory.worker_pool import worker_pool
from matchbox.games.war import statistics
from matchbox.games.war.terminal import Games
from matchbox.lab.statistics import Z95

GAMES: Final = 200_000
REFERENCE_GAMES: Final = 1_000_000
DOCUMENT: Final = "document"
DECIDED: Final = 19
"""From the document's 20 games."""

DEALS: Final = {
    1: (
        "10 8 4 7 11 4 6 12 12 4 13 3 11 2 3 7 8 8 7 3 10 2 5 13 1 11",
        "12 13 11 9 10 2 13 4 5 7 1 5 1 2 3 9 9 5 12 6 10 6 8 6 9 1",
        {"initial1": 185, "initial2": 179, "final1": 212, "final2": 152, "winner": 1},
    ),
    4: (
        "7 2 7 12 2 9 12 3 5 3 10 10 6 11 9 13 4 9 4 11 1 6 1 5 13 8",
        "4 8 1 1 11 6 2 8 7 8 13 10 4 11 7 3 9 5 6 3 10 12 2 12 5 13",
        {"initial1": 183, "initial2": 181, "final1": 173, "final2": 191, "winner": 2},
    ),
}
"""Two of the document's deals: both hands, and the course of the game."""


def section(laboratory: Laboratory) -> Section:
    """The reference run's statistics, the document's 20 games, and its replayed deals."""
    games = laboratory.games(GAMES)
    with worker_pool("none", laboratory.workers) as pool:
        dealt, _ = war_experiment.run(games, laboratory.seed, pool)
    found = statistics.Summary(dealt).result()
    return Section(
        "Addition War",
        f"{games:,} dealt games, and two deals of the document card by card. The document's own "
        "figures are those of 20 games, with the errors in its statistics corrected.",
        [*_reference(found, games), *_document(found, games), *_replayed()],
    )


def _reference(found: dict[str, Any], games: int) -> Iterator[Row]:
    for name, given in (("winning", 226.08), ("losing", 137.92)):
        yield Row(f"mean {name} total", REFERENCE, value(given, 0.06), _mean(found[name], games))
    least, most = found["winning"]["min"], found["winning"]["max"]
    yield Row("least winning total", REFERENCE, between(183, 184), ours_exact(least))
    yield Row("greatest winning total", REFERENCE, between(340, 364), ours_exact(most))
    shares = found["shares"]
    for name, share, given in (
        ("draws, %", shares["draws"], 0.71),
        ("both hands equal, %", shares["equal_initials"], 2.89),
        ("ran out of cards in a tie, %", shares["ran_out_in_tie"], 5.04),
    ):
        yield Row(name, REFERENCE, counted(given, REFERENCE_GAMES), ours_percent(share, games))
    ours = ours_percent(found["won_by_lower_initial"], found["decided"])
    yield Row("won from the lower initial total, %", REFERENCE, value(19.30, 0.08), ours)
    for side in ("winners", "losers"):
        ours = _correlation(found[f"correlation_{side}"], found["decided"])
        yield Row(f"correlation of {side}", REFERENCE, value(0.606, 0.0012), ours)


def _document(found: dict[str, Any], games: int) -> Iterator[Row]:
    """The document's figures from 20 games, with the errors of so few games."""
    for name, given in (("winning", 224.263), ("losing", 139.737)):
        ours = _mean(found[name], games)
        error = ours.error * sqrt(found["decided"] / DECIDED)
        yield Row(f"mean {name} total", DOCUMENT, value(given, error), ours)
    ours = ours_percent(found["won_by_lower_initial"], found["decided"])
    upsets = counted(100 * 3 / DECIDED, DECIDED)
    yield Row("won from the lower initial total, %", DOCUMENT, upsets, ours)
    error = Z95 * (1 - 0.46917882**2) / sqrt(DECIDED)
    ours = _correlation(found["correlation_winners"], found["decided"])
    yield Row("correlation of winners", DOCUMENT, value(0.46917882, error), ours)


def _replayed() -> Iterator[Row]:
    for number, (first, second, wanted) in DEALS.items():
        winners, losers, _ = Games().game(([*map(int, first.split())], [*map(int, second.split())]))
        ours = {"winner": winners[0][1]}
        for _, player, initial, final in (*winners, *losers):
            ours |= {f"initial{player}": initial, f"final{player}": final}
        for name, given in wanted.items():
            yield Row(f"deal {number}: {name}", DOCUMENT, value(given), ours_exact(ours[name]))


def _mean(totals: dict[str, Any], games: int) -> Ours:
    return ours_interval(totals["mean"], totals["mean_ci95"], games)


def _correlation(found: float, games: int) -> Ours:
    """A correlation over `games` pairs, with its error 1.96 (1 - r^2) / sqrt(n)."""
    return Ours(found, Z95 * (1 - found * found) / sqrt(games), games)

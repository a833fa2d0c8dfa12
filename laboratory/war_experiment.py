"""Plays dealt Addition War, which needs no bots because nobody decides anything."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from matchbox import registry
from matchbox.dice import derive_deals
from matchbox.errors import BadOption
from matchbox.game import fill_options
from matchbox.games.war import statistics
from matchbox.lab import result_rows

if TYPE_CHECKING:
    from laboratory.worker_pool import WorkerPool
    from matchbox.games.war.statistics import GameResult

GAME: Final = "war"
BATCH: Final = 1000
"""The number of games in one job."""


def check_options(options: Mapping[str, str]) -> None:
    """Raises BadOption if the options ask for anything but dealt cards."""
    spec = registry.game(GAME).spec
    if fill_options(spec, {**statistics.OPTIONS, **options}) != statistics.OPTIONS:
        raise BadOption("without bots the cards are dealt: name two bots, or leave the option out")


def jobs_of(games: int, seed: str) -> list[list[str]]:
    """The seeds of the deals, in one list for each job."""
    return [derive_deals(seed, min(BATCH, games - at), start=at) for at in range(0, games, BATCH)]


def run(
    games: int, seed: str, pool: WorkerPool, show: Callable[[int], object] = lambda jobs: None
) -> tuple[list[GameResult], float]:
    """Plays the games. Returns every game in order, and the seconds taken. The games depend on the
    seed alone. `show` is called with the number of jobs played so far."""
    started = time.monotonic()
    results: list[GameResult] = []
    for number, batch in enumerate(pool.play(play_batch, jobs_of(games, seed)), 1):
        results += batch
        show(number)
    return results, time.monotonic() - started


def document_of(
    results: Sequence[GameResult], seed: str, seconds: float, workers: int
) -> dict[str, Any]:
    """The JSON document that `simulate war --json` prints."""
    return {
        "game": GAME,
        "options": dict(statistics.OPTIONS),
        "seed": seed,
        **statistics.Summary(results).result(),
        "lower_initial_wins": statistics.lower_initial_wins(results),
        "box": "none",
        "workers": workers,
        "seconds": round(seconds, 3),
        "games_per_second": round(len(results) / seconds, 1),
    }


def play_batch(_: object, deals: Sequence[str]) -> list[GameResult]:
    """Plays one game with each deal."""
    return [statistics.play(deal) for deal in deals]


def tsv(results: Sequence[GameResult]) -> str:
    """Every game as a line with the columns of the source document, after a header line."""
    return result_rows.tsv([statistics.COLUMNS, *map(statistics.row, count(1), results)])

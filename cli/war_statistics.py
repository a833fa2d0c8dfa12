"""`matchbox simulate war` without bots: the output for dealt Addition War."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cli import output
from matchbox.errors import BadOption

if TYPE_CHECKING:
    from matchbox.games.war.statistics import GameResult

GAME: Final = "war"
"""The only game that can be played without bots."""

SHOWN: Final = 50
"""Each game is shown as well, if there are at most this many."""


def simulate(
    games: int,
    seed: str,
    options: Sequence[str],
    workers: int,
    json: bool,
    tsv: Path | None,
    html: Path | None,
) -> None:
    """Plays the games and prints their statistics. Raises BadOption."""
    from cli.box import pool
    from cli.game_options import read_options
    from laboratory import war_experiment

    war_experiment.check_options(read_options(options))
    seed = seed or secrets.token_hex(4)
    jobs = len(war_experiment.jobs_of(games, seed))
    workers = min(workers, jobs)
    with pool("none", workers) as (processes, bar):
        task = bar.add_task("dealing war", total=jobs)
        results, seconds = war_experiment.run(
            games, seed, processes, lambda played: bar.update(task, completed=played)
        )
    document = war_experiment.document_of(results, seed, seconds, workers)
    try:  # The files first: whoever reads stdout may be gone.
        if tsv is not None:
            output.write(tsv, war_experiment.tsv(results))
        if html is not None:
            from laboratory.war_page import page

            output.write(html, page(document, results))
    finally:
        if json:
            output.document(document)
        else:
            _show(document, results)


def refuse(**options: object) -> None:
    """Raises BadOption for an option that has no meaning without bots."""
    for name, value in options.items():
        if value:
            raise BadOption(f"--{name} is for bots: name two of them, or leave it out")


def _show(document: Mapping[str, Any], results: Sequence[GameResult]) -> None:
    from matchbox.games.war import statistics

    if len(results) <= SHOWN:
        output.table(statistics.COLUMNS, map(statistics.row, count(1), results), "every game")
    rows = [
        (name, *(_figure_text(document[key][bound]) for bound in ("min", "mean", "max")))
        for name, key in (
            ("initial total of winners", "initial_winning"),
            ("final total of winners", "winning"),
            ("initial total of losers", "initial_losing"),
            ("final total of losers", "losing"),
        )
    ]
    games = document["games"]
    title = f"{games} {output.plural(games, 'game')} of dealt war"
    output.table(["", "min", "mean", "max"], rows, title)
    if cases := document["lower_initial_wins"]:
        title = f"games won from the lower initial total, the first {len(cases)}"
        output.table(list(cases[0]), [list(map(str, case.values())) for case in cases], title)
    for name in ("winners", "losers"):
        square = statistics.matrix(document[f"correlation_{name}"])
        lines = zip(("initial", "final"), square, strict=True)
        cells = [(kind, *map(_figure_text, line)) for kind, line in lines]
        output.table([f"correlation of {name}", "initial", "final"], cells)
    for sentence in statistics.sentences(dict(document)):
        print(sentence)
    output.note(f"{document['seconds']:.1f} s, no bots, seed {document['seed']}")


def _figure_text(value: float | None) -> str:
    return "-" if value is None else str(value) if isinstance(value, int) else f"{value:.4f}"

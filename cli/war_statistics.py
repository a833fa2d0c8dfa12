"""`matchbox simulate war`: dealt Addition War, which needs no bots, as nobody decides anything."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cli import output

if TYPE_CHECKING:
    from matchbox.games.war.statistics import Dealt

GAME: Final = "war"
"""The game that can be played without bots."""

BATCH: Final = 1000
"""Games of one job."""

SHOWN: Final = 50
"""So many games are also shown one by one."""


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
    check(options)
    document, dealt = run(games, seed or secrets.token_hex(4), workers)
    if tsv is not None:
        tsv.write_text(_lines(dealt))
    if html is not None:
        from cli.totals import write_totals

        write_totals(html, document, dealt)
    if json:
        output.document(document)
    else:
        _show(document, dealt)


def refuse(**asked: object) -> None:
    """Raises BadOption for an option of the command that means nothing without bots."""
    from matchbox.errors import BadOption

    for name, value in asked.items():
        if value:
            raise BadOption(f"--{name} is for bots: name two of them, or leave it out")


def check(options: Sequence[str]) -> None:
    """Raises BadOption where the options ask for anything but dealt cards."""
    from cli.simulate import read_options
    from matchbox import registry
    from matchbox.errors import BadOption
    from matchbox.game import fill_options
    from matchbox.games.war import statistics

    spec = registry.game(GAME).spec
    if fill_options(spec, {**statistics.OPTIONS, **read_options(options)}) != statistics.OPTIONS:
        raise BadOption("without bots the cards are dealt: name two bots, or leave the option out")


def run(games: int, seed: str, workers: int) -> tuple[dict[str, Any], list[Dealt]]:
    """The figures, and every game in order; they depend on the seed alone."""
    from cli.crew import crew
    from matchbox.dice import derive_deals
    from matchbox.games.war import statistics

    jobs = [derive_deals(seed, min(BATCH, games - at), start=at) for at in range(0, games, BATCH)]
    with crew("none", min(workers, len(jobs))) as players, output.progress() as bar:
        task = bar.add_task("dealing war", total=len(jobs))
        started = time.monotonic()
        played = []
        for batch in players.play(play_batch, jobs):
            played.append(batch)
            bar.advance(task)
        seconds = time.monotonic() - started
    dealt = list(chain.from_iterable(played))
    document = {
        "game": GAME,
        "options": dict(statistics.OPTIONS),
        "seed": seed,
        **statistics.Summary(dealt).result(),
        "box": "none",
        "workers": workers,
        "seconds": round(seconds, 3),
        "games_per_second": round(games / seconds, 1),
    }
    return document, dealt


def play_batch(_: object, deals: Sequence[str]) -> list[Dealt]:
    """The games of these deals."""
    from matchbox.games.war import statistics

    return [statistics.play(deal) for deal in deals]


def _lines(dealt: Sequence[Dealt]) -> str:
    from matchbox.games.war import statistics

    rows = [list(statistics.COLUMNS), *map(statistics.row, count(1), dealt)]
    return "".join("\t".join(row) + "\n" for row in rows)


def _show(document: Mapping[str, Any], dealt: Sequence[Dealt]) -> None:
    from matchbox.games.war import statistics

    if len(dealt) <= SHOWN:
        output.table(statistics.COLUMNS, map(statistics.row, count(1), dealt), "every game")
    rows = [
        (name, *(_told(document[key][bound]) for bound in ("min", "mean", "max")))
        for name, key in (
            ("initial total of winners", "initial_winning"),
            ("final total of winners", "winning"),
            ("initial total of losers", "initial_losing"),
            ("final total of losers", "losing"),
        )
    ]
    output.table(["", "min", "mean", "max"], rows, f"{document['games']} games of dealt war")
    for name in ("winners", "losers"):
        square = statistics.matrix(document[f"correlation_{name}"])
        lines = zip(("initial", "final"), square, strict=True)
        cells = [(kind, *map(_told, line)) for kind, line in lines]
        output.table([f"correlation of {name}", "initial", "final"], cells)
    for sentence in statistics.sentences(dict(document)):
        print(sentence)
    output.note(f"{document['seconds']:.1f} s, no bots, seed {document['seed']}")


def _told(value: float | None) -> str:
    return "-" if value is None else str(value) if isinstance(value, int) else f"{value:.4f}"

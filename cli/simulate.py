"""`matchbox simulate`: plays bots against each other in a box, many times, and shows the figures.

The room laboratory plays the experiment.
"""

from __future__ import annotations

import os
import secrets
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli import output
from cli.experiment_notes import print_faults, print_stateful, wall_text
from cli.playing import MAX_GAMES, BoxOption, JsonOption, WidthOption
from matchbox.errors import BadOption

if TYPE_CHECKING:
    from collections.abc import Mapping

    from laboratory.experiment import Document
    from matchbox.lab.plan import Plan


def simulate(
    game: Annotated[str, typer.Argument(help="the game, such as bomb")],
    bot: Annotated[
        list[str] | None, typer.Argument(help="shipped bots by name, others by file")
    ] = None,
    games: Annotated[
        int, typer.Option(min=1, max=MAX_GAMES, help="for every pair, table size or cell")
    ] = 1000,
    players: Annotated[str, typer.Option(help="table sizes, such as 2-6 or 3,5")] = "",
    seed: Annotated[str, typer.Option(help="the same seed gives the same figures")] = "",
    option: Annotated[list[str] | None, typer.Option(help="NAME=VALUE of the game")] = None,
    mirror: Annotated[
        bool, typer.Option("--mirror", help="two seats: bots also against themselves")
    ] = False,
    mixed: Annotated[
        bool, typer.Option("--mixed", help="played together: bots at tables with each other")
    ] = False,
    rounds: Annotated[
        int | None,
        typer.Option(min=1, max=1000, help="play this many rounds; bots learn in between"),
    ] = None,
    width: WidthOption = None,
    workers: Annotated[int, typer.Option(min=1, max=256, help="processes to play with")] = 1,
    box: BoxOption = "auto",
    json: JsonOption = False,
    tsv: Annotated[Path | None, typer.Option(help="write the figures to this file")] = None,
    html: Annotated[Path | None, typer.Option(help="write a page with plots")] = None,
) -> None:
    """Play bots against each other in a box: every ordered pair, or tables of any size."""
    from cli import learning_rounds, named_bots, war_statistics
    from cli.game_options import plan_of

    _check_places(tsv, html)
    if game == war_statistics.GAME and not bot:
        war_statistics.refuse(
            players=players, mirror=mirror, mixed=mixed, rounds=rounds,
            box=box not in ("auto", "none"), width=width is not None,
        )  # fmt: skip
        war_statistics.simulate(games, seed, option or (), workers, json, tsv, html)
        return
    bots = named_bots.find_all(game, bot or [])
    plan = plan_of(
        game, bots, games, seed or secrets.token_hex(4),
        options=option or (), players=players, mirror=mirror, mixed=mixed, width=width,
    )  # fmt: skip
    bundles = named_bots.bundles(bots)
    if rounds is None:
        _simulate(plan, bundles, box, workers, json, tsv, html, again=width is None)
    else:
        learning_rounds.simulate(plan, bundles, box, workers, rounds, json, tsv, html)


def _check_places(*files: Path | None) -> None:
    """Raises BadOption if a file cannot be written, before any game is played."""
    named = [file.resolve() for file in files if file is not None]
    if len(set(named)) < len(named):
        raise BadOption(f"{named[0]} is named for two tables: give each a file of its own")
    for file in filter(None, files):
        held = file if file.exists() else file.parent
        if file.is_dir() or not os.access(held, os.W_OK):
            raise BadOption(f"{file} cannot be written: name a file in an existing folder")


def _simulate(
    plan: Plan,
    bundles: Mapping[str, bytes],
    box: str,
    workers: int,
    json: bool,
    tsv: Path | None,
    html: Path | None,
    *,
    again: bool,
) -> None:
    """Plays one experiment and shows its figures."""
    from cli.box import pool
    from laboratory import experiment
    from laboratory.planning import kind_of
    from laboratory.sittings import games_of
    from matchbox.lab import result_rows

    jobs = list(kind_of(plan).sittings(plan))
    workers = min(workers, len(jobs))
    with pool(box, workers) as (processes, bar):
        task = bar.add_task(f"playing {plan.game}", total=games_of(jobs))
        follow = partial(bar.follow, task)
        done = experiment.run(
            plan, bundles, processes, again=again, follow=follow, show=bar.show_figures
        )
    document = experiment.document_of(done, workers)
    try:  # The files first: whoever reads stdout may be gone.
        if tsv is not None:
            output.write(tsv, result_rows.tsv(done.results.lines()))
        if html is not None:
            from laboratory.experiment_page import page

            output.write(html, page(document, done.results.histogram()))
    finally:
        if json:
            output.document(document)
        else:
            _show(plan, document, done.games)


def _show(plan: Plan, document: Document, games: int) -> None:
    from matchbox.lab import result_rows

    name = document["game"]
    if result_rows.is_matrix(document):
        title = f"{name}: share in % of the bot that moves first (row) against the second (column)"
        columns = ["first \\ second", *document["bots"], "all"]
        output.table(columns, result_rows.crosstable(document), title)
        if document["both_orders"]:
            title = f"{name}: share in % of the bot in the row, over both orders"
            output.table(["", *document["bots"]], result_rows.both_orders(document), title)
        if shares := result_rows.shares_rows(document):
            output.table(shares[0], shares[1:], f"{name}: what else happens")
        for counted, (heads, *rows) in result_rows.counts_rows(document).items():
            output.table(heads, rows, f"{name}: {counted}, by the bots that move first and second")
    elif result_rows.is_grid(document):
        columns = ["bot", *map(str, result_rows.sizes_of(document))]
        title = f"{name}: mean score of every team, by number of players"
        output.table(columns, result_rows.grid_rows(document), title)
        title = f"{name}: highest score, by number of players"
        sizes = columns[1:]
        output.table(["highest", *sizes, "all"], result_rows.highest_rows(document), title)
        if won := result_rows.won_rows(document):
            output.table(columns, won, f"{name}: games won, in %")
    elif result_rows.is_places(document):
        columns, *rows = result_rows.fact_rows(document)
        output.table(columns, rows, f"{name}: what happens, by number of players")
        columns = ["players", "bot", "games", "won %", "mean place"]
        output.table(columns, result_rows.place_rows(document), f"{name}: who wins")
        _note_strangers(plan)
    print_faults(document["faults"], document["game"])
    print_stateful(document["stateful"], document["alone"])
    output.note(
        f"{games} {output.plural(games, 'game')} in {document['seconds']:.1f} s, "
        f"{document['games_per_second']:.0f} a second, {wall_text(document['box'])}, "
        f"seed {document['seed']}"
    )


def _note_strangers(plan: Plan) -> None:
    """Says at which table sizes some bots never met."""
    from matchbox.lab.plan import strangers

    if few := [str(size) for size in plan.sizes if size > 1 and strangers(plan, size)]:
        output.note(
            f"At tables of {' and '.join(few)}, some bots never met: give more --games for that"
        )

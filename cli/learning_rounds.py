"""`matchbox simulate --rounds`: the output for an experiment whose bots learn between rounds."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from cli import output
from cli.box import pool
from cli.experiment_notes import print_faults, print_stateful, wall_text
from laboratory import rounds as learning_rounds
from laboratory.planning import kind_of
from laboratory.sittings import games_of
from matchbox.errors import BadOption
from matchbox.lab import result_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matchbox.lab.counts import FaultRow
    from matchbox.lab.plan import Plan


def simulate(
    plan: Plan,
    bundles: Mapping[str, bytes],
    box: str,
    workers: int,
    rounds: int,
    json: bool,
    tsv: Path | None,
    html: Path | None,
) -> None:
    """Plays the rounds and shows their figures. Raises BadOption if a page is asked for."""
    if html is not None:
        raise BadOption("--html draws one experiment: leave --rounds out, or use --tsv or --json")
    jobs = list(kind_of(plan).sittings(plan))
    workers = min(workers, len(jobs))
    with pool(box, workers) as (processes, bar):
        task = bar.add_task(f"playing {plan.game}", total=rounds * games_of(jobs))
        follow = partial(bar.follow, task)
        played = learning_rounds.run(
            plan, bundles, processes, rounds, follow=follow, show=bar.show_figures
        )
    document = learning_rounds.document_of_rounds(plan, played, workers)
    try:  # The file first: whoever reads stdout may be gone.
        if tsv is not None:
            output.write(tsv, result_rows.tsv(learning_rounds.lines(played)))
    finally:
        if json:
            output.document(document)
        else:
            _show(plan, played, document)


def _show(
    plan: Plan,
    played: Sequence[learning_rounds.PlayedRound],
    document: learning_rounds.DocumentOfRounds,
) -> None:
    columns, *rows = result_rows.round_rows((one["round"], one) for one in document["rounds"])
    output.table(columns, rows, f"{plan.game}: the results of every bot, by round")
    for one in document["rounds"]:
        for lesson in one["learning"]:
            if lesson["fault"]:
                output.note(
                    f"round {one['round']}: {lesson['bot']} keeps its memory: {lesson['fault']}"
                )
    print_faults(_faults(document), plan.game)
    print_stateful(sorted({bot for one in played for bot in one.done.stateful}))
    games = sum(one.done.games for one in played)
    output.note(
        f"{games} {output.plural(games, 'game')} in {document['seconds']:.1f} s, "
        f"{wall_text(document['box'])}, seed {plan.seed}"
    )


def _faults(document: learning_rounds.DocumentOfRounds) -> list[FaultRow]:
    """The faults of all rounds together, each with the place of its first one."""
    found: dict[tuple[str, str, str], FaultRow] = {}
    for fault in (fault for one in document["rounds"] for fault in one["faults"]):
        key = fault["bot"], fault["kind"], fault["detail"]
        before = found.get(key)
        games = fault["games"] + (before["games"] if before else 0)
        place = (before["place"] if before else "") or fault["place"]
        found[key] = {**fault, "games": games, "place": place}
    return [found[key] for key in sorted(found)]

"""`matchbox simulate --rounds`: the same experiment again and again; in between, bots learn.

What a bot remembers is frozen while a round is played. All follows from the seed alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli import output
from cli.crew import crew
from cli.experiment import document_of, games_of, kind_of, play
from cli.simulate import tell_stateful
from matchbox import registry
from matchbox.bundle import digest
from matchbox.errors import BadOption
from matchbox.lab import tables
from matchbox.match.learning import Lessons, Own, lessons, round_key
from matchbox.match.record import unpack
from matchbox.match.wire import Entrant
from worker.arena.learning import Learned, learn

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from cli.crew import Crew
    from cli.experiment import Experiment, Found
    from matchbox.lab.plan import Plan, Sitting
    from sandbox.box import Box


@dataclass(frozen=True, slots=True)
class Lesson:
    """A bot that is to learn, and what from."""

    game: str
    entrant: Entrant
    memory: bytes
    played: list[tuple[bytes, int]]
    """Its matches, packed, each with which of the entrants it was."""
    key: str
    """As `round_key` gives it."""
    limits: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Taught:
    """What came of it."""

    learned: Learned
    records: int
    left_out: int
    """Bouts beyond what a round may teach."""


@dataclass(frozen=True, slots=True)
class Round:
    """One round of an experiment."""

    done: Experiment
    memories: list[bytes]
    """What each bot remembered while it was played."""
    taught: dict[int, Taught]
    """By bot: what it learned after it."""


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
    """Plays the rounds and shows their figures. Raises BadOption where a page is wanted."""
    if html is not None:
        raise BadOption("--html draws one experiment: leave --rounds out, or use --tsv or --json")
    played = run(plan, bundles, box, workers, rounds)
    document = document_of_rounds(plan, played, workers)
    if tsv is not None:
        tsv.write_text(tables.tsv(lines(played)))
    if json:
        output.document(document)
        return
    columns, *rows = tables.round_rows(document)
    output.table(columns, rows, f"{plan.game}: how far every bot came, by round")
    for one in document["rounds"]:
        for told in one["learning"]:
            if told["fault"]:
                output.note(
                    f"round {one['round']}: {told['bot']} keeps its memory: {told['fault']}"
                )
    tell_stateful(sorted({bot for one in played for bot in one.done.stateful}))
    games = sum(one.done.games for one in played)
    output.note(f"{games} games in {document['seconds']:.1f} s, box {document['box']}, "
             f"seed {plan.seed}")  # fmt: skip


def run(
    plan: Plan, bundles: Mapping[str, bytes], box: str, workers: int, rounds: int
) -> list[Round]:
    """The plan played in rounds. Raises BoxUnavailable, SeatFault of the platform."""
    jobs = list(kind_of(plan).sittings(plan))
    memories = [b""] * len(plan.bots)
    pupils = list(range(len(plan.bots)))
    played: list[Round] = []
    with crew(box, min(workers, len(jobs))) as players, output.progress() as bar:
        task = bar.add_task(f"playing {plan.game}", total=rounds * games_of(jobs))
        bar.follow(task, lambda: players.over)
        for number in range(1, rounds + 1):
            records: list[tuple[Sitting, bytes]] = []

            def seen(
                sitting: Sitting, record: bytes, found: Found, kept: list[Any] = records
            ) -> None:
                kept.append((sitting, record))
                bar.tell(lambda: tables.reached(found.result()))

            present = plan_of_round(plan, number, memories)
            known = {digest(memory): memory for memory in memories}
            done = play(present, bundles, known, players, seen)
            taught: dict[int, Taught] = {}
            if number < rounds:
                taught = _teach(plan, number, bundles, memories, records, players, pupils)
            played.append(Round(done, list(memories), taught))
            pupils = [bot for bot in pupils if bot in taught]
            for bot, one in taught.items():
                memories[bot] = one.learned.memory
    return played


def plan_of_round(plan: Plan, number: int, memories: Sequence[bytes]) -> Plan:
    """The experiment with the deals of that round, counted from 1, and with what bots remember."""
    bots = [
        replace(bot, memory=digest(memory) if memory else None)
        for bot, memory in zip(plan.bots, memories, strict=True)
    ]
    seed = plan.seed if number == 1 else f"{plan.seed}, round {number}"
    return replace(plan, bots=bots, seed=seed)


def _teach(
    plan: Plan,
    number: int,
    bundles: Mapping[str, bytes],
    memories: Sequence[bytes],
    records: Sequence[tuple[Sitting, bytes]],
    players: Crew,
    pupils: Sequence[int],
) -> dict[int, Taught]:
    """Lets those bots learn from the round; what came of it, by bot, for those that do."""
    jobs = [
        Lesson(
            plan.game,
            Entrant(plan.bots[bot].version, plan.bots[bot].class_name),
            memories[bot],
            [(record, sitting.who.index(bot)) for sitting, record in records if bot in sitting.who],
            round_key(plan.seed, number, plan.bots[bot].version),
            plan.limits,
        )
        for bot in pupils
    ]
    taught = zip(pupils, players.play(partial(teach, bundles), jobs), strict=True)
    return {bot: one for bot, one in taught if one.learned.learns}


def teach(bundles: Mapping[str, bytes], box: Box | None, job: Lesson) -> Taught:
    """Lets one bot learn."""
    found = Lessons([], 0)

    def records() -> list[bytes]:
        nonlocal found
        own = [Own(unpack(record), entrant) for record, entrant in job.played]
        found = lessons(registry.game(job.game), own, job.key)
        return found.records

    learned = learn(
        job.game,
        bundles[job.entrant.version],
        job.entrant,
        job.memory,
        records,
        seed=job.key,
        limits=job.limits,
        box=box,
    )
    return Taught(learned, len(found.records), found.left_out)


def document_of_rounds(plan: Plan, played: Sequence[Round], workers: int) -> dict[str, Any]:
    """What `simulate --rounds --json` prints."""
    names = plan.names(range(len(plan.bots)))
    rounds = [
        {
            "round": number,
            **document_of(one.done, workers),
            "memories": {
                name: digest(memory)
                for name, memory in zip(names, one.memories, strict=True)
                if memory
            },
            "learning": [_told(names[bot], taught) for bot, taught in sorted(one.taught.items())],
        }
        for number, one in enumerate(played, 1)
    ]
    return {
        "game": plan.game,
        "seed": plan.seed,
        "games": plan.games,
        "options": dict(plan.options),
        "bots": names,
        "rounds": rounds,
        "box": played[0].done.box,
        "workers": workers,
        "seconds": round(sum(one.done.seconds for one in played), 3),
    }


def lines(played: Sequence[Round]) -> Iterator[Sequence[object]]:
    """The rows of `--tsv`: those of each round, after its number; a head is there once."""
    for number, one in enumerate(played, 1):
        for place, line in enumerate(one.done.found.lines()):
            head = place == 0 and not any(isinstance(cell, int | float) for cell in line)
            if not head:
                yield number, *line
            elif number == 1:
                yield "round", *line


def _told(name: str, taught: Taught) -> dict[str, Any]:
    fault = taught.learned.fault
    return {
        "bot": name,
        "records": taught.records,
        "left_out": taught.left_out,
        "fault": f"{fault.kind}: {fault.detail}" if fault else None,
        "log": taught.learned.log,
    }

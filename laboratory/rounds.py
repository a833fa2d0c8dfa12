"""Plays an experiment in rounds: after each one, bots learn from the matches that they played.

A bot's memory does not change during a round. The seed alone decides all results.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from laboratory.experiment import document_of, ignore, play
from matchbox import registry
from matchbox.bundle import digest
from matchbox.lab import tables
from matchbox.match.learning import Lessons, Own, lessons, round_key
from matchbox.match.record import unpack
from matchbox.match.wire import Entrant
from worker.arena.learning import LearnResult, learn

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from laboratory.experiment import Experiment, Follow, Found, Show
    from laboratory.worker_pool import WorkerPool
    from matchbox.lab.plan import Plan, Sitting
    from sandbox.box import Box


@dataclass(frozen=True, slots=True)
class Lesson:
    """A bot that is to learn, with the matches that it learns from."""

    game: str
    entrant: Entrant
    memory: bytes
    played: list[tuple[bytes, int]]
    """The packed records of its matches, each with the bot's entrant number in it."""
    key: str
    """The key from `round_key`."""
    limits: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Taught:
    """The result of a lesson."""

    learned: LearnResult
    records: int
    left_out: int
    """The number of bouts left out because a round teaches no more than a fixed number."""


@dataclass(frozen=True, slots=True)
class Round:
    """One round of an experiment."""

    done: Experiment
    memories: list[bytes]
    """The memory of each bot while the round was played."""
    taught: dict[int, Taught]
    """The lesson of each bot after the round, by bot."""


def run(
    plan: Plan,
    bundles: Mapping[str, bytes],
    pool: WorkerPool,
    rounds: int,
    *,
    follow: Follow = ignore,
    show: Show = ignore,
) -> list[Round]:
    """Plays the plan in rounds. Raises SeatFault("platform"), Unavailable."""
    memories = [b""] * len(plan.bots)
    pupils = list(range(len(plan.bots)))
    played: list[Round] = []
    follow(lambda: pool.over)
    for number in range(1, rounds + 1):
        records: list[tuple[Sitting, bytes]] = []

        def seen(sitting: Sitting, record: bytes, found: Found, kept: list[Any] = records) -> None:
            kept.append((sitting, record))
            show(lambda: tables.reached(found.result()))

        present = plan_of_round(plan, number, memories)
        known = {digest(memory): memory for memory in memories}
        done = play(present, bundles, known, pool, seen)
        taught: dict[int, Taught] = {}
        if number < rounds:
            taught = _teach(plan, number, bundles, memories, records, pool, pupils)
        played.append(Round(done, list(memories), taught))
        pupils = [bot for bot in pupils if bot in taught]
        for bot, one in taught.items():
            memories[bot] = one.learned.memory
    return played


def plan_of_round(plan: Plan, number: int, memories: Sequence[bytes]) -> Plan:
    """The experiment with the deals of that round, counted from 1, and the bots' memories."""
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
    pool: WorkerPool,
    pupils: Sequence[int],
) -> dict[int, Taught]:
    """Lets these bots learn from the round; returns the lessons of those with a `learn`, by bot."""
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
    taught = zip(pupils, pool.play(partial(teach, bundles), jobs), strict=True)
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
    """The JSON document that `simulate --rounds --json` prints."""
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
    """The rows of `--tsv`: those of each round, after its number, with one header row."""
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

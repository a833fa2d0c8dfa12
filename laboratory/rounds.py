"""Plays an experiment in rounds: after each one, bots learn from the matches that they played.

A bot's memory does not change during a round. The seed alone decides all results.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias, TypedDict, cast

from laboratory.experiment import (
    GridDocument,
    MatrixDocument,
    PlacesDocument,
    do_nothing,
    document_of,
    play,
)
from matchbox import registry
from matchbox.bundle import digest
from matchbox.lab import result_rows
from matchbox.lab.plan import Parameters
from matchbox.match.learning import Lessons, Own, lessons, round_key
from matchbox.match.record import unpack
from matchbox.match.wire import Entrant
from worker.arena.learning import LearnResult, learn

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from laboratory.experiment import Experiment, Follow, Show
    from laboratory.planning import Results
    from laboratory.worker_pool import WorkerPool
    from matchbox.lab.plan import Plan, Sitting
    from sandbox.box import Box


class LessonDocument(TypedDict):
    """The lesson of one bot after a round."""

    bot: str
    records: int
    left_out: int
    """As in `LessonResult`."""
    fault: str | None
    """The fault's kind and its detail; None if the bot learned."""
    log: str
    """The bot's output."""


class LearningRound(TypedDict):
    """What the document of a round has besides that of its experiment."""

    round: int
    """From 1."""
    memories: dict[str, str]
    """The digest of each bot's memory while the round was played, by name, if it had one."""
    learning: list[LessonDocument]


class MatrixRound(MatrixDocument, LearningRound):
    """A round of a matrix."""


class GridRound(GridDocument, LearningRound):
    """A round of a grid."""


class PlacesRound(PlacesDocument, LearningRound):
    """A round of an experiment with places."""


RoundDocument: TypeAlias = MatrixRound | GridRound | PlacesRound


class DocumentOfRounds(Parameters):
    """The experiment as `simulate --rounds --json` prints it."""

    rounds: list[RoundDocument]
    box: str
    workers: int
    seconds: float


@dataclass(frozen=True, slots=True)
class LessonJob:
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
class LessonResult:
    """The result of a lesson."""

    learned: LearnResult
    records: int
    left_out: int
    """The number of bouts that were left out, because a lesson has a limit."""


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """One round of an experiment."""

    done: Experiment
    memories: list[bytes]
    """The memory of each bot while the round was played."""
    lessons_by_bot: dict[int, LessonResult]
    """The lesson of each bot after the round, by bot."""


def run(
    plan: Plan,
    bundles: Mapping[str, bytes],
    pool: WorkerPool,
    rounds: int,
    *,
    follow: Follow = do_nothing,
    show: Show = do_nothing,
) -> list[PlayedRound]:
    """Plays the plan in rounds. Raises SeatFault("platform"), Unavailable."""
    memories = [b""] * len(plan.bots)
    pupils = list(range(len(plan.bots)))
    played: list[PlayedRound] = []
    follow(lambda: pool.finished_bouts)
    for number in range(1, rounds + 1):
        records: list[tuple[Sitting, bytes]] = []

        def on_sitting(
            sitting: Sitting,
            record: bytes,
            found: Results,
            kept: list[tuple[Sitting, bytes]] = records,
        ) -> None:
            kept.append((sitting, record))
            show(lambda: result_rows.current_figures(found.result()))

        present = plan_of_round(plan, number, memories)
        known = {digest(memory): memory for memory in memories}
        done = play(present, bundles, known, pool, on_sitting)
        lessons_by_bot: dict[int, LessonResult] = {}
        if number < rounds:
            lessons_by_bot = _teach(plan, number, bundles, memories, records, pool, pupils)
        played.append(PlayedRound(done, list(memories), lessons_by_bot))
        pupils = [bot for bot in pupils if bot in lessons_by_bot]
        for bot, one in lessons_by_bot.items():
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
) -> dict[int, LessonResult]:
    """Lets these bots learn from the round; returns the lessons of those with a `learn`, by bot."""
    jobs = [
        LessonJob(
            plan.game,
            Entrant(plan.bots[bot].version, plan.bots[bot].class_name),
            memories[bot],
            [
                (record, sitting.bots.index(bot))
                for sitting, record in records
                if bot in sitting.bots
            ],
            round_key(plan.seed, number, plan.bots[bot].version),
            plan.limits,
        )
        for bot in pupils
    ]
    results = zip(pupils, pool.play(partial(teach, bundles), jobs), strict=True)
    return {bot: one for bot, one in results if one.learned.learns}


def teach(bundles: Mapping[str, bytes], box: Box | None, job: LessonJob) -> LessonResult:
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
    return LessonResult(learned, len(found.records), found.left_out)


def document_of_rounds(plan: Plan, played: Sequence[PlayedRound], workers: int) -> DocumentOfRounds:
    """The JSON document that `simulate --rounds --json` prints."""
    names = plan.names(range(len(plan.bots)))
    rounds = [
        cast(
            "RoundDocument",
            {
                "round": number,
                **document_of(one.done, workers),
                "memories": {
                    name: digest(memory)
                    for name, memory in zip(names, one.memories, strict=True)
                    if memory
                },
                "learning": [
                    _lesson_document(names[bot], lesson)
                    for bot, lesson in sorted(one.lessons_by_bot.items())
                ],
            },
        )
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


def lines(played: Sequence[PlayedRound]) -> Iterator[Sequence[object]]:
    """The rows of `--tsv`: those of each round, after its number, with one header row."""
    for number, one in enumerate(played, 1):
        for place, line in enumerate(one.done.results.lines()):
            head = place == 0 and not any(isinstance(cell, int | float) for cell in line)
            if not head:
                yield number, *line
            elif number == 1:
                yield "round", *line


def _lesson_document(name: str, lesson: LessonResult) -> LessonDocument:
    fault = lesson.learned.fault
    return {
        "bot": name,
        "records": lesson.records,
        "left_out": lesson.left_out,
        "fault": f"{fault.kind}: {fault.detail}" if fault else None,
        "log": lesson.learned.log,
    }

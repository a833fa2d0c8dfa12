"""Plays an experiment in rounds: after each one, bots learn from the matches that they played.

A bot's memory does not change during a round. The seed alone decides all results.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias, TypedDict, cast

from msgspec import structs

from laboratory.experiment import (
    GridDocument,
    MatrixDocument,
    PlacesDocument,
    do_nothing,
    document_of,
    play,
)
from laboratory.planning import kind_of
from matchbox import registry
from matchbox.bundle import digest
from matchbox.lab import result_rows
from matchbox.lab.plan import Parameters
from matchbox.match.learning import MAX_RECORDS, Lessons, Own, lessons, round_key
from matchbox.match.record import unpack
from matchbox.match.wire import Entrant
from worker.arena.learning import LearnResult, learn

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from laboratory.experiment import Experiment, Follow, Show
    from laboratory.planning import Results
    from laboratory.worker_pool import WorkerPool
    from matchbox.game import Game
    from matchbox.lab.plan import Plan, Sitting
    from sandbox.box import Box


class LessonDocument(TypedDict):
    """The lesson of one bot after a round."""

    bot: str
    records: int
    left_out: int
    """As in `LearnResult`."""
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


class GivenSittings:
    """What one bot gets to learn from: of each table at which it sits, the same number of bouts.

    A lesson has at most `MAX_RECORDS` bouts, and a pair of bots alone may play more. Nothing else
    is kept.
    """

    def __init__(self, bot: int, tables: int) -> None:
        self.records: list[tuple[bytes, int, int]] = []
        """The packed record of each sitting, the bot's entrant number in it, and how many of its
        bouts are given."""
        self.left_out = 0
        """The number of bouts that are not given."""
        self._bot = bot
        self._share = -(-MAX_RECORDS // max(1, tables))
        self._given: Counter[tuple[int, ...]] = Counter()

    def add(self, sitting: Sitting, record: bytes) -> None:
        """Adds a sitting of the round; only those of the bot count."""
        if self._bot not in sitting.bots:
            return
        more = min(sitting.games, self._share - self._given[sitting.bots])
        self._given[sitting.bots] += more
        self.left_out += sitting.games - more
        if more:
            self.records.append((record, sitting.bots.index(self._bot), more))

    def lessons(self, game: Game, key: str) -> Lessons:
        """The bot's lessons, in the order of the sittings, which may share a match id."""
        own = []
        for number, (packed, entrant, most) in enumerate(self.records):
            record = unpack(packed)
            name, bouts = f"{number:08}", record.bouts[:most]
            own.append(Own(structs.replace(record, match=name, bouts=bouts), entrant))
        found = lessons(game, own, key)
        return Lessons(found.records, found.left_out + self.left_out)


@dataclass(frozen=True, slots=True)
class LessonJob:
    """A bot that is to learn, with the matches that it learns from."""

    game: str
    entrant: Entrant
    memory: bytes
    given: GivenSittings
    key: str
    """The key from `round_key`."""
    limits: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """One round of an experiment."""

    done: Experiment
    memories: list[bytes]
    """The memory of each bot while the round was played."""
    lessons_by_bot: dict[int, LearnResult]
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
        present = plan_of_round(plan, number, memories)
        given = _nothing_given(present, pupils if number < rounds else ())

        def on_sitting(
            sitting: Sitting,
            record: bytes,
            found: Results,
            given: Mapping[int, GivenSittings] = given,
        ) -> None:
            for one in given.values():
                one.add(sitting, record)
            show(lambda: result_rows.current_figures(found.result()))

        known = {digest(memory): memory for memory in memories}
        done = play(present, bundles, known, pool, on_sitting)
        lessons_by_bot: dict[int, LearnResult] = {}
        if number < rounds:
            lessons_by_bot = _teach(plan, number, bundles, memories, given, pool)
        played.append(PlayedRound(done, list(memories), lessons_by_bot))
        pupils = [bot for bot in pupils if bot in lessons_by_bot]
        for bot, one in lessons_by_bot.items():
            memories[bot] = one.memory
    return played


def plan_of_round(plan: Plan, number: int, memories: Sequence[bytes]) -> Plan:
    """The experiment with the deals of that round, counted from 1, and the bots' memories."""
    bots = [
        replace(bot, memory=digest(memory) if memory else None)
        for bot, memory in zip(plan.bots, memories, strict=True)
    ]
    seed = plan.seed if number == 1 else f"{plan.seed}, round {number}"
    return replace(plan, bots=bots, seed=seed)


def _nothing_given(plan: Plan, pupils: Sequence[int]) -> dict[int, GivenSittings]:
    """What these bots get to learn from, before the round is played."""
    tables = {sitting.bots for sitting in kind_of(plan).sittings(plan)} if pupils else set()
    return {bot: GivenSittings(bot, sum(bot in bots for bots in tables)) for bot in pupils}


def _teach(
    plan: Plan,
    number: int,
    bundles: Mapping[str, bytes],
    memories: Sequence[bytes],
    given: Mapping[int, GivenSittings],
    pool: WorkerPool,
) -> dict[int, LearnResult]:
    """Lets these bots learn from the round; returns the lessons of those with a `learn`, by bot."""
    jobs = [
        LessonJob(
            plan.game,
            Entrant(plan.bots[bot].version, plan.bots[bot].class_name),
            memories[bot],
            sittings,
            round_key(plan.seed, number, plan.bots[bot].version),
            plan.limits,
        )
        for bot, sittings in given.items()
    ]
    results = zip(given, pool.play(partial(teach, bundles), jobs), strict=True)
    return {bot: one for bot, one in results if one.learns}


def teach(bundles: Mapping[str, bytes], box: Box | None, job: LessonJob) -> LearnResult:
    """Lets one bot learn."""
    return learn(
        job.game,
        bundles[job.entrant.version],
        job.entrant,
        job.memory,
        lambda: job.given.lessons(registry.game(job.game), job.key),
        seed=job.key,
        limits=job.limits,
        box=box,
    )


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


def _lesson_document(name: str, lesson: LearnResult) -> LessonDocument:
    fault = lesson.fault
    return {
        "bot": name,
        "records": lesson.records,
        "left_out": lesson.left_out,
        "fault": f"{fault.kind}: {fault.detail}" if fault else None,
        "log": lesson.log,
    }

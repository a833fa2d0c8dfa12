"""The creature duel: AutoPilot against itself, and against a player that learns."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from math import sqrt
from statistics import fmean
from typing import Final

from bench.figures.compare import (
    REFERENCE,
    Ours,
    Row,
    Section,
    between,
    counted,
    ours_exact,
    ours_interval,
    ours_mean,
    ours_percent,
    value,
)
from bench.figures.laboratory import Laboratory
from matchbox.games.creatures import AutoPilot, StillLearning
from matchbox.games.creatures.parsing import count
from matchbox.games.creatures.terminal import play
from matchbox.lab.result_rows import is_matrix
from matchbox.lab.statistics import mean_interval

GAMES: Final = 10_000
LEARNERS: Final = 20
LESSONS: Final = 500


def section(laboratory: Laboratory) -> Section:
    """The reference run's figures; the document gives none."""
    learners = max(1, round(LEARNERS * laboratory.scale))
    return Section(
        "Creature duel",
        f"{laboratory.games(GAMES):,} games of AutoPilot against itself, and {learners} learners "
        f"with {LESSONS} games each against AutoPilot: play, log, parse, play. The document "
        "publishes no figures.",
        [*_mirror(laboratory), *_learning(laboratory, learners)],
    )


def _mirror(laboratory: Laboratory) -> Iterator[Row]:
    found = laboratory.simulate("creatures", ["autopilot"], GAMES, mirror=True).results
    (turns,) = found.histogram().values()
    result = found.result()
    assert is_matrix(result)
    (pair,) = result["pairs"]
    name = "autopilot against itself"
    ours = ours_percent(pair["first_share"], pair["games"])
    yield Row(f"{name}: first won, %", REFERENCE, value(91.7, 0.4), ours)
    mean = ours_mean(turns)
    error = mean.error * sqrt(mean.games / 20_000)
    yield Row(f"{name}: mean turns", REFERENCE, value(9.10, error), mean)
    low, high = ours_exact(min(turns)), ours_exact(max(turns))
    yield Row(f"{name}: shortest game, turns", REFERENCE, value(9), low)
    if laboratory.scale >= 1:
        yield Row(f"{name}: longest game, turns", REFERENCE, between(12, 16), high)
    ours = ours_percent(pair["facts"]["ended_by_life"], pair["games"])
    yield Row(f"{name}: ended by life, %", REFERENCE, value(100), ours)


def _learning(laboratory: Laboratory, learners: int) -> Iterator[Row]:
    won = [_learn(f"{laboratory.seed}/{learner}") for learner in range(learners)]
    for told, first, last, given in (
        ("in all", 1, LESSONS, value(48.4, 0.4)),
        ("games 2 to 10", 2, 10, counted(46.0, 9 * 100)),
        ("games 201 to 500", 201, LESSONS, counted(49.0, 300 * 100)),
    ):
        ours = _share([games[first - 1 : last] for games in won])
        yield Row(f"stilllearning against autopilot, {told}: won, %", REFERENCE, given, ours)


def _share(won: list[list[bool]]) -> Ours:
    """The share that the learners won in all; its error is the wider one of games and learners."""
    share, interval = mean_interval([fmean(games) for games in won])
    single = ours_percent(share, sum(map(len, won)))
    own = ours_interval(100 * share, [100 * bound for bound in interval], single.games)
    return max(single, own, key=lambda ours: ours.error)


def _learn(seed: str) -> list[bool]:
    """Whether one learner won, for each of its games; a toss decides who begins."""
    random.seed(seed)
    table: dict[str, dict[str, int]] = {}
    won = []
    for number in range(1, LESSONS + 1):
        learner = StillLearning("learner")
        learner.remember(json.dumps(table).encode())
        players = learner, AutoPilot("autopilot")
        log = play(players if random.random() < 0.5 else players[::-1], number).format_logging()
        count(table, log)
        won.append(log["winner"] == "learner")
    return won

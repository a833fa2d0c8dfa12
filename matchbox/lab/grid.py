"""A cooperative game over table sizes and bots: how far each team gets.

Every bot fills all seats of tables of its own, and all of them play the same deals. If the plan is
mixed, the bots sit together; if there are more bots than seats, each plays about equally often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import NotRequired, TypedDict, cast

from matchbox.lab.counts import CountedBout, Counts, FaultRow, Faults
from matchbox.lab.facts import Sum
from matchbox.lab.plan import Deals, Parameters, Plan, Sitting, interleave, sittings_of, tables
from matchbox.lab.statistics import bootstrap

Key = tuple[int, int]
"""(players, bot), or (players, -1) if the bots are mixed."""

MIXED = -1


class CellResult(TypedDict):
    """The results of one team at one table size, and the facts that the game reports, by name."""

    players: int
    bot: str
    """The bot's name; the names of all, joined by " + ", if they are mixed."""
    games: int
    deals: int
    mean: float
    """The mean score."""
    ci95: list[float]
    max: int
    won: NotRequired[float]
    """The share of games won, if the game reports wins."""


class GridResult(Parameters):
    """The experiment as `matchbox simulate --json` prints it, without its times."""

    cells: list[CellResult]
    faults: list[FaultRow]


@dataclass(slots=True)
class Cell:
    """The results of one team at one table size."""

    facts: Sum
    scores: list[int] = field(default_factory=list)
    """In the order of play."""
    deals: dict[str, list[int]] = field(default_factory=dict)

    def add(self, deal: str, bout: CountedBout) -> None:
        """Adds one bout; the team's score is the score of its first seat."""
        self.scores.append(bout.scores[0])
        self.deals.setdefault(deal, []).append(bout.scores[0])
        self.facts.add(bout.facts)


def sittings(plan: Plan) -> Iterator[Sitting]:
    """Every job of the plan; the same plan is always cut into the same jobs."""
    deals = Deals(plan.seed, range(plan.games))
    if plan.mixed:
        return interleave(tables(plan, size) for size in plan.sizes)
    return interleave(
        sittings_of(plan, [bot] * size, deals, [0])
        for size in plan.sizes
        for bot in range(len(plan.bots))
    )


@dataclass(frozen=True, slots=True)
class Grid:
    """The counts of a plan so far."""

    plan: Plan
    cells: dict[Key, Cell] = field(default_factory=dict)
    faults: Faults = field(default_factory=Faults)

    def add(self, sitting: Sitting, counts: Counts) -> None:
        """Adds the counts of a sitting; those of one cell must come in the order of `sittings`."""
        self.faults.add(counts)
        key = len(sitting.bots), MIXED if self.plan.mixed else sitting.bots[0]
        cell = self.cells.setdefault(key, Cell(Sum(self.plan.game)))
        deals = list(sitting.deals)
        for deal, bout in zip(counts.deals, counts.bouts, strict=True):
            cell.add(deals[deal], bout)

    def result(self) -> GridResult:
        """The experiment as `matchbox simulate --json` prints it, without its times."""
        parameters = self.plan.parameters()
        return {
            **parameters,
            "cells": [self._cell(key, cell) for key, cell in self.cells.items()],
            "faults": self.faults.rows(parameters["bots"]),
        }

    def lines(self) -> Iterator[Sequence[object]]:
        """The rows of `--tsv`, as the document of The Game has them: one row per game, with
        players, bot and score, without a header. Each game has one row of every cell."""
        for game in range(self.plan.games):
            for (size, bot), cell in self.cells.items():
                yield size, self._name(bot), cell.scores[game]

    def histogram(self) -> dict[str, Counter[int]]:
        """How many games ended with which score, by bot and table size."""
        return {
            f"{self._name(bot)}, {size}": Counter(cell.scores)
            for (size, bot), cell in sorted(self.cells.items(), key=lambda item: item[0][::-1])
        }

    def _cell(self, key: Key, cell: Cell) -> CellResult:
        size, bot = key
        groups = [(sum(scores), len(scores)) for scores in cell.deals.values()]
        mean, interval = bootstrap(groups, f"{self.plan.seed}/{size}/{bot}")
        # If a score is below 0, the game's least score is not known.
        least = 0.0 if min(cell.scores) >= 0 else -inf
        result = {
            "players": size,
            "bot": self._name(bot),
            "games": len(cell.scores),
            "deals": len(cell.deals),
            "mean": round(mean, 4),
            "ci95": [round(max(least, bound), 4) for bound in interval],
            "max": max(cell.scores),
            **cell.facts.result(len(cell.scores)),
        }
        return cast("CellResult", result)

    def _name(self, bot: int) -> str:
        names = self.plan.names(range(len(self.plan.bots)))
        return " + ".join(names) if bot == MIXED else names[bot]

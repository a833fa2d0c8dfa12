"""Regret minimisation: both sides of a round play against each other and reduce their regrets.

Knows the rounds of rounds.py; uses no random numbers, so the same number of iterations gives the
same strategies. Regrets are matched and kept above zero, and later iterations weigh more in the
average (CFR+; Tammelin 2014, Tammelin et al. 2015). Stages with equally many cards have the same
decisions and are solved together, one row of the arrays each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from learning.rounds import (
    FIRST,
    PRIVATE,
    Challenge,
    Node,
    Stage,
    Values,
    allowed,
    batches,
    follow,
    payoffs,
    stages,
)

Array: TypeAlias = NDArray[np.float64]
Pair: TypeAlias = tuple[Array, Array]
"""An array for player 0 and one for player 1: a number for each stage and private holding."""


class Decision:
    """One decision in all stages of a batch: its regrets, and the sum of its strategies."""

    def __init__(self, node: Node, cards: tuple[int, int], stages: int) -> None:
        self.node = node
        self.mask = allowed(node, cards).astype(float)
        self.regrets = np.zeros((stages, PRIVATE, len(node.actions)))
        self.sums = np.zeros_like(self.regrets)
        self.after: dict[str, Decision | Array] = {}
        """By action; S leads to the same node as R."""

    def current(self) -> Array:
        """The strategy that matches the regrets."""
        return self._shares(self.regrets)

    def average(self) -> Array:
        """The mean strategy over all iterations, which is the result of learning."""
        return self._shares(self.sums)

    def _shares(self, weights: Array) -> Array:
        total = weights.sum(axis=2, keepdims=True)
        even = self.mask / np.maximum(self.mask.sum(axis=1, keepdims=True), 1.0)
        return np.where(total > 0, weights / np.where(total > 0, total, 1.0), even)


ValueRule: TypeAlias = Callable[[Decision, int, Array, Array], Array]
"""The mover's values of a decision, from its strategy and the values of its actions."""


class RoundTree:
    """The rounds of one batch of stages, for known values of the rounds that follow."""

    def __init__(self, batch: Sequence[Stage], values: Mapping[Stage, Values]) -> None:
        self.stages = list(batch)
        cards = (batch[0].starter.cards, batch[0].other.cards)
        self.decisions: list[Decision] = []
        self.root = self._grow(FIRST, cards, values)
        self.dealt: Pair = (
            np.array([_holding_prior(stage.starter.owns) for stage in batch]),
            np.array([_holding_prior(stage.other.owns) for stage in batch]),
        )

    def _grow(self, node: Node, cards: tuple[int, int], values: Mapping[Stage, Values]) -> Decision:
        decision = Decision(node, cards, len(self.stages))
        self.decisions.append(decision)
        for action in node.actions.replace("S", ""):
            after = follow(node, action, cards)
            if isinstance(after, Challenge):
                decision.after[action] = np.array(
                    [payoffs(stage, after, values) for stage in self.stages]
                )
            else:
                decision.after[action] = self._grow(after, cards, values)
        return decision

    def improve(self, iteration: int) -> None:
        """One iteration for both players."""

        def learn(decision: Decision, mover: int, strategy: Array, found: Array) -> Array:
            value: Array = (strategy * found).sum(axis=2)
            regrets = (decision.regrets + found - value[:, :, None]) * decision.mask
            decision.regrets = np.maximum(regrets, 0.0)
            return value

        def play(decision: Decision, reach: Array) -> Array:
            strategy = decision.current()
            decision.sums += iteration * reach[:, :, None] * strategy
            return strategy

        _walk(self.root, self.dealt, play, learn)

    def value(self) -> list[Values]:
        """By stage, the values of the average strategies for every pair of owned skulls."""
        by_other = []
        for owned in (0, 1):
            dealt = np.zeros_like(self.dealt[1])
            dealt[:, owned] = 1.0
            by_other.append(_walk(self.root, (self.dealt[0], dealt), _average, _mean)[0][:, :2])
        return list(np.stack(by_other, axis=2))

    def exploitability(self) -> Array:
        """By stage, the advantage of the best answer over its fair share, as the mean of both
        sides, for given values of the rounds that follow."""
        won = np.zeros(len(self.stages))
        for player in (0, 1):

            def best(decision: Decision, mover: int, strategy: Array, found: Array) -> Array:
                if mover != player:  # noqa: B023
                    return _mean(decision, mover, strategy, found)
                value: Array = np.where(decision.mask > 0, found, -np.inf).max(axis=2)
                return np.where(np.isfinite(value), value, 0.0)

            found = _walk(self.root, self.dealt, _average, best)[player]
            won += (found * self.dealt[player]).sum(axis=1)
        return (won - 1) / 2


def _holding_prior(owns: float) -> list[float]:
    return [1 - owns, owns] + [0.0] * (PRIVATE - 2)


def _average(decision: Decision, reach: Array) -> Array:
    return decision.average()


def _mean(decision: Decision, mover: int, strategy: Array, found: Array) -> Array:
    value: Array = (strategy * found).sum(axis=2)
    return value


def _walk(
    decision: Decision, reach: Pair, play: Callable[[Decision, Array], Array], value_rule: ValueRule
) -> Pair:
    """Both players' values of a decision, given the probability of each holding there."""
    node, mover = decision.node, decision.node.mover
    strategy = play(decision, reach[mover])
    found = np.zeros_like(decision.regrets)
    others = np.zeros_like(reach[0])
    placed = 2 + node.piles[mover]
    for number, action in enumerate(node.actions):
        if action == "S":
            continue
        moved = reach[mover] * strategy[:, :, number]
        if action == "R":
            moved[:, placed] += reach[mover][:, 1] * strategy[:, 1, 1]
        both = (moved, reach[1]) if mover == 0 else (reach[0], moved)
        after = decision.after[action]
        if isinstance(after, Decision):
            values = _walk(after, both, play, value_rule)
        else:
            values = (
                (after * both[1][:, None, :]).sum(axis=2),
                ((1 - after) * both[0][:, :, None]).sum(axis=1),
            )
        found[:, :, number] = values[mover]
        if action == "R":
            found[:, 1, 1] = values[mover][:, placed]
        others += values[1 - mover]
    own = value_rule(decision, mover, strategy, found)
    return (own, others) if mover == 0 else (others, own)


def solve(iterations: int, workers: int = 1) -> tuple[dict[Stage, Values], list[RoundTree]]:
    """The values of every stage, the last ones first, and the solved rounds.

    The result does not depend on `workers`, the number of processes.
    """
    values: dict[Stage, Values] = {}
    solved: list[RoundTree] = []
    found = stages()
    with ProcessPoolExecutor(workers) if workers > 1 else nullcontext() as pool:
        for closeness in sorted({stage.closeness for stage in found}):
            level = list(batches([stage for stage in found if stage.closeness == closeness]))
            solver = Solver(iterations, values)
            for game in pool.map(solver, level) if pool else map(solver, level):
                values.update(zip(game.stages, game.value(), strict=True))
                solved.append(game)
    return values, solved


class Solver:
    """Solves one batch. It is an object so that it can be sent to another process."""

    def __init__(self, iterations: int, values: Mapping[Stage, Values]) -> None:
        self.iterations = iterations
        self.values = dict(values)

    def __call__(self, batch: Sequence[Stage]) -> RoundTree:
        game = RoundTree(batch, self.values)
        for iteration in range(1, self.iterations + 1):
            game.improve(iteration)
        return game

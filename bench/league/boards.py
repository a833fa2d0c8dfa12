"""Promises about a board: the figure that ranks, its certainty, and the best bot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from bench.league import field
from bench.league.effort import Effort, Figure
from matchbox.league.cooperative_boards import collect_scores, score
from matchbox.league.expected_scores import Scores, expected_scores
from matchbox.league.line import By
from matchbox.league.pairwise import Floats, PairwiseResults
from matchbox.league.posterior import posterior
from matchbox.league.ranges import ENOUGH_DEALS, rank_ranges
from matchbox.league.ratings import ELO, WIDE, fit_strengths
from matchbox.league.rows import Row
from matchbox.league.standings import standing
from matchbox.league.transitivity import Verdict, verdict

SHARED: Final = 0.5
"""The probability of shared luck, as in `field`."""
LOOKS: Final = 25
GROWTH: Final = 1.25
"""A board is looked at again once it has this many times the deals of the last look."""
FIRST_DEALS: Final = 10
FIELDS: Final = ((4, 100.0), (4, 300.0), (8, 400.0), (12, 100.0))
"""Sizes of fields, and the spread of their strengths in Elo."""
BOMB: Final = (0.689, 0.753, 0.9705, 0.646, 0.808, 0.787)
"""The shares that the shipped bots of bomb took in 2,000 games of each pair, the best bot first
(`simulate`)."""
TRIANGLE: Final = np.array([[0.5, 0.40, 0.58], [0.60, 0.5, 0.35], [0.42, 0.65, 0.5]])
"""The chances of R, P and S; R takes 49.0% against the two others."""


def what_ranks(effort: Effort) -> list[Figure]:
    """The number of changes of the ranking figure, on boards that grow under many looks."""
    figures = [true_strengths(effort, *one) for one in FIELDS]
    cases = {
        "the four shipped bots of bomb": (_bomb(), "never", 0, 0),
        "nine in a circle, 75%": (field.circle(9, 0.75), "once, to the score", 1, 1),
        "four bots at the limit of five points": (_at_the_limit(), "at most twice", 0, 2),
    }
    for name, (table, goal, least, most) in cases.items():
        rng = np.random.default_rng([effort.seed, len(name)])
        changes = [_changes(table, rng) for _ in range(effort.trials(100))]
        met = least <= min(changes) and max(changes) <= most
        figures.append(_changed(f"the ranking criterion changes, {name}", goal, changes, met))
    return figures


def true_strengths(effort: Effort, bots: int, spread: float) -> Figure:
    """Checks fields whose strengths, spread by `spread` Elo, explain all results."""
    rng = np.random.default_rng([effort.seed, bots, int(spread)])
    trials = effort.trials(500)
    tables = (_chances(spread * rng.normal(size=bots)) for _ in range(trials))
    changes = [_changes(table, rng) for table in tables]
    name = f"the ranking criterion changes, {bots} bots whose strengths spread by {spread:.0f} Elo"
    return _changed(name, "never more than once", changes, max(changes) <= 1)


def unmet_pairs(effort: Effort) -> list[Figure]:
    """Intervals and rank ranges of mean expected scores, if some pairs never met."""
    fields = {
        "four bots 150 Elo apart, 20 deals a pair": (_chances(field.ladder(4, 150.0)), 20, 0.0),
        "the same, a fifth of the pairs unmet": (_chances(field.ladder(4, 150.0)), 20, 0.2),
        "nine in a circle, 75%, 30% unmet": (field.circle(9, 0.75), 100, 0.3),
        "nine in a circle, 95%, 30% unmet": (field.circle(9, 0.95), 100, 0.3),
    }
    figures, trials = [], effort.trials(300)
    for at, (name, (table, deals, unmet)) in enumerate(fields.items()):
        rng = np.random.default_rng([effort.seed, at])
        truth = (table.sum(axis=1) - 0.5) / (len(table) - 1)
        inside, held, width, outside = [], [], [], 0
        for _ in range(trials):
            scores = _scores(_compared(table, deals, unmet, rng))
            half = WIDE * np.sqrt(np.diag(scores.covariance))
            inside.append(np.abs(scores.means - truth) <= half)
            width.append(half.mean())
            found = rank_ranges(scores.means, scores.covariance)
            held.append(all(map(_holds, found, _true_ranges(truth))))
            outside += int(((scores.means < 0) | (scores.means > 1)).sum())
        share, all_at_once = float(np.mean(inside)), float(np.mean(held))
        ours = f"{share:.1%} (±{np.mean(width):.1%}), ranges {all_at_once:.1%}"
        met = share >= 0.91 and all_at_once >= 0.91 and not outside
        name = f"intervals of mean expected scores, {name}"
        figures.append(Figure(name, "91% or more, both", ours, trials, met))
    return figures


def clones(effort: Effort) -> list[Figure]:
    """The effect of two copies of S on the score of R."""
    figures, trials = [], effort.trials(100)
    for deals in (20, 100, 400):
        told = []
        for copies in (0, 2):
            rng = np.random.default_rng([effort.seed, deals])
            table = field.with_clones(TRIANGLE, 2, copies)
            found = [_scores(_compared(table, deals, 0.0, rng)).means[0] for _ in range(trials)]
            told.append(float(np.mean(found)))
        moved = abs(told[1] - told[0])
        goal, met = ("1 point or less", moved <= 0.01) if deals == 400 else ("", None)
        name = f"two copies of S move the score of R, {deals} deals a pair"
        figures.append(Figure(name, goal, f"{told[0]:.1%} to {told[1]:.1%}", trials, met))
    return figures


def best(effort: Effort) -> list[Figure]:
    """The share of boards whose top line is truly the best, and the probability that the boards
    give."""
    fields: dict[str, Callable[[np.random.Generator], Floats]] = {
        "ten equals": lambda rng: 1e-6 * rng.normal(size=10),
        "ten bots spread by 30 Elo": lambda rng: 30 * rng.normal(size=10),
        "ten bots spread by 100 Elo": lambda rng: 100 * rng.normal(size=10),
        "two equals 100 Elo above four others": lambda rng: np.concatenate(
            [100 + 1e-6 * rng.normal(size=2), [0, -100, -200, -300]]
        ),
    }
    figures, trials = [], effort.trials(500)
    for name, draw in fields.items():
        rng = np.random.default_rng([effort.seed, len(name)])
        said, right = [], []
        for _ in range(trials):
            truth = draw(rng)
            fitted = fit_strengths(_compared(_chances(truth), 20, 0.0, rng))
            top = int(np.argmax(fitted.strengths))
            known = posterior(fitted.strengths, fitted.covariance)
            said.append(known.p_champion([*range(len(truth))])[top])
            right.append(top == np.argmax(truth))
        figures.append(_said(f"the top line is the best, {name}", said, right, name[:3] == "ten"))
    return figures


def few_deals(effort: Effort) -> list[Figure]:
    """The same on the board of a cooperative game, with 20 deals and more, and with fewer."""
    figures, trials = [], effort.trials(200)
    for name, spread in (("equals", 1e-6), ("bots whose worth spreads by 2", 2.0)):
        rng = np.random.default_rng([effort.seed, int(spread)])
        said, right = [], []
        for _ in range(trials):
            worth = spread * rng.normal(size=8)
            lines = standing(_team_rows(worth, ENOUGH_DEALS, rng), cooperative=True).lines
            said.append(lines[0].p_champion or 0.0)
            right.append(lines[0].bot == f"b{np.argmax(worth)}")
        label = f"the top line is the best, a cooperative board of 8 {name}, 20 deals"
        figures.append(_said(label, said, right, True))
    rng = np.random.default_rng([effort.seed, 3])
    early = standing(_team_rows(np.zeros(8), 3, rng), cooperative=True).lines
    silent = all(line.p_champion is None and line.p_better is None for line in early)
    ours = "says nothing" if silent else "says something"
    name = "who is the best, a cooperative board of 8 equals, 3 deals"
    return [*figures, Figure(name, "says nothing", ours, 1, silent)]


def team_ranges(effort: Effort) -> list[Figure]:
    """The share of cooperative boards of equal bots whose rank ranges say that nobody is better."""
    figures, trials = [], effort.trials(400)
    for bots, deals in ((8, 2), (8, 5), (8, 20), (30, 10)):
        rng = np.random.default_rng([effort.seed, bots, deals])
        boards = (
            score(collect_scores(_team_rows(np.zeros(bots), deals, rng))) for _ in range(trials)
        )
        held = float(np.mean([board.ranges() == [(1, bots)] * bots for board in boards]))
        name = f"rank ranges hold all at once, a cooperative board of {bots} equals, {deals} deals"
        figures.append(Figure(name, "93% or more", f"{held:.1%}", trials, held >= 0.93))
    return figures


def _said(name: str, said: list[float], right: list[bool], goal: bool) -> Figure:
    told, true = float(np.mean(said)), float(np.mean(right))
    ours = f"says {told:.1%}, right in {true:.1%}"
    error = 2 * float(np.sqrt(true * (1 - true) / len(right)))
    words = "says no more than is true" if goal else ""
    return Figure(name, words, ours, len(right), told <= true + error + 0.01 if goal else None)


def _changed(name: str, goal: str, changes: list[int], met: bool) -> Figure:
    often = np.bincount(changes, minlength=2)
    told = ", ".join(f"{many} boards {times} times" for times, many in enumerate(often) if many)
    return Figure(f"{name}, {LOOKS} looks", goal, told, len(changes), met)


def _changes(table: Floats, rng: np.random.Generator) -> int:
    """The number of changes of the ranking figure, on a board that begins with Elo."""
    pairs = field.pairs_of(table, SHARED)
    counts = np.zeros((len(pairs.first), 3), dtype=np.int64)
    by: By = "elo"
    changes, deals = 0, float(FIRST_DEALS)
    for _ in range(LOOKS):
        more = rng.poisson(deals * (0.2 + 1.6 * rng.random(len(counts))))
        counts += pairs.play(more, rng)
        deals *= GROWTH
        found = _verdict(pairs.pairwise(counts), by)
        changes += found.by != by
        by = found.by
    return changes


def _verdict(results: PairwiseResults, before: By) -> Verdict:
    fitted = fit_strengths(results)
    return verdict(results, fitted.strengths / ELO, fitted.covariance / ELO**2, before)


def _scores(results: PairwiseResults) -> Scores:
    return expected_scores(results, fit_strengths(results).strengths / ELO)


def _compared(table: Floats, deals: int, unmet: float, rng: np.random.Generator) -> PairwiseResults:
    """The results of `deals` deals of each pair that meets. Every bot meets at least one
    other."""
    pairs = field.pairs_of(table, SHARED)
    while True:
        met = rng.random(len(pairs.first)) >= unmet
        if len({*pairs.first[met].tolist(), *pairs.second[met].tolist()}) == len(table):
            return pairs.pairwise(pairs.play(np.where(met, deals, 0), rng))


def _chances(strengths: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.subtract.outer(strengths, strengths) / ELO)))


def _bomb() -> Floats:
    table = np.full((4, 4), 0.5)
    table[np.triu_indices(4, 1)] = BOMB
    return np.asarray(np.triu(table) + np.tril(1 - table.T, -1))


def _at_the_limit() -> Floats:
    """Four bots that no strengths fit: the worst pair is 5.1 points off, without an upset."""
    table = _chances(field.ladder(4, 150.0))
    for one, other, more in ((0, 3, 0.11), (1, 2, -0.11), (0, 2, 0.0), (1, 3, 0.0)):
        table[other, one] = min(table[other, one] + more, 0.99)
        table[one, other] = 1 - table[other, one]
    return table


def _true_ranges(truth: Floats) -> list[tuple[int, int]]:
    above = (truth[None, :] > truth[:, None] + 1e-9).sum(axis=1)
    below = (truth[None, :] < truth[:, None] - 1e-9).sum(axis=1)
    return [(1 + int(a), len(truth) - int(b)) for a, b in zip(above, below, strict=True)]


def _holds(told: tuple[int, int], true: tuple[int, int]) -> bool:
    """Whether the told range contains every rank that the entrant shares in truth."""
    return told[0] <= true[0] and told[1] >= true[1]


def _team_rows(worth: Floats, deals: int, rng: np.random.Generator) -> list[Row]:
    """Every bot plays `deals` deals with a copy of itself. A score is the sum of the deal's luck,
    the bot's worth and noise."""
    luck = 20 * rng.normal(size=deals)
    noise = 3 * rng.normal(size=(len(worth), deals))
    scores = np.rint(60 + worth[:, None] + luck + noise).astype(int)
    return [
        Row(f"{bot}-{deal}", str(deal), 0, (f"b{bot}",) * 2, (1, 1), None, (int(score),) * 2)
        for bot, line in enumerate(scores)
        for deal, score in enumerate(line)
    ]

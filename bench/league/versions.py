"""Promises about two versions: the sequential test, its estimate, and the interval of a gauntlet.

Knows probabilities and counts; plays nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final

import numpy as np

from bench.league import field
from bench.league.effort import Effort, Figure
from matchbox.league.estimate import Estimate, estimate
from matchbox.league.sprt import Trial, trial_state
from matchbox.league.versions import mean_difference

SPLIT_RHO: Final = -0.97
"""Nearly all deals split: of 100 between equals, one or two do not."""
PAIRS_A_LOOK: Final = (10, 100)
ONE_SIDED: Final = {
    "20 Elo better: 5.75% won twice": (20.0, (0, 0, 0.9425, 0, 0.0575)),
    "20 Elo better: 6.75% won twice, 1% lost twice": (20.0, (0.01, 0, 0.9225, 0, 0.0675)),
    "0 Elo better: 4% won once, 2% lost twice": (0.0, (0.02, 0, 0.94, 0.04, 0)),
}
"""Nearly all deals split, and the others nearly all go the same way: strength and the chances of a
deal's results."""
ONE_SIDED_LOOK: Final = 50
RARE: Final = {
    "no better: +1/4 in 8% of deals, -1 in 2%": ((0.25, 0.08), (-1.0, 0.02)),
    "no better: +1/2 in 4%, -1 in 2%": ((0.5, 0.04), (-1.0, 0.02)),
    "better: +1/2 in 3%": ((0.5, 0.03),),
    "better: +1/2 in 25%, -1/2 in 20%": ((0.5, 0.25), (-0.5, 0.2)),
}
"""The differences of two versions in points, and how often each comes; in all other deals none."""
DEALS: Final = (50, 100, 312, 1000)


def versions(effort: Effort) -> list[Figure]:
    """Games and wrong verdicts if a version is compared with its parent, and the estimates' bias
    and intervals. Also with few looks at the results, and with deals that nearly all split."""
    figures, trials = [], effort.trials(600)
    for rho, looks in ((-0.45, PAIRS_A_LOOK), (-0.87, PAIRS_A_LOOK), (SPLIT_RHO, PAIRS_A_LOOK[1:])):
        for look in looks:
            for elo in (0.0, 20.0):
                rng = np.random.default_rng([effort.seed, int(elo), round(-100 * rho), look])
                chances = _deal(elo, rho)
                found = [_head_to_head(chances, look, rng) for _ in range(trials)]
                games = np.mean([one[0] for one in found])
                wrong = np.mean([one[1] != ("better" if elo else "not-better") for one in found])
                known = [one[2] for one in found if one[2] is not None]
                above = np.mean([one.elo > elo for one in known])
                held = np.mean([one.low <= elo <= one.high for one in known])
                name = (
                    f"[0, 20] trial of a version truly {elo:.0f} Elo better, results at {rho}, "
                    f"{look} deals a look"
                )
                ours = f"{games:,.0f} games, {wrong:.1%} wrong; {above:.0%} above, {held:.1%} held"
                met, goal = bool(held >= 0.92), "92% or more of intervals hold"
                if rho != SPLIT_RHO:  # with hardly any results, the estimates have few values
                    met = met and bool(0.42 <= above <= 0.58)
                    goal = f"42-58% of estimates above it, {goal}"
                figures.append(Figure(name, goal, ours, trials, met))
    return figures


def one_sided(effort: Effort) -> list[Figure]:
    """The same where the deals that do not split nearly all go the same way, as after the mend of a
    mistake."""
    figures, trials = [], effort.trials(4000)
    for name, (elo, chances) in ONE_SIDED.items():
        rng = np.random.default_rng([effort.seed, len(name)])
        found = [_head_to_head(chances, ONE_SIDED_LOOK, rng) for _ in range(trials)]
        games = np.mean([one[0] for one in found])
        wrong = float(np.mean([one[1] != ("better" if elo else "not-better") for one in found]))
        known = [one[2] for one in found if one[2] is not None]
        held = float(np.mean([one.low <= elo <= one.high for one in known]))
        ours = f"{games:,.0f} games, {wrong:.1%} wrong; {held:.1%} held"
        name = f"[0, 20] trial of a version truly {name}, {ONE_SIDED_LOOK} deals a look"
        met = wrong <= 0.07 and held >= 0.92
        figures.append(
            Figure(name, "7% or fewer wrong, 92% or more of intervals hold", ours, trials, met)
        )
    return figures


def gauntlets(effort: Effort) -> list[Figure]:
    """How often the interval of a gauntlet holds if few deals differ, and how often a version that
    is no better counts as better."""
    figures, trials = [], effort.trials(4000)
    for name, law in RARE.items():
        values, chances = np.array([*law, (0.0, 1 - sum(chance for _, chance in law))]).T
        truth = float(values @ chances)
        for deals in DEALS:
            rng = np.random.default_rng([effort.seed, len(name), deals])
            counts = rng.multinomial(deals, chances, size=trials)
            found = [
                mean_difference(np.repeat(values, one), np.ones(deals)).ci95 or (0.0, 0.0)
                for one in counts
            ]
            held = float(np.mean([low <= truth <= high for low, high in found]))
            better = float(np.mean([low > 0 for low, _ in found]))
            ours = f"{held:.1%} held; {better:.1%} better"
            goal, met = "93% or more of intervals hold", held >= 0.93
            if truth <= 0:
                goal, met = f"{goal}, 5% or fewer better", met and better <= 0.05
            figures.append(Figure(f"gauntlet of {deals:,} deals, {name}", goal, ours, trials, met))
    return figures


def _deal(elo: float, rho: float) -> Sequence[float]:
    """The chances of a deal's five results, as in `field.Pairs`."""
    pair = field.all_pairs(np.array([elo, 0.0]), min(1.0, -rho))
    chances = np.zeros(5)
    chances[field.PAIR_HALVES] = pair.chances[0]
    return chances.tolist()


def _head_to_head(
    chances: Sequence[float], look: int, rng: np.random.Generator
) -> tuple[int, str, Estimate | None]:
    """Bouts, verdict and estimate of a trial; `chances` (5,) are those of a deal's results."""
    counts, trial = np.zeros(5, dtype=np.int64), Trial()
    for looks in itertools.count(1):
        counts += rng.multinomial(look, chances)
        found = trial_state(trial, counts.tolist())
        if found.over:
            return found.bouts, found.verdict, estimate(trial, counts.tolist(), looks=looks)
    raise AssertionError("a trial ends by its cap")

"""Bots of known strength, and the results of deals between them. Knows probabilities; rates nobody.

Strength and luck decide a bout. With probability `shared`, the luck of a deal belongs to the seats:
with the seats swapped it favours the other bot, and the results of the deal offset each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from matchbox.league.pairwise import Floats, Ints, PairwiseResults, count_outcomes
from matchbox.league.ratings import ELO

PAIR_HALVES: Final = np.array([0, 2, 4])
"""Twice a bot's score in a deal pair: lost both, one each, won both."""


def ladder(bots: int, gap: float) -> Floats:
    """(bots,): strengths in Elo around 0, `gap` apart, the best last."""
    return np.asarray(gap * (np.arange(bots) - (bots - 1) / 2), dtype=np.float64)


def shared_for(rho: float, gap: float) -> float:
    """The probability of shared luck at which two results of neighbours have this correlation."""
    chance = 1 / (1 + np.exp(-gap / ELO))
    return float(-rho * chance / (1 - chance))


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """All pairs of a field, the lower number first; arrays of shape (pairs,) and (pairs, 3)."""

    names: tuple[str, ...]
    first: Ints
    second: Ints
    chances: Floats
    """The probabilities of losing both bouts of a deal, winning one, winning both."""

    def play(self, deals: Ints, rng: np.random.Generator) -> Ints:
        """(pairs, 3): how many of these deals (pairs,) had each result."""
        return np.asarray(rng.multinomial(deals, self.chances), dtype=np.int64)

    def pairwise(self, counts: Ints) -> PairwiseResults:
        """These counts (pairs, 3) as pairwise results."""
        pair, result = np.nonzero(counts)
        zero = np.zeros(len(pair), dtype=np.int64)
        halves = PAIR_HALVES[result]
        lines = np.stack(
            [self.first[pair], self.second[pair], zero, zero, zero + 2, halves], axis=1
        )
        return count_outcomes(self.names, 0, lines, np.arange(len(pair)), counts[pair, result])


def all_pairs(strengths: Floats, shared: float) -> Pairs:
    """The pairs of a field with these strengths (Elo)."""
    return pairs_of(1 / (1 + np.exp(-np.subtract.outer(strengths, strengths) / ELO)), shared)


def circle(bots: int, chance: float) -> Floats:
    """(bots, bots): in a circle of an odd number of bots, each beats the half that follows it."""
    ahead = (np.arange(bots) - np.arange(bots)[:, None]) % bots
    wins = (ahead > 0) & (ahead <= bots // 2)
    return np.where(ahead == 0, 0.5, np.where(wins, chance, 1 - chance))


def with_clones(table: Floats, bot: int, clones: int) -> Floats:
    """The table of chances (n, n), enlarged by `clones` more bots that play like this one."""
    who = np.concatenate([np.arange(len(table)), np.full(clones, bot)])
    return np.asarray(table[np.ix_(who, who)])


def pairs_of(table: Floats, shared: float) -> Pairs:
    """The pairs of a field where the line beats the column with these probabilities (n, n)."""
    first, second = np.array([*combinations(range(len(table)), 2)], dtype=np.int64).T
    chance = table[first, second]
    low, high = np.minimum(chance, 1 - chance), np.maximum(chance, 1 - chance)
    own = np.stack([(1 - chance) ** 2, 2 * chance * (1 - chance), chance**2], axis=1)
    certain, even = high - low, 2 * low
    dealt = np.stack([certain * (chance < 0.5), even, certain * (chance >= 0.5)], axis=1)
    names = tuple(f"b{number:03d}" for number in range(len(table)))
    return Pairs(names, first, second, shared * dealt + (1 - shared) * own)


def play_tables(
    strengths: Floats, table: int, deals: int, shared: float, rng: np.random.Generator
) -> PairwiseResults:
    """Every line-up of `table` bots plays `deals` deals in all rotations (Plackett-Luce)."""
    who = np.repeat(np.array([*combinations(range(len(strengths)), table)]), deals, axis=0)
    dealt = rng.gumbel(size=who.shape)
    lines, deal = [], []
    for rotation in range(table):
        sat = np.roll(who, -rotation, axis=1)
        own = rng.gumbel(size=who.shape)
        fell = np.where(rng.random((len(who), 1)) < shared, dealt, own)
        value = strengths[sat] / ELO + fell
        for one, other in combinations(range(table), 2):
            ahead = value[:, one] > value[:, other]
            turned = sat[:, one] > sat[:, other]
            low = np.minimum(sat[:, one], sat[:, other])
            high = np.maximum(sat[:, one], sat[:, other])
            zero = np.zeros(len(who), dtype=np.int64)
            lines.append(np.stack([low, high, zero, zero, zero + 1, 2 * (ahead != turned)], axis=1))
            deal.append(np.arange(len(who)))
    names = tuple(f"b{number:03d}" for number in range(len(strengths)))
    return count_outcomes(names, 0, np.concatenate(lines), np.concatenate(deal))

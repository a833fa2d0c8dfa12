"""Seasons of bots of known strength, and the number of games after which their order is right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final

import numpy as np
from scipy.special import expit

from bench.league.field import PAIR_HALVES, Pairs
from matchbox.dice import SeededDice
from matchbox.league.bradley_terry import FEW_DEALS, MAX_LEVERAGE
from matchbox.league.pairwise import Bools, Floats, Ints
from matchbox.league.ratings import ELO, PRIOR_ELO
from matchbox.league.tail import NEAR_ELO, Question, doubts, next_batch

BASE_DEALS: Final = 2
"""Deal pairs for each pair in the double round robin at the beginning of a season."""
ORDER: Final = Question("order")
STEPS: Final = 9
"""Steps of Newton's method, from 0: enough for any season of bots this close."""


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """A season after each batch; arrays of shape (batches,)."""

    games: Ints
    right: Bools
    near: Bools
    """Whether no bot stands right above one that is better by more than NEAR_ELO."""
    doubt: Floats


def play(pairs: Pairs, strengths: Floats, most_games: int, seeds: Sequence[int]) -> list[Trace]:
    """Seasons by the adaptive tail. They continue up to `most_games` games, however sure the order
    is.

    They are fitted together but paired one by one.
    """
    each = [np.random.default_rng(seed) for seed in seeds]
    number: dict[tuple[str, ...], int] = {
        (pairs.names[first], pairs.names[second]): at
        for at, (first, second) in enumerate(zip(pairs.first, pairs.second, strict=True))
    }
    base = np.full(len(pairs.first), BASE_DEALS)
    counts = np.array([pairs.play(base, rng) for rng in each])
    games, right, near, doubt = [], [], [], []
    for batch in count(1):
        found = [doubts(*one, ORDER) for one in zip(*fit_together(pairs, counts), strict=True)]
        games.append(2 * int(counts[0].sum()))
        rises = np.array([np.diff(strengths[one.order]) for one in found])
        right.append((rises < 0).all(axis=1))
        near.append((rises <= NEAR_ELO).all(axis=1))
        doubt.append([one.total for one in found])
        if games[-1] >= most_games:
            break
        for at, (rng, seed) in enumerate(zip(each, seeds, strict=True)):
            dice = SeededDice(seed.to_bytes(8, "big"), batch)
            wanted = Counter(number[one.seats] for one in next_batch(pairs.names, found[at], dice))
            counts[at] += pairs.play(np.array([wanted[k] for k in range(len(base))]), rng)
    rows = zip(np.array(right).T, np.array(near).T, np.array(doubt).T, strict=True)
    return [Trace(np.array(games), *one) for one in rows]


def fit_together(pairs: Pairs, counts: Ints) -> tuple[Floats, Floats]:
    """(t, n) strengths and (t, n, n) covariances in Elo of t seasons, from counts (t, pairs, 3).

    The same figures as `ratings.fit_strengths`, which fits one season at a time, for deal pairs
    only. Fitted one by one, many seasons would spend most time on small arrays. A test compares
    the two.
    """
    n, won = len(pairs.names), PAIR_HALVES / 2
    design = np.eye(n)[pairs.first] - np.eye(n)[pairs.second]
    prior = (ELO / PRIOR_ELO) ** 2 * np.eye(n)
    deals = counts.sum(axis=2).astype(np.float64)
    taken = counts @ won

    def square(weights: Floats) -> Floats:
        return np.asarray((design.T * weights[:, None, :]) @ design)

    at = np.zeros((len(counts), n))
    for _ in range(STEPS):
        chance = expit(at @ design.T)
        slope = (taken - 2 * deals * chance) @ design - at @ prior
        bend = square(2 * deals * chance * (1 - chance)) + prior
        at += np.linalg.solve(bend, slope[:, :, None])[:, :, 0]
    chance = expit(at @ design.T)
    doubt = chance * (1 - chance)
    expected = square(2 * deals * doubt)
    bread = np.linalg.inv(expected + prior)
    share = np.minimum(2 * doubt * ((design @ bread) * design).sum(axis=2), MAX_LEVERAGE)
    spread = (counts * (won - 2 * chance[:, :, None]) ** 2).sum(axis=2) / (1 - share) ** 2
    seen, opened = square(spread), (deals * 4 * doubt).sum(axis=1)[:, None, None]
    information = (deals * 4 * doubt) @ abs(design)
    trust = np.sqrt(information / (information + FEW_DEALS))
    rest = np.sqrt(1 - trust**2)
    ratio = (np.trace(seen, axis1=1, axis2=2) / np.trace(expected, axis1=1, axis2=2))[:, None, None]
    field = (opened * ratio + FEW_DEALS) / (opened + FEW_DEALS)
    filling = trust[:, :, None] * trust[:, None, :] * seen + prior
    filling += rest[:, :, None] * rest[:, None, :] * field * expected
    centre = np.eye(n) - 1 / n
    return ELO * (at @ centre), ELO**2 * (centre @ bread @ filling @ bread @ centre)


def round_robin_games(pairs: Pairs, strengths: Floats, seasons: int, seed: int) -> dict[int, float]:
    """The share of seasons in the right order by number of games, if all pairs play the same deals.

    In a balanced round robin, the order by points is the order by ratings.
    """
    rng = np.random.default_rng(seed)
    first, second, n = pairs.first, pairs.second, len(strengths)
    shares = {}
    for deals in (*range(10, 100, 5), *range(100, 260, 10)):
        counts = rng.multinomial(deals, pairs.chances, size=(seasons, len(first)))
        taken = counts @ np.array([0, 1, 2])
        points = np.zeros((seasons, n))
        for one in range(n):
            points[:, one] = taken[:, first == one].sum(axis=1)
            points[:, one] += (2 * deals - taken[:, second == one]).sum(axis=1)
        shares[2 * deals * len(first)] = float((np.diff(points, axis=1) > 0).all(axis=1).mean())
    return shares


def games_to(level: float, games: Sequence[int], shares: Sequence[float]) -> int | None:
    """The number of games from which on the share is at least this level, or None."""
    reached = None
    for played, share in zip(games, shares, strict=True):
        reached = (reached or played) if share >= level else None
    return reached

"""The adaptive tail of a season: chooses the next deal pairs, and decides when to stop.

Knows estimates (Elo) and their covariance; plays nothing and keeps nothing. Most deals go to the
pairs in greatest doubt, as in the knowledge-gradient family of sequential ranking procedures
(I. O. Ryzhov and W. B. Powell). The sum of the doubts bounds the probability of a wrong answer
(Boole's inequality). An answer is wrong if a bot stands above one that is better by more than an
indifference zone (R. E. Bechhofer, "A single-sample multiple decision procedure for ranking means
of normal populations with known variances", 1954).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import floor
from typing import Final, Literal, TypeAlias

import numpy as np

from matchbox.dice import Dice
from matchbox.league.cooperative_boards import score
from matchbox.league.counts import Counts
from matchbox.league.expected_scores import expected_scores
from matchbox.league.pairing import Pairing
from matchbox.league.pairwise import Floats, Ints, without_seats
from matchbox.league.ranges import ENOUGH_DEALS, standard_errors, superiority
from matchbox.league.ratings import ELO, PRIOR_ELO, WIDE, fit_strengths
from matchbox.league.transitivity import verdict

Kind: TypeAlias = Literal["order", "top", "champion"]
Care: TypeAlias = Literal["strict", "thrifty"]

MAX_DOUBT: Final[dict[Care, float]] = {"strict": 0.05, "thrifty": 0.2}
"""A season may stop once the sum of the doubts is at most this, by the question's care."""
NEAR_ELO: Final = 10.0
"""Two entrants that are surely within this many Elo need not be told apart."""
MARGIN: Final = 0.5
"""A pair is misordered if the lower one is better by more than this part of `NEAR_ELO`. With 1.0
seasons stopped too soon: with many interim looks, one of them finds a moment to stop."""
UNIFORM: Final = 0.1
"""This part of a batch is drawn from all pairs alike, so that the field stays connected."""
DOUBT_EXPONENT: Final = 2
"""A pair's weight in a batch is its doubt to this power: in simulations, 1 needed a tenth more
bouts.
"""


@dataclass(frozen=True, slots=True)
class Question:
    """The question of a season: the whole order, which `top` entrants are best, or which one is."""

    kind: Kind = "order"
    top: int = 1
    care: Care = "strict"

    def __post_init__(self) -> None:
        if self.top < 1 or (self.kind == "champion" and self.top != 1):
            raise ValueError("the top of a field has one place or more; for a champion it is one")
        if self.kind == "champion" and self.care == "thrifty":
            raise ValueError("a champion is found with strict care; choose strict")


@dataclass(frozen=True, slots=True, eq=False)
class Doubts:
    """The pairs whose order decides a question.

    Attributes:
        order: (n,), the entrants by number, best first.
        better: (m,), of each pair, the entrant that stands above, by number.
        worse: (m,), the entrant that stands below.
        wrong: (m,), the probability that the pair is misordered (`MARGIN`); 0 if the two surely
            need not be told apart.
    """

    order: Ints
    better: Ints
    worse: Ints
    wrong: Floats

    @property
    def total(self) -> float:
        """An upper bound of the probability that the answer is wrong."""
        return float(self.wrong.sum())


def doubts(
    means: Floats, covariance: Floats, question: Question, *, near: float = NEAR_ELO
) -> Doubts:
    """The pairs whose order decides the question, each with the probability that it is misordered.

    `means` is (n,), `covariance` (n, n). Two entrants within `near` (in the unit of the means) need
    not be told apart.
    """
    order = np.argsort(-means, kind="stable")
    if question.kind == "order":
        pairs = np.stack([order[:-1], order[1:]], axis=1)
    else:
        top, rest = order[: question.top], order[question.top :]
        pairs = np.stack(np.meshgrid(top, rest, indexing="ij"), axis=-1).reshape(-1, 2)
    better, worse = pairs.T
    gap, error = means[better] - means[worse], standard_errors(covariance, better, worse)
    safe = gap + MARGIN * near
    wrong = np.array(
        [1 - superiority(*one) for one in zip(safe.tolist(), error.tolist(), strict=True)]
    )
    # Of two teams that play alike neither is better, however long they play.
    wrong[(gap + WIDE * error < near) | ((gap == 0) & (error == 0))] = 0.0
    return Doubts(order, better, worse, wrong)


def doubts_in(
    counts: Counts, entrants: Sequence[str], question: Question, *, cooperative: bool = False
) -> Doubts | None:
    """The doubts that these results leave among the entrants; None if nothing is known.

    They refer to the figure that ranks: strengths; Borda's scores if strengths mislead; or
    the scores of teams, which count as unknown while they are provisional.
    """
    if cooperative:
        board = score(counts.scored.part(mixed=False))
        deals = dict(zip(board.entrants, board.deals.tolist(), strict=True))
        if min(deals.get(name, 0) for name in entrants) < ENOUGH_DEALS:
            return None
        return _among(entrants, board.entrants, board.means, board.covariance, question, 0.0)
    fitted = fit_strengths(counts.pairwise)
    known, means, covariance, near = fitted.entrants, fitted.strengths, fitted.covariance, NEAR_ELO
    free = without_seats(counts.pairwise)
    plain = fit_strengths(free) if counts.pairwise.seats else fitted
    strengths = plain.strengths / ELO
    if verdict(free, strengths, plain.covariance / ELO**2).by == "borda":
        here = set(entrants)
        field = [at for at, name in enumerate(known) if name in here]
        scores = expected_scores(free, strengths, field)
        means, covariance, near = scores.means, scores.covariance, NEAR_ELO / (4 * ELO)
    return _among(entrants, known, means, covariance, question, near)


def is_answered(found: Doubts, question: Question) -> bool:
    """Whether the season may stop; call it only at the end of a batch."""
    return found.total <= MAX_DOUBT[question.care]


def next_batch(
    entrants: Sequence[str],
    found: Doubts,
    dice: Dice,
    *,
    size: int | None = None,
    may_meet: Callable[[str, str], bool] | None = None,
) -> list[Pairing]:
    """The next deal pairs, one pairing for each; n (n - 1) / 4 of them unless `size` is given.

    Nine in ten go to doubtful pairs, more to greater doubts; a doubt small enough for a strict
    answer gets none. If two may not meet, each meets the nearest entrant that it may meet.
    """
    able = [
        (one, other)
        for one, other in combinations(range(len(entrants)), 2)
        if may_meet is None or may_meet(entrants[one], entrants[other])
    ]
    if not able:
        return []
    size = -(-len(entrants) * (len(entrants) - 1) // 4) if size is None else size
    shares = _shares(found, able)
    count = dict.fromkeys(able, 0)
    wanted = size - round(UNIFORM * size) if any(shares.values()) else 0
    for pair, times in zip(shares, apportion(list(shares.values()), wanted), strict=True):
        count[pair] += times
    drawn = list(able)
    for at in range(size - wanted):
        if at % len(drawn) == 0:
            dice.shuffle(drawn)
        count[drawn[at % len(drawn)]] += 1
    return [
        Pairing((entrants[one], entrants[other]))
        for (one, other), times in count.items()
        for _ in range(times)
    ]


def apportion(weights: Sequence[float], total: int) -> list[int]:
    """Integers proportional to the weights, with the given total (largest remainders)."""
    whole = sum(weights)
    if not whole or not total:
        return [0] * len(weights)
    exact = [weight * total / whole for weight in weights]
    shares = [floor(value) for value in exact]
    last = sorted(range(len(exact)), key=lambda at: (shares[at] - exact[at], at))
    for at in last[: total - sum(shares)]:
        shares[at] += 1
    return shares


def _among(
    entrants: Sequence[str],
    known: Sequence[str],
    means: Floats,
    covariance: Floats,
    question: Question,
    near: float,
) -> Doubts:
    """The doubts of these entrants, by the figures of the `known` ones; others get the prior."""
    number = {name: at for at, name in enumerate(known)}
    here = [at for at, name in enumerate(entrants) if name in number]
    there = [number[entrants[at]] for at in here]
    middle, spread = np.zeros(len(entrants)), PRIOR_ELO**2 * np.eye(len(entrants))
    middle[here] = means[there]
    spread[np.ix_(here, here)] = covariance[np.ix_(there, there)]
    return doubts(middle, spread, question, near=near)


def _shares(found: Doubts, able: Sequence[tuple[int, int]]) -> dict[tuple[int, int], float]:
    """Each pair's weight in the batch, for pairs that may meet."""
    settled = MAX_DOUBT["strict"] / max(len(found.wrong), 1)
    shares = dict.fromkeys(able, 0.0)
    order = found.order.tolist()
    place = {one: at for at, one in enumerate(order)}
    for ends in zip(found.better.tolist(), found.worse.tolist(), found.wrong.tolist(), strict=True):
        one, other, wrong = ends
        if wrong <= settled:
            continue
        direct = (min(one, other), max(one, other))
        for pair in [direct] if direct in shares else _around(one, other, order, place, shares):
            shares[pair] += wrong**DOUBT_EXPONENT
    return shares


def _around(
    one: int,
    other: int,
    order: Sequence[int],
    place: dict[int, int],
    able: dict[tuple[int, int], float],
) -> list[tuple[int, int]]:
    """For each of two that may not meet: its pair with the nearest entrant that it may meet."""
    pairs = []
    for end in (one, other):
        near = sorted(order, key=lambda name: (abs(place[name] - place[end]), place[name]))
        meets = [(min(end, name), max(end, name)) for name in near]
        pairs += [pair for pair in meets if pair in able][:1]
    return pairs

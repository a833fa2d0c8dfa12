"""Each promise of the league as a measured figure beside its goal. Knows no page."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from time import process_time
from typing import Final

import numpy as np

from bench.league import boards, field, seasons, versions
from bench.league.effort import Effort, Figure
from matchbox.league.cooperative_boards import collect_scores
from matchbox.league.counts import Counts, Tally, add, count
from matchbox.league.pairwise import Floats, PairwiseResults, count_outcomes, join
from matchbox.league.ranges import rank_ranges
from matchbox.league.ratings import ELO, WIDE, fit_strengths
from matchbox.league.rows import Row
from matchbox.league.standings import standing, standing_of
from matchbox.league.tail import MAX_DOUBT, NEAR_ELO, Care
from matchbox.league.transitivity import lack_of_fit

BOTS: Final = 12
GAP: Final = 20.0
RHOS: Final = {-0.45: 12_000, -0.66: 9000, -0.87: 5000}
"""The correlation of two results of a deal in small card games, and the games of such a season."""
FIELDS, SPREAD = 30, 70.0
"""The number of fields of random strengths that are tried, and their deviation in Elo."""
RIGHT: Final[dict[Care, float]] = {"strict": 0.95, "thrifty": 0.8}
GOAL_RHO: Final = -0.66
GOAL_GAMES: Final = 5700
STOP_GAMES: Final = 6600
"""A season that stops by itself: half of the games of a round robin in deal pairs."""
TOGETHER: Final = 50
"""The number of seasons that are fitted at once. It does not change the results."""


def right_order(effort: Effort) -> list[Figure]:
    """Games until twelve bots 20 Elo apart are in the right order in 95% of seasons."""
    strengths = field.ladder(BOTS, GAP)
    figures = []
    for rho, most in RHOS.items():
        trials = effort.trials(600)
        traces = _seasons(effort, strengths, rho, most, effort.seed, trials)
        games = traces[0].games.tolist()
        shares = np.mean([one.right for one in traces], axis=0).tolist()
        reached = seasons.games_to(0.95, games, shares)
        by_goal = max(share for at, share in zip(games, shares, strict=True) if at <= GOAL_GAMES)
        ours = f"{reached:,} games" if reached else f"more than {games[-1]:,} games"
        if rho != GOAL_RHO or reached is None:
            ours += f" ({by_goal:.1%} by {min(GOAL_GAMES, games[-1]):,})"
        met = reached is not None and reached <= GOAL_GAMES if rho == GOAL_RHO else None
        goal = f"{GOAL_GAMES:,} or fewer" if rho == GOAL_RHO else ""
        name = f"right order of 12 bots 20 Elo apart in 95% of seasons, results of a deal at {rho}"
        figures.append(Figure(name, goal, ours, trials, met))
        figures += _stopped(traces, rho)
    return figures + _round_robins(effort, strengths)


def any_field(effort: Effort) -> list[Figure]:
    """Games until seasons of twelve bots of random strengths stop, and whether they were right to
    stop."""
    traces, most = [], 20_000
    for number in range(FIELDS):
        rng = np.random.default_rng([effort.seed, number])
        strengths = np.sort(rng.normal(size=BOTS) * SPREAD)
        seed = effort.seed + 1000 * number
        traces += _seasons(effort, strengths, GOAL_RHO, most, seed, effort.trials(10))
    figures = []
    for care, level in MAX_DOUBT.items():
        over = _ends(traces, level)
        games = np.mean([one.games[at] for one, at in over]) if over else 0.0
        near = float(np.mean([one.near[at] for one, at in over])) if over else 0.0
        name = (
            f"12 bots of random strengths (deviation {SPREAD:.0f} Elo) stop by themselves: {care}"
        )
        goal = f"in {RIGHT[care]:.0%} none above a next one better by over {NEAR_ELO:.0f} Elo"
        ours = f"{near:.1%}; {len(over)} stopped within {most:,} games, after {games:,.0f}"
        figures.append(Figure(name, goal, ours, len(traces), near >= RIGHT[care]))
    return figures


def coverage(effort: Effort) -> list[Figure]:
    """The share of 95% intervals that contain the truth, at tables of 2, 4 and 6."""
    figures = []
    for table, bots, deals in ((2, 8, 15), (4, 6, 4), (6, 8, 3)):
        rng = np.random.default_rng([effort.seed, table])
        strengths = field.ladder(bots, 30.0)
        trials = effort.trials(400)
        inside = [
            np.abs(fitted.strengths - strengths) <= WIDE * np.sqrt(np.diag(fitted.covariance))
            for fitted in (
                fit_strengths(field.play_tables(strengths, table, deals, 0.7, rng))
                for _ in range(trials)
            )
        ]
        share = float(np.mean(inside))
        name = f"coverage of 95% intervals at tables of {table}"
        met = 0.93 <= share <= 0.97
        figures.append(Figure(name, "93-97%", f"{share:.1%}", trials, met))
    return figures


def ranges(effort: Effort) -> list[Figure]:
    """The share of seasons in which the rank ranges of twelve equal bots say that nobody is
    better."""
    trials, figures = effort.trials(600), []
    for deals in (5, 20):
        rng = np.random.default_rng([effort.seed, deals])
        pairs = field.all_pairs(np.zeros(BOTS), 0.6)
        held = []
        for _ in range(trials):
            counts = pairs.play(np.full(len(pairs.first), deals), rng)
            fitted = fit_strengths(pairs.pairwise(counts))
            found = rank_ranges(fitted.strengths, fitted.covariance)
            held.append(all(span == (1, BOTS) for span in found))
        share = float(np.mean(held))
        name = f"rank ranges of 12 equals hold all at once, {deals} deals a pair"
        figures.append(Figure(name, "93% or more", f"{share:.1%}", trials, share >= 0.93))
    return figures


def identical(effort: Effort) -> list[Figure]:
    """Whether shuffled, repeated and late results leave a standing identical, to the bit."""
    rng, chance = np.random.default_rng(effort.seed), random.Random(effort.seed)
    rows = [
        Row(f"{a}{b}", f"{a}{b}{deal}", turn, (a, b)[:: 1 - 2 * turn], places)
        for a in "ABCDEF"
        for b in "ABCDEF"
        if a < b
        for deal in range(6)
        for turn in (0, 1)
        for places in [((1, 2), (2, 1))[rng.integers(2)]]
    ]
    once, trials = repr(standing(rows)), effort.trials(20)
    names = sorted({row.match for row in rows})
    same = 0
    for _ in range(trials):
        again = rows + chance.sample(rows, 30)
        chance.shuffle(again)
        chance.shuffle(names)
        late = count(row for row in again if row.match in names[:5])
        counts = add(count(row for row in again if row.match not in names[:5]), late)
        same += repr(standing(again)) == once == repr(standing_of(counts))
    text = f"{same} of {trials} the same"
    return [
        Figure(
            "standings after shuffled, repeated and late results",
            "bit-identical",
            text,
            trials,
            same == trials,
        )
    ]


def large_field(effort: Effort) -> list[Figure]:
    """Processor seconds of a refit of 1,000 bots and 1,000,000 games, and of its whole report. Also
    the growth of a refit with the number of bots."""
    results, more = _crowd(1000, 500_000, effort.seed), _crowd(1000, 10, effort.seed + 1)
    twice, square = _crowd(2000, 500_000, effort.seed), np.random.default_rng(effort.seed)
    counts, equations = _counts(results, 100_000), square.normal(size=(2000, 2000))
    trials = effort.trials(5)
    size = "1,000 bots x 1,000,000 games"

    def seconds(work: Callable[[], object]) -> float:
        taken = []
        for _ in range(trials):
            begun = process_time()
            work()
            taken.append(process_time() - begun)
        return min(taken)

    refit = seconds(lambda: fit_strengths(results))
    whole = seconds(lambda: standing_of(counts))
    joined = seconds(lambda: join(results, more))
    larger = seconds(lambda: fit_strengths(twice))
    solved = seconds(lambda: np.linalg.lstsq(equations, equations[0]))
    times = f"{larger / refit:.2f} times, {larger / solved:.2f} times a least-squares call"
    text = "{:.2f} s of one processor".format
    return [
        Figure(f"refit of {size} from counts", "under 1 s", text(refit), trials, refit < 1),
        Figure(f"the whole standing of {size}, digest and all", "", text(whole), trials, None),
        Figure(f"ten deals more in the counts of {size}", "", text(joined), trials, None),
        Figure(
            "refit of 2,000 bots x 1,000,000 games, beside that of 1,000 bots "
            "(and numpy's `lstsq` of 2,000 equations)",
            "under 1.5 times",
            times,
            trials,
            larger < 1.5 * refit,
        ),
    ]


def fitting(effort: Effort) -> list[Figure]:
    """The share of false alarms of the test for lack of fit."""
    rng, trials = np.random.default_rng(effort.seed), effort.trials(400)
    strengths = field.ladder(8, 30.0)
    pairs = field.all_pairs(strengths, 0.6)
    fields = {
        "": (pairs.pairwise(pairs.play(np.full(len(pairs.first), 30), rng)) for _ in range(trials)),
        ", 50 bots in 500 deals": (
            _crowd(50, 500, effort.seed + trial) for trial in range(effort.trials(200))
        ),
    }
    figures = []
    for name, results in fields.items():
        alarms = []
        for one in results:
            lack = lack_of_fit(one, fit_strengths(one).strengths / ELO)
            alarms.append(lack is not None and lack.p < 0.05)
        name = f"false alarms of the test for lack of fit at 5%{name}"
        figures.append(Figure(name, "", f"{np.mean(alarms):.1%}", len(alarms), None))
    return figures


PROMISES: Final[dict[str, Callable[[Effort], Sequence[Figure]]]] = {
    "order": right_order,
    "stop": any_field,
    "coverage": coverage,
    "ranges": ranges,
    "identical": identical,
    "refit": large_field,
    "fit": fitting,
    "versions": versions.versions,
    "one-sided": versions.one_sided,
    "gauntlets": versions.gauntlets,
    "ranks": boards.what_ranks,
    "unmet": boards.unmet_pairs,
    "clones": boards.clones,
    "best": boards.best,
    "few": boards.few_deals,
    "teams": boards.team_ranges,
}


def _seasons(
    effort: Effort, strengths: Floats, rho: float, most: int, seed: int, trials: int
) -> list[seasons.Trace]:
    """Seasons of a field, each played up to `most` games."""
    pairs = field.all_pairs(strengths, field.shared_for(rho, GAP))
    seeds = range(seed, seed + trials)
    parts = [seeds[at : at + TOGETHER] for at in range(0, trials, TOGETHER)]
    with ProcessPoolExecutor(effort.workers) as pool:
        played = pool.map(partial(seasons.play, pairs, strengths, most), parts)
        return [one for part in played for one in part]


def _ends(traces: Sequence[seasons.Trace], level: float) -> list[tuple[seasons.Trace, int]]:
    """The seasons whose doubt fell to this level, and the batch after which each stops."""
    ended = [np.flatnonzero(one.doubt <= level) for one in traces]
    return [(one, int(at[0])) for one, at in zip(traces, ended, strict=True) if len(at)]


def _stopped(traces: Sequence[seasons.Trace], rho: float) -> list[Figure]:
    figures = []
    for care, level in MAX_DOUBT.items():
        over = _ends(traces, level)
        games = float(np.mean([one.games[at] for one, at in over])) if over else 0.0
        right = float(np.mean([one.right[at] for one, at in over])) if over else 0.0
        ours = f"{games:,.0f} games on average, {right:.1%} right; {len(over)} stopped"
        name = f"the same at {rho}, stopping by itself: {care}"
        goal, met = f"{RIGHT[care]:.0%} right", right >= RIGHT[care]
        if rho == GOAL_RHO and care == "strict":
            goal, met = f"{goal} in {STOP_GAMES:,} games", met and games <= STOP_GAMES
            met = met and len(over) >= 0.95 * len(traces)
        figures.append(Figure(name, goal, ours, len(traces), met))
    return figures


def _round_robins(effort: Effort, strengths: Floats) -> list[Figure]:
    figures, trials = [], effort.trials(2000)
    for name, shared in (("", 0.0), (" in deal pairs", field.shared_for(GOAL_RHO, GAP))):
        pairs = field.all_pairs(strengths, shared)
        found = seasons.round_robin_games(pairs, strengths, trials, effort.seed)
        reached = seasons.games_to(0.95, [*found], [*found.values()])
        ours = f"{reached:,} games" if reached else f"more than {max(found):,} games"
        figures.append(Figure(f"the same by a round robin{name}", "", ours, trials, None))
    return figures


def _counts(results: PairwiseResults, matches: int) -> Counts:
    """These results as the counts of `matches` matches."""
    names = {f"{at:032x}": at.to_bytes(32, "big") for at in range(matches)}
    tallies = dict.fromkeys(results.entrants, Tally(matches // len(results.entrants)))
    return Counts(names, tallies, results, collect_scores(()), np.zeros(0, dtype=np.int64))


def _crowd(bots: int, deals: int, seed: int) -> PairwiseResults:
    """These numbers of deal pairs between randomly drawn bots."""
    rng = np.random.default_rng(seed)
    strengths = rng.normal(size=bots) * 200 / ELO
    one = rng.integers(bots, size=deals)
    other = (one + 1 + rng.integers(bots - 1, size=deals)) % bots
    first, second = np.minimum(one, other), np.maximum(one, other)
    chance = 1 / (1 + np.exp(strengths[second] - strengths[first]))
    won = (rng.random((2, deals)) < chance).sum(axis=0)
    zero = np.zeros(deals, dtype=np.int64)
    lines = np.stack([first, second, zero, zero, zero + 2, 2 * won], axis=1)
    names = tuple(f"b{number:04d}" for number in range(bots))
    return count_outcomes(names, 0, lines, np.arange(deals))

"""Every bot against every other, in both orders: the plan, the counts, the shares.

All pairs play the same deals, so that chance distorts the comparison less. The intervals of the
totals account for this: every deal counts as one observation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, NotRequired, TypedDict

from matchbox.lab.counts import CountedBout, Counts, FaultRow, Faults
from matchbox.lab.facts import Sum
from matchbox.lab.plan import Deals, Parameters, Plan, Sitting, interleave, sittings_of
from matchbox.lab.statistics import mean_interval, wilson

Pair = tuple[int, int]

COLUMNS = (
    "first", "second", "games", "first_wins", "second_wins", "draws",
    "first_share", "ci95_low", "ci95_high", "mean_turns",
)  # fmt: skip


class PairResult(TypedDict):
    """The results of one ordered pair."""

    first: str
    second: str
    games: int
    first_wins: int
    second_wins: int
    draws: int
    first_share: float
    """The first one's share of the points, 0 to 1."""
    ci95: list[float]
    mean_turns: float
    facts: NotRequired[dict[str, Any]]
    """What the game reports, as `facts.Sum` adds it up; left out if it reports nothing."""


class BothOrders(TypedDict):
    """A bot's share of the points against another one over both orders."""

    bot: str
    other: str
    games: int
    share: float
    ci95: list[float]


class Total(TypedDict):
    """A bot's share of the points against all others."""

    bot: str
    share: float
    ci95: list[float]


class MatrixResult(Parameters):
    """The experiment as `matchbox simulate --json` prints it, without its times."""

    pairs: list[PairResult]
    both_orders: list[BothOrders]
    totals: list[Total]
    faults: list[FaultRow]


@dataclass(slots=True)
class PairCounts:
    """The results of one ordered pair."""

    facts: Sum
    games: int = 0
    first_wins: int = 0
    second_wins: int = 0
    turns: Counter[int] = field(default_factory=Counter)
    """How many games took how many turns."""

    def add(self, bout: CountedBout, times: int) -> None:
        """Adds `times` equal bouts."""
        first, second = bout.places
        self.games += times
        self.first_wins += times * (first < second)
        self.second_wins += times * (second < first)
        self.turns[bout.turns] += times
        self.facts.add(bout.facts, times)


def sittings(plan: Plan) -> Iterator[Sitting]:
    """Every job of the plan; the same plan is always cut into the same jobs.

    A bot against itself plays in one order only: the other order would be the same.
    """
    deals = Deals(plan.seed, range(plan.games))
    pairs = list(combinations(range(len(plan.bots)), 2))
    if plan.mirror:
        pairs += [(bot, bot) for bot in range(len(plan.bots))]
    return interleave(
        sittings_of(plan, (first, second), deals, (0, 1) if first != second else (0,))
        for first, second in sorted(pairs)
    )


@dataclass(frozen=True, slots=True)
class Matrix:
    """The counts of a plan so far."""

    plan: Plan
    pairs: dict[Pair, PairCounts] = field(default_factory=dict)
    faults: Faults = field(default_factory=Faults)
    against: dict[Pair, list[int]] = field(default_factory=dict)
    """For every two bots, the first one's half points: one number per deal, over both orders."""

    def add(self, sitting: Sitting, counts: Counts) -> None:
        """Adds the counts of a sitting; those of one pair must come in the order of `sittings`."""
        self.faults.add(counts)
        for bout, times in counts.kinds():
            first, second = bout.bots
            fresh = PairCounts(Sum(self.plan.game))
            self.pairs.setdefault((first, second), fresh).add(bout, times)
        first, second = sitting.bots
        if first != second:
            own = self.against.setdefault((first, second), [])
            own.extend(_half_points(sitting, counts))

    def result(self) -> MatrixResult:
        """The experiment as `matchbox simulate --json` prints it, without its times.

        Before the end, a bot's total covers only the deals that it has played against all others; a
        bot without such a deal has no total.
        """
        parameters = self.plan.parameters()
        totals = (self._total(bot) for bot in range(len(self.plan.bots)))
        return {
            **parameters,
            "pairs": [self._pair(pair, tally) for pair, tally in sorted(self.pairs.items())],
            "both_orders": [self._both(pair) for pair in sorted(self.against)],
            "totals": [total for total in totals if total],
            "faults": self.faults.rows(parameters["bots"]),
        }

    def lines(self) -> Iterator[Sequence[object]]:
        """The rows of `--tsv`: the names of the columns, then the pairs."""
        yield COLUMNS
        for pair in self.result()["pairs"]:
            low, high = pair["ci95"]
            row: dict[str, object] = {**pair, "ci95_low": low, "ci95_high": high}
            yield [row[column] for column in COLUMNS]

    def histogram(self) -> dict[str, Counter[int]]:
        """How many games took how many turns, by ordered pair."""
        return {
            " v ".join(self.plan.names(pair)): tally.turns
            for pair, tally in sorted(self.pairs.items())
        }

    def _pair(self, pair: Pair, tally: PairCounts) -> PairResult:
        draws = tally.games - tally.first_wins - tally.second_wins
        share = (tally.first_wins + draws / 2) / tally.games
        first, second = self.plan.names(pair)
        result: PairResult = {
            "first": first,
            "second": second,
            "games": tally.games,
            "first_wins": tally.first_wins,
            "second_wins": tally.second_wins,
            "draws": draws,
            "first_share": round(share, 6),
            "ci95": [round(bound, 6) for bound in wilson(share, tally.games)],
            "mean_turns": round(sum(t * n for t, n in tally.turns.items()) / tally.games, 3),
        }
        if facts := tally.facts.result(tally.games):
            result["facts"] = facts
        return result

    def _both(self, pair: Pair) -> BothOrders:
        """The first bot's share against the second over both orders."""
        halves = self.against[pair]
        share, interval = mean_interval([half / 4 for half in halves])
        bot, other = self.plan.names(pair)
        return {
            "bot": bot,
            "other": other,
            "games": 2 * len(halves),
            "share": round(share, 6),
            "ci95": [round(bound, 6) for bound in interval],
        }

    def _total(self, bot: int) -> Total | None:
        """The bot's total; None if it has no deal that it has played against all others."""
        (name,) = self.plan.names([bot])
        if len(self.plan.bots) == 1:
            return {"bot": name, "share": 0.5, "ci95": [0.5, 0.5]}
        points = self._points(bot)
        if not points:
            return None
        share, interval = mean_interval(points)
        return {
            "bot": name,
            "share": round(share, 6),
            "ci95": [round(bound, 6) for bound in interval],
        }

    def _points(self, bot: int) -> list[float]:
        """The bot's share of the points, 0 to 1, in each deal played against all others."""
        rows = [
            [4 - half for half in halves] if second == bot else halves
            for (first, second), halves in sorted(self.against.items())
            if bot in (first, second)
        ]
        others = len(self.plan.bots) - 1
        deals = zip(*rows, strict=False) if len(rows) == others else ()
        return [sum(deal) / (4 * others) for deal in deals]


def _half_points(sitting: Sitting, counts: Counts) -> list[int]:
    """The first bot's half points (ints, in the order of the deals), over both orders: two for a
    win, one for a draw."""
    won = {id(bout): _won(bout) for bout, _ in counts.kinds()}
    halves = [0] * len(sitting.deals)
    for deal, kind in zip(counts.deals, map(id, counts.bouts), strict=True):
        halves[deal] += won[kind]
    return halves


def _won(bout: CountedBout) -> int:
    """The half points of the table's first place."""
    own = bout.entrants.index(0)
    mine, other = bout.places[own], bout.places[1 - own]
    return 1 + (mine < other) - (mine > other)

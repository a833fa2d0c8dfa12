"""A game of any table size: the places that each bot takes, and the facts that the game reports.

`line_ups` in plan.py says who sits together. All play about equally often, and seats are rotated.
Seats of one game depend on each other, and so do games of one deal. So the intervals count every
deal as one observation.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypedDict, cast

from matchbox.lab.counts import Counts, FaultRow, Faults
from matchbox.lab.facts import Sum
from matchbox.lab.plan import Parameters, Plan, Sitting, interleave, tables
from matchbox.lab.statistics import grouped_interval

COLUMNS = ("players", "bot", "games", "first_share", "ci95_low", "ci95_high", "mean_place")


class BotPlaces(TypedDict):
    """The places of one bot at one table size."""

    bot: str
    games: int
    """Its games, each counted once for every seat that it held."""
    counts: list[int]
    """How often it took each place, from the first on."""
    first_share: float
    """The share of these that it won, 0 to 1; a shared first place counts in part."""
    ci95: list[float]
    mean_place: float


class TableResult(TypedDict):
    """The results at one table size, and the facts that the game reports, by name."""

    players: int
    games: int
    mean_moves: float
    places: list[BotPlaces]


class PlacesResult(Parameters):
    """The experiment as `matchbox simulate --json` prints it, without its times."""

    tables: list[TableResult]
    faults: list[FaultRow]


@dataclass(slots=True)
class TableCounts:
    """The results at one table size."""

    facts: Sum
    games: int = 0
    turns: Counter[int] = field(default_factory=Counter)
    """How many games took how many moves."""
    places: dict[int, Counter[int]] = field(default_factory=dict)
    """By bot: how often it took which place."""
    deals: dict[int, Counter[tuple[float, int]]] = field(default_factory=dict)
    """By bot: on how many deals it won so many of so many games, which count once for every seat
    that it held; a shared first place counts in part."""

    def add(self, counts: Counts) -> None:
        """Adds a job, which holds every game of its deals."""
        won: defaultdict[tuple[int, int], float] = defaultdict(float)
        games: Counter[tuple[int, int]] = Counter()
        for deal, bout in zip(counts.deals, counts.bouts, strict=True):
            self.games += 1
            self.turns[bout.turns] += 1
            self.facts.add(bout.facts)
            winners = bout.places.count(1)
            for bot, place in zip(bout.bots, bout.places, strict=True):
                self.places.setdefault(bot, Counter())[place] += 1
                won[bot, deal] += (place == 1) / winners
                games[bot, deal] += 1
        for (bot, deal), number in games.items():
            self.deals.setdefault(bot, Counter())[won[bot, deal], number] += 1


def sittings(plan: Plan) -> Iterator[Sitting]:
    """Every job of the plan; the same plan is always cut into the same jobs."""
    return interleave(tables(plan, size) for size in plan.sizes)


@dataclass(frozen=True, slots=True)
class Places:
    """The counts of a plan so far."""

    plan: Plan
    tables: dict[int, TableCounts] = field(default_factory=dict)
    """By table size."""
    faults: Faults = field(default_factory=Faults)

    def add(self, sitting: Sitting, counts: Counts) -> None:
        """Adds the counts of a sitting."""
        self.faults.add(counts)
        fresh = TableCounts(Sum(self.plan.game))
        self.tables.setdefault(len(sitting.bots), fresh).add(counts)

    def result(self) -> PlacesResult:
        """The experiment as `matchbox simulate --json` prints it, without its times."""
        parameters = self.plan.parameters()
        return {
            **parameters,
            "tables": [self._table(size, tally) for size, tally in self.tables.items()],
            "faults": self.faults.rows(parameters["bots"]),
        }

    def lines(self) -> Iterator[Sequence[object]]:
        """The rows of `--tsv`: the names of the columns, then a row per table size and bot."""
        yield COLUMNS
        for table in self.result()["tables"]:
            for one in table["places"]:
                low, high = one["ci95"]
                bounds = {"ci95_low": low, "ci95_high": high}
                row: dict[str, object] = {**one, "players": table["players"], **bounds}
                yield [row[column] for column in COLUMNS]

    def histogram(self) -> dict[str, Counter[int]]:
        """How many games took how many moves, by table size."""
        return {f"{size} players": tally.turns for size, tally in self.tables.items()}

    def _table(self, size: int, tally: TableCounts) -> TableResult:
        moves = sum(turns * games for turns, games in tally.turns.items())
        result = {
            "players": size,
            "games": tally.games,
            **tally.facts.result(tally.games),
            "mean_moves": round(moves / tally.games, 4),
            "places": [self._places(bot, size, tally) for bot in sorted(tally.places)],
        }
        return cast("TableResult", result)

    def _places(self, bot: int, size: int, tally: TableCounts) -> BotPlaces:
        """The places of one bot. A bot that holds several seats of a table counts once for each."""
        counts, (name,) = tally.places[bot], self.plan.names([bot])
        games = counts.total()
        groups = sorted((won, seats, times) for (won, seats), times in tally.deals[bot].items())
        share, interval = grouped_interval(groups)
        return {
            "bot": name,
            "games": games,
            "counts": [counts[place] for place in range(1, size + 1)],
            "first_share": round(share, 6),
            "ci95": [round(bound, 6) for bound in interval],
            "mean_place": round(sum(place * n for place, n in counts.items()) / games, 4),
        }

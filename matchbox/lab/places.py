"""A game of any table size: the places that each bot takes, and the facts that the game reports.

Seats are filled from the list of bots in turn and rotated. If the number of seats is no multiple of
the number of bots, one table begins at every bot, so that all play about equally often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypedDict, cast

from matchbox.lab.counts import CountedBout, Counts, FaultRow, Faults
from matchbox.lab.facts import Sum
from matchbox.lab.plan import Parameters, Plan, Sitting, interleave, tables
from matchbox.lab.statistics import wilson

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

    games: int = 0
    turns: Counter[int] = field(default_factory=Counter)
    """How many games took how many moves."""
    places: dict[int, Counter[int]] = field(default_factory=dict)
    """By bot: how often it took which place."""
    firsts: dict[int, float] = field(default_factory=dict)
    """By bot: games won; a shared first place counts in part."""
    facts: Sum = field(default_factory=Sum)

    def add(self, bout: CountedBout) -> None:
        """Adds one bout."""
        self.games += 1
        self.turns[bout.turns] += 1
        self.facts.add(bout.facts)
        winners = bout.places.count(1)
        for bot, place in zip(bout.bots, bout.places, strict=True):
            self.places.setdefault(bot, Counter())[place] += 1
            self.firsts[bot] = self.firsts.get(bot, 0.0) + (place == 1) / winners


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
        tally = self.tables.setdefault(len(sitting.bots), TableCounts())
        for bout in counts.bouts:
            tally.add(bout)

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
        share = tally.firsts[bot] / games
        return {
            "bot": name,
            "games": games,
            "counts": [counts[place] for place in range(1, size + 1)],
            "first_share": round(share, 6),
            "ci95": [round(bound, 6) for bound in wilson(share, games)],
            "mean_place": round(sum(place * n for place, n in counts.items()) / games, 4),
        }

"""Compares two versions, batch by batch: the jobs, and the results so far.

Plays nothing. The plan's first bot is the challenger, its second the defender, the rest the field.
A batch holds all tables of its deals, so the test is checked only after whole deal pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from matchbox.lab.counts import CountedBout, Counts, FaultRow, Faults
from matchbox.lab.plan import Deals, Plan, Sitting, sittings_of
from matchbox.league.rows import Row
from matchbox.league.sprt import Trial
from matchbox.league.versions import (
    CHALLENGER,
    DEFENDER,
    OTHERS,
    Figures,
    GauntletSums,
    HeadToHead,
    deal_pairs,
    gauntlet_document,
    head_to_head_document,
    judge,
    line_ups,
)


class Result(Figures):
    """The result as `matchbox compare --json` prints it, without its times."""

    game: str
    challenger: str
    defender: str
    field: list[str]
    players: int
    options: dict[str, Any]
    seed: str
    most: int
    forfeits: dict[str, int]
    faults: list[FaultRow]


class Comparison:
    """Compares the plan's bots: two rivals alone by a sequential test, all others by a gauntlet.

    A batch has `deals` deals. Raises ValueError if the bots cannot fill the tables, or if the
    plan's games do not allow a single deal.
    """

    def __init__(self, plan: Plan, trial: Trial, deals: int, *, cooperative: bool) -> None:
        self._plan, self._deals = plan, deals
        (self._size,) = plan.sizes
        self._cooperative = cooperative
        self._tables = line_ups(len(plan.bots) - OTHERS, self._size, cooperative=cooperative)
        self._names = plan.names(range(len(plan.bots)))
        self._pairs = [0] * 5
        challenger, defender = self._names[CHALLENGER], self._names[DEFENDER]
        self._sums = GauntletSums(challenger, defender, cooperative=cooperative)
        self._faults = Faults()
        self.sequential = not cooperative and len(self._tables) == 1
        self.games = 0
        each = sum(len(self._rotations(table)) for table in self._tables)
        self.most = plan.games - plan.games % each
        """The greatest number of bouts that can be played, rounded down to whole deals."""
        if not self.most:
            raise ValueError(f"one deal takes {each} games here; allow {each} or more")
        self._all_deals = self.most // each
        self._trial = replace(trial, max_bouts=self.most)

    def batches(self) -> Iterator[list[Sitting]]:
        """The batches of jobs; the test is checked between two batches."""
        deals = Deals(self._plan.seed, range(self._all_deals))
        for start in range(0, len(deals), self._deals):
            own = deals[start : start + self._deals]
            yield [
                job
                for table in self._tables
                for job in sittings_of(self._plan, table, own, self._rotations(table))
            ]

    def add(self, played: Iterable[tuple[Sitting, Counts]]) -> None:
        """Adds the results of a whole batch."""
        fresh: list[Row] = []
        for sitting, counts in played:
            self._faults.add(counts)
            fresh += map(partial(self._row, sitting), counts.deals, counts.bouts)
        self.games += len(fresh)
        if self.sequential:
            challenger, defender = self._names
            found = deal_pairs(fresh, challenger, defender)
            self._pairs = [old + new for old, new in zip(self._pairs, found, strict=True)]
        else:
            self._sums.add(fresh)

    @property
    def head_to_head(self) -> HeadToHead:
        """The state of the test. Once it has a verdict, nothing more is played."""
        return judge(self._trial, self._pairs, looks=-(-sum(self._pairs) // self._deals))

    @property
    def over(self) -> bool:
        """True once nothing more is to be played."""
        return self.games >= self.most or (self.sequential and self.head_to_head.state.over)

    def progress_text(self) -> str:
        """A few words on the current state, for a progress line."""
        if not self.sequential:
            return f"{self._names[CHALLENGER]} v {self._names[DEFENDER]}"
        low, high = self._trial.thresholds
        return f"llr {self.head_to_head.state.llr:+.2f} of {low:.2f} to {high:+.2f}"

    def result(self) -> Result:
        """The result as `matchbox compare --json` prints it, without its times."""
        parameters = self._plan.parameters()
        if self.sequential:
            found = head_to_head_document(self._trial, self.head_to_head)
        else:
            found = gauntlet_document(self._sums.gauntlet(), self.games)
        faults = self._faults.rows(self._names)
        forfeits = dict.fromkeys(self._names, 0)
        for fault in faults:
            forfeits[fault["bot"]] += fault["games"]
        return {
            "game": parameters["game"],
            "challenger": self._names[CHALLENGER],
            "defender": self._names[DEFENDER],
            "field": self._names[OTHERS:],
            "players": self._size,
            "options": parameters["options"],
            "seed": parameters["seed"],
            "most": self.most,
            **found,
            "forfeits": forfeits,
            "faults": faults,
        }

    def _rotations(self, table: tuple[int, ...]) -> range:
        """The rotations of a table; just one for a team of one version, which never changes."""
        return range(1 if len(set(table)) == 1 else self._size)

    def _row(self, sitting: Sitting, deal: int, bout: CountedBout) -> Row:
        return Row(
            # Line-ups of the same files share a name.
            match=f"{sitting.blank.match}/{sitting.bots}",
            deal=sitting.deals[deal],
            rotation=bout.entrants[0],
            seats=tuple(self._names[bot] for bot in bout.bots),
            places=bout.places,
            scores=bout.scores,
        )

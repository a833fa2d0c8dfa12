"""Whole seasons without a database: the test decides who wins, and every round is opened in
turn."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TypeAlias

from matchbox.league.counts import Counts, count
from matchbox.league.course import next_rounds
from matchbox.league.format import Format
from matchbox.league.rows import Row, half_points
from matchbox.league.season import Field, MatchResult, Progress, Round

NO_END = 2_000
"""More rounds than any season of a test has."""


def entrants(n: int) -> tuple[str, ...]:
    """Returns names in the order of their strength, the best first."""
    return tuple(f"b{number:03d}" for number in range(n))


Wins: TypeAlias = Callable[[str, str, str], bool]
"""Whether the first beats the second in that bout."""


def better(first: str, second: str, _: str) -> bool:
    """Returns whether the first name precedes the second in the alphabet."""
    return first < second


def level(first: str, second: str, bout: str) -> bool:
    """Returns whether the first begins, so that every deal is level."""
    return (first < second) == bout.endswith("/0")


def by_chance(seed: int, gap: float = 0.1) -> Wins:
    """Draws results. Each place between two names adds `gap` to the better one's chance of 0.5."""

    def wins(first: str, second: str, bout: str) -> bool:
        low, high = sorted((first, second))
        drawn = random.Random(f"{seed}:{low}:{high}:{bout}").random()
        return (first == low) == (drawn < 0.5 + gap * (int(high[1:]) - int(low[1:])))

    return wins


class Story:
    """The course of a season: every match has the field's deals, in two rotations."""

    def __init__(
        self,
        plan: Format,
        field: Field,
        wins: Wins = better,
        shuffle: random.Random | None = None,
    ) -> None:
        self.plan, self.field, self.wins = plan, field, wins
        self.rounds: list[Round] = []
        self.matches: list[MatchResult] = []
        self.rows: list[Row] = []
        self.out: set[str] = set()
        self.disqualified: set[str] = set()
        self.where: dict[str, int] = {}
        self._shuffle = shuffle

    @property
    def past(self) -> Progress:
        """The results so far, shuffled if the story says so."""
        matches, rows = list(self.matches), list(self.rows)
        if self._shuffle is not None:
            self._shuffle.shuffle(matches)
            self._shuffle.shuffle(rows)

        def counts(rounds: Collection[int]) -> Counts:
            stands = [
                row
                for row in rows
                if self.where[row.match] in rounds and self.disqualified.isdisjoint(row.seats)
            ]
            return count(stands, cooperative=self.field.cooperative)

        out, disqualified = frozenset(self.out), frozenset(self.disqualified)
        return Progress(tuple(self.rounds), tuple(matches), counts, out, disqualified)

    def step(self, *, together: bool = True) -> bool:
        """Opens and plays the next round; returns False if there is none."""
        found = list(next_rounds(self.plan, self.field, self.past))
        for one in found if together else found[:1]:
            self._play(one)
        return bool(found)

    def tell(self, *, together: bool = True) -> Story:
        """Plays the season to its end."""
        while self.step(together=together):
            assert len(self.rounds) < NO_END
        return self

    def _play(self, one: Round) -> None:
        number = len(self.rounds)
        self.rounds.append(replace(one, pairings=()))
        for table in one.pairings:
            match = f"{len(self.matches):06d}"
            self.where[match] = number
            rows = self._bouts(match, table.seats)
            self.rows += rows
            taken = dict.fromkeys(table.seats, 0)
            for row in rows:
                for name, half in zip(row.seats, half_points(row), strict=True):
                    taken[name] += half
            self.matches.append(MatchResult(number, table.seats, taken))

    def _bouts(self, match: str, seats: tuple[str, ...]) -> list[Row]:
        team = self.field.cooperative
        turns = 1 if team and len(set(seats)) == 1 else len(seats)
        rows = []
        for deal in range(self.field.deals):
            name = f"{self.where[match] if team else match}/{deal}"
            for turn in range(turns):
                sat = seats[turn:] + seats[:turn]
                places, scores = self._result(sat, name, turn)
                rows.append(Row(match, name, turn, sat, places, scores=scores))
        return rows

    def _result(
        self, sat: tuple[str, ...], deal: str, turn: int
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        if self.field.cooperative:
            luck = random.Random(deal).randrange(10)
            own = sum(
                100 - 5 * int(one[1:]) + random.Random(deal + one).randrange(4) for one in sat
            )
            return (1,) * len(sat), (luck + own // len(sat),) * len(sat)
        bout = f"{deal}/{turn}"
        beaten = [sum(self.wins(other, one, bout) for other in sat if other != one) for one in sat]
        return tuple(1 + lost for lost in beaten), ()

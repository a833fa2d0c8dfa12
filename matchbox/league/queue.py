"""Chooses the next matches of an endless ranked queue. Knows ratings and counts; knows no results.

In a small field, pairs that have never met come first: what is not played must be estimated. Then
most matches are between neighbours, first for the entrants that are least known; the rest connect
the field. The order in a pairing does not matter: a match plays every rotation of the seats.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from math import inf

from matchbox.dice import Dice
from matchbox.league.pairing import Pairing
from matchbox.league.tables import mixed_teams

NEIGHBOUR_PERCENT = 80
"""The percentage of ranked pairings that are between neighbours; the rest connect the field."""
NEIGHBOURS = 2
"""Entrants up to this many places up or down are neighbours."""
SMALL_FIELD = 32
"""In a field up to this size every pair meets, as in a season that begins with a round robin."""
NEWCOMER_MATCHES = 8
"""Entrants with fewer matches than this are served first."""
MIXED_PERCENT = 25
"""The percentage of rounds of a cooperative queue that have mixed teams."""


@dataclass(frozen=True, slots=True)
class Contender:
    """An entrant in the queue: Elo, and the number of matches played or queued."""

    entrant: str
    mean: float
    half_width: float
    games: int


class RankedQueue:
    """Chooses one table after another, and counts each as queued.

    Two bots of one owner never sit at one table; a bot that is not in `owner` may sit with
    everybody. Entrants with `enough` matches rest: they sit at tables of others, and none is made
    for them.
    """

    def __init__(
        self,
        field: Iterable[Contender],
        met: Callable[[str], Mapping[str, int]],
        *,
        seats: int = 2,
        owner: Mapping[str, str] | None = None,
        enough: float = inf,
    ) -> None:
        """Takes the field, and `met`: an entrant's matches, played or queued, by opponent.

        An entrant is asked about only if it is a candidate, and then once.
        """
        self._field = sorted(field, key=lambda one: (-one.mean, one.entrant))
        self._place = {one.entrant: place for place, one in enumerate(self._field)}
        self._games = {one.entrant: one.games for one in self._field}
        self._seats, self._enough = seats, enough
        self._met = met
        self._known: dict[str, Counter[str]] = {}
        self._tables: list[tuple[str, ...]] = []
        self._owner = owner or {}
        self._owned: defaultdict[str, set[str]] = defaultdict(set)
        for name in self._place.keys() & self._owner.keys():
            self._owned[self._owner[name]].add(name)
        free = len(self._place.keys() - self._owner.keys())
        self._can_fill = len(self._owned) + free >= seats
        self._wake()

    def next(self, dice: Dice) -> Pairing | None:
        """Returns the next table; None if no table can be filled, or if everybody rests.

        First chooses an entrant that does not rest, then the others at its table; first those that
        it has never met, if the field is small or if anybody may be drawn.
        """
        if not self._awake or not self._can_fill:
            return None
        small = len(self._field) <= SMALL_FIELD
        awake, weights = self._awake, self._weights
        if small and (some := [one for one in awake if self._has_unmet(one.entrant)]):
            awake, weights = some, _summed_weights(some)
        anybody = dice.below(100) >= NEIGHBOUR_PERCENT
        first = awake[dice.below(len(awake))] if anybody else self._neediest(awake, weights, dice)
        table, away = [first.entrant], self._kept_from(first.entrant)
        while len(table) < self._seats:
            barred = away
            if (anybody or small) and self._has_unmet(first.entrant, away):
                barred = away | self._met_by(first.entrant).keys()
            if anybody:
                others = [one.entrant for one in self._field if one.entrant not in barred]
            else:
                others = self._least_met(table, self._neighbours(first.entrant, barred))
            table.append(others[dice.below(len(others))])
            away = away | self._kept_from(table[-1])
        self._count(tuple(table))
        return Pairing(tuple(table))

    def _wake(self) -> None:
        """Finds out who does not rest."""
        self._awake = [one for one in self._field if self._games[one.entrant] < self._enough]
        self._weights = _summed_weights(self._awake)

    def _count(self, table: tuple[str, ...]) -> None:
        self._tables.append(table)
        for name in table:
            self._games[name] += 1
            if name in self._known:
                self._known[name].update(table)
        if any(self._games[name] >= self._enough for name in table):
            self._wake()

    def _met_by(self, entrant: str) -> Counter[str]:
        """How often the entrant has met each other one; its own name may be there as well."""
        if entrant not in self._known:
            found = self._known[entrant] = Counter(self._met(entrant))
            for table in self._tables:
                found.update(table if entrant in table else ())
        return self._known[entrant]

    def _kept_from(self, entrant: str) -> set[str]:
        """Who may not sit at a table with the entrant, itself included."""
        owner = self._owner.get(entrant)
        return {entrant} if owner is None else self._owned[owner]

    def _has_unmet(self, entrant: str, away: Collection[str] = ()) -> bool:
        """Whether somebody who may sit there, and is not `away`, has never met the entrant."""
        barred = {*away, *self._kept_from(entrant), *self._met_by(entrant)}
        return any(one.entrant not in barred for one in self._field)

    def _neediest(self, able: Sequence[Contender], weights: Sequence[int], dice: Dice) -> Contender:
        """The newcomer with the fewest games; without newcomers, a draw in proportion to variance.

        The entrant with the greatest variance is not simply taken: one that wins or loses
        everything stays uncertain for ever and would starve the others. Each of the `weights` has
        those before it added.
        """
        games = self._games
        new = [one for one in able if games[one.entrant] < NEWCOMER_MATCHES]
        if new:
            return min(new, key=lambda one: (games[one.entrant], -one.half_width, one.entrant))
        return able[bisect_right(weights, dice.below(weights[-1]))]

    def _neighbours(self, entrant: str, barred: Collection[str]) -> list[str]:
        place = self._place[entrant]
        above = (self._field[at].entrant for at in range(place - 1, -1, -1))
        below = (self._field[at].entrant for at in range(place + 1, len(self._field)))
        return [
            name
            for side in (above, below)
            for name in islice((one for one in side if one not in barred), NEIGHBOURS)
        ]

    def _least_met(self, table: Sequence[str], others: Sequence[str]) -> list[str]:
        counts = [sum(self._met_by(one)[other] for one in table) for other in others]
        least = min(counts)
        return [other for other, count in zip(others, counts, strict=True) if count == least]


def next_round(games: Mapping[str, int], enough: int, seats: int, dice: Dice) -> list[Pairing]:
    """Returns the next matches of a cooperative queue, all on the same deals.

    `games` counts matches played or queued; bots with fewer than `enough` play. Usually each bot
    fills a table alone. Now and then, if there are more bots than seats, teams are mixed, and
    resting bots fill them up.
    """
    awake = [name for name in sorted(games) if games[name] < enough]
    if not awake or len(games) <= seats or dice.below(100) >= MIXED_PERCENT:
        return [Pairing((name,) * seats) for name in awake]
    partners = [name for name in sorted(games) if games[name] >= enough]
    dice.shuffle(partners)
    # At least two teams: a bot's part shows only beside other teams on the same deals.
    company = awake + partners[: max(0, 2 * seats - len(awake))]
    (teams,) = mixed_teams(company, seats, 1, dice)
    return teams


def _summed_weights(field: Sequence[Contender]) -> list[int]:
    """The entrants' weights in a draw, each added to those before it."""
    return list(accumulate(max(1, round(one.half_width**2)) for one in field))

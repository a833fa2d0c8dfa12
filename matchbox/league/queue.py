"""Chooses the next matches of an endless ranked queue. Knows ratings and counts; knows no results.

In a small field, pairs that have never met come first: what is not played must be estimated. Then
most matches are between neighbours, first for the entrants that are least known; the rest connect
the field. The order in a pairing does not matter: a match plays every rotation of the seats.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heapreplace
from itertools import accumulate, islice
from math import inf

from matchbox.dice import Dice
from matchbox.league.pairing import Pairing
from matchbox.league.seating import mixed_teams

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
FEW = 16
"""Changed entrants are inserted again one by one if they are fewer than 1/FEW of the field; else
the whole field is sorted again."""


@dataclass(frozen=True, slots=True)
class Contender:
    """An entrant in the queue: Elo, and the number of matches played or queued."""

    entrant: str
    mean: float
    half_width: float
    matches: int


class Ladder:
    """A field, the best first. It may be used by one queue after another, and changed in between.

    Two bots of one owner never sit at one table; a bot that is not in `owner` may sit with
    everybody.
    """

    def __init__(self, field: Iterable[Contender], owner: Mapping[str, str] | None = None) -> None:
        self.contenders = {one.entrant: one for one in field}
        self.matches = {name: one.matches for name, one in self.contenders.items()}
        self.weights = {name: _weight(one) for name, one in self.contenders.items()}
        self._order = sorted(map(_order, self.contenders.values()))
        self._owner = owner or {}
        self._owned: defaultdict[str, set[str]] = defaultdict(set)
        for name in self.contenders.keys() & self._owner.keys():
            self._owned[self._owner[name]].add(name)
        free = len(self.contenders.keys() - self._owner.keys())
        self.widest = len(self._owned) + free
        """The most seats that a table can have."""

    def put(self, changed: Collection[Contender]) -> None:
        """Gives entrants of the field new figures."""
        few = len(changed) < len(self.contenders) / FEW
        for one in changed:
            if few:
                del self._order[self.place(one.entrant)]
                insort(self._order, _order(one))
            self.contenders[one.entrant] = one
            self.matches[one.entrant], self.weights[one.entrant] = one.matches, _weight(one)
        if not few:
            self._order = sorted(map(_order, self.contenders.values()))

    def names(self) -> list[str]:
        """Returns the entrants, the best first."""
        return [name for _, name in self._order]

    def place(self, entrant: str) -> int:
        """Returns the entrant's place among them, from 0."""
        return bisect_left(self._order, _order(self.contenders[entrant]))

    def kept_from(self, entrant: str) -> set[str]:
        """Returns the entrants that may not share a table with this one, itself included."""
        owner = self._owner.get(entrant)
        return {entrant} if owner is None else self._owned[owner]


class RankedQueue:
    """Chooses one table after another, and counts each as queued.

    Entrants with `wanted` matches rest: they may sit at the tables of others, but no table is
    made for them.
    """

    def __init__(
        self,
        field: Ladder,
        met: Callable[[str], Mapping[str, int]],
        *,
        seats: int = 2,
        wanted: float = inf,
        queued: Mapping[str, int] | None = None,
    ) -> None:
        """Takes the field, and `met`: an entrant's matches, played or queued, by opponent.

        An entrant is asked about only if it is a candidate, and then once. `queued` are matches of
        entrants that the field does not count.
        """
        self._field, self._names = field, field.names()
        self._matches = dict(field.matches)
        for name, count in (queued or {}).items():
            self._matches[name] += count
        self._seats, self._wanted = seats, wanted
        self._met = met
        self._known: dict[str, Counter[str]] = {}
        self._tables: list[tuple[str, ...]] = []
        self._find_active()

    def next(self, dice: Dice) -> Pairing | None:
        """Returns the next table; None if no table can be filled, or if all entrants
        rest.

        First chooses an entrant that does not rest, then the others at its table. If the field is
        small, or if the table connects the field, those that it has never met come first.
        """
        if not self._active or self._field.widest < self._seats:
            return None
        small = len(self._names) <= SMALL_FIELD
        able = [one for one in self._active if self._has_unmet(one)] if small else []
        connects = dice.below(100) >= NEIGHBOUR_PERCENT
        first = self._draw_any(able, dice) if connects else self._neediest(able, dice)
        table, away = [first], self._field.kept_from(first)
        while len(table) < self._seats:
            barred = away
            if (connects or small) and self._has_unmet(first, away):
                barred = away | self._met_by(first).keys()
            if connects:
                table.append(self._other_than(barred, dice))
            else:
                others = self._least_met(table, self._neighbours(first, barred))
                table.append(others[dice.below(len(others))])
            away = away | self._field.kept_from(table[-1])
        self._count(tuple(table))
        return Pairing(tuple(table))

    def _find_active(self) -> None:
        """Finds the entrants that do not rest."""
        self._active = [one for one in self._names if self._matches[one] < self._wanted]
        self._summed: list[int] = []

    def _count(self, table: tuple[str, ...]) -> None:
        self._tables.append(table)
        for name in table:
            self._matches[name] += 1
            if name in self._known:
                self._known[name].update(table)
        if any(self._matches[name] >= self._wanted for name in table):
            self._find_active()

    def _met_by(self, entrant: str) -> Counter[str]:
        """How often the entrant has met each other one; its own name may be there as well."""
        if entrant not in self._known:
            found = self._known[entrant] = Counter(self._met(entrant))
            for table in self._tables:
                found.update(table if entrant in table else ())
        return self._known[entrant]

    def _has_unmet(self, entrant: str, away: Collection[str] = ()) -> bool:
        """Whether somebody who may sit there, and is not `away`, has never met the entrant."""
        barred = {*away, *self._field.kept_from(entrant), *self._met_by(entrant)}
        return any(one not in barred for one in self._names)

    def _draw_any(self, able: Sequence[str], dice: Dice) -> str:
        """Draws one of the entrants that are `able`; if there are none, one of all that do
        not rest."""
        able = able or self._active
        return able[dice.below(len(able))]

    def _neediest(self, able: Sequence[str], dice: Dice) -> str:
        """The newcomer with the fewest matches; without one, a draw in proportion to variance.

        The entrant with the greatest variance is not simply taken: one that wins or loses
        everything stays uncertain for ever and would starve the others. If nobody is `able`, all
        that do not rest are.
        """
        newcomer = min(filter(None, map(self._new, able)), default=None) if able else self._newest()
        if newcomer is not None:
            return newcomer[-1]
        if able:
            summed = self._weights_of(able)
        else:
            able = self._active
            summed = self._summed = self._summed or self._weights_of(able)
        return able[bisect_right(summed, dice.below(summed[-1]))]

    def _new(self, entrant: str) -> tuple[int, float, str] | None:
        """The turn of an entrant that is a newcomer and does not rest: the least is next."""
        matches = self._matches[entrant]
        if matches >= NEWCOMER_MATCHES or matches >= self._wanted:
            return None
        return matches, -self._field.contenders[entrant].half_width, entrant

    @cached_property
    def _newcomers(self) -> list[tuple[int, float, str]]:
        """A heap of the newcomers by their turn; the first may have played meanwhile."""
        found = list(filter(None, map(self._new, self._active)))
        heapify(found)
        return found

    def _newest(self) -> tuple[int, float, str] | None:
        """The newcomer whose turn is next; None without newcomers."""
        heap = self._newcomers
        while heap:
            now = self._new(heap[0][-1])
            if now == heap[0]:
                return now
            if now is None:
                heappop(heap)
            else:
                heapreplace(heap, now)
        return None

    def _weights_of(self, able: Sequence[str]) -> list[int]:
        """The entrants' weights in a draw, each added to those before it."""
        return list(accumulate(self._field.weights[one] for one in able))

    def _other_than(self, barred: Collection[str], dice: Dice) -> str:
        """Draws one of those that are not barred."""
        away = sorted(self._field.place(one) for one in barred if one in self._field.contenders)
        drawn = dice.below(len(self._names) - len(away))
        for place in away:
            drawn += place <= drawn
        return self._names[drawn]

    def _neighbours(self, entrant: str, barred: Collection[str]) -> list[str]:
        place = self._field.place(entrant)
        above = (self._names[at] for at in range(place - 1, -1, -1))
        below = (self._names[at] for at in range(place + 1, len(self._names)))
        return [
            name
            for side in (above, below)
            for name in islice((one for one in side if one not in barred), NEIGHBOURS)
        ]

    def _least_met(self, table: Sequence[str], others: Sequence[str]) -> list[str]:
        counts = [sum(self._met_by(one)[other] for one in table) for other in others]
        least = min(counts)
        return [other for other, count in zip(others, counts, strict=True) if count == least]


def next_round(matches: Mapping[str, int], wanted: int, seats: int, dice: Dice) -> list[Pairing]:
    """Returns the next matches of a cooperative queue, all on the same deals.

    `matches` counts each bot's matches, played or queued; bots with fewer than `wanted` play.
    Usually each bot fills a table alone. Now and then, if there are more bots than seats, teams are
    mixed, and bots that rest fill them up.
    """
    active = [name for name in sorted(matches) if matches[name] < wanted]
    if not active or seats == 1 or len(matches) <= seats or dice.below(100) >= MIXED_PERCENT:
        return [Pairing((name,) * seats) for name in active]
    partners = [name for name in sorted(matches) if matches[name] >= wanted]
    dice.shuffle(partners)
    # At least two teams: a bot's part shows only beside other teams on the same deals.
    company = active + partners[: max(0, 2 * seats - len(active))]
    (teams,) = mixed_teams(company, seats, 1, dice)
    return teams


def _order(one: Contender) -> tuple[float, str]:
    return -one.mean, one.entrant


def _weight(one: Contender) -> int:
    return max(1, round(one.half_width**2))

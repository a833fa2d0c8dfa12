"""Seatings at larger tables and of mixed teams. Knows names, owners and earlier meetings.

Every match plays all rotations of the seats, so the order at a table does not matter. This is no
exact design: several seatings are drawn, and two entrants exchanged while that evens out the
meetings (V. V. Fedorov's exchanges, "Theory of Optimal Experiments", 1972).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, count
from math import ceil
from typing import Final

from matchbox.dice import Dice
from matchbox.league.pairing import Pairing, pair_key

DRAWS: Final = 8
"""For each round this many seatings are drawn, and the most even one is taken."""
SWEEPS: Final = 20


def seat_round(
    entrants: Sequence[str],
    tables: Sequence[int],
    history: Mapping[tuple[str, str], int],
    dice: Dice,
    *,
    owner: Mapping[str, str] | None = None,
    games: Mapping[str, int] | None = None,
) -> list[Pairing]:
    """One round at tables of these sizes: everybody sits once, or has a bye.

    `history` counts meetings under `pair_key(a, b)`. Two bots of one owner never sit at one table;
    a bot that is not in `owner` may sit with everybody. The entrants that have played most
    (`games`) have the byes, and so do an owner's bots if there are more of them than tables. A
    table that cannot be filled is left out.
    """
    owner, games = owner or {}, games or {}
    times = _times(entrants, history)
    best: list[list[str]] | None = None
    least = (0, 0)
    for _ in range(DRAWS):
        seated = _draw(entrants, tables, owner, games, dice)
        _even(seated, times, owner)
        # First of all everybody sits: a table with free seats has fewer meetings, so it costs less.
        cost = (-sum(map(len, seated)), _cost(seated, history))
        if best is None or cost < least:
            best, least = seated, cost
    return [Pairing(tuple(table)) for table in best or () if len(table) > 1]


def seatings(
    entrants: Sequence[str],
    seats: int,
    dice: Callable[[int], Dice],
    past: Iterable[Sequence[str]] = (),
    *,
    owner: Mapping[str, str] | None = None,
) -> Iterator[tuple[Pairing, ...]]:
    """Endless rounds at tables of one size; all play, and meet, about equally often.

    A round has as many tables as can be filled without two bots of one owner at one.

    `dice` returns the dice of each round, from 0; `past` holds the tables of rounds already played.
    """
    history: Counter[tuple[str, str]] = Counter()
    games: Counter[str] = Counter()
    tables = [seats] * _tables_at(entrants, seats, owner or {})
    seated = list(past)
    for number in count():
        for table in seated:
            history.update(pair_key(*two) for two in combinations(table, 2))
            games.update(table)
        found = seat_round(entrants, tables, history, dice(number), owner=owner, games=games)
        whole = tuple(one for one in found if len(one.seats) == seats)
        yield whole
        seated = [one.seats for one in whole]


def _tables_at(entrants: Sequence[str], seats: int, owner: Mapping[str, str]) -> int:
    """How many tables can be filled, with one bot of each owner at a table at the most."""
    shares = Counter(owner[name] for name in entrants if name in owner)
    alone = len(entrants) - shares.total()
    able = (
        tables
        for tables in range(len(entrants) // seats, 0, -1)
        if alone + sum(min(bots, tables) for bots in shares.values()) >= tables * seats
    )
    return next(able, 0)


def rounds_at(entrants: int, seats: int) -> int:
    """The number of rounds in which each two entrants meet twice on average."""
    together = (entrants // seats) * seats * (seats - 1)
    return ceil(2 * entrants * (entrants - 1) / together) if together else 0


def mixed_teams(
    entrants: Sequence[str], seats: int, rounds: int, dice: Dice
) -> list[list[Pairing]]:
    """Rounds of mixed teams for a cooperative game: everybody plays in each, with other partners.

    The teams of a round play the same deals. If the last team is short, entrants that have filled
    up least fill it up. Raises ValueError if there are fewer entrants than seats.
    """
    if len(entrants) < seats:
        raise ValueError(f"{len(entrants)} entrants do not fill a team of {seats}; enter more")
    history: Counter[tuple[str, str]] = Counter()
    spare: Counter[str] = Counter()
    plan = []
    for _ in range(rounds):
        short = -len(entrants) % seats
        tables = [seats] * (len(entrants) // seats) + ([seats - short] if short else [])
        teams = seat_round(entrants, tables, history, dice) if tables[-1] > 1 else []
        if not teams:
            teams = seat_round(entrants, tables[:-1], history, dice, games=spare)
        teams = _filled(entrants, teams, seats, history, spare)
        for team in teams:
            history.update(pair_key(*two) for two in combinations(team.seats, 2))
        plan.append(teams)
    return plan


def _filled(
    entrants: Sequence[str],
    teams: Sequence[Pairing],
    seats: int,
    history: Mapping[tuple[str, str], int],
    spare: Counter[str],
) -> list[Pairing]:
    """The teams, and one more of the entrants without a team, filled up."""
    seated = {name for team in teams for name in team.seats}
    alone = tuple(name for name in entrants if name not in seated)
    whole = [team for team in teams if len(team.seats) == seats]
    for team in [
        *(team.seats for team in teams if len(team.seats) < seats),
        *([alone] if alone else []),
    ]:
        filled = list(team)
        while len(filled) < seats:
            able = [name for name in entrants if name not in filled]
            filled.append(
                min(
                    able,
                    key=lambda name: (
                        spare[name],
                        sum(history[pair_key(name, one)] for one in filled),
                    ),
                )
            )
            spare[filled[-1]] += 1
        whole.append(Pairing(tuple(filled)))
    return whole


def _draw(
    entrants: Sequence[str],
    tables: Sequence[int],
    owner: Mapping[str, str],
    games: Mapping[str, int],
    dice: Dice,
) -> list[list[str]]:
    """A seating by lot: owners with many bots first; each bot sits where most seats are free."""
    drawn = sorted(entrants)
    dice.shuffle(drawn)
    drawn.sort(key=lambda name: games.get(name, 0))
    taken: list[str] = []
    count: Counter[str] = Counter()
    for name in drawn:
        whose = owner.get(name)
        if len(taken) < sum(tables) and (whose is None or count[whose] < len(tables)):
            taken.append(name)
            count[whose or ""] += 1
    taken.sort(key=lambda name: -count[owner[name]] if name in owner else 0)
    seated: list[list[str]] = [[] for _ in tables]
    for name in taken:
        best, most = None, 0
        for table, size in zip(seated, tables, strict=True):
            free = size - len(table)
            if free > most and not any(_same(name, other, owner) for other in table):
                best, most = table, free
        if best is not None:
            best.append(name)
    return seated


def _same(one: str, other: str, owner: Mapping[str, str]) -> bool:
    return one in owner and owner[one] == owner.get(other)


def _cost(seated: Sequence[Sequence[str]], history: Mapping[tuple[str, str], int]) -> int:
    """The sum over all meetings of 1 + twice the earlier meetings of the two: least if even."""
    return sum(
        2 * history.get(pair_key(*two), 0) + 1 for table in seated for two in combinations(table, 2)
    )


def _times(
    entrants: Sequence[str], history: Mapping[tuple[str, str], int]
) -> dict[str, dict[str, int]]:
    """How often each of the entrants has met each other, from either side."""
    times: dict[str, dict[str, int]] = {name: {} for name in entrants}
    for (one, other), often in history.items():
        if one in times and other in times:
            times[one][other] = times[other][one] = often
    return times


def _even(
    seated: list[list[str]], times: Mapping[str, Mapping[str, int]], owner: Mapping[str, str]
) -> None:
    """Exchanges two entrants at a time while that reduces repeated meetings."""
    met = [_met(table, times) for table in seated]
    for _ in range(SWEEPS):
        gained = False
        for one, other in combinations(range(len(seated)), 2):
            gained |= _even_two(seated[one], seated[other], met[one], met[other], times, owner)
        if not gained:
            return


def _even_two(
    table: list[str],
    other: list[str],
    met: dict[str, int],
    met_other: dict[str, int],
    times: Mapping[str, Mapping[str, int]],
    owner: Mapping[str, str],
) -> bool:
    """Makes the exchanges between two tables that help; returns whether there were any.

    `met` and `met_other` say how often each entrant has met those at the table, in all. They count
    the two that are exchanged at each other's table, so that meeting is added twice.
    """
    gained = False
    for i in range(len(table)):
        for j in range(len(other)):
            a, b = table[i], other[j]
            gain = met[a] - met[b] + met_other[b] - met_other[a] + 2 * times[a].get(b, 0)
            if gain > 0 and _exchange(table, i, other, j, owner):
                for name, often in times[a].items():
                    met[name] -= often
                    met_other[name] += often
                for name, often in times[b].items():
                    met[name] += often
                    met_other[name] -= often
                gained = True
    return gained


def _met(table: Sequence[str], times: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    met = dict.fromkeys(times, 0)
    for name in table:
        for one, often in times[name].items():
            met[one] += often
    return met


def _exchange(table: list[str], i: int, other: list[str], j: int, owner: Mapping[str, str]) -> bool:
    """Exchanges the two unless two bots of one owner would sit together; returns whether it did."""
    a, b = table[i], other[j]
    mine, yours = table[:i] + table[i + 1 :], other[:j] + other[j + 1 :]
    if any(_same(b, name, owner) for name in mine) or any(_same(a, name, owner) for name in yours):
        return False
    table[i], other[j] = b, a
    return True

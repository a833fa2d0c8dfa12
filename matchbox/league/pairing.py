"""Pairings: which entrants meet. Knows names and counts of matches; knows no results.

The order in a pairing does not matter: its match plays every rotation of the seats on each deal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pairing:
    """The entrants at one table, by seat in the first rotation."""

    seats: tuple[str, ...]


def berger(n: int) -> list[list[tuple[int, int]]]:
    """Rounds in which each two of n players (0 to n - 1) meet once, in the order of Berger's table.

    Nobody sits in two pairs of a round; with an odd n one player has a bye in each.
    """
    if n < 2:
        return []
    last = n + n % 2 - 1
    rounds = []
    line = [*range(last)]
    for number in range(last):
        top = (line[0], last) if number % 2 == 0 else (last, line[0])
        pairs = [top, *((line[k], line[last - k]) for k in range(1, (last + 1) // 2))]
        rounds.append([pair for pair in pairs if max(pair) < n])
        line = line[(last + 1) // 2 :] + line[: (last + 1) // 2]
    return rounds


def double_round_robin(entrants: Sequence[str]) -> list[list[Pairing]]:
    """Rounds in which each two entrants meet twice; in the second half they swap seats.

    Raises ValueError if an entrant is listed twice.
    """
    if len(set(entrants)) != len(entrants):
        raise ValueError("an entrant is listed twice; every entrant plays once in a season")
    first = [
        [Pairing((entrants[one], entrants[other])) for one, other in pairs]
        for pairs in berger(len(entrants))
    ]
    return first + [[Pairing(pairing.seats[::-1]) for pairing in pairs] for pairs in first]


def pair_key(one: str, other: str) -> tuple[str, str]:
    """The key of these two in a history, which counts their matches."""
    return (one, other) if one < other else (other, one)


def different_owners(owner: Mapping[str, str]) -> Callable[[str, str], bool]:
    """Returns a function: whether two entrants may meet. Two bots of one owner may not."""

    def may_meet(one: str, other: str) -> bool:
        whose = owner.get(one)
        return one != other and (whose is None or whose != owner.get(other))

    return may_meet


def placements(
    newcomers: Sequence[str],
    field: Sequence[str],
    times: int,
    *,
    may_meet: Callable[[str, str], bool],
) -> list[Pairing]:
    """Pairs every newcomer `times` times with the field, as far as possible with different bots.

    The field's bots play about equally often; among equals the first in the field plays.
    """
    played: Counter[str] = Counter()
    pairings = []
    for newcomer in newcomers:
        able = [name for name in field if may_meet(newcomer, name)]
        mine: Counter[str] = Counter()
        for _ in range(times if able else 0):
            other = min(able, key=lambda name: (mine[name], played[name]))
            mine[other] += 1
            played[other] += 1
            pairings.append(Pairing((newcomer, other)))
    return pairings

"""Who meets whom. Knows names, ratings and counts of matches; knows no results and no clock.

A pairing is unordered in effect: its match plays every rotation of the seats on each deal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from matchbox.dice import Dice

NEIGHBOUR_PERCENT = 80
"""How many of a hundred ranked pairings are between neighbours; the rest tie the field together."""
NEIGHBOURS = 2
"""How many places up or down somebody is still a neighbour."""
NEWCOMER_MATCHES = 8
"""Who has fewer matches than this is served first."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """Who sits down together, by seat in the first rotation."""

    seats: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contender:
    """What the ranked queue needs to know of an entrant: Elo and matches played or queued."""

    entrant: str
    mean: float
    half_width: float
    games: int


def berger(n: int) -> list[list[tuple[int, int]]]:
    """Rounds in which each two of n players (0 to n - 1) meet once, in the order of Berger's table.

    Nobody sits in two pairs of a round; with an odd n one player rests in each.
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
    """Rounds in which each two entrants meet twice, seats changed round in the second half.

    Raises ValueError where an entrant is listed twice.
    """
    if len(set(entrants)) != len(entrants):
        raise ValueError("an entrant is listed twice; every entrant plays once in a season")
    first = [
        [Pairing((entrants[one], entrants[other])) for one, other in pairs]
        for pairs in berger(len(entrants))
    ]
    return first + [[Pairing(pairing.seats[::-1]) for pairing in pairs] for pairs in first]


def met(one: str, other: str) -> tuple[str, str]:
    """The key under which a history counts the matches of these two."""
    return (one, other) if one < other else (other, one)


def apart(owner: Mapping[str, str]) -> Callable[[str, str], bool]:
    """Who may meet: no entrant itself, and nobody another of its owner."""

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
    """So many matches of every newcomer against the field, each against others as far as it goes.

    The field's bots play about equally often; in equal cases those that stand first in it.
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


def next_pairing(
    field: Sequence[Contender],
    history: Mapping[tuple[str, str], int],
    dice: Dice,
    *,
    owner: Mapping[str, str] | None = None,
) -> Pairing | None:
    """The match that a continuous ranked queue plays next; None where nobody may meet anybody.

    `history` counts matches played or queued under `met(a, b)`. Entrants with the same owner
    never meet; who is not in `owner` meets everybody.
    """
    names_meet = apart(owner or {})

    def may_meet(one: Contender, other: Contender) -> bool:
        return names_meet(one.entrant, other.entrant)

    ranked = sorted(field, key=lambda one: (-one.mean, one.entrant))
    able = [one for one in ranked if any(may_meet(one, other) for other in ranked)]
    if not able:
        return None
    if dice.below(100) >= NEIGHBOUR_PERCENT:
        chosen = able[dice.below(len(able))]
        others = [other for other in able if may_meet(chosen, other)]
    else:
        chosen = _neediest(able, dice)
        others = _least_met(chosen, _neighbours(chosen, able, may_meet), history)
    return Pairing((chosen.entrant, others[dice.below(len(others))].entrant))


def next_round(games: Mapping[str, int], enough: int, seats: int) -> list[Pairing]:
    """The matches that a cooperative queue plays next, all on the same deals: one bot a table.

    `games` counts matches played or queued; whoever has fewer than `enough` plays.
    """
    return [Pairing((name,) * seats) for name in sorted(games) if games[name] < enough]


def _neediest(able: Sequence[Contender], dice: Dice) -> Contender:
    """The newcomer with the fewest games; where there is none, one by its share of all variance.

    A share and not the greatest: an entrant that wins or loses everything stays uncertain for
    ever and would starve the others.
    """
    newest = min(able, key=lambda one: (one.games, -one.half_width, one.entrant))
    if newest.games < NEWCOMER_MATCHES:
        return newest
    weights = [max(1, round(one.half_width**2)) for one in able]
    left = dice.below(sum(weights))
    for one, weight in zip(able, weights, strict=True):
        left -= weight
        if left < 0:
            return one
    raise AssertionError("a draw below the sum of the weights falls on one of them")


def _neighbours(
    chosen: Contender,
    able: Sequence[Contender],
    may_meet: Callable[[Contender, Contender], bool],
) -> list[Contender]:
    place = able.index(chosen)
    above = [other for other in reversed(able[:place]) if may_meet(chosen, other)]
    below = [other for other in able[place + 1 :] if may_meet(chosen, other)]
    return above[:NEIGHBOURS] + below[:NEIGHBOURS]


def _least_met(
    chosen: Contender, others: Sequence[Contender], history: Mapping[tuple[str, str], int]
) -> list[Contender]:
    counts = [history.get(met(chosen.entrant, other.entrant), 0) for other in others]
    least = min(counts)
    return [other for other, count in zip(others, counts, strict=True) if count == least]

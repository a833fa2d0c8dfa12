"""Swiss rounds for fields too large for a round robin. Knows points and seeds.

A match plays every rotation of the seats, so nobody's seats need balancing here.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import combinations
from math import ceil, log2
from typing import Final

from matchbox.league.pairing import Pairing, pair_key
from matchbox.league.season import Round

ROUND_ROBIN: Final = 32
"""Up to this many entrants play a double round robin, more a Swiss system."""
_BYE: Final = ""
"""Stands for the opponent of the entrant that has the bye."""


def rounds_of(entrants: int) -> int:
    """The number of rounds: log2(n) + 2, but at most as many as a single round robin has."""
    if entrants < 2:
        return 0
    return min(ceil(log2(entrants)) + 2, entrants - 1 + entrants % 2)


def result_of(
    seats: Sequence[str],
    taken: Mapping[str, float] | None,
    *,
    out: Collection[str],
    disqualified: Collection[str],
) -> dict[str, float]:
    """What both entrants took of a match, for `points_of`; `taken` is None if it is void.

    A void match is a draw, but lost for an entrant that is `out`. An entrant that was
    `disqualified` has lost all its matches.
    """
    lost = out if taken is None else disqualified
    return {name: -1 if name in lost else taken[name] if taken else 0 for name in seats}


def points_of(results: Iterable[Mapping[str, float]], byes: Iterable[str] = ()) -> dict[str, float]:
    """Points so far: one for every match won and every bye, half of one for every draw.

    `results` holds what both entrants took of each match, such as half points of its bouts.
    """
    points: defaultdict[str, float] = defaultdict(float)
    for taken in results:
        best = max(taken.values())
        winners = [name for name, won in taken.items() if won == best]
        for name in winners:
            points[name] += 1 / len(winners)
    for name in byes:
        points[name] += 1
    return dict(points)


def swiss_round(
    points: Mapping[str, float],
    seeds: Sequence[str],
    history: Collection[tuple[str, str]],
    *,
    had_bye: Collection[str] = (),
    may_meet: Callable[[str, str], bool] | None = None,
) -> Round:
    """The next round: equal points meet, the upper half of a score group against its lower half.

    `points` are those so far; a bye counts as a win. `seeds`, best first, break ties. `history`
    holds `pair_key(a, b)` of every meeting so far. Two entrants meet again only if there is no
    other way, or once all have met as often; nobody has another bye before all others have had as
    many. If the number is odd, one entrant has a bye; so do those that may meet nobody who is left.
    This is the Dutch system of the FIDE Handbook, C.04.3, without its colours.
    """
    order = sorted(seeds, key=lambda name: -points.get(name, 0.0))
    byes_so_far, met = Counter(had_bye), Counter(history)
    fewest = min((byes_so_far[name] for name in order), default=0)
    fresh = [name for name in order if byes_so_far[name] == fewest]
    bye = [(_BYE, fresh[-1])] if len(order) % 2 else []

    def allowed(one: str, other: str) -> bool:
        return may_meet is None or _BYE in (one, other) or may_meet(one, other)

    least = _least_met(order, met, allowed)

    def wanted(one: str, other: str) -> bool:
        if _BYE in (one, other):
            return byes_so_far[one or other] == fewest
        return allowed(one, other) and met[pair_key(one, other)] <= least

    playing = [name for name in order if (_BYE, name) not in bye]
    pairs, left = _match(playing, points, wanted)
    pairs = bye + pairs
    for rule in (wanted, allowed):
        pairs, left = _mend(pairs, left, rule)
    byes = [name for pair in pairs if _BYE in pair for name in pair if name != _BYE]
    pairings = sorted(
        (pair for pair in pairs if _BYE not in pair),
        key=lambda pair: min(order.index(name) for name in pair),
    )
    return Round("swiss", tuple(Pairing(pair) for pair in pairings), (*byes, *left))


def _least_met(
    names: Sequence[str], met: Mapping[tuple[str, str], int], allowed: Callable[[str, str], bool]
) -> int:
    """How often the two have met that have met least of all who may."""
    least = max(met.values(), default=0)
    for two in combinations(names, 2):
        if least and allowed(*two):
            least = min(least, met.get(pair_key(*two), 0))
        if not least:
            break
    return least


def _match(
    order: Sequence[str], points: Mapping[str, float], wanted: Callable[[str, str], bool]
) -> tuple[list[tuple[str, str]], list[str]]:
    """Pairs from the top down: first about half a score group below, then anywhere."""
    free = list(order)
    pairs, left = [], []
    while free:
        one = free.pop(0)
        group = sum(points.get(name, 0.0) == points.get(one, 0.0) for name in free) + 1
        half = max(group // 2 - 1, 0)
        able = [at for at, name in enumerate(free) if wanted(one, name)]
        inside = [at for at in able if at < group - 1]
        if able:
            at = min(inside, key=lambda at: (abs(at - half), at)) if inside else able[0]
            pairs.append((one, free.pop(at)))
        else:
            left.append(one)
    return pairs, left


def _mend(
    pairs: list[tuple[str, str]], left: Sequence[str], rule: Callable[[str, str], bool]
) -> tuple[list[tuple[str, str]], list[str]]:
    """Pairs the entrants that are left: with each other, or by changing as few pairs as needed."""
    pairs, left = list(pairs), list(left)
    tried: set[str] = set()
    for one in list(left):
        if one in left:
            other = _seat(pairs, one, left, rule, tried)
            left = [name for name in left if other is None or name not in (one, other)]
    return pairs, left


def _seat(
    pairs: list[tuple[str, str]],
    one: str,
    left: Sequence[str],
    rule: Callable[[str, str], bool],
    tried: set[str],
) -> str | None:
    """Pairs this entrant and another of those that are left, which is returned; None if it cannot.

    Each change takes an entrant from its partner, which is then free. The shortest chain of changes
    is taken, and among these one of the last pairs (an augmenting path of C. Berge, "Two theorems
    in graph theory", 1957). Those whose freedom helped nobody are added to `tried`, and stay.
    """
    chains: dict[str, tuple[tuple[str, str], ...]] = {one: ()}
    for free in (queue := [one]):
        for other in left:
            if other != one and rule(free, other):
                _change(pairs, (*chains[free], (free, other)))
                return other
        used = {name for pair in chains[free] for name in pair}
        for pair in reversed(pairs):
            for a, b in (pair, pair[::-1]):
                if b not in chains and b not in tried and used.isdisjoint(pair) and rule(free, a):
                    chains[b] = (*chains[free], (a, free))
                    queue.append(b)
    tried.update(chains)
    return None


def _change(pairs: list[tuple[str, str]], fresh: Sequence[tuple[str, str]]) -> None:
    """Puts these pairs where the first of those stood that they break, or at the end."""
    taken = {name for pair in fresh for name in pair}
    kept = [taken.isdisjoint(pair) for pair in pairs]
    at = kept.index(False) if False in kept else len(pairs)
    rest = [pair for pair, keeps in zip(pairs[at:], kept[at:], strict=True) if keeps]
    pairs[at:] = [*fresh, *rest]

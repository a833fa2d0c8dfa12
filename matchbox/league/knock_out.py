"""A knock-out after a group stage: groups, their orders, the draw, the winners. Knows points.

A tie is a tuple of the entrants that meet: two; one that has a bye; or none, if both are out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Final, TypeAlias

Tie: TypeAlias = tuple[str, ...]

MAX_REPLAYS: Final = 2
"""A level tie is replayed this many times; then the better group rank wins it."""


def groups(seeds: Sequence[str], count: int) -> list[list[str]]:
    """Deals the seeds out, in snake order, into groups of nearly equal size and strength.

    Raises ValueError if there are fewer seeds than groups, or `count` is less than 1.
    """
    if not 1 <= count <= len(seeds):
        raise ValueError(f"{len(seeds)} entrants make 1 to {len(seeds)} groups, not {count}")
    dealt: list[list[str]] = [[] for _ in range(count)]
    for at, name in enumerate(seeds):
        turn, step = divmod(at, count)
        dealt[step if turn % 2 == 0 else count - 1 - step].append(name)
    return dealt


def share(results: Sequence[tuple[int, int]]) -> Fraction:
    """The share of points, 0 to 1, in matches given as (own points, all points); 1/2 for none."""
    whole = sum(of for _, of in results)
    return Fraction(sum(own for own, _ in results), whole) if whole else Fraction(1, 2)


def in_order(group: Sequence[str], shares: Mapping[str, Fraction]) -> list[str]:
    """The group, best first: by the share of points taken, then in the given order.

    In a round robin, estimated strengths would give the same order.
    """
    return sorted(group, key=lambda name: -shares.get(name, Fraction(1, 2)))


def qualified(standings: Sequence[Sequence[str]], places: int) -> list[str]:
    """The best of every group, as seeds of a knock-out: all winners first, then all seconds.

    `standings` holds the groups' orders, best first. With an odd number of groups every second row
    is rotated by one, so that nobody meets its own group in the first round of a full bracket. If
    groups are too short for that, some seeds change places.
    """
    seeds = []
    for place in range(places):
        row = [order[place] for order in standings if place < len(order)]
        seeds += row[1:] + row[:1] if place % 2 and len(standings) % 2 else row
    return _apart(seeds, standings)


def _apart(seeds: Sequence[str], standings: Sequence[Sequence[str]]) -> list[str]:
    """The seeds, so that as few as possible meet a bot of their own group in the first round.

    One that does, the worse seed if possible, changes places with the nearest that has the same
    place in its group, or else with another without a bye. If that has brought the best two
    into one half of the draw, the tie of one changes places with the nearest in the other half.
    """
    group = {name: number for number, order in enumerate(standings) for name in order}
    place = {name: at for order in standings for at, name in enumerate(order)}
    found = list(seeds)
    top = (1 << (len(found) - 1).bit_length()) - 1  # Seeds `at` and `top - at` meet.
    first = top + 1 - len(found)  # Those before have a bye.

    def meets_its_own(at: int) -> bool:
        return first <= at and group[found[at]] == group[found[top - at]]

    def change(one: int, other: int) -> None:
        found[one], found[other] = found[other], found[one]

    for at in range(first, (top + 1) // 2):
        if not meets_its_own(at):
            continue
        able = [
            (place[found[mine]] != place[found[other]], mine == at, abs(mine - other), mine, other)
            for mine in (at, top - at)
            for other in range(len(found))
            if other not in (at, top - at)
            and (other >= first or place[found[mine]] == place[found[other]])
        ]
        for *_, mine, other in sorted(able):
            change(mine, other)
            if not meets_its_own(at) and not meets_its_own(other):
                break
            change(mine, other)
    best = [found.index(name) for name in seeds[:2]]
    if len({_half(at) for at in best}) < len(best):
        mine = min(max(best), top - max(best))
        in_other_half = (at for at in range(first, (top + 1) // 2) if _half(at) != _half(mine))
        other = min(in_other_half, key=lambda at: abs(at - mine))
        change(mine, other)
        change(top - mine, top - other)
    return found


def _half(seed: int) -> int:
    """The half of the draw in which a full bracket has this seed: 0 with the best, else 1."""
    while seed > 1:
        seed = (1 << seed.bit_length()) - 1 - seed  # The better one that it would meet first.
    return seed


def ranked(standings: Sequence[Sequence[str]], shares: Mapping[str, Fraction]) -> list[str]:
    """Everybody by group rank: place in the group, then share of points, then group by group."""
    placed = [(place, name) for order in standings for place, name in enumerate(order)]
    placed.sort(key=lambda one: (one[0], -shares.get(one[1], Fraction(1, 2))))
    return [name for _, name in placed]


def bracket(seeds: Sequence[str]) -> list[Tie]:
    """The first round of a knock-out, in the order of the draw; one alone in a tie has a bye.

    The best two can meet only in the final, the best four not before the semi-finals. If the number
    of seeds is not a power of two, the best have byes. Raises ValueError for fewer than two seeds.
    """
    if len(seeds) < 2:
        raise ValueError("a knock-out needs two entrants or more")
    slots = [0]
    while len(slots) < len(seeds):
        size = 2 * len(slots)
        slots = [one for slot in slots for one in (slot, size - 1 - slot)]
    at = [seeds[slot] if slot < len(seeds) else None for slot in slots]
    return [
        tuple(name for name in pair if name is not None)
        for pair in zip(at[::2], at[1::2], strict=True)
    ]


def winner(
    tie: Tie,
    legs: Sequence[Mapping[str, int]],
    ranks: Sequence[str],
    *,
    out: Collection[str] = (),
    most: int = 1 + MAX_REPLAYS,
) -> Tie | None:
    """The tuple of the entrant that goes on; empty if all are out; None if the tie is replayed.

    `legs` holds the points of each match of the tie so far. The first match that is not level
    decides. After `most` level matches, the entrant that comes first in `ranks` goes on. An entrant
    in `out` does not go on.
    """
    able = tuple(name for name in tie if name not in out)
    if len(able) < 2:
        return able
    one, other = able
    for leg in legs:
        if leg[one] != leg[other]:
            return (one,) if leg[one] > leg[other] else (other,)
    return (min(able, key=ranks.index),) if len(legs) >= most else None


def next_ties(winners: Sequence[Tie]) -> list[Tie]:
    """The next round, in the order of the draw: neighbours meet."""
    return [sum(winners[at : at + 2], ()) for at in range(0, len(winners), 2)]


def places(levels: Sequence[Sequence[Tie]], champion: Tie, ranks: Sequence[str]) -> list[str]:
    """The final order: the champion, then by the round of the last tie, then by group rank.

    `levels` holds the ties of every round, the first round first. Entrants without a tie come last.
    """
    rounds = [*levels, [champion]]
    reached = {
        name: number for number, ties in enumerate(rounds, 1) for tie in ties for name in tie
    }
    return sorted(ranks, key=lambda name: -reached.get(name, 0))

"""Divisions from one edition of a league to the next. Knows names in order; knows no rows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

from matchbox.league.season import promote


def fitting(entrants: int, divisions: int, least: int) -> int:
    """How many divisions of at least `least` so many entrants fill: `divisions` at the most, and
    one at the least."""
    return max(1, min(divisions, entrants // least))


def divide(order: Sequence[str], divisions: int) -> list[list[str]]:
    """The order, best first, cut into divisions of one size; what is left over is in the lowest.

    Raises ValueError where there are fewer entrants than divisions.
    """
    share = len(order) // divisions
    if share < 1:
        raise ValueError(f"{len(order)} entrants do not fill {divisions} divisions")
    cuts = [number * share for number in range(divisions)] + [len(order)]
    return [list(order[begin:end]) for begin, end in pairwise(cuts)]


def following(
    last: Sequence[Sequence[str]],
    moving: int,
    *,
    entrants: Collection[str],
    divisions: int,
) -> list[list[str]]:
    """The divisions of the next edition, each in the order that its entrants enter with.

    `last` are the final orders of the last one, the highest division first. Who is not among
    `entrants` has left, and the best below move up into the place. Then `moving` rise and sink
    between each two, or as many as the divisions have room for. `entrants` who were in no
    division are newcomers, and begin at the bottom, in the order given.

    Raises ValueError where there are fewer entrants than divisions.
    """
    stayed = [name for order in last for name in order if name in entrants]
    known = set(stayed)
    newcomers = [name for name in entrants if name not in known]
    if len(stayed) >= divisions:
        orders = divide(stayed, divisions)
        stayed = [name for order in promote_fitting(orders, moving) for name in order]
    return divide([*stayed, *newcomers], divisions)


def promote_fitting(orders: Sequence[Sequence[str]], moving: int) -> list[list[str]]:
    """As `promote`, with as many moving as leave somebody in each division; maybe none."""
    inner = [(len(order) - 1) // 2 for order in orders[1:-1]]
    most = min(moving, len(orders[0]) - 1, len(orders[-1]) - 1, *inner)
    if len(orders) == 1 or most < 1:
        return [list(order) for order in orders]
    return promote(orders, most)

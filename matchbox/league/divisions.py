"""Divisions from one season of a league to the next. Knows names in order; knows no rows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

from matchbox.league.season import promote


def fitting_divisions(entrants: int, divisions: int, least: int) -> int:
    """How many divisions of at least `least` entrants can be filled: at least 1, at most
    `divisions`."""
    return max(1, min(divisions, entrants // least))


def divide(order: Sequence[str], divisions: int) -> list[list[str]]:
    """Cuts the order, best first, into divisions of equal size; the lowest takes the remainder.

    Raises ValueError if there are fewer entrants than divisions.
    """
    share = len(order) // divisions
    if share < 1:
        raise ValueError(f"{len(order)} entrants do not fill {divisions} divisions")
    cuts = [number * share for number in range(divisions)] + [len(order)]
    return [list(order[begin:end]) for begin, end in pairwise(cuts)]


def next_divisions(
    last: Sequence[Sequence[str]], moving: int, *, entrants: Collection[str], divisions: int
) -> list[list[str]]:
    """The divisions of the next season; each is in the order in which its entrants enter.

    `last` holds the final orders of the last season, the highest division first. A bot that is not
    among `entrants` has left, and the bots below it move up. Then `moving` bots rise and sink
    between neighbouring divisions, or fewer if a division would lose all its bots. Entrants that
    were in no division are newcomers: they begin at the bottom, in the order given.

    Raises ValueError if there are fewer entrants than divisions.
    """
    stayed = [name for order in last for name in order if name in entrants]
    known = set(stayed)
    newcomers = [name for name in entrants if name not in known]
    if len(stayed) >= divisions:
        orders = divide(stayed, divisions)
        stayed = [name for order in promote_fitting(orders, moving) for name in order]
    return divide([*stayed, *newcomers], divisions)


def promote_fitting(orders: Sequence[Sequence[str]], moving: int) -> list[list[str]]:
    """`promote` with fewer `moving` if needed, maybe none, so that no division empties."""
    inner = [(len(order) - 1) // 2 for order in orders[1:-1]]
    most = min(moving, len(orders[0]) - 1, len(orders[-1]) - 1, *inner)
    if len(orders) == 1 or most < 1:
        return [list(order) for order in orders]
    return promote(orders, most)

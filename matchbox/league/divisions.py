"""Divisions from one season of a league to the next. Knows names in order; knows no rows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain, pairwise

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
    among `entrants` has left. First `moving` bots rise and sink between neighbouring divisions, or
    fewer if a division would lose all its bots. Then the divisions are cut to one size: bots below
    fill the places of those that have left, and if a division gets smaller, its last bots sink, but
    none that has just risen. Entrants that were in no division are newcomers: they begin at the
    bottom, in the order given.

    Raises ValueError if there are fewer entrants than divisions.
    """
    here = [[name for name in order if name in entrants] for order in last]
    before = [order for order in here if order]
    stayed: list[str] = []
    sinking: list[str] = []
    for at, order in enumerate(promote_fitting(before, moving)):
        above = {*chain(*before[: at + 1])}
        risen = [name for name in order if name not in above]
        others = [*sinking, *order[: len(order) - len(risen)]]
        room = len(entrants) // divisions * (at + 1) - len(stayed) - len(risen)
        stays = len(others) if at + 1 >= divisions else max(room, 0)
        stayed += [*others[:stays], *risen]
        sinking = others[stays:]
    stayed += sinking
    known = set(stayed)
    return divide([*stayed, *(name for name in entrants if name not in known)], divisions)


def promote_fitting(orders: Sequence[Sequence[str]], moving: int) -> list[list[str]]:
    """`promote` with fewer `moving` beside a division that would empty, maybe none."""
    last = len(orders) - 1
    able = [(len(order) - 1) // (2 if 0 < at < last else 1) for at, order in enumerate(orders)]
    return promote(orders, [min(moving, *two) for two in pairwise(able)])

"""The numbers in a row of tabs or of links to pages, however many there are. Pure."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

NEAR: Final = 2
"""The number of numbers on each side of the chosen one. The first and the last are always there."""


def page_of(wanted: int, items: int, size: int) -> tuple[int, int]:
    """Returns the number of the page to show, from 1, and that of the last page.

    It is the page that is wanted, or the nearest one that there is.
    """
    last = max(1, -(-items // size))
    return min(max(wanted, 1), last), last


def page_numbers(chosen: int, last: int) -> list[int]:
    """Returns the numbers of the row for 1 to `last`, with 0 for those left out between two."""
    wanted = {1, last, *range(chosen - NEAR, chosen + NEAR + 1)} & set(range(1, last + 1))
    found = sorted(wanted)
    shown = found[:1]
    for before, after in pairwise(found):
        shown += [0, after] if after - before > 1 else [after]
    return shown

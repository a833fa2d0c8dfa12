"""One simple season as decisions: who meets whom, what is left, is it over. Knows no rows' worth.

The state is the caller's: which slots are final. Everything else follows from the entrants.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from matchbox.league.pairing import Pairing, double_round_robin


@dataclass(frozen=True, slots=True)
class Slot:
    """A match that a season owes: its place in the plan is its name."""

    round: int
    table: int
    pairing: Pairing

    @property
    def place(self) -> tuple[int, int]:
        """Round and table, from 0: no two slots of a season share it."""
        return (self.round, self.table)


def plan(entrants: Sequence[str]) -> tuple[Slot, ...]:
    """Every match of a season in which all meet twice, in playing order.

    The order of the entrants decides who meets whom when; hand it in drawn or seeded. Raises
    ValueError for fewer than two entrants, or one listed twice.
    """
    if len(entrants) < 2:
        raise ValueError("a season needs two entrants or more")
    return tuple(
        Slot(number, table, pairing)
        for number, pairings in enumerate(double_round_robin(entrants))
        for table, pairing in enumerate(pairings)
    )


def remaining(
    slots: Sequence[Slot],
    final: Collection[tuple[int, int]],
    *,
    out: Collection[str] = (),
) -> tuple[Slot, ...]:
    """The slots still to be played: not final, and of nobody who is out of the season."""
    return tuple(
        slot
        for slot in slots
        if slot.place not in final and not any(seat in out for seat in slot.pairing.seats)
    )


def due(
    slots: Sequence[Slot],
    final: Collection[tuple[int, int]],
    *,
    out: Collection[str] = (),
) -> tuple[Slot, ...]:
    """What remains of the earliest round that is not over; empty when the season is.

    A round opens when the one before it is over: what was hidden in its deals is public then.
    """
    left = remaining(slots, final, out=out)
    return tuple(slot for slot in left if slot.round == left[0].round)


def finished(
    slots: Sequence[Slot],
    final: Collection[tuple[int, int]],
    *,
    out: Collection[str] = (),
) -> bool:
    """Whether nothing is left to play."""
    return not remaining(slots, final, out=out)

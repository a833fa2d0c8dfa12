"""A season as decisions: who meets whom, what is left, is it over, who rises. Knows no rows' worth.

The state is the caller's: which slots are final. Everything else follows from the entrants.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from matchbox.dice import Dice
from matchbox.league.pairing import Pairing, double_round_robin
from matchbox.league.tables import mixed_teams, rounds_at, season_tables


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
    _check(entrants)
    return _slots(double_round_robin(entrants))


def plan_tables(
    entrants: Sequence[str],
    seats: int,
    dice: Dice,
    *,
    owner: Mapping[str, str] | None = None,
) -> tuple[Slot, ...]:
    """Every match of a season at larger tables, in which each two meet about twice.

    No two bots of one owner sit at a table. Raises ValueError where a table is not filled.
    """
    rounds = rounds_at(len(entrants), seats)
    return _slots(season_tables(entrants, seats, rounds, dice, owner=owner))


def plan_teams(
    entrants: Sequence[str], seats: int, dice: Dice, *, mixed_rounds: int = 0
) -> tuple[Slot, ...]:
    """Every match of a cooperative season: the slots of a round share their deals.

    Round 0 is the board of each bot with copies of itself; mixed teams follow for the ad hoc board.
    """
    _check(entrants)
    alone = [[Pairing((name,) * seats) for name in entrants]]
    mixed = mixed_teams(entrants, seats, mixed_rounds, dice) if mixed_rounds else []
    return _slots(alone + mixed)


def promote(divisions: Sequence[Sequence[str]], moving: int) -> list[list[str]]:
    """The divisions of the next season: the best `moving` of each rise, the last sink.

    `divisions` are final orders, best first, the highest division first. Raises ValueError where a
    division is too small to keep anybody, or somebody is in two.
    """
    names = [name for order in divisions for name in order]
    if len(set(names)) != len(names):
        raise ValueError("an entrant is in two divisions; every entrant plays in one")
    inner = [2 * moving if 0 < at < len(divisions) - 1 else moving for at in range(len(divisions))]
    if moving < 1 or any(len(order) <= out for order, out in zip(divisions, inner, strict=True)):
        raise ValueError(f"{moving} to rise and {moving} to sink leave nobody in some division")
    following = []
    for at, order in enumerate(divisions):
        above = list(divisions[at - 1][-moving:]) if at else []
        below = list(divisions[at + 1][:moving]) if at + 1 < len(divisions) else []
        kept = order[moving if at else 0 : len(order) - (moving if below else 0)]
        following.append([*above, *kept, *below])
    return following


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


def _check(entrants: Sequence[str]) -> None:
    if len(entrants) < 2:
        raise ValueError("a season needs two entrants or more")
    if len(set(entrants)) != len(entrants):
        raise ValueError("an entrant is listed twice; every entrant plays once in a season")


def _slots(rounds: Sequence[Sequence[Pairing]]) -> tuple[Slot, ...]:
    return tuple(
        Slot(number, table, pairing)
        for number, pairings in enumerate(rounds)
        for table, pairing in enumerate(pairings)
    )

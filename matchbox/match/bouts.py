"""The bouts of a match that have been played, their faults, and the entrants banned from each bout.

Plays nothing and asks no seat: a RotationRunner takes bouts from here and returns them when they
end.
"""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Final, TypeAlias

from matchbox.match.bout import LiveBout
from matchbox.match.record import Bout, Fault, entrant
from matchbox.match.wire import Note

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from matchbox.game import Game, Outcome, Plain
    from matchbox.match.wire import PlayMatch

MAX_FAULTS: Final = 3
"""After this many faults in a match, in bout order, an entrant forfeits its later bouts."""

_NOBODY: Final[frozenset[int]] = frozenset()

Order: TypeAlias = tuple[int, int]
"""(deal, rotation): bouts are counted in this order."""


@dataclass(frozen=True, slots=True)
class _Trouble:
    """The banned entrants and the faults of one bout."""

    banned: frozenset[int]
    offenders: set[int]
    """The entrants at fault that were not banned."""
    notes: list[Note]


class Bouts:
    """The bouts of one match. A bout is known by its order: (deal, rotation)."""

    def __init__(
        self,
        game: Game,
        job: PlayMatch,
        forced_faults: Mapping[Order, Mapping[int, Fault]],
        on_progress: Callable[[int], None],
    ) -> None:
        """`forced_faults` holds the faults that are applied without asking: by bout, then by their
        index in the bout's list of faults."""
        self._game = game
        self._job = job
        self._seats = len(job.seats)
        self._forced_faults = forced_faults
        self._on_progress = on_progress
        self._over = 0
        """The number of ended bouts that `on_progress` has not been told of."""
        self._faultless: list[Fault] = []
        """An empty list, which all bouts without faults share."""
        self._bouts: dict[int, list[Bout | None]] = {}
        """By rotation, then by deal."""
        self._troubles: dict[Order, _Trouble] = {}
        self._offences: list[list[Order]] = [[] for _ in job.seats]
        """By entrant: the bouts in which it was at fault, in order."""

    def open_rotation(self, rotation: int) -> None:
        """Makes room for the bouts of this rotation."""
        self._bouts.setdefault(rotation, [None] * len(self._job.deals))

    def is_plain(self, order: Order) -> bool:
        """True if no entrant is banned from that bout and no fault is forced."""
        if not self._forced_faults and not self._troubles:
            return True
        return order not in self._forced_faults and not self._banned_before(order)

    def start(self, order: Order) -> LiveBout:
        """The bout at its beginning."""
        banned = self._banned_before(order)
        return LiveBout(
            self._game,
            self._job.deals[order[0]],
            order,
            self._seats,
            self._job.options,
            forced_faults=self._forced_faults.get(order),
            excluded=[s for s in range(self._seats) if self._entrant(s, order) in banned],
            banned=banned,
        )

    def restart(self, order: Order) -> LiveBout:
        """The bout at its beginning, with no entrant banned and no fault forced."""
        job = self._job
        return LiveBout(self._game, job.deals[order[0]], order, self._seats, job.options)

    def finish(self, live: LiveBout) -> None:
        """Stores an ended bout."""
        order, bout = live.order, live.result()
        notes = [
            Note(self._entrant(seat, order), *order, kind, detail)
            for seat, kind, detail in live.notes
        ]
        self._bouts[order[1]][order[0]] = bout
        self._forget(order)
        if live.banned or bout.faults:
            offenders = {self._entrant(fault.seat, order) for fault in bout.faults} - live.banned
            self._troubles[order] = _Trouble(live.banned, offenders, notes)
            for offender in offenders:
                insort(self._offences[offender], order)
        self._over += 1

    def keep(self, order: Order, moves: list[Plain], outcome: Outcome) -> None:
        """Stores an ended bout without faults, which nobody was ever banned from."""
        deal, rotation = order
        places, scores, none = list(outcome.places), list(outcome.scores), self._faultless
        self._bouts[rotation][deal] = Bout(deal, rotation, moves, places, scores, outcome.why, none)
        self._over += 1

    def report_progress(self) -> None:
        """Calls `on_progress` with the number of bouts that have ended since its last call."""
        over, self._over = self._over, 0
        self._on_progress(over)

    def stale(self) -> dict[int, list[int]]:
        """The deals whose bouts were played with the wrong entrants banned, by rotation."""
        stale: dict[int, list[int]] = {}
        orders = product(range(len(self._job.deals)), sorted(self._bouts))
        for order in orders if self._troubles else ():
            trouble = self._troubles.get(order)
            if (trouble.banned if trouble else _NOBODY) != self._banned_before(order):
                stale.setdefault(order[1], []).append(order[0])
        return stale

    def in_order(self) -> list[Bout]:
        """All bouts that were played, by deal, then by rotation."""
        deals = zip(*(self._bouts[rotation] for rotation in sorted(self._bouts)), strict=True)
        return [bout for bouts in deals for bout in bouts if bout is not None]

    def notes(self) -> list[Note]:
        """The diagnostics of faults, in the order of the bouts."""
        return [note for _, trouble in sorted(self._troubles.items()) for note in trouble.notes]

    def _forget(self, order: Order) -> None:
        """Forgets the faults of a bout that was rerun."""
        trouble = self._troubles.pop(order, None)
        for offender in trouble.offenders if trouble else ():
            self._offences[offender].remove(order)

    def _banned_before(self, order: Order) -> frozenset[int]:
        """The entrants that had their third fault in a bout before this one."""
        if not self._troubles:
            return _NOBODY
        last = MAX_FAULTS - 1
        return frozenset(
            one for one, at in enumerate(self._offences) if len(at) > last and at[last] < order
        )

    def _entrant(self, seat: int, order: Order) -> int:
        return entrant(seat, order[1], self._seats)

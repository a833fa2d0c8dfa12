"""Plays a match: all its deals in all rotations, several bouts in flight. Knows no game.

Keeps the order of bouts and what faults cost in a whole match. What answers for a seat is
handed in; a platform fault passes through as SeatFault("platform").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from matchbox.match import record as records
from matchbox.match.bout import LiveBout
from matchbox.match.record import Bout, Fault, Record, entrant
from matchbox.match.table import Player, Table
from matchbox.match.wire import Note

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from matchbox.game import Game
    from matchbox.match.wire import PlayMatch

MAX_FAULTS: Final = 3
"""After so many faults in a match, in bout order, an entrant's other bouts are forfeited."""

_NOBODY: Final[frozenset[int]] = frozenset()

Order = tuple[int, int]
"""(deal, rotation): bouts are counted in this order."""


@dataclass(frozen=True, slots=True)
class Played:
    """A match's record, and the diagnostics that stay beside it."""

    record: Record
    notes: list[Note]


@dataclass(frozen=True, slots=True)
class _Result:
    bout: Bout
    banned: frozenset[int]
    notes: list[Note]


def play(
    game: Game,
    job: PlayMatch,
    open_player: Callable[[int, int], Player],
    *,
    binding: Mapping[Order, Iterable[Fault]] | None = None,
    report: Callable[[int], None] = lambda bouts: None,
    rotations: Iterable[int] | None = None,
) -> Played:
    """The match played: every deal in every rotation that it has, or in the given ones.

    `open_player(entrant, rotation)` gives each entrant a program of its own per rotation.
    `binding` holds faults, by bout, that are taken as given instead of asking the seat, as
    verification does with timeouts. `report` hears after every frame how many bouts are over
    since the last time. Raises SeatFault("platform") where the platform failed.
    """
    match = _Match(game, job, open_player, binding or {}, report)
    versions = [seat.version for seat in job.seats]
    if rotations is None:
        rotations = records.rotations(versions, cooperative=game.spec.cooperative)
    for rotation in rotations:
        match.play_rotation(rotation)
    results = match.settle()
    record = Record(
        match=job.match,
        game=game.spec.name,
        rules=game.spec.rules,
        options=dict(job.options),
        deals=list(job.deals),
        seats=versions,
        width=job.width,
        bouts=[one.bout for one in results],
        memories=records.memories_of([seat.memory for seat in job.seats]),
    )
    return Played(record, [note for one in results for note in one.notes])


class _Match:
    """The results so far, by bout."""

    def __init__(
        self,
        game: Game,
        job: PlayMatch,
        open_player: Callable[[int, int], Player],
        binding: Mapping[Order, Iterable[Fault]],
        report: Callable[[int], None],
    ) -> None:
        self._game = game
        self._job = job
        self._seats = len(job.seats)
        self._open = open_player
        self._binding = binding
        self._report = report
        self._results: dict[Order, _Result] = {}
        self._offences: dict[Order, set[int]] = {}

    def play_rotation(self, rotation: int) -> None:
        """Plays every deal with the seats so rotated, `width` bouts at a time."""
        orders = [(deal, rotation) for deal in range(len(self._job.deals))]
        bouts = (self._start(order, self._banned_before(order)) for order in orders)
        self._play(rotation, bouts)

    def settle(self) -> list[_Result]:
        """All bouts in order, those after an entrant's third fault forfeited by it."""
        for order in sorted(self._results):
            banned = self._banned_before(order)
            if self._results[order].banned != banned:
                self._play(order[1], iter([self._start(order, banned)]))
        return [self._results[order] for order in sorted(self._results)]

    def _play(self, rotation: int, bouts: Iterable[LiveBout]) -> None:
        seats = range(self._seats)
        players = [self._open(entrant(seat, rotation, self._seats), rotation) for seat in seats]
        try:
            Table(self._job, players, self._finish, lambda: self._report(0)).play(bouts)
        finally:
            for player in players:
                player.close()

    def _start(self, order: Order, banned: frozenset[int]) -> LiveBout:
        return LiveBout(
            self._game,
            self._job.deals[order[0]],
            order,
            self._seats,
            self._job.options,
            given=self._binding.get(order, ()),
            excluded=[s for s in range(self._seats) if self._entrant(s, order) in banned],
            banned=banned,
        )

    def _finish(self, live: LiveBout) -> None:
        """Keeps a bout that is over."""
        order, bout = live.order, live.result()
        notes = [
            Note(self._entrant(seat, order), *order, kind, detail)
            for seat, kind, detail in live.notes
        ]
        self._results[order] = _Result(bout, live.banned, notes)
        self._offences.pop(order, None)
        offenders = {self._entrant(fault.seat, order) for fault in bout.faults} - live.banned
        if offenders:
            self._offences[order] = offenders
        self._report(1)

    def _banned_before(self, order: Order) -> frozenset[int]:
        """The entrants that had their third fault in a bout before this one."""
        if not self._offences:
            return _NOBODY
        earlier = [
            who for at, offenders in self._offences.items() if at < order for who in offenders
        ]
        return frozenset(who for who in earlier if earlier.count(who) >= MAX_FAULTS)

    def _entrant(self, seat: int, order: Order) -> int:
        return entrant(seat, order[1], self._seats)
